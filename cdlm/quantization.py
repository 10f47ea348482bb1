"""Weights in eight bits: a state dict in, one of a quarter of the size out, and back.

A table of weights is stored as int8 with one scale a row (symmetric, the row's largest magnitude is 127), vectors as
they are. Both directions are pure functions on state dicts; what a file or a model does with them is decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

SCALE_SUFFIX = ".row_scale"
"""A quantised weight ``name`` has its scales, *shape* (rows,) in fp32, under ``name`` with this suffix."""


def quantize(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Store every floating-point matrix as int8 rows with scales; other tensors are passed through.

    The error of a weight is at most half its row's scale, that is 1/254 of the row's largest magnitude.

    Raises
    ------
    ValueError
        If a matrix has a weight that is not finite, or a name has the suffix that marks scales.
    """
    stored: dict[str, Tensor] = {}
    for name, tensor in weights.items():
        if name.endswith(SCALE_SUFFIX):
            raise ValueError(f"{name} already ends in {SCALE_SUFFIX}: these weights are quantised")
        if tensor.ndim != 2 or not tensor.is_floating_point():
            stored[name] = tensor
            continue
        rows = tensor.detach().float()
        if not bool(rows.isfinite().all()):
            raise ValueError(f"{name} has a weight that is not finite")
        # A row of zeros has any scale; the smallest normal number keeps the division finite.
        scale = (rows.abs().amax(dim=1) / 127).clamp_min(torch.finfo(torch.float32).tiny)
        stored[name] = (rows / scale[:, None]).round().clamp(-127, 127).to(torch.int8)
        stored[name + SCALE_SUFFIX] = scale
    return stored


def dequantize(stored: Mapping[str, Tensor], dtype: torch.dtype = torch.float32) -> dict[str, Tensor]:
    """Return the state dict that `quantize` was given, matrices rounded, floating-point tensors in ``dtype``.

    Raises
    ------
    ValueError
        If scales have no matrix, or not one for each of its rows.
    """
    scales = {name.removesuffix(SCALE_SUFFIX): scale for name, scale in stored.items() if name.endswith(SCALE_SUFFIX)}
    for name, scale in scales.items():
        rows = stored.get(name)
        if rows is None or rows.ndim != 2 or scale.shape != rows.shape[:1]:
            raise ValueError(f"{name} is no matrix with as many rows as there are scales for it")
    weights: dict[str, Tensor] = {}
    for name, tensor in stored.items():
        if name in scales:
            weights[name] = tensor.to(dtype).mul_(scales[name].to(dtype)[:, None])
        elif not name.endswith(SCALE_SUFFIX):
            weights[name] = tensor.to(dtype) if tensor.is_floating_point() else tensor
    return weights
