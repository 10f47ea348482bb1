"""The encoder that training starts from: a name in, a folder with a Longformer checkpoint out.

Longformer checkpoints are used as they are; BERT, RoBERTa and MPNet checkpoints are converted first
(:mod:`cdlm.convert`); of a model of this project, which consists of an encoder and heads, only the encoder is used.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from safetensors import SafetensorError, safe_open

from cdlm.checkpoints import find_checkpoint, read_weights, safetensors_files, write_checkpoint
from cdlm.config import CONFIG_FILE, EncoderConfig, read_json
from cdlm.convert import MODEL_TYPES, convert
from cdlm.errors import InputError
from cdlm.packaged_encoders import MINILM, MPNET, minilm_folder, mpnet_folder
from cdlm.quantization import dequantize
from cdlm.repeated_weights import with_copies
from cdlm.shipped_models import BASE, MODELS, SMALL
from cdlm.tokens import load_tokenizer

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
    """A Longformer checkpoint to start from, for the duration of the block.

    Parameters
    ----------
    name
        A folder or a hub name, including that of a coreference or task model; ``"base"`` or ``"small"`` for the encoder
        of a coreference model that is installed with this package; ``"minilm"`` for all-MiniLM-L6-v2 (22M parameters),
        from which that of small was trained; or ``"mpnet"`` for all-mpnet-base-v2 (109M parameters), from which that of
        base was; both Apache-2.0, in packages of the extra ``build`` (:mod:`cdlm.packaged_encoders`). None needs a
        download at run time.

    Raises
    ------
    InputError
        If there is no such checkpoint, the package is not installed, or its weights are not the expected ones.
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
    own = {name: one.clone() for name, one in weights.items() if name.startswith(PART_OF_MODEL)}
    encoder = {name.removeprefix(PART_OF_MODEL): one for name, one in own.items()}
    write_checkpoint(target, config.to_dict(), encoder)
    load_tokenizer(source).save_pretrained(str(target))
