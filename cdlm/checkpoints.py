"""Reading and writing checkpoints: a folder or a hub name in, configuration and weights out.

Weights are written as safetensors only. A hub checkpoint that has nothing but a ``pytorch_model.bin`` is read with
``weights_only=True``, which runs no foreign code.
"""

from __future__ import annotations

import json
import pickle  # only for the name of an error: nothing is unpickled here but by torch.load(weights_only=True)
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor
from torch.overrides import TorchFunctionMode

from cdlm.config import CONFIG_FILE, read_json
from cdlm.errors import InputError
from cdlm.files import replaced_file

WEIGHTS_FILE = "model.safetensors"
INDEX_FILE = "model.safetensors.index.json"
OLD_WEIGHTS_FILE = "pytorch_model.bin"


class _NoInitialisation(TorchFunctionMode):
    """Lets the functions of ``torch.nn.init`` return their tensor as it is."""

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if getattr(func, "__module__", None) == "torch.nn.init":
            return args[0] if args else (kwargs or {})["tensor"]
        return func(*args, **(kwargs or {}))


@contextmanager
def shapes_only() -> Iterator[None]:
    """Modules that are made in this context have weights without values, to be put in place by ``load_state_dict``.

    On PyTorch's meta device alone each initialisation would still be gone through, and the compiler imported for it.
    """
    with torch.device("meta"), _NoInitialisation():
        yield


def find_checkpoint(name_or_folder: str | Path) -> Path:
    """Return the folder of a checkpoint; a hub name is downloaded into the hub's cache first.

    Raises
    ------
    InputError
        If it is neither a folder with a ``config.json`` nor a name that the hub (or its cache) has.
    """
    folder = Path(name_or_folder)
    if folder.is_dir():
        return folder
    if folder.exists():
        raise InputError("this is a file; name the folder with the saved model", folder)
    from huggingface_hub import hf_hub_download, snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError

    try:
        config = Path(hf_hub_download(str(name_or_folder), CONFIG_FILE))
        safe = snapshot_download(str(name_or_folder), allow_patterns=["*.json", "*.txt", "model*.safetensors"])
        if not any(Path(safe).glob("model*.safetensors")):
            hf_hub_download(str(name_or_folder), OLD_WEIGHTS_FILE)
    except (OSError, HFValidationError, HfHubHTTPError) as error:
        first_line = str(error).strip().split("\n")[0]
        raise InputError(
            f"no such folder, and the hub gave no checkpoint of that name ({first_line})", name_or_folder
        ) from error
    return config.parent


def read_weights(folder: Path) -> dict[str, Tensor]:
    """Read all weights of a checkpoint folder, safetensors first."""
    if (folder / WEIGHTS_FILE).is_file():
        return _read_safetensors(folder / WEIGHTS_FILE)
    if (folder / INDEX_FILE).is_file():
        weights: dict[str, Tensor] = {}
        for name in sorted(set(read_json(folder / INDEX_FILE)["weight_map"].values())):
            weights |= _read_safetensors(folder / name)
        return weights
    old = folder / OLD_WEIGHTS_FILE
    if not old.is_file():
        raise InputError(f"there is neither {WEIGHTS_FILE} nor {OLD_WEIGHTS_FILE} in this folder", folder)
    try:
        return torch.load(old, map_location="cpu", weights_only=True)
    except (RuntimeError, EOFError, ValueError, pickle.UnpicklingError) as error:
        first_line = str(error).strip().split("\n")[0]
        raise InputError(f"the weights cannot be read ({first_line})", old) from error


def _read_safetensors(path: Path) -> dict[str, Tensor]:
    try:
        return load_file(path)
    except (OSError, SafetensorError) as error:
        raise InputError(f"the weights cannot be read ({error})", path) from error


def write_checkpoint(folder: Path, config: Mapping[str, Any], weights: Mapping[str, Tensor]) -> None:
    """Write ``config.json`` and ``model.safetensors``; each file appears whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in weights.items()}
    with replaced_file(folder / WEIGHTS_FILE) as path:
        save_file(tensors, path, metadata={"format": "pt"})
    with replaced_file(folder / CONFIG_FILE) as path:
        path.write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
