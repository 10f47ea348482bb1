"""Attention in tiles that stay in the processor's cache, forward and backward, for the CPU.

In: query, key and value vectors of a flat batch and the `Tile`s that say which rows attend to which keys. Out: one vector
a row. A tile's scores are computed, normalised and used while they are in the cache, and computed again in the backward
pass, so that the memory needed grows with the tokens and not with the scores. PyTorch's fused attention does this in one
call, but on the CPU it takes no dropout, and its backward pass in bf16 takes three times as long as these products.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

TILE_SCORES = 1_500_000
"""Scores that are computed at a time, over the heads: 6 MB in fp32."""


@dataclass(frozen=True)
class Tile:
    """Some rows, and all the keys that they attend to, as ranges of a flat batch.

    Parameters
    ----------
    rows
        First row, and the one after the last.
    prefix, keys
        Two ranges of keys; the first may be empty.
    bias
        *Shape:* (rows, number of ``keys``). Added to the scores of ``keys``: zero, or minus infinity where a row does
        not attend to a key. None where every row attends to every key.
    to_all
        Whether these are rows of global tokens, which have keys and values of their own.
    """

    rows: tuple[int, int]
    prefix: tuple[int, int]
    keys: tuple[int, int]
    bias: Tensor | None
    to_all: bool

    def of_rows(self, vectors: Tensor) -> Tensor:
        """The tile's rows. *Shape:* (heads, tokens, width) in, (heads, rows, width) out."""
        return vectors[:, slice(*self.rows)]

    def of_keys(self, vectors: Tensor) -> Tensor:
        """The tile's keys. *Shape:* (heads, tokens, width) in, (heads, keys, width) out."""
        keys = vectors[:, slice(*self.keys)]
        return torch.cat([vectors[:, slice(*self.prefix)], keys], dim=1) if self.prefix_length else keys

    def add_to_keys(self, total: Tensor, part: Tensor) -> None:
        """Add the vectors of the tile's keys to those of the batch. *Shapes* as in `of_keys`."""
        if self.prefix_length:
            total[:, slice(*self.prefix)].add_(part[:, : self.prefix_length])
        total[:, slice(*self.keys)].add_(part[:, self.prefix_length :])

    @property
    def prefix_length(self) -> int:
        """Number of keys in the first range."""
        return self.prefix[1] - self.prefix[0]

    @property
    def scores(self) -> int:
        """Number of scores of one head."""
        return (self.rows[1] - self.rows[0]) * (self.prefix_length + self.keys[1] - self.keys[0])

    def head_groups(self, heads: int) -> Iterator[slice]:
        """Heads to compute together so that their scores fit in the cache."""
        step = max(1, min(heads, TILE_SCORES // max(1, self.scores)))
        return (slice(first, first + step) for first in range(0, heads, step))


def tiled_attention(
    query: Tensor,
    local: tuple[Tensor, Tensor],
    to_all: tuple[Tensor, Tensor] | None,
    tiles: Sequence[Tile],
    dropout: float = 0.0,
) -> Tensor:
    """Softmax attention of every tile's rows to its keys.

    Parameters
    ----------
    query
        *Shape:* (tokens, heads, width of a head).
    local, to_all
        Keys and values, each shaped like ``query``, for local rows and for global rows.
    tiles
        Every row is in exactly one of them.
    dropout
        Probability with which a weight is dropped.

    Returns
    -------
    Tensor
        Shaped like ``query``.
    """
    seed = int(torch.randint(2**62, ()).item()) if dropout else 0
    return _TiledAttention.apply(query, *local, *(to_all or (None, None)), tiles, dropout, seed)


def _head_major(vectors: Tensor, factor: float = 1.0) -> Tensor:
    """*Shape:* (tokens, heads, width) in, (heads, tokens, width) out, without gaps and multiplied by a factor."""
    swapped = vectors.transpose(0, 1)
    return swapped.contiguous() if factor == 1.0 else torch.mul(swapped, factor).contiguous()


def _weights(query: Tensor, key: Tensor, tile: Tile) -> Tensor:
    """Attention weights of some heads of a tile. *Shape:* (heads, rows, keys)."""
    scores = torch.bmm(query, key.transpose(1, 2))
    if tile.bias is not None:
        scores[:, :, tile.prefix_length :].add_(tile.bias)
    return torch.softmax(scores, -1, out=scores)


class _Dropout:
    """Draws which weights are kept, the same again from the same seed.

    The heads share the random numbers of a tile, each through a random affine map (odd factor, so a bijection) of its
    own: a twelfth of the random numbers for masks that are independent in pairs.
    """

    def __init__(self, probability: float, seed: int) -> None:
        self.threshold = round(probability * 2**16) - 2**15
        self.generator = torch.Generator().manual_seed(seed)

    def keep(self, weights: Tensor) -> Tensor:
        """Zeros and ones, shaped like the weights (heads, rows, keys)."""
        heads, rows, keys = weights.shape
        words = torch.empty(math.ceil((rows * keys + 2 * heads) / 4), dtype=torch.int64)
        numbers = words.random_(-(2**63), None, generator=self.generator).view(torch.int16)
        factor = numbers[-heads:].bitwise_or(1).view(heads, 1, 1)
        shift = numbers[-2 * heads : -heads].view(heads, 1, 1)
        mixed = torch.addcmul(shift, numbers[: rows * keys].view(1, rows, keys), factor)
        return torch.ge(mixed, self.threshold, out=torch.empty_like(weights))


class _TiledAttention(torch.autograd.Function):
    """See `tiled_attention`; the weights are computed again in the backward pass."""

    @staticmethod
    def forward(
        ctx: Any,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_to_all: Tensor | None,
        value_to_all: Tensor | None,
        tiles: Sequence[Tile],
        dropout: float,
        seed: int,
    ) -> Tensor:
        heads, width = query.shape[1:]
        query = _head_major(query, 1 / math.sqrt(width))
        key, value = _head_major(key), _head_major(value)
        if key_to_all is not None and value_to_all is not None:
            key_to_all, value_to_all = _head_major(key_to_all), _head_major(value_to_all)
        output = torch.empty_like(query)
        drop = _Dropout(dropout, seed) if dropout else None
        with torch.autocast("cpu", enabled=False):
            for tile in tiles:
                keys, values = (key_to_all, value_to_all) if tile.to_all else (key, value)
                keys, values = tile.of_keys(keys), tile.of_keys(values)
                for group in tile.head_groups(heads):
                    weights = _weights(tile.of_rows(query)[group], keys[group], tile)
                    if drop:
                        weights.mul_(drop.keep(weights))
                    torch.bmm(weights, values[group], out=tile.of_rows(output)[group])
        ctx.save_for_backward(query, key, value, key_to_all, value_to_all)
        ctx.tiles, ctx.dropout, ctx.seed = tiles, dropout, seed
        return output.transpose(0, 1).div(1 - dropout) if dropout else output.transpose(0, 1).contiguous()

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        query, key, value, key_to_all, value_to_all = ctx.saved_tensors
        heads, _, width = query.shape
        gradient = _head_major(gradients[0], 1 / (1 - ctx.dropout))
        to_query = torch.empty_like(query)
        to_local = torch.zeros_like(key, dtype=torch.float32), torch.zeros_like(value, dtype=torch.float32)
        to_global = None if key_to_all is None else tuple(torch.zeros_like(part) for part in to_local)
        drop = _Dropout(ctx.dropout, ctx.seed) if ctx.dropout else None
        with torch.autocast("cpu", enabled=False):
            for tile in ctx.tiles:
                keys, values = (key_to_all, value_to_all) if tile.to_all else (key, value)
                to_keys, to_values = to_global if tile.to_all else to_local
                keys, values = tile.of_keys(keys), tile.of_keys(values)
                for group in tile.head_groups(heads):
                    queries, upstream = tile.of_rows(query)[group], tile.of_rows(gradient)[group]
                    weights = _weights(queries, keys[group], tile)
                    to_weights = torch.bmm(upstream, values[group].transpose(1, 2))
                    if drop:
                        keep = drop.keep(weights)
                        to_weights.mul_(keep)
                        kept = keep.mul_(weights)
                    else:
                        kept = weights
                    tile.add_to_keys(to_values[group], torch.bmm(kept.transpose(1, 2), upstream))
                    to_scores = torch.ops.aten._softmax_backward_data.out(
                        to_weights, weights, -1, weights.dtype, grad_input=to_weights
                    )
                    torch.bmm(to_scores, keys[group], out=tile.of_rows(to_query)[group])
                    tile.add_to_keys(to_keys[group], torch.bmm(to_scores.transpose(1, 2), queries))
        parts = [to_query.mul_(1 / math.sqrt(width)), *to_local, *(to_global or ())]
        back = [part.transpose(0, 1).to(query.dtype, memory_format=torch.contiguous_format) for part in parts]
        return (*back, *([None] * (8 - len(back))))
