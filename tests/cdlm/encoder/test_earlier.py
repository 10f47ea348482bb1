"""An earlier encoder from differences: exact at full rank, the closest at a lower one, and saved with the rest."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
import torch

from cdlm.encoder import CDLMModel, EarlierEncoder


@pytest.fixture
def encoders(tiny_encoder: Path) -> tuple[CDLMModel, CDLMModel]:
    """An encoder, and another of the same shape that differs in all layers, mostly in a direction for each matrix."""
    earlier = CDLMModel.from_pretrained(tiny_encoder)
    now = copy.deepcopy(earlier)
    torch.manual_seed(0)
    with torch.no_grad():
        for weight in now.encoder.parameters():
            if weight.ndim == 2:
                weight += 0.1 * torch.randn(len(weight), 1) @ torch.randn(1, weight.shape[1])
            weight += 0.001 * torch.randn_like(weight)
    return now, earlier


def test_at_full_rank_it_is_the_earlier_encoder(encoders: tuple[CDLMModel, CDLMModel]) -> None:
    now, earlier = encoders
    kept = EarlierEncoder(now, 999)
    kept.fit(now, earlier)
    ids = torch.randint(5, 30, (2, 40))
    with torch.no_grad():
        expected, found = (model(ids).last_hidden_state for model in (earlier, kept.restored(now)))
    torch.testing.assert_close(found, expected, atol=1e-4, rtol=1e-4)


def test_a_low_rank_restores_most_in_few_numbers(encoders: tuple[CDLMModel, CDLMModel]) -> None:
    now, earlier = encoders
    kept = EarlierEncoder(now, 1)
    kept.fit(now, earlier)
    again = kept.restored(now)
    for (name, was), is_now, found in zip(
        earlier.encoder.named_parameters(), now.encoder.parameters(), again.encoder.parameters(), strict=True
    ):
        assert (found - was).norm() < 0.05 * (is_now - was).norm() or was.ndim == 1, name
        if was.ndim == 1:
            torch.testing.assert_close(found, was)
    assert sum(p.numel() for p in kept.parameters()) < sum(p.numel() for p in now.encoder.parameters()) / 5


def test_the_embeddings_are_shared_and_nothing_of_the_present_encoder_changes(
    encoders: tuple[CDLMModel, CDLMModel],
) -> None:
    now, earlier = encoders
    before = copy.deepcopy(now.state_dict())
    kept = EarlierEncoder(now, 4)
    kept.fit(now, earlier)
    again = kept.restored(now)
    assert again.embeddings is now.embeddings
    assert all(torch.equal(weight, before[name]) for name, weight in now.state_dict().items())
    assert all(weight.requires_grad for weight in now.parameters())
