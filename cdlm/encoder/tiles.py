"""Attention in tiles that stay in the processor's cache, forward and backward, for the CPU.

In: query, key and value vectors of a flat batch and the `Tile`s that say which rows attend to which keys. Out: one
vector per row. A tile's scores are computed, normalised and used while they are in the cache, and recomputed in the
backward pass, so that memory grows with the tokens, not with the scores. PyTorch's fused attention does this in one
call, but on the CPU it does not support dropout, and its backward pass in bf16 takes three times as long as these
products.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from cdlm.encoder.dropout import random_numbers, zero_dropped_

if TYPE_CHECKING:
    from cdlm.encoder.relative import PositionBias

TILE_SCORES = 1_500_000
"""Scores computed at a time, over the heads: 6 MB in fp32."""
KEYS_STEP = 32
"""The number of keys in a tile is a multiple of this: softmax then takes a quarter less time, and in 16 bits oneDNN
needs kernels for fewer shapes. The extra room is after a sequence's last token."""


@dataclass(frozen=True)
class Tile:
    """Some rows of a sequence, and all the keys that they attend to, as ranges of its tokens.

    Of the two ranges of keys, `prefix` may be empty, and `keys` may reach up to ``KEYS_STEP - 1`` beyond the last
    token.
    """

    rows: tuple[int, int]
    prefix: tuple[int, int]
    keys: tuple[int, int]
    bias: Tensor | None
    """Added to the scores: zero, or minus infinity where a row does not attend to a key; None if all attend to all.
    *Shape:* (rows or 1, keys of both ranges)"""
    to_all: bool
    """Whether these are rows of global tokens, which have keys and values of their own."""

    def of_keys(self, vectors: Tensor) -> Tensor:
        """Take the tile's keys. *Shape:* (heads, tokens, width) in, (heads, keys, width) out."""
        keys = vectors[:, slice(*self.keys)]
        if self.prefix_length:
            return torch.cat([vectors[:, slice(*self.prefix)], keys], dim=1)
        return _without_gaps(keys)

    def add_to_keys(self, total: Tensor, part: Tensor) -> None:
        """Add the vectors of the tile's keys to those of the sequence. *Shapes* as in `of_keys`."""
        if self.prefix_length:
            total[:, slice(*self.prefix)].add_(part[:, : self.prefix_length])
        total[:, slice(*self.keys)].add_(part[:, self.prefix_length :])

    @property
    def prefix_length(self) -> int:
        """Number of keys in the first range."""
        return self.prefix[1] - self.prefix[0]

    @property
    def key_count(self) -> int:
        """Number of keys in both ranges."""
        return self.prefix_length + self.keys[1] - self.keys[0]

    def head_groups(self, heads: int) -> Iterator[slice]:
        """Heads to compute together so that their scores fit in the cache."""
        scores = (self.rows[1] - self.rows[0]) * self.key_count
        step = max(1, min(heads, TILE_SCORES // max(1, scores)))
        return (slice(first, first + step) for first in range(0, heads, step))


@dataclass(frozen=True)
class SequencePlace:
    """Where a sequence is in a flat batch, its global tokens first: among all tokens, and among all global tokens."""

    tokens: slice
    global_tokens: slice

    @property
    def length(self) -> int:
        """Number of tokens."""
        return self.tokens.stop - self.tokens.start

    @property
    def global_count(self) -> int:
        """Number of global tokens."""
        return self.global_tokens.stop - self.global_tokens.start


@dataclass(frozen=True)
class TiledSequence(SequencePlace):
    """A sequence of a flat batch, and the tiles of its attention, in the order of the rows; a row is in one at most."""

    tiles: list[Tile]


def _without_gaps(vectors: Tensor) -> Tensor:
    """Close the gaps in 16-bit operands, which oneDNN would do for each product; MKL reads fp32 with gaps."""
    return vectors if vectors.element_size() > 2 else vectors.contiguous()


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
    own = part.new_empty(parts, heads, length + KEYS_STEP - 1, width)
    own[:, :, :length] = part
    own[:, :, length:] = 0
    own[0, :, : sequence.global_count] = global_query[sequence.global_tokens].transpose(0, 1)
    own[0] /= math.sqrt(width)
    return own


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
    """Draw the random numbers for dropout, shaped like the weights (heads, rows, keys).

    The heads share them, each through its own random affine map (a bijection, since its factor is odd): a twelfth of
    the random numbers, for pairwise independent masks.
    """
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
                        weights = _weights(_without_gaps(query[group, rows]), keys[group], added)
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
                own = _gather(projected, global_query, sequence)
                to_own = _sequence_gradient(
                    own, gradient[sequence.tokens], sequence, ctx.dropout, generator, ctx.bias, to_table
                )
                count = sequence.global_count
                to_global_query[sequence.global_tokens] = to_own[0, :, :count].transpose(0, 1)
                to_own[0, :, :count] = 0
                to_projected[sequence.tokens] = to_own[:, :, : sequence.length].permute(2, 0, 1, 3)
        to_bias = None if to_table is None else to_table.T.to(ctx.bias.table.dtype)
        return to_projected, to_global_query, to_bias, None, None, None, None, None


def _sequence_gradient(
    own: Tensor,
    gradient: Tensor,
    sequence: TiledSequence,
    dropout: float,
    generator: torch.Generator,
    bias: PositionBias | None,
    to_table: Tensor | None,
) -> Tensor:
    """Gradient of one sequence's vectors as `_gather` returns them, from that of its output.

    That of the table of the bias is added to `to_table`, *shape* (heads, buckets), if given.
    """
    query, key, value, *to_all = own
    # Sums over many tiles, so at least in fp32.
    to_own = torch.zeros_like(own, dtype=torch.promote_types(own.dtype, torch.float32))
    to_query, to_key, to_value, *to_pair = to_own
    upstream_rows = gradient.transpose(0, 1)
    for tile in sequence.tiles:
        rows = slice(*tile.rows)
        keys, values = map(tile.of_keys, to_all if tile.to_all else (key, value))
        to_keys, to_values = to_pair if tile.to_all else (to_key, to_value)
        buckets = None if to_table is None or bias is None else bias.tile_buckets(sequence, tile).flatten()
        for group in tile.head_groups(len(query)):
            queries, upstream = _without_gaps(query[group, rows]), _without_gaps(upstream_rows[group, rows])
            weights = _weights(queries, keys[group], _added(group, tile, sequence, bias, own.dtype))
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
    to_query /= math.sqrt(own.shape[-1])
    return to_own
