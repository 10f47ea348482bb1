"""Products with weights against PyTorch's own."""

from __future__ import annotations

from contextlib import nullcontext

import torch
from hypothesis import given
from hypothesis import strategies as st

from cdlm.encoder import Linear


@given(seed=st.integers(0, 10_000), tokens=st.integers(0, 300), width=st.integers(1, 70), rows=st.integers(1, 70))
def test_products_equal_pytorchs(seed: int, tokens: int, width: int, rows: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    inputs, weight = (torch.randn(count, width, generator=generator) for count in (tokens, rows))
    bias = torch.randn(rows, generator=generator)
    product = Linear(width, rows)
    product.load_state_dict({"weight": weight, "bias": bias})
    expected = (inputs.double() @ weight.double().t() + bias).float()
    for context in (torch.no_grad(), torch.inference_mode(), nullcontext()):
        with context:
            torch.testing.assert_close(product(inputs), expected, atol=1e-4, rtol=1e-5)
            # Rows that are not next to each other, as a slice of a wider table has them.
            wide = torch.cat([inputs, inputs], dim=1)[:, :width]
            torch.testing.assert_close(product(wide), expected, atol=1e-4, rtol=1e-5)
