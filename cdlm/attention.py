"""Sliding-window and global attention over a flat batch: no padding, no work for rows that are thrown away.

In: the tokens of all sequences one after the other (`TokenLayout` says where each sequence is and which of its tokens
are global), and their query, key and value vectors. Out: one vector a token. The pattern is Longformer's (Beltagy et
al. 2020, section 3.1; paper, section 2): a local token attends to its window and to every global token, a global
token attends, with projections of its own, to every token of its sequence.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from itertools import pairwise

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from cdlm.tiles import Tile, tiled_attention

ROWS = 128
"""Rows of a tile under a band: more rows mean more scores beside the band, fewer mean more calls."""


@dataclass(frozen=True)
class Sequence:
    """One sequence of a flat batch: its global tokens first, then its local tokens, each in the order of the text.

    Parameters
    ----------
    start, end
        Its range in the flat batch.
    global_count
        How many of its first tokens are global.
    positions
        Places of its local tokens in the row of the padded batch, ascending.
    """

    start: int
    end: int
    global_count: int
    positions: list[int]


@dataclass(frozen=True)
class TokenLayout:
    """Where the real tokens of a padded batch are, and which of them are global.

    Parameters
    ----------
    kept
        *Shape:* (tokens,). For each token of the flat batch its index in the padded batch, flattened.
    global_rows
        *Shape:* (global tokens,). Indices of the global tokens in the flat batch.
    sequences
        The sequences that have at least one token.
    """

    kept: Tensor
    global_rows: Tensor
    sequences: list[Sequence]
    _tiles: dict[tuple[int, torch.dtype], list[Tile]] = field(default_factory=dict, repr=False)

    @classmethod
    def from_masks(cls, attention_mask: Tensor, global_attention_mask: Tensor | None) -> TokenLayout:
        """Build the layout of a batch from its masks, both of *shape* (batch, length); zero means no."""
        real = attention_mask != 0
        length = real.shape[1]
        is_global = torch.zeros_like(real) if global_attention_mask is None else (global_attention_mask != 0) & real
        # 0 for global, 1 for local, 2 for padding: a stable sort puts each sequence's tokens in this order.
        rank = 2 - real.to(torch.int8) - is_global.to(torch.int8)
        order = rank.sort(dim=1, stable=True).indices
        counts, global_counts = real.sum(1).tolist(), is_global.sum(1).tolist()
        kept, global_rows, sequences, start = [], [], [], 0
        for row, (count, global_count) in enumerate(zip(counts, global_counts, strict=True)):
            if count == 0:
                continue
            kept.append(order[row, :count] + row * length)
            global_rows.append(torch.arange(start, start + global_count, device=real.device))
            sequences.append(Sequence(start, start + count, global_count, order[row, global_count:count].tolist()))
            start += count
        empty = [order.new_empty(0)]
        return cls(torch.cat(kept or empty), torch.cat(global_rows or empty), sequences)

    def tiles(self, window: int, dtype: torch.dtype) -> list[Tile]:
        """Return the tiles of all sequences for a window, with masks of a type; they are made once."""
        if (window, dtype) not in self._tiles:
            device = self.kept.device
            self._tiles[window, dtype] = [
                tile for sequence in self.sequences for tile in _sequence_tiles(sequence, window // 2, dtype, device)
            ]
        return self._tiles[window, dtype]


def _sequence_tiles(sequence: Sequence, reach: int, dtype: torch.dtype, device: torch.device) -> list[Tile]:
    """Tiles of one sequence whose local tokens see ``reach`` tokens on either side."""
    start, first_local, end = sequence.start, sequence.start + sequence.global_count, sequence.end
    tiles = [
        Tile(rows=(low, high), prefix=(start, start), keys=(start, end), bias=None, to_all=True)
        for low, high in _even_parts(start, first_local)
    ]
    positions = sequence.positions
    places = torch.tensor(positions, device=device)
    for low, high in _even_parts(0, len(positions)):
        near_low = bisect_left(positions, positions[low] - reach)
        near_high = bisect_right(positions, positions[high - 1] + reach)
        bias = None
        if max(positions[high - 1] - positions[near_low], positions[near_high - 1] - positions[low]) > reach:
            distance = (places[low:high, None] - places[None, near_low:near_high]).abs()
            bias = torch.zeros(distance.shape, dtype=dtype, device=device).masked_fill_(distance > reach, -torch.inf)
        rows, keys = (first_local + low, first_local + high), (first_local + near_low, first_local + near_high)
        tiles.append(Tile(rows, (start, first_local), keys, bias, to_all=False))
    return tiles


def _even_parts(start: int, end: int) -> list[tuple[int, int]]:
    """Cut a range into the fewest parts of at most `ROWS`, of the same size but for one."""
    count = -(-(end - start) // ROWS)
    cuts = [start + (end - start) * part // count for part in range(count)] + [end]
    return list(pairwise(cuts))


@torch.compiler.disable
def sparse_attention(
    projected: Tensor, global_query: Tensor | None, layout: TokenLayout, window: int, dropout: float = 0.0
) -> Tensor:
    """Attend as Longformer does.

    Parameters
    ----------
    projected
        *Shape:* (tokens, 3 or 5, heads, width of a head). Query, key and value of every token for the local rows; then,
        where there are global tokens, key and value of every token for their rows.
    global_query
        *Shape:* (global tokens, heads, width of a head). Queries of the global tokens; None where there are none.
    window
        Total width of the window: half of it on either side.
    dropout
        Probability with which an attention weight is dropped.

    Returns
    -------
    Tensor
        *Shape:* (tokens, heads, width of a head).
    """
    tiles = layout.tiles(window, projected.dtype)
    if projected.device.type == "cpu":
        return tiled_attention(projected, global_query, layout.global_rows, tiles, dropout)
    return fused_attention(projected, global_query, layout.global_rows, tiles, dropout)


def fused_attention(
    projected: Tensor, global_query: Tensor | None, global_rows: Tensor, tiles: list[Tile], dropout: float
) -> Tensor:
    """Do what `cdlm.tiles.tiled_attention` does, with PyTorch's fused attention of each tile, on any device."""
    query, *local = projected[:, :3].permute(1, 2, 0, 3)
    to_all = projected[:, 3:].permute(1, 2, 0, 3)
    if global_query is not None:
        query = query.index_copy(1, global_rows, global_query.transpose(0, 1))
    rows = []
    for tile in tiles:
        key, value = map(tile.of_keys, to_all if tile.to_all else local)
        mask = None if tile.bias is None else torch.nn.functional.pad(tile.bias, (tile.prefix_length, 0))
        rows.append(
            scaled_dot_product_attention(
                tile.of_rows(query)[None], key[None], value[None], attn_mask=mask, dropout_p=dropout
            )[0]
        )
    # The tiles are in the order of the rows.
    return torch.cat(rows, dim=1).transpose(0, 1)
