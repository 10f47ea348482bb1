"""Reading and writing checkpoints. Weights are written as safetensors only; a ``pytorch_model.bin`` of a hub checkpoint
is read with ``weights_only=True``, which runs no foreign code."""

from __future__ import annotations

import json
import pickle  # only for the name of an error: only torch.load(weights_only=True) unpickles anything here
import re
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file
from safetensors.torch import save_file as write_safetensors
from torch import Tensor
from torch.overrides import TorchFunctionMode

from cdlm.config import CONFIG_FILE, read_json
from cdlm.errors import InputError, first_line
from cdlm.files import replaced_file, restore_folder
from cdlm.hub import download
from cdlm.validation import shown

T = TypeVar("T")

WEIGHTS_FILE = "model.safetensors"
INDEX_FILE = "model.safetensors.index.json"
OLD_WEIGHTS_FILE = "pytorch_model.bin"
SAFE_FILES = ("*.json", "*.txt", "*.model", "model*.safetensors")
"""The files of a checkpoint that are downloaded."""
UNPICKLING_ERRORS = (
    *(pickle.UnpicklingError, RuntimeError, EOFError, ValueError, TypeError, AttributeError, AssertionError),
    *(LookupError, ArithmeticError, MemoryError, struct.error),
)
"""What ``torch.load`` raises on damaged files."""


class _NoInitialisation(TorchFunctionMode):
    """Makes the functions of ``torch.nn.init`` return their tensor unchanged."""

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if getattr(func, "__module__", None) == "torch.nn.init":
            return args[0] if args else (kwargs or {})["tensor"]
        return func(*args, **(kwargs or {}))


@contextmanager
def shapes_only() -> Iterator[None]:
    """Modules created in this context have weights without values, which ``load_state_dict`` then assigns.

    With PyTorch's meta device alone, every initialisation would still run, and import the compiler.
    """
    with torch.device("meta"), _NoInitialisation():
        yield


def find_checkpoint(name_or_folder: str | Path) -> Path:
    """Return the folder of a checkpoint; a hub name is downloaded into the hub's cache first.

    Raises `InputError` if it is neither a folder nor a name that the hub (or its cache) has.
    """
    folder = Path(name_or_folder)
    restore_folder(folder)
    if folder.is_dir():
        return folder
    if folder.exists():
        raise InputError("this is a file; give the folder with the saved model", folder)
    return download(str(name_or_folder), SAFE_FILES, OLD_WEIGHTS_FILE)


Shapes = Mapping[str, Sequence[int]]
Check = Callable[[Shapes], None]
"""Raises a `ValueError` if the shapes of stored weights, by name, are not the expected ones."""


def read_weights(folder: Path, check: Check | None = None) -> dict[str, Tensor]:
    """Read all weights of a checkpoint folder, safetensors first.

    `check` is called with the shapes of all weights before the first is read (from ``pytorch_model.bin``, before they
    are returned).
    """
    files = safetensors_files(folder)
    if files:
        return read_safetensors(files, check)
    old = folder / OLD_WEIGHTS_FILE
    if not old.is_file():
        raise InputError(f"there is neither {WEIGHTS_FILE} nor {OLD_WEIGHTS_FILE} in this folder", folder)
    try:
        weights = torch.load(old, map_location="cpu", weights_only=True)
    except UNPICKLING_ERRORS as error:
        raise InputError("the weights cannot be read: the file is damaged or holds something else", old) from error
    if not isinstance(weights, dict) or not all(isinstance(weight, Tensor) for weight in weights.values()):
        raise InputError("the weights cannot be read: expected tensors by name", old)
    if check is not None:
        check({name: weight.shape for name, weight in weights.items()})
    return weights


def safetensors_files(folder: Path) -> list[Path]:
    """The files that hold a checkpoint's weights: one, or those that its index names."""
    if (folder / WEIGHTS_FILE).is_file():
        return [folder / WEIGHTS_FILE]
    index = folder / INDEX_FILE
    if not index.is_file():
        return []
    file_of = read_json(index).get("weight_map")
    if not isinstance(file_of, dict) or not file_of:
        raise InputError(f"weight_map is {shown(file_of)} and should name the file of every weight", index)
    for name in file_of.values():
        if not isinstance(name, str) or not re.fullmatch(r"[\w.-]+\.safetensors", name):
            raise InputError(f"weight_map names {shown(name)}, which is not a weights file in this folder", index)
        if not (folder / name).is_file():
            raise InputError(f"weight_map names {name}, which is missing", index)
    return [folder / name for name in sorted(set(file_of.values()))]


def read_safetensors(files: Sequence[Path], check: Check | None = None) -> dict[str, Tensor]:
    """Read the weights of one or more safetensors files; see `read_weights`."""
    if check is not None:
        check(_read_each(files, _shapes))
    return _read_each(files, load_file)


def _read_each(files: Sequence[Path], read: Callable[[Path], dict[str, T]]) -> dict[str, T]:
    """Something read for each weight in some safetensors files, by name."""
    values: dict[str, T] = {}
    for path in files:
        try:
            values |= read(path)
        except (OSError, SafetensorError, RuntimeError) as error:
            raise InputError(f"the weights cannot be read ({first_line(error)})", path) from error
    return values


def _shapes(path: Path) -> dict[str, Sequence[int]]:
    with safe_open(path, framework="pt") as file:
        return {name: file.get_slice(name).get_shape() for name in file.keys()}  # noqa: SIM118


@contextmanager
def writing_weights(path: Path) -> Iterator[None]:
    """Weights are written in this context: what PyTorch and safetensors raise if that fails becomes an `InputError`."""
    try:
        yield
    except (OSError, RuntimeError, SafetensorError) as error:
        message = f"the weights cannot be written ({first_line(error)}); make room, or choose another location"
        raise InputError(message, path) from error


def save_file(tensors: Mapping[str, Tensor], path: Path, metadata: dict[str, str] | None = None) -> None:
    """Write tensors as safetensors."""
    with writing_weights(path):
        write_safetensors(dict(tensors), path, metadata=metadata)


def write_checkpoint(folder: Path, config: Mapping[str, Any], weights: Mapping[str, Tensor]) -> None:
    """Write ``config.json`` and ``model.safetensors``; each file is written completely or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in weights.items()}
    with replaced_file(folder / WEIGHTS_FILE) as path, writing_weights(folder / WEIGHTS_FILE):
        write_safetensors(tensors, path, metadata={"format": "pt"})
    with replaced_file(folder / CONFIG_FILE) as path:
        path.write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
