"""Attention on the CPU in tiles that stay in its cache; the backward pass recomputes their scores, so that memory grows
with the tokens. PyTorch's fused attention has no dropout there, and is slower backward in bf16."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from cdlm.encoder.layout import KEYS_STEP, Tile, TiledSequence, without_gaps
from cdlm.encoder.operations import random_numbers, zero_dropped_
from cdlm.encoder.relative import PositionBias

Observer = Callable[[TiledSequence, Tile, slice, Tensor], None]
"""Called with a tile, some heads, and their attention weights, *shape* (heads, rows, keys), before dropout."""


def tiled_attention(
    projected: Tensor,
    global_query: Tensor,
    sequences: Sequence[TiledSequence],
    dropout: float = 0.0,
    observer: Observer | None = None,
    bias: PositionBias | None = None,
) -> Tensor:
    """Softmax attention of every tile's rows to its keys.

    *Shape:* (tokens, 3 or 5, heads, width of a head) and (global tokens, heads, width of a head) in, (tokens, heads,
    width of a head) out. Projected are query, key and value of every token for the local rows; then, if there are
    global rows, key and value of every token for those. Every token is in exactly one sequence. The output is undefined
    for a token in no row of their tiles.
    """
    seed = int(torch.randint(2**62, ()).item()) if dropout else 0
    table = None if bias is None else bias.table
    return _TiledAttention.apply(projected, global_query, table, sequences, dropout, seed, observer, bias)


def _gather(projected: Tensor, global_query: Tensor, sequence: TiledSequence) -> Tensor:
    """Vectors of one sequence, the queries divided by the root of their width.

    *Shape:* (3 or 5, heads, tokens and room for `KEYS_STEP`, width of a head), without gaps.
    """
    part = projected[sequence.tokens].permute(1, 2, 0, 3)
    parts, heads, length, width = part.shape
    gathered = part.new_empty(parts, heads, length + KEYS_STEP - 1, width)
    gathered[:, :, :length] = part
    gathered[:, :, length:] = 0
    gathered[0, :, : sequence.global_count] = global_query[sequence.global_tokens].transpose(0, 1)
    gathered[0] /= math.sqrt(width)
    return gathered


def _weights(query: Tensor, key: Tensor, bias: Tensor | None) -> Tensor:
    """Attention weights of some heads of a tile. *Shape:* (heads, rows, keys)."""
    keys = key.transpose(1, 2)
    scores = torch.bmm(query, keys) if bias is None else torch.baddbmm(bias, query, keys)
    return torch.softmax(scores, -1, out=scores)


def _added(
    heads: slice, tile: Tile, sequence: TiledSequence, bias: PositionBias | None, dtype: torch.dtype
) -> Tensor | None:
    """What is added to the scores of some heads of a tile: its mask, which is the same for all, or a bias as well."""
    return tile.bias if bias is None else bias.of_tile(sequence, tile, dtype)[heads]


def _numbers_for(weights: Tensor, generator: torch.Generator) -> Tensor:
    """Random numbers for dropout, *shape* (heads, rows, keys): each head has an affine map of those of one head."""
    heads, rows, keys = weights.shape
    numbers = random_numbers(rows * keys + 2 * heads, generator)
    shift, factor, shared = numbers.split([heads, heads, rows * keys])
    mixed = shared.view(1, rows, keys) * (factor | 1).view(heads, 1, 1)
    return mixed.add_(shift.view(heads, 1, 1))


class _TiledAttention(torch.autograd.Function):
    """See `tiled_attention`; the weights are recomputed in the backward pass."""

    @staticmethod
    def forward(
        ctx: Any,
        projected: Tensor,
        global_query: Tensor,
        table: Tensor | None,
        sequences: Sequence[TiledSequence],
        dropout: float,
        seed: int,
        observer: Observer | None,
        bias: PositionBias | None,
    ) -> Tensor:
        output = torch.empty_like(projected[:, 0])
        generator = torch.Generator(projected.device).manual_seed(seed)
        with torch.autocast(projected.device.type, enabled=False):
            for sequence in sequences:
                query, key, value, *to_all = _gather(projected, global_query, sequence)
                rows_out = output[sequence.tokens].transpose(0, 1)
                for tile in sequence.tiles:
                    rows = slice(*tile.rows)
                    keys, values = map(tile.of_keys, to_all if tile.to_all else (key, value))
                    for group in tile.head_groups(len(query)):
                        added = _added(group, tile, sequence, bias, query.dtype)
                        weights = _weights(without_gaps(query[group, rows]), keys[group], added)
                        if observer:
                            observer(sequence, tile, group, weights)
                        if dropout:
                            zero_dropped_(weights, _numbers_for(weights, generator), dropout)
                        rows_out[group, rows] = torch.bmm(weights, values[group])
        ctx.save_for_backward(projected, global_query)
        ctx.sequences, ctx.dropout, ctx.seed, ctx.bias = sequences, dropout, seed, bias
        return output.div_(1 - dropout) if dropout else output

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        projected, global_query = ctx.saved_tensors
        gradient = gradients[0] / (1 - ctx.dropout) if ctx.dropout else gradients[0]
        to_projected, to_global_query = torch.empty_like(projected), torch.empty_like(global_query)
        to_table = None
        if ctx.needs_input_grad[2]:
            table = ctx.bias.table
            # One row of memory a head, so that threads do not write to the same cache line.
            to_table = table.new_zeros(table.shape[::-1], dtype=torch.promote_types(table.dtype, torch.float32))
        generator = torch.Generator(projected.device).manual_seed(ctx.seed)
        with torch.autocast(projected.device.type, enabled=False):
            for sequence in ctx.sequences:
                gathered = _gather(projected, global_query, sequence)
                to_gathered = _sequence_gradient(
                    gathered, gradient[sequence.tokens], sequence, ctx.dropout, generator, ctx.bias, to_table
                )
                count = sequence.global_count
                to_global_query[sequence.global_tokens] = to_gathered[0, :, :count].transpose(0, 1)
                to_gathered[0, :, :count] = 0
                to_projected[sequence.tokens] = to_gathered[:, :, : sequence.length].permute(2, 0, 1, 3)
        to_bias = None if to_table is None else to_table.T.to(ctx.bias.table.dtype)
        return to_projected, to_global_query, to_bias, None, None, None, None, None


def _sequence_gradient(
    gathered: Tensor,
    gradient: Tensor,
    sequence: TiledSequence,
    dropout: float,
    generator: torch.Generator,
    bias: PositionBias | None,
    to_table: Tensor | None,
) -> Tensor:
    """Gradient of one sequence's vectors, as of `_gather`; that of the bias is added to `to_table` (heads, buckets)."""
    query, key, value, *to_all = gathered
    # Sums over many tiles, so at least in fp32.
    to_gathered = torch.zeros_like(gathered, dtype=torch.promote_types(gathered.dtype, torch.float32))
    to_query, to_key, to_value, *to_pair = to_gathered
    upstream_rows = gradient.transpose(0, 1)
    for tile in sequence.tiles:
        rows = slice(*tile.rows)
        keys, values = map(tile.of_keys, to_all if tile.to_all else (key, value))
        to_keys, to_values = to_pair if tile.to_all else (to_key, to_value)
        buckets = None if to_table is None or bias is None else bias.tile_buckets(sequence, tile).flatten()
        for group in tile.head_groups(len(query)):
            queries, upstream = without_gaps(query[group, rows]), without_gaps(upstream_rows[group, rows])
            weights = _weights(queries, keys[group], _added(group, tile, sequence, bias, gathered.dtype))
            to_weights = torch.bmm(upstream, values[group].transpose(1, 2))
            kept = weights
            if dropout:
                numbers = _numbers_for(weights, generator)
                zero_dropped_(to_weights, numbers, dropout)
                kept = zero_dropped_(weights.clone(), numbers, dropout)
            tile.add_to_keys(to_values[group], torch.bmm(kept.transpose(1, 2), upstream))
            to_scores = torch.ops.aten._softmax_backward_data.out(
                to_weights, weights, -1, weights.dtype, grad_input=to_weights
            )
            if buckets is not None and to_table is not None:
                # Each head is summed in the order of the scores, whatever the number of threads.
                of_heads = to_scores.flatten(1).to(to_table.dtype)
                to_table[group].scatter_add_(1, buckets.expand(len(of_heads), -1), of_heads)
            to_query[group, rows] = torch.bmm(to_scores, keys[group])
            tile.add_to_keys(to_keys[group], torch.bmm(to_scores.transpose(1, 2), queries))
    to_query /= math.sqrt(gathered.shape[-1])
    return to_gathered
