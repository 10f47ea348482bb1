"""Where the splits of a corpus are in its folder, and the lines of its files."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from cdcoref.corpus import Corpus
from cdcoref.formats import line_chunks

SPLITS = ("train", "dev", "test")
"""In the order in which they are listed."""
_NAMES = {"train": ("train",), "dev": ("dev", "val", "validation"), "test": ("test",)}

LONGEST_NUMBER = 9
"""In digits; Python refuses to parse numbers with thousands of them."""


def split_files(folder: Path, split: str, suffix: str) -> list[Path]:
    """The files of a split: in a folder of its name (dev: also val, validation), else those whose names end in it."""
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


def together(parts: Iterable[Corpus]) -> Corpus:
    """The documents, mentions and notes of several parts of a corpus."""
    parts = tuple(parts)
    return Corpus(
        tuple(document for part in parts for document in part.documents),
        tuple(mention for part in parts for mention in part.mentions),
        tuple(note for part in parts for note in part.notes),
    )


def _ends_in(path: Path, suffix: str) -> bool:
    return path.name.removesuffix(".gz").endswith(suffix) and not path.name.startswith(".") and path.is_file()


def text_lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a UTF-8 file, plain or gzipped, with their numbers from 1 and without line breaks."""
    for first, chunk in line_chunks(path):
        for number, line in enumerate(chunk.decode().removesuffix("\n").split("\n"), first):
            yield number, line.removesuffix("\r")


def is_number(text: str) -> bool:
    """Whether a text is a nonnegative number short enough for a sentence, a topic or a token."""
    return text.isascii() and text.isdecimal() and len(text) <= LONGEST_NUMBER
