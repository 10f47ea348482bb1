"""The encoder against Hugging Face's Longformer on the same weights, and what only this one does."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from transformers import LongformerModel

from cdlm.config import EncoderConfig
from cdlm.encoder import CDLMModel

PAD = 1
Pairs = list[tuple[LongformerModel, CDLMModel]]


@dataclass(frozen=True)
class Batch:
    """Inputs of both encoders, each *shape* (batch, length)."""

    ids: Tensor
    mask: Tensor
    global_mask: Tensor


@st.composite
def batches(draw: st.DrawFn) -> Batch:
    """Batches of all kinds: mixed lengths, padding on the right, on the left or within, any number of global tokens."""
    generator = torch.Generator().manual_seed(draw(st.integers(0, 2**31)))
    length = draw(st.one_of(st.just(1), st.integers(1, 80)))
    rows = []
    for _ in range(draw(st.integers(1, 3))):
        real = draw(st.integers(1, length))
        row = torch.zeros(length, dtype=torch.long)
        place = draw(st.sampled_from(["left", "right", "scattered"]))
        if place == "scattered":
            row[torch.randperm(length, generator=generator)[:real]] = 1
        else:
            row[:real] = 1
            row = row.flip(0) if place == "left" else row
        rows.append(row)
    mask = torch.stack(rows)
    ids = torch.randint(PAD + 1, 40, mask.shape, generator=generator).where(mask.bool(), PAD)
    share = draw(st.sampled_from([0.0, 0.02, 0.15, 0.5, 1.0]))
    global_mask = (torch.rand(mask.shape, generator=generator) < share).long()
    if draw(st.booleans()):
        global_mask *= mask
    return Batch(ids, mask, global_mask)


def reference_states(model: LongformerModel, batch: Batch) -> Tensor:
    # Hugging Face takes a mask of 0, 1, 2 apart: a global token that is padding is padding.
    return model(
        batch.ids, attention_mask=batch.mask, global_attention_mask=batch.global_mask * batch.mask
    ).last_hidden_state


@given(batch=batches(), which=st.integers(0, 2), both=st.booleans())
@settings(max_examples=15)
def test_global_tokens_of_the_mask_equal_longformers(pairs: Pairs, batch: Batch, which: int, both: bool) -> None:
    reference, ours = pairs[which]
    mask = batch.mask * (1 + batch.global_mask)
    # Hugging Face's sum of the masks overflows for tokens that are global by both.
    others = ((batch.ids % 5 == 0) & (mask == 1)).long() if both else None
    with torch.no_grad():
        expected = reference(batch.ids, attention_mask=mask, global_attention_mask=others).last_hidden_state
        states = ours(batch.ids, mask, others).last_hidden_state
    torch.testing.assert_close(states[mask != 0], expected[mask != 0], atol=1e-4, rtol=0)
    assert bool((states[mask == 0] == 0).all())


@given(batch=batches(), which=st.integers(0, 2), seed=st.integers(0, 1000))
@settings(max_examples=12)
def test_gradients_equal_longformers(pairs: Pairs, batch: Batch, which: int, seed: int) -> None:
    reference, ours = pairs[which]
    towards = torch.randn(*batch.mask.shape, 24, generator=torch.Generator().manual_seed(seed))
    towards = towards * batch.mask[:, :, None]
    reference.zero_grad()
    ours.zero_grad()
    (reference_states(reference, batch) * towards).sum().backward()
    (ours(batch.ids, batch.mask, batch.global_mask).last_hidden_state * towards).sum().backward()
    expected = dict(reference.named_parameters())
    has_global = bool((batch.global_mask * batch.mask).any())
    for name, parameter in ours.named_parameters():
        # Adding a constant to all keys changes no weight of a softmax, so these gradients are rounding errors.
        if name.endswith(("key.bias", "key_global.bias")) or ("_global" in name and not has_global):
            continue
        wanted = expected[name].grad
        assert wanted is not None
        assert parameter.grad is not None
        assert float((parameter.grad - wanted).norm()) <= 1e-3 * float(wanted.norm()) + 1e-5, name


@given(batch=batches(), which=st.integers(0, 2))
def test_hidden_states_equal_longformers(pairs: Pairs, batch: Batch, which: int) -> None:
    reference, ours = pairs[which]
    arguments = {"attention_mask": batch.mask, "global_attention_mask": batch.global_mask * batch.mask}
    with torch.no_grad():
        expected = reference(batch.ids, **arguments, output_hidden_states=True).hidden_states
        output = ours(batch.ids, **arguments, output_hidden_states=True)
        some = ours(batch.ids, **arguments, output_hidden_states=[2, 0]).hidden_states
    assert ours(batch.ids, **arguments).hidden_states is None
    assert output.hidden_states is not None
    assert len(output.hidden_states) == len(expected) == 3
    assert torch.equal(output.hidden_states[-1], output.last_hidden_state)
    assert some is not None
    for own, every in zip(some, (output.hidden_states[0], output.hidden_states[2]), strict=True):
        assert torch.equal(own, every)
    kept = batch.mask.bool()
    for own, theirs in zip(output.hidden_states, expected, strict=True):
        torch.testing.assert_close(own[kept], theirs[:, : kept.shape[1]][kept], atol=1e-4, rtol=0)
    assert bool((output.last_hidden_state[~kept] == 0).all())


@given(batch=batches(), which=st.integers(0, 2))
@settings(max_examples=15)
def test_attention_of_and_towards_global_tokens(pairs: Pairs, batch: Batch, which: int) -> None:
    reference, ours = pairs[which]
    global_mask = batch.global_mask * batch.mask
    with torch.no_grad():
        expected = reference(
            batch.ids, attention_mask=batch.mask, global_attention_mask=global_mask, output_attentions=True
        )
        output = ours(batch.ids, batch.mask, global_mask, output_attentions=True)
        plain = ours(batch.ids, batch.mask, global_mask)
    assert torch.equal(output.last_hidden_state, plain.last_hidden_state)
    assert plain.global_attentions is None
    assert output.global_attentions is not None
    assert len(output.global_attentions) == 2
    count, length = int(global_mask.sum(1).max()), batch.ids.shape[1]
    rows, columns = global_mask.nonzero(as_tuple=True)
    index = global_mask.cumsum(1)[rows, columns] - 1
    local = batch.mask.bool() & ~global_mask.bool()
    for layer, attention in enumerate(output.global_attentions):
        assert attention.of_global.shape == (len(batch.ids), 3, count, length)
        assert attention.to_global.shape == (len(batch.ids), 3, length, count)
        if not count:
            continue
        # Hugging Face: (batch, heads, length, global tokens), zero rows of padding are not masked in it.
        theirs = expected.global_attentions[layer].transpose(2, 3)[rows, :, index, :length]
        torch.testing.assert_close(attention.of_global[rows, :, index], theirs, atol=1e-4, rtol=0)
        theirs = expected.attentions[layer][..., :count].transpose(1, 2)[local]
        torch.testing.assert_close(attention.to_global.transpose(1, 2)[local], theirs, atol=1e-4, rtol=0)
        among = attention.to_global[rows, :, columns]
        for row, column, weights in zip(rows, columns, among, strict=True):
            own = index[rows == row]
            expected_row = attention.of_global[row, :, global_mask[row, :column].sum(), columns[rows == row]]
            torch.testing.assert_close(weights[:, own], expected_row, atol=1e-6, rtol=0)


def tiny_config(**changes: object) -> EncoderConfig:
    values = {
        "vocab_size": 30,
        "hidden_size": 16,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 24,
        "attention_window": 4,
        "max_position_embeddings": 50,
    }
    return EncoderConfig.from_dict(values | changes)


def random_inputs(length: int = 40) -> tuple[Tensor, Tensor, Tensor]:
    generator = torch.Generator().manual_seed(5)
    ids = torch.randint(PAD + 1, 30, (2, length), generator=generator)
    mask = (torch.arange(length) < torch.tensor([[length], [length // 2]])).long()
    return ids.where(mask.bool(), PAD), mask, (torch.rand(2, length, generator=generator) < 0.2).long() * mask


@pytest.mark.parametrize("buckets", [None, 16])
def test_gradient_checkpointing_gives_the_same_gradients_with_dropout(buckets: int | None) -> None:
    torch.manual_seed(0)
    model = CDLMModel(tiny_config(relative_attention_num_buckets=buckets)).train()
    gradients = []
    for checkpointing in (False, True):
        if checkpointing:
            model.gradient_checkpointing_enable()
        model.zero_grad()
        torch.manual_seed(7)
        model(*random_inputs()).last_hidden_state.square().sum().backward()
        gradients.append([parameter.grad for parameter in model.parameters()])
    for plain, checkpointed in zip(*gradients, strict=True):
        torch.testing.assert_close(checkpointed, plain)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_autocast_is_close_to_fp32(dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    model = CDLMModel(tiny_config(hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0))
    expected = model(*random_inputs()).last_hidden_state
    expected.square().sum().backward()
    wanted = {name: parameter.grad.clone() for name, parameter in model.named_parameters()}
    model.zero_grad()
    with torch.autocast("cpu", dtype=dtype):
        states = model(*random_inputs()).last_hidden_state
    assert float((states - expected).detach().abs().max()) < 0.05
    states.float().square().sum().backward()
    for name, parameter in model.named_parameters():
        if not name.endswith(("key.bias", "key_global.bias")):
            difference = (parameter.grad - wanted[name]).norm()
            assert float(difference) < 0.1 * float(wanted[name].norm()) + 1e-3, name


def test_resized_embeddings_keep_the_old_rows() -> None:
    torch.manual_seed(0)
    model = CDLMModel(tiny_config(initializer_range=0.01))
    old = model.embeddings.word_embeddings.weight.detach().clone()
    torch.manual_seed(1)
    model.resize_token_embeddings(3000)
    new = model.embeddings.word_embeddings.weight
    assert torch.equal(new[:30], old)
    assert float(new[30:].detach().std()) == pytest.approx(0.01, rel=0.05)
    assert model.config.vocab_size == 3000
    torch.manual_seed(1)
    model.resize_token_embeddings(30)
    model.resize_token_embeddings(3000)
    assert torch.equal(model.embeddings.word_embeddings.weight[:30], old)


def test_what_it_cannot_encode_is_refused() -> None:
    model = CDLMModel(tiny_config())
    assert model.config.max_length == 48
    with pytest.raises(ValueError, match="48 positions"):
        model(torch.full((1, 49), 5))
    with pytest.raises(ValueError, match="attention_mask has shape"):
        model(torch.full((1, 9), 5), torch.ones(1, 8))
    with pytest.raises(ValueError, match=r"\(batch, length\)"):
        model(torch.full((9,), 5))
    for value in (3, -1, 0.5):
        with pytest.raises(ValueError, match="attention_mask must be 0"):
            model(torch.full((1, 9), 5), torch.full((1, 9), value))
