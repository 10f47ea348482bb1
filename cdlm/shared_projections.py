"""Projections of global rows that are those of local ones: stored once, by name.

A Longformer has queries, keys and values of its own for global rows. An encoder that reads sequences which fit into its
attention window has no need of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeVar

import torch
from torch import Tensor

from cdlm.encoder import CDLMModel, SelfAttention

T = TypeVar("T")

_LOCAL = re.compile(r"(\.self\.(?:query|key|value))(\.(?:weight|bias)(?:\.row_scale)?)$")
_GLOBAL = re.compile(r"(\.self\.(?:query|key|value))_global(?=\.)")


def share_projections(encoder: CDLMModel) -> None:
    """Give global rows copies of the projections of local ones."""
    with torch.no_grad():
        for module in encoder.modules():
            if isinstance(module, SelfAttention):
                for name in ("query", "key", "value"):
                    getattr(module, f"{name}_global").load_state_dict(getattr(module, name).state_dict())


def without_copies(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Weights by name, without the projections of global rows that equal those of local ones."""

    def is_copy(name: str) -> bool:
        local = _GLOBAL.sub(r"\1", name)
        return local != name and local in weights and torch.equal(weights[name], weights[local])

    return {name: tensor for name, tensor in weights.items() if not is_copy(name)}


def with_copies(values: Mapping[str, T]) -> dict[str, T]:
    """Weights, or their shapes, by name, with the projections of global rows that :func:`without_copies` left out."""
    found = dict(values)
    for name, value in values.items():
        found.setdefault(_LOCAL.sub(r"\1_global\2", name), value)
    return found
