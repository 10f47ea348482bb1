"""Weights in eight bits: matrices as int8 with one scale a row (symmetric; its largest magnitude becomes 127), vectors
as they are; and products computed in eight bits."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

ROWS_AT_ONCE = 512
"""Tokens multiplied together in eight bits, so that intermediate results stay in the cache."""
SCALE_SUFFIX = ".row_scale"
"""A quantised weight ``name`` has its scales, *shape* (rows,) in fp32, under ``name`` with this suffix."""


def quantize(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Store every floating-point matrix as int8 rows with scales; other tensors are passed through.

    The error of a weight is at most half its row's scale, that is 1/254 of the row's largest magnitude. Raises
    `ValueError` if a matrix has a weight that is not finite, or a name has the suffix that marks scales.
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
        # For a row of zeros any scale will do; the smallest normal number keeps the division finite.
        scale = (rows.abs().amax(dim=1) / 127).clamp_min(torch.finfo(torch.float32).tiny)
        stored[name] = (rows / scale[:, None]).round().clamp(-127, 127).to(torch.int8)
        stored[name + SCALE_SUFFIX] = scale
    return stored


def dequantize(stored: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return the state dict that `quantize` was given, matrices rounded, floating-point tensors in float32."""
    scales = {name.removesuffix(SCALE_SUFFIX): scale for name, scale in stored.items() if name.endswith(SCALE_SUFFIX)}
    for name, scale in scales.items():
        rows = stored.get(name)
        if rows is None or rows.ndim != 2 or scale.shape != rows.shape[:1]:
            raise ValueError(f"{name} is not a matrix with one row per scale")
    weights: dict[str, Tensor] = {}
    for name, tensor in stored.items():
        if name in scales:
            weights[name] = tensor.to(torch.float32).mul_(scales[name].to(torch.float32)[:, None])
        elif not name.endswith(SCALE_SUFFIX):
            weights[name] = tensor.to(torch.float32) if tensor.is_floating_point() else tensor
    return weights


class Int8Linear(nn.Module):
    """``nn.Linear`` in eight bits: weights with one scale per row, inputs rounded with one scale per token.

    For inference on the CPU. Since every token has its own scale, a token's output does not depend on the others. A
    layer needs a bias, and inputs wider than 1: PyTorch's product of 8-bit matrices is wrong for those.
    """

    row_scale: Tensor

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        if linear.in_features == 1 or linear.bias is None:
            raise ValueError("only layers with a bias and inputs wider than 1 are computed in eight bits")
        stored = quantize({"weight": linear.weight.detach().float()})
        self.weight = nn.Parameter(stored["weight"], requires_grad=False)
        self.register_buffer("row_scale", stored["weight" + SCALE_SUFFIX])
        self.bias = nn.Parameter(linear.bias.detach().float(), requires_grad=False)

    def forward(self, inputs: Tensor) -> Tensor:
        """*Shape:* (tokens, width) in and out, fp32."""
        return int8_product(inputs, self.weight, self.row_scale, self.bias)


def round_to_int8(module: nn.Module) -> None:
    """Let every linear layer in a module be an `Int8Linear`."""
    for parent in list(module.modules()):
        for name, child in list(parent.named_children()):
            if isinstance(child, nn.Linear):
                setattr(parent, name, Int8Linear(child))


def int8_product(inputs: Tensor, weight: Tensor, row_scale: Tensor, bias: Tensor) -> Tensor:
    """Multiply fp32 inputs by int8 weights.

    *Shapes:* inputs (tokens, width), weight (rows, width), row_scale and bias (rows,); returns (tokens, rows).
    """
    output = inputs.new_empty(len(inputs), len(weight))
    for some, target in zip(inputs.split(ROWS_AT_ONCE), output.split(ROWS_AT_ONCE), strict=True):
        largest = torch.linalg.vector_norm(some, torch.inf, -1, keepdim=True)
        scale = (largest / 127).clamp_min_(torch.finfo(torch.float32).tiny)
        rounded = (some / scale).round_().to(torch.int8)
        torch.mul(torch._int_mm(rounded, weight.t()), scale, out=target)
        torch.addcmul(bias, target, row_scale, out=target)
    return output
