"""Operations that are faster here than in PyTorch: products with weights, and dropout."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class Linear(nn.Linear):
    """``torch.nn.Linear``, computed by `product`."""

    def forward(self, input: Tensor) -> Tensor:
        """*Shape:* (tokens, width) in and out."""
        return product(input, self.weight, self.bias)


def product(inputs: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """Same as ``torch.nn.functional.linear``. *Shape:* (tokens, width) in, (tokens, rows of the weight) out."""
    if _takes_onednn(inputs, weight):
        return torch.ops.mkldnn._linear_pointwise(inputs, weight, bias, "none", [], "")
    return nn.functional.linear(inputs, weight, bias)


def _takes_onednn(inputs: Tensor, weight: Tensor) -> bool:
    """Whether the product is in fp32 on the CPU and without gradients, and oneDNN is available."""
    return (
        not torch.is_grad_enabled()
        and inputs.dtype == weight.dtype == torch.float32
        and inputs.device.type == "cpu"
        and len(inputs) > 0
        and not torch.is_autocast_enabled("cpu")
        and hasattr(torch.ops.mkldnn, "_linear_pointwise")
    )


def random_numbers(count: int, generator: torch.Generator | None = None) -> Tensor:
    """Draw 16-bit integers, uniform over their whole range. *Shape:* (count,)."""
    device = "cpu" if generator is None else generator.device
    words = torch.empty(math.ceil(count / 4), dtype=torch.int64, device=device)
    return words.random_(-(2**63), None, generator=generator).view(torch.int16)[:count]


def zero_dropped_(values: Tensor, numbers: Tensor, probability: float) -> Tensor:
    """Set values to zero in place with some probability, given random numbers of the same shape; return them."""
    threshold = round(probability * 2**16) - 2**15
    if values.element_size() == 2:
        # Comparing integers and clearing bits takes a fifth of the time of a product with zeros and ones.
        keep = torch.ge(numbers, threshold, out=torch.empty_like(numbers)).neg_()
        values.view(torch.int16).bitwise_and_(keep)
        return values
    return values.mul_(torch.ge(numbers, threshold, out=torch.empty_like(values)))


def add_dropped(total: Tensor, part: Tensor, probability: float) -> Tensor:
    """Return ``total`` plus ``part`` after dropout, any shape; probability 0 drops nothing."""
    if probability == 0.0:
        return total + part
    if part.device.type != "cpu":
        return total + torch.nn.functional.dropout(part, probability)
    kept = zero_dropped_(torch.ones_like(part), random_numbers(part.numel()).view(part.shape), probability)
    return torch.addcmul(total, part, kept, value=1 / (1 - probability))
