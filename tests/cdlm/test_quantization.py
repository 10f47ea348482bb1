"""Eight-bit weights: the rounding error is bounded, what cannot be represented is refused."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file

from cdlm import quantization
from cdlm.quantization import SCALE_SUFFIX, Int8Linear, dequantize, quantize


def test_known_rows() -> None:
    weights = {"table": torch.tensor([[127.0, -63.5, 1.0], [0.0, 0.0, 0.0], [-2.54, 0.02, 1.27]])}
    stored = quantize(weights)
    assert stored["table"].dtype == torch.int8
    assert stored["table"].tolist() == [[127, -64, 1], [0, 0, 0], [-127, 1, 64]]
    assert stored["table" + SCALE_SUFFIX][[0, 2]].tolist() == pytest.approx([1.0, 0.02])
    assert dequantize(stored)["table"][1].tolist() == [0.0, 0.0, 0.0]


@given(seed=st.integers(0, 10_000), rows=st.integers(1, 9), width=st.integers(1, 9), size=st.floats(1e-6, 1e6))
@settings(max_examples=30)
def test_error_is_at_most_half_a_step(seed: int, rows: int, width: int, size: float) -> None:
    table = torch.randn(rows, width, generator=torch.Generator().manual_seed(seed)) * size
    back = dequantize(quantize({"table": table}))["table"]
    step = table.abs().amax(dim=1, keepdim=True) / 127
    assert bool(((back - table).abs() <= step * 0.5001).all())
    assert torch.equal(quantize({"table": back})["table"], quantize({"table": table})["table"])


def test_other_tensors_pass_through_and_files_hold_it(tmp_path: Path) -> None:
    weights = {"bias": torch.randn(5), "ids": torch.arange(6).view(2, 3), "table": torch.randn(4, 3)}
    save_file(quantize(weights), tmp_path / "weights.safetensors")
    back = dequantize(load_file(tmp_path / "weights.safetensors"))
    assert set(back) == set(weights)
    assert torch.equal(back["bias"], weights["bias"])
    assert torch.equal(back["ids"], weights["ids"])
    assert back["table"].dtype == torch.float32


def test_what_cannot_be_stored_is_refused() -> None:
    with pytest.raises(ValueError, match="not finite"):
        quantize({"table": torch.tensor([[1.0, float("nan")]])})
    with pytest.raises(ValueError, match="already ends"):
        quantize(quantize({"table": torch.ones(2, 2)}))
    with pytest.raises(ValueError, match="only layers with a bias"):
        Int8Linear(torch.nn.Linear(5, 5, bias=False))


def test_a_copy_and_joined_layers_give_the_same() -> None:
    layers = [Int8Linear(torch.nn.Linear(6, width)) for width in (4, 3)]
    inputs = torch.randn(5, 6)
    outputs = [layer(inputs) for layer in layers]
    assert torch.equal(copy.deepcopy(layers[0])(inputs), outputs[0])
    assert torch.equal(Int8Linear.joined(layers)(inputs), torch.cat(outputs, dim=1))
    with pytest.raises(ValueError, match="one row per scale"):
        dequantize({"table": torch.ones(2, 2, dtype=torch.int8), "table" + SCALE_SUFFIX: torch.ones(3)})


CPU = torch.device("cpu")


@pytest.mark.parametrize("levels", [127, 63])
@given(seed=st.integers(0, 10_000), tokens=st.integers(0, 1100), width=st.integers(1, 40), size=st.floats(1e-3, 1e3))
@settings(max_examples=30)
def test_products_of_rounded_factors_are_exact(levels: int, seed: int, tokens: int, width: int, size: float) -> None:
    if levels == 127 and not quantization.multiplies_int8(CPU):
        pytest.skip("this processor may add two products in 16 bits")
    generator = torch.Generator().manual_seed(seed)
    linear = torch.nn.Linear(width, 7)
    inputs = torch.randn(tokens, width, generator=generator) * size
    with torch.no_grad(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(quantization, "multiplies_int8", lambda device: levels == 127)
        output = Int8Linear(linear)(inputs)
        scale = inputs.abs().amax(dim=1, keepdim=True) / levels
        rounded = (inputs / scale).round().double() * scale
        weight = dequantize(quantize({"weight": linear.weight}))["weight"]
        expected = torch.nn.functional.linear(rounded, weight.double(), linear.bias.double())
    torch.testing.assert_close(output.double(), expected, atol=1e-5 * size, rtol=1e-5)


def test_a_token_does_not_depend_on_the_others() -> None:
    torch.manual_seed(0)
    linear = Int8Linear(torch.nn.Linear(33, 5))
    inputs = torch.randn(600, 33) * torch.logspace(-3, 3, 600)[:, None]
    assert torch.equal(linear(inputs)[550:553], linear(inputs[550:553]))
