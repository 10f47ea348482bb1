"""Products with weights, by the fastest library for the requested numeric precision.

PyTorch multiplies fp32 matrices with MKL and 16-bit matrices with oneDNN. On an AMD EPYC with AVX-512, oneDNN takes
three quarters of MKL's time in fp32 too, so it is called for both, except for products that need gradients.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


def product(inputs: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """Same as ``torch.nn.functional.linear``. *Shape:* (tokens, width) in, (tokens, rows of the weight) out."""
    if _takes_onednn(inputs, weight):
        return torch.ops.mkldnn._linear_pointwise(inputs, weight, bias, "none", [], "")
    return nn.functional.linear(inputs, weight, bias)


def _takes_onednn(inputs: Tensor, weight: Tensor) -> bool:
    """Whether the product is in fp32 on the CPU, outside graphs and without gradients, and oneDNN is available."""
    return (
        not torch.compiler.is_compiling()
        and not torch.is_grad_enabled()
        and inputs.dtype == weight.dtype == torch.float32
        and inputs.device.type == "cpu"
        and len(inputs) > 0
        and not torch.is_autocast_enabled("cpu")
        and hasattr(torch.ops.mkldnn, "_linear_pointwise")
    )


class Linear(nn.Linear):
    """``torch.nn.Linear``, computed by `product`."""

    def forward(self, input: Tensor) -> Tensor:
        """*Shape:* (tokens, width) in and out."""
        return product(input, self.weight, self.bias)
