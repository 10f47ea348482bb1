"""Weights in eight bits: matrices as int8 with one scale a row (symmetric; its largest magnitude becomes 127), vectors
as they are; and products computed in eight bits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn

from cdlm.devices import multiplies_int8

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
        scale = _largest(rows) / 127
        if not bool(scale.isfinite().all()):
            raise ValueError(f"{name} has a weight that is not finite")
        # For a row of zeros any scale will do; the smallest normal number keeps the division finite.
        scale.clamp_min_(torch.finfo(torch.float32).tiny)
        stored[name] = (rows / scale).round_().to(torch.int8)
        stored[name + SCALE_SUFFIX] = scale[:, 0]
    return stored


def _largest(rows: Tensor) -> Tensor:
    """The largest magnitude of each row, by its two ends: a ninth of the time of a norm. *Shape:* (rows, 1) out"""
    return torch.maximum(rows.amax(dim=1, keepdim=True), rows.amin(dim=1, keepdim=True).neg_())


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

    For inference on the CPU; inputs have seven bits where :func:`cdlm.devices.multiplies_int8` is false. Since
    every token has its own scale, a token's output does not depend on the others. Raises `ValueError` for a layer
    without a bias.
    """

    row_scale: Tensor
    no_shift: Tensor

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        if linear.bias is None:
            raise ValueError("only layers with a bias are computed in eight bits")
        stored = quantize({"weight": linear.weight.detach().float()})
        self._keep(stored["weight"], stored["weight" + SCALE_SUFFIX], linear.bias.detach().float())

    @classmethod
    def joined(cls, layers: Sequence[Int8Linear]) -> Int8Linear:
        """A layer whose output is those of layers with the same input, one behind the other."""
        layer = cls.__new__(cls)
        nn.Module.__init__(layer)
        layer._keep(*(torch.cat([getattr(each, name) for each in layers]) for name in ("weight", "row_scale", "bias")))
        return layer

    def _keep(self, weight: Tensor, row_scale: Tensor, bias: Tensor) -> None:
        self.weight = nn.Parameter(weight, requires_grad=False)
        self.bias = nn.Parameter(bias, requires_grad=False)
        self.register_buffer("row_scale", row_scale)
        self.register_buffer("no_shift", torch.zeros(len(weight), dtype=torch.int32), persistent=False)
        self._packed: list[Tensor] = []
        # Processors multiply unsigned inputs by signed weights; without those instructions two are added in 16 bits.
        self._zero = 128 if multiplies_int8(weight.device) else 64

    def __getstate__(self) -> dict[str, object]:
        """Copies pack the weights anew, since oneDNN's layout cannot be copied."""
        return self.__dict__ | {"_packed": []}

    def forward(self, inputs: Tensor) -> Tensor:
        """*Shape:* (tokens, width) in, (tokens, rows) out, fp32."""
        if not self._packed:
            self._packed.append(torch.ops.onednn.qlinear_prepack(self.weight, [ROWS_AT_ONCE, self.weight.shape[1]]))
        parts = [self._product(part) for part in inputs.split(ROWS_AT_ONCE)]
        return parts[0] if len(parts) == 1 else torch.cat(parts)

    def _product(self, inputs: Tensor) -> Tensor:
        scale = (_largest(inputs) / (self._zero - 1)).clamp_min_(torch.finfo(torch.float32).tiny)
        rounded = (inputs / scale).round_().add_(self._zero).to(torch.uint8)
        factors = rounded, 1.0, self._zero, self._packed[0], self.row_scale, self.no_shift
        product = torch.ops.onednn.qlinear_pointwise(*factors, None, 1.0, 0, torch.float32, "none", [], "")
        return torch.addcmul(self.bias, product, scale, out=product)


def round_to_int8(module: nn.Module) -> None:
    """Let every linear layer in a module be an `Int8Linear`."""
    for parent in list(module.modules()):
        for name, child in list(parent.named_children()):
            if isinstance(child, nn.Linear):
                setattr(parent, name, Int8Linear(child))
