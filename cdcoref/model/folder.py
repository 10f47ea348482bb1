"""A saved model: a name in, its folder out; a folder's weights in, weights that fit the configuration out. The folder
holds ``config.json``, ``model.safetensors``, the tokenizer's files and ``README.md``, the model card. It is untrusted
input like any other: shapes are checked against the configuration before a tensor is read or a layer built."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import torch
from torch import Tensor

from cdcoref.corpus import KINDS
from cdcoref.errors import InputError
from cdcoref.inputs import SMALLEST_LENGTH
from cdcoref.model.model_config import CorefConfig
from cdlm.checkpoints import INDEX_FILE, SAFE_FILES, WEIGHTS_FILE, read_safetensors, safetensors_files, save_file
from cdlm.config import EncoderConfig
from cdlm.encoder import PRECISIONS, check_shapes, check_sizes
from cdlm.files import restore_folder
from cdlm.hub import download
from cdlm.quantization import dequantize
from cdlm.repeated_weights import with_copies, without_copies
from cdlm.shipped_models import BASE, DEFAULT, DEFAULT_MODEL, MODELS, SMALL

CONFIG_FILE = "config.json"
CARD_FILE = "README.md"
CHECKPOINTS = "checkpoints"
"""The folder within that of a run whose model is not there yet."""
UNFINISHED = "unfinished"
"""The entry of the configuration of a model that has not all of its heads yet."""
ENCODER = "encoder."
LARGEST_FILE = 60 * 10**6
"""Weights of more bytes are divided into several files."""
PART_FILE = "model-{:05}-of-{:05}.safetensors"

Shapes = Mapping[str, Sequence[int]]


def find_model(name_or_folder: str | Path, *others: str) -> Path:
    """The folder of a model.

    ``"base"`` (also called ``"default"``) or ``"small"`` is a model included in the package; ``organisation/model`` one
    on the Hugging Face hub, which is downloaded into the hub's cache. A message about a wrong name lists `others` too.
    """
    if str(name_or_folder) == DEFAULT:
        return DEFAULT_MODEL
    if str(name_or_folder) in MODELS:
        return MODELS[str(name_or_folder)]
    folder = Path(name_or_folder)
    restore_folder(folder)
    if folder.is_dir():
        return folder
    if folder.exists():
        raise InputError("this is a file; name a folder with a saved model", folder)
    if re.fullmatch(r"[\w-][\w.-]*/[\w-][\w.-]*", str(name_or_folder)):
        return download(str(name_or_folder), SAFE_FILES)
    *names, last = (SMALL, BASE, *others)
    known = f"{', '.join(names)} and {last}"
    raise InputError(f"there is no such folder; name a folder with a saved model, or one of the models {known}", folder)


def check_length(encoder: EncoderConfig, path: Path) -> None:
    """Refuse an encoder that has too few positions for any sequence."""
    if encoder.max_length < SMALLEST_LENGTH:
        raise InputError(
            f"the encoder reads {encoder.max_length} word pieces at once; it must read at least {SMALLEST_LENGTH}", path
        )


def check_stored(config: CorefConfig, encoder: EncoderConfig, shapes: Shapes) -> None:
    """Check the sizes in a model's configuration against the shapes of the stored weights."""
    check_sizes(encoder, {name.removeprefix(ENCODER): s for name, s in shapes.items() if name.startswith(ENCODER)})
    heads = {"pair_scorer.output.weight": (len(KINDS), config.scorer_width)} if config.scorer_width else {}
    if config.detector_width:
        heads["detector.length.weight"] = (config.detector_max_words, config.detector_width)
    check_shapes(heads, shapes)


def check_all(expected: Shapes, shapes: Shapes) -> None:
    """Check the shapes of the stored weights against those of all weights of a model, by name."""
    check_shapes(expected, shapes)
    for name in shapes:
        if name not in expected:
            raise ValueError(f"{name!r} belongs to no layer")


def write_weights(folder: Path, state: Mapping[str, Tensor], encoder: EncoderConfig) -> None:
    """Write a model's weights as one safetensors file, or as several with an index if they are large. Of several files,
    one holds the heads, so that heads fitted anew leave the files of the encoder as they are. What repeats other
    weights is left out (:mod:`cdlm.repeated_weights`)."""
    state = without_copies(state, encoder)
    if sum(tensor.nbytes for tensor in state.values()) <= LARGEST_FILE:
        parts = [state]
    else:
        parts = [{}]
        for name in sorted(state, key=lambda name: not name.startswith(ENCODER)):
            head_first = not name.startswith(ENCODER) and next(iter(parts[-1]), ENCODER).startswith(ENCODER)
            size = sum(tensor.nbytes for tensor in parts[-1].values()) + state[name].nbytes
            if parts[-1] and (head_first or size > LARGEST_FILE):
                parts.append({})
            parts[-1][name] = state[name]
    names = [PART_FILE.format(number, len(parts)) for number in range(1, len(parts) + 1)]
    if len(parts) == 1:
        names = [WEIGHTS_FILE]
    else:
        places = {name: file for file, part in zip(names, parts, strict=True) for name in part}
        index = {"metadata": {"total_size": sum(tensor.nbytes for tensor in state.values())}, "weight_map": places}
        (folder / INDEX_FILE).write_text(json.dumps(index, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    for file, part in zip(names, parts, strict=True):
        save_file(part, folder / file, metadata={"format": "pt"})
        (folder / file).chmod(0o644)


def read_weights(folder: Path, encoder: EncoderConfig, check: Callable[[Shapes], None]) -> dict[str, Tensor]:
    """Read a model's weights as float32; `check` is called with their shapes before any of them is read."""
    path = folder / WEIGHTS_FILE
    files = safetensors_files(folder)
    if not files:
        raise InputError("the model's weights are missing", path)
    stored = with_copies(read_safetensors(files, lambda shapes: check(with_copies(shapes, encoder))), encoder)
    for name, tensor in stored.items():
        if tensor.dtype not in (*PRECISIONS, torch.int8):
            raise InputError(f"{name} holds {str(tensor.dtype).removeprefix('torch.')}, which weights never do", path)
        # One sum is cheaper than checking every number, and it is not finite if one of them is not.
        if tensor.is_floating_point() and not bool(tensor.sum().isfinite()) and not bool(tensor.isfinite().all()):
            raise InputError(f"{name} holds numbers that are not finite", path)
    try:
        state = dequantize(stored)
    except ValueError as error:
        raise InputError(f"the model's weights cannot be read ({error})", path) from error
    for name, tensor in state.items():
        if not tensor.is_floating_point():
            raise InputError(f"{name} holds 8-bit integers without scales", path)
    return {name: tensor.float() for name, tensor in state.items()}
