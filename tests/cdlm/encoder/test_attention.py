"""The tiles against attention written out in full, and against PyTorch's fused attention."""

from __future__ import annotations

import math
from contextlib import nullcontext

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from transformers.models.mpnet.modeling_mpnet import MPNetEncoder

from cdlm.encoder import Linear, PositionBias, TokenLayout, add_dropped, fused_attention, sparse_attention

HEADS, WIDTH = 2, 4
FEW = 20_000
"""So many masks a tile that only some 3000 scores are stacked."""


@st.composite
def layouts(draw: st.DrawFn) -> tuple[Tensor, Tensor]:
    """Masks of batches, *shape* (batch, length): which tokens are real, and which of them are global."""
    generator = torch.Generator().manual_seed(draw(st.integers(0, 2**31)))
    shape = draw(st.integers(1, 2)), draw(st.integers(1, 300))
    real = (torch.rand(shape, generator=generator) < draw(st.sampled_from([0.6, 1.0]))).long()
    return real, (torch.rand(shape, generator=generator) < draw(st.sampled_from([0, 0.1, 1]))).long()


def vectors(layout: TokenLayout, dtype: torch.dtype = torch.float64, heads: int = HEADS) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(len(layout.kept))
    projected = torch.randn(len(layout.kept), 5, heads, WIDTH, generator=generator).to(dtype)
    global_query = torch.randn(len(layout.global_rows), heads, WIDTH, generator=generator).to(dtype)
    return projected.requires_grad_(), global_query.requires_grad_()


def written_out(
    projected: Tensor, global_query: Tensor, layout: TokenLayout, reach: int, table: Tensor | None = None
) -> Tensor:
    """Attention with one score matrix over the whole batch."""
    tokens, length = len(projected), layout.shape[1]
    is_global = torch.zeros(tokens, dtype=torch.bool).index_fill(0, layout.global_rows, True)
    row, place = layout.kept // length, layout.kept % length
    together = row[:, None] == row[None]
    near = (place[:, None] - place[None]).abs() <= reach
    sees = together & (near | is_global[None] | is_global[:, None])
    query, key, value, key_to_all, value_to_all = projected.unbind(1)
    query = query.index_copy(0, layout.global_rows, global_query)
    key = torch.where(is_global[:, None, None, None], key_to_all[None], key[None])
    value = torch.where(is_global[:, None, None, None], value_to_all[None], value[None])
    scores = torch.einsum("qhd,qkhd->hqk", query, key) / math.sqrt(WIDTH)
    if table is not None:
        distances = place[None] - place[:, None]
        scores = scores + table[MPNetEncoder.relative_position_bucket(distances, len(table))].permute(2, 0, 1)
    weights = scores.masked_fill(~sees, -torch.inf).softmax(-1)
    return torch.einsum("hqk,qkhd->qhd", weights, value)


@given(
    masks=layouts(), reach=st.sampled_from([1, 5, 60, 400]), buckets=st.sampled_from([0, 8, 32]), stacked=st.booleans()
)
@settings(max_examples=25)
def test_tiles_are_attention_written_out(masks: tuple[Tensor, Tensor], reach: int, buckets: int, stacked: bool) -> None:
    layout = TokenLayout.from_masks(*masks)
    if not len(layout.kept):
        return
    generator = torch.Generator().manual_seed(buckets)
    biases = torch.randn(buckets, HEADS, dtype=torch.float64, generator=generator).requires_grad_()
    inputs = [*vectors(layout), *([biases] if buckets else [])]
    check_both(layout, reach, inputs, (HEADS if buckets else 1) if stacked else FEW)


def test_so_many_heads_that_a_tile_is_computed_in_parts() -> None:
    layout = TokenLayout.from_masks(torch.ones(1, 258), (torch.arange(258) % 150 == 7)[None].long())
    table = torch.randn(8, 48, dtype=torch.float64, generator=torch.Generator().manual_seed(0)).requires_grad_()
    check_both(layout, 200, [*vectors(layout, heads=48), table], 1)


def check_both(layout: TokenLayout, reach: int, inputs: list[Tensor], masks_of_tile: int) -> None:
    """Attention in tiles and stacked, and its gradients; the last of three inputs is a table of biases."""
    projected, global_query, *tables = inputs
    towards = torch.randn(projected[:, 0].shape, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    expected = written_out(projected, global_query, layout, reach, *tables)
    wanted = torch.autograd.grad((expected * towards).sum(), inputs)
    bias = PositionBias(tables[0], layout.kept) if tables else None
    batches = layout.batched(2 * reach, torch.float64, masks=masks_of_tile)
    of_batch = bias.of_batch if bias else None
    for output in (
        sparse_attention(projected, global_query, layout, 2 * reach, bias=bias),
        fused_attention(projected, global_query, layout.global_rows, batches, bias=of_batch),
    ):
        torch.testing.assert_close(output, expected, atol=1e-10, rtol=0)
        gradients = torch.autograd.grad((output * towards).sum(), inputs, retain_graph=True)
        torch.testing.assert_close(gradients, wanted, atol=1e-10, rtol=0)


def test_buckets_equal_mpnets() -> None:
    distances = torch.arange(-700, 701)
    for count in (8, 32, 64):
        numbered = PositionBias(torch.arange(count)[:, None].float(), torch.zeros(0))
        expected = MPNetEncoder.relative_position_bucket(distances, count)
        assert torch.equal(numbered.of_distances(distances)[:, 0], expected.float())


def test_tiles_cover_each_row_once_and_grow_with_the_tokens() -> None:
    scores = {}
    for length in (2000, 4000):
        global_mask = torch.zeros(1, length)
        global_mask[0, ::40][:20] = 1
        layout = TokenLayout.from_masks(torch.ones(1, length), global_mask)
        plan = layout.tiled(256, torch.float32)[0].tiles
        covered = [row for tile in plan for row in range(*tile.rows)]
        assert covered == list(range(length))
        scores[length] = sum((tile.rows[1] - tile.rows[0]) * tile.key_count for tile in plan)
    assert scores[4000] < 2.1 * scores[2000]


def test_dropout_gradient_by_finite_differences() -> None:
    layout = TokenLayout.from_masks(torch.ones(1, 9), torch.eye(1, 9))
    projected, global_query = vectors(layout)

    def attend(projected: Tensor, global_query: Tensor) -> Tensor:
        torch.manual_seed(2)
        return sparse_attention(projected, global_query, layout, 6, 0.25)

    assert torch.autograd.gradcheck(attend, (projected, global_query), fast_mode=True)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.float16])
def test_heads_drop_independently(dtype: torch.dtype) -> None:
    """Of equal weights, which the output shows one by one."""
    tokens, heads = 200, 6
    layout = TokenLayout.from_masks(torch.ones(1, tokens), None)
    projected = torch.zeros(tokens, 3, heads, tokens, dtype=dtype)
    projected[:, 2] = torch.eye(tokens)[:, None]
    torch.manual_seed(0)
    weights = sparse_attention(projected, None, layout, 2 * tokens, 0.1)
    assert weights.unique().tolist() == pytest.approx([0, 1 / tokens / 0.9], rel=1e-2)
    dropped = (weights == 0).float().transpose(0, 1).flatten(1)
    assert dropped.mean(1).tolist() == pytest.approx([0.1] * heads, abs=0.005)
    together = dropped @ dropped.T / dropped.shape[1]
    assert float((together - together.diag().diag()).max()) < 0.025


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.float16])
def test_residual_sum_with_dropout(dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    part = torch.ones(200_001, dtype=dtype, requires_grad=True)
    kept = add_dropped(torch.zeros_like(part), part, 0.2)
    assert set(kept.tolist()) == {0.0, 1.25}
    assert float((kept == 0).double().mean()) == pytest.approx(0.2, abs=0.003)
    kept.sum().backward()
    assert part.grad is not None
    torch.testing.assert_close(part.grad, kept.detach())
    total = torch.randn(200_001).to(dtype)
    torch.manual_seed(0)
    torch.testing.assert_close(add_dropped(total, part, 0.2), total + kept)
    assert torch.equal(add_dropped(total, part, 0.0), total + part)


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
