"""Where the splits of a corpus are in its folder: files or folders whose name is, or ends in, the name of a split."""

from __future__ import annotations

from pathlib import Path

from cdcoref.errors import InputError

SPLITS = ("train", "dev", "test")
_NAMES = {"train": ("train",), "dev": ("dev", "val", "validation"), "test": ("test",)}


def split_files(folder: Path, split: str, suffix: str) -> list[Path]:
    """The files of a split: those in a folder named after it, otherwise those whose names end in its name.

    Parameters
    ----------
    folder
        The folder of the corpus.
    split
        ``"train"``, ``"dev"`` (also called ``val`` and ``validation``) or ``"test"``.
    suffix
        The suffix of the files, such as ``".conllu"``, which ``.gz`` may follow.
    """
    for name in _NAMES[split]:
        inside = sorted(path for path in (folder / name).glob("*") if _ends_in(path, suffix))
        if inside:
            return inside
        beside = sorted(
            path
            for path in folder.glob("*")
            if _ends_in(path, suffix) and path.name.removesuffix(".gz").removesuffix(suffix).split("-")[-1] == name
        )
        if beside:
            return beside
    return []


def missing_split(title: str, split: str, folder: Path, found: list[str], wanted: str) -> InputError:
    """The error for a split that is missing from the folder."""
    what = f"the {split} split of {title}, only {' and '.join(found)}" if found else f"any split of {title}"
    return InputError(f"this folder does not hold {what}; expected {wanted}", folder)


def _ends_in(path: Path, suffix: str) -> bool:
    return path.name.removesuffix(".gz").endswith(suffix) and not path.name.startswith(".") and path.is_file()
