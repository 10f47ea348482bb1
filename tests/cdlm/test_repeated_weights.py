"""Weights that repeat others are stored once and come back as they were."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from cdlm.config import EncoderConfig
from cdlm.encoder import CDLMModel
from cdlm.quantization import quantize
from cdlm.repeated_weights import share_projections, with_copies, without_copies

CONFIG = EncoderConfig(
    vocab_size=11,
    hidden_size=8,
    num_hidden_layers=2,
    num_attention_heads=2,
    intermediate_size=8,
    attention_window=(4, 4),
    max_position_embeddings=14,
)
TABLE = "embeddings.position_embeddings.weight"
PERIOD = "embeddings.position_embeddings.period"


def equal(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> bool:
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


@given(period=st.integers(1, 12), int8=st.booleans(), seed=st.integers(0, 99))
def test_repeated_positions_are_stored_once(period: int, int8: bool, seed: int) -> None:
    """The two rows that no token uses, then one period of the twelve positions."""
    drawn = torch.Generator().manual_seed(seed)
    rows = torch.randn(period, 8, generator=drawn)
    weights = {TABLE: torch.cat([torch.zeros(2, 8), rows.repeat(12, 1)[:12]])}
    weights = quantize(weights) if int8 else weights
    stored = without_copies(weights, CONFIG)
    assert len(stored[PERIOD if period < 12 else TABLE]) == 2 + period
    assert equal(with_copies(stored, CONFIG), weights)


def test_an_encoder_of_a_short_window() -> None:
    torch.manual_seed(0)
    model = CDLMModel(CONFIG)
    whole = dict(model.state_dict())
    left_out = whole.keys() - without_copies(whole, CONFIG).keys()
    assert {name.rpartition(".")[2] for name in left_out} == {"bias"}, "all of them are zeros before training"
    share_projections(model)
    shared = dict(model.state_dict())
    stored = without_copies(shared, CONFIG)
    assert len(stored) == len(shared) - 2 * 6
    assert equal(with_copies(stored, CONFIG), shared)
    shapes = {name: list(tensor.shape) for name, tensor in stored.items()}
    assert with_copies(shapes, CONFIG) == {name: list(tensor.shape) for name, tensor in shared.items()}


@pytest.mark.parametrize(
    ("shape", "positions"), [([2, 8], 14), ([15, 8], 14), ([], 14), ([6, 8], 10**9)], ids=["none", "more", "no", "huge"]
)
def test_a_period_that_does_not_fit_is_refused(shape: list[int], positions: int) -> None:
    with pytest.raises(ValueError, match="which does not fit an encoder of"):
        with_copies({PERIOD: shape}, replace(CONFIG, max_position_embeddings=positions))
