"""The upper layers with a low-rank difference: equal to the encoder's without one, and to dense layers with one."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import Tensor, nn
from transformers.models.mpnet.modeling_mpnet import MPNetEncoder

from cdlm.encoder import PART_SPACING, CDLMModel, UpperLayers

FIRST = 1


@pytest.fixture(scope="module")
def encoder(tiny_biased_encoder: Path) -> CDLMModel:
    return CDLMModel.from_pretrained(tiny_biased_encoder)


@pytest.fixture
def layers(encoder: CDLMModel) -> UpperLayers:
    """With a difference, norms and a bias between parts that are not those of the encoder."""
    torch.manual_seed(1)
    made = UpperLayers(encoder, FIRST, rank=3)
    with torch.no_grad():
        for weight in made.parameters():
            weight.add_(0.1 * torch.randn_like(weight))
    return made


def side_by_side() -> tuple[Tensor, Tensor, list[int]]:
    """States of a sequence of three parts and of one of two."""
    torch.manual_seed(2)
    parts = [[7, 4, 11], [9, 3]]
    places = [number * PART_SPACING + torch.arange(size) for sizes in parts for number, size in enumerate(sizes)]
    lengths = [sum(sizes) for sizes in parts]
    return torch.randn(sum(lengths), 32), torch.cat(places), lengths


def read(encoder: CDLMModel, layers: UpperLayers, states: Tensor, places: Tensor, lengths: list[int]) -> Tensor:
    """The output of all tokens."""
    return layers(encoder, states, places, lengths, torch.arange(len(states)))  # type: ignore[no-any-return]


def dense(encoder: CDLMModel, layers: UpperLayers, states: Tensor, places: Tensor) -> Tensor:
    """One sequence, with a whole matrix of scores for each head."""
    table = encoder.encoder.relative_attention_bias.weight  # type: ignore[union-attr]
    distances = places[None] - places[:, None]
    bias = table[MPNetEncoder.relative_position_bucket(distances, len(table))]
    bias = torch.where(
        (places[None] // PART_SPACING == places[:, None] // PART_SPACING)[..., None], bias, layers.unrelated
    )

    def product(number: int, name: str, inner: Tensor) -> Tensor:
        linear = encoder.encoder.layer[number].get_submodule(name)
        narrow, wide = (layers.matrices[f"{number}-{name.replace('.', '-')}-{side}"] for side in ("narrow", "wide"))
        return inner @ linear.weight.T + (inner @ narrow.T) @ wide + linear.bias  # type: ignore[union-attr,operator]

    def normed(number: int, name: str, inner: Tensor) -> Tensor:
        weight, offset = (layers.norms[f"{number}-{name.replace('.', '-')}-{side}"] for side in ("weight", "bias"))
        return nn.functional.layer_norm(inner, (32,), weight, offset, encoder.config.layer_norm_eps)

    for number in range(FIRST, 3):
        query, key, value = (
            product(number, f"attention.self.{name}", states).unflatten(1, (2, 16)).transpose(0, 1)
            for name in ("query", "key", "value")
        )
        scores = query @ key.transpose(1, 2) / 4 + bias.permute(2, 0, 1)
        attended = (scores.softmax(dim=-1) @ value).transpose(0, 1).flatten(1)
        own = product(number, "attention.output.dense", attended)
        states = normed(number, "attention.output.LayerNorm", states + own)
        wide = nn.functional.gelu(product(number, "intermediate.dense", states))
        states = normed(number, "output.LayerNorm", states + product(number, "output.dense", wide))
    return states


@pytest.mark.parametrize("training", [False, True])
def test_parts_are_read_as_by_dense_layers(encoder: CDLMModel, layers: UpperLayers, training: bool) -> None:
    """So the bias between parts, whatever their order, is `unrelated`."""
    states, places, lengths = side_by_side()
    with torch.set_grad_enabled(training):
        found = read(encoder, layers, states, places, lengths)
        rows = torch.tensor([3, 4, 20, 25, 33])
        torch.testing.assert_close(layers(encoder, states, places, lengths, rows), found[rows], atol=1e-5, rtol=1e-4)
    expected = [dense(encoder, layers, *own) for own in zip(states.split(lengths), places.split(lengths), strict=True)]
    torch.testing.assert_close(found, torch.cat(expected), atol=1e-5, rtol=1e-4)


def test_gradients_reach_all_that_is_learnt_and_nothing_else(encoder: CDLMModel, layers: UpperLayers) -> None:
    for weight in encoder.parameters():
        weight.requires_grad_(False)
    states, places, lengths = side_by_side()
    read(encoder, layers, states, places, lengths).square().sum().backward()
    for name, weight in layers.named_parameters():
        assert weight.grad is not None, name
        assert weight.grad.abs().max() > 0, name
    assert all(weight.grad is None for weight in encoder.parameters())


def test_merged_layers_are_made_once_until_they_are_forgotten(encoder: CDLMModel, layers: UpperLayers) -> None:
    states, places, lengths = side_by_side()
    with torch.no_grad():
        before = read(encoder, layers, states, places, lengths)
        assert layers.merged(encoder) is layers.merged(encoder)
        layers.matrices["1-intermediate-dense-wide"].add_(1.0)
        torch.testing.assert_close(read(encoder, layers, states, places, lengths), before)
        layers.forget_merged()
        assert (read(encoder, layers, states, places, lengths) - before).abs().max() > 0.01


def test_eight_bits_are_close(encoder: CDLMModel, layers: UpperLayers) -> None:
    states, places, lengths = side_by_side()
    with torch.no_grad():
        exact = read(encoder, layers, states, places, lengths)
        layers.compute_in_int8(encoder)
        rounded = read(encoder, layers, states, places, lengths)
        encoder.compute_in_int8()
        moved = layers.to("cpu")(encoder, states, places, lengths)
    assert 0 < (rounded - exact).abs().mean() < 0.03 * exact.abs().mean()
    torch.testing.assert_close(moved, rounded)


def test_layers_that_are_not_there_are_refused(encoder: CDLMModel, tiny_encoder: Path) -> None:
    for first, message in ((3, "3 layers and none with number 3"), (-1, "number -1")):
        with pytest.raises(ValueError, match=message):
            UpperLayers(encoder, first, 4)
    with pytest.raises(ValueError, match="relative positions"):
        UpperLayers(CDLMModel.from_pretrained(tiny_encoder), 1, 4)
