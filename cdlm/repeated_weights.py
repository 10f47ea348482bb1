"""Weights that repeat others, stored once: projections of global rows that are copies of the local ones, and the rows
of a position table that was tiled (:func:`cdlm.convert.tile_positions`)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeVar

import torch
from torch import Tensor

from cdlm.config import EncoderConfig
from cdlm.encoder import CDLMModel, SelfAttention
from cdlm.quantization import SCALE_SUFFIX

T = TypeVar("T")

POSITIONS, PERIOD = ".position_embeddings.weight", ".position_embeddings.period"
"""The end of the name of a table of positions, and of one whose rows are repeated, but for those that no token uses."""
MOST_POSITIONS = 1_000_000
"""Rows that a repeated table may have; far more than an encoder reads."""
_LOCAL = re.compile(r"(\.self\.(?:query|key|value))(\.(?:weight|bias)(?:\.row_scale)?)$")
_GLOBAL = re.compile(r"(\.self\.(?:query|key|value))_global(?=\.)")


def share_projections(encoder: CDLMModel) -> None:
    """Give global rows copies of the projections of local ones."""
    with torch.no_grad():
        for module in encoder.modules():
            if isinstance(module, SelfAttention):
                for name in ("query", "key", "value"):
                    getattr(module, f"{name}_global").load_state_dict(getattr(module, name).state_dict())


def without_copies(weights: Mapping[str, Tensor], config: EncoderConfig) -> dict[str, Tensor]:
    """Weights of an encoder, or of a model with one, without global projections like local ones or repeated rows."""

    def is_copy(name: str) -> bool:
        local = _GLOBAL.sub(r"\1", name)
        return local != name and local in weights and torch.equal(weights[name], weights[local])

    kept = {name: tensor for name, tensor in weights.items() if not is_copy(name)}
    unused = _unused_rows(config)
    for table in [name for name in kept if name.endswith(POSITIONS)]:
        period = _period(kept[table][unused:])
        names_of_table = [name for name in (table, table + SCALE_SUFFIX) if name in kept]
        if unused + period < len(kept[table]) and all(_repeats(kept[name][unused:], period) for name in names_of_table):
            for name in names_of_table:
                kept[name.replace(POSITIONS, PERIOD)] = kept.pop(name)[: unused + period].clone()
    return kept


def with_copies(values: Mapping[str, T], config: EncoderConfig) -> dict[str, T]:
    """Weights, or their shapes, by name, with what :func:`without_copies` left out."""
    whole = dict(values)
    for name in values:
        if name.removesuffix(SCALE_SUFFIX).endswith(PERIOD):
            whole[name.replace(PERIOD, POSITIONS)] = _repeated(whole.pop(name), name, config)
    for name, value in tuple(whole.items()):
        whole.setdefault(_LOCAL.sub(r"\1_global\2", name), value)
    return whole


def _unused_rows(config: EncoderConfig) -> int:
    """Rows of a table of positions before that of the first token."""
    return config.max_position_embeddings - config.max_length


def _period(rows: Tensor) -> int:
    """The smallest number of rows that, repeated, are all rows."""
    equal = (rows == rows[:1]).all(dim=1).nonzero().flatten().tolist()
    return next((period for period in equal[1:] if _repeats(rows, period)), len(rows))


def _repeats(rows: Tensor, period: int) -> bool:
    return torch.equal(rows[period:], rows[:-period])


def _repeated(value: T, name: str, config: EncoderConfig) -> T:
    """A table, or its shape, with rows repeated up to the encoder's number of positions."""
    shape = list(value.shape) if isinstance(value, Tensor) else list(value)  # type: ignore[call-overload]
    unused, rows = _unused_rows(config), config.max_position_embeddings
    if not shape or not unused < shape[0] <= rows <= MOST_POSITIONS:
        raise ValueError(f"{name} has the shape {shape}, which does not fit an encoder of {rows} positions")
    if not isinstance(value, Tensor):
        return [rows, *shape[1:]]  # type: ignore[return-value]
    places = torch.arange(config.max_length) % (shape[0] - unused) + unused
    return value[torch.cat([torch.arange(unused), places])]  # type: ignore[return-value]
