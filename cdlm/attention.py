"""Sliding-window and global attention over a flat batch: no padding, no work for rows that are thrown away.

In: the tokens of all sequences one after the other (`TokenLayout` says where each sequence is and which of its tokens are
global), and their query, key and value vectors. Out: one vector a token. The pattern is Longformer's (Beltagy et al. 2020,
section 3.1; paper, section 2): a local token attends to its window and to every global token, a global token attends,
with projections of its own, to every token of its sequence.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field

import torch
from torch import Tensor

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
        Tile(rows=(low, min(low + ROWS, first_local)), prefix=(0, 0), keys=(start, end), bias=None, to_all=True)
        for low in range(start, first_local, ROWS)
    ]
    positions = sequence.positions
    places = torch.tensor(positions, device=device)
    for low in range(0, len(positions), ROWS):
        high = min(low + ROWS, len(positions))
        near_low = bisect_left(positions, positions[low] - reach)
        near_high = bisect_right(positions, positions[high - 1] + reach)
        distance = (places[low:high, None] - places[None, near_low:near_high]).abs()
        bias = torch.zeros(distance.shape, dtype=dtype, device=device).masked_fill_(distance > reach, -torch.inf)
        tiles.append(
            Tile(
                rows=(first_local + low, first_local + high),
                prefix=(start, first_local),
                keys=(first_local + near_low, first_local + near_high),
                bias=bias
                if positions[high - 1] - positions[near_low] > reach
                or positions[near_high - 1] - positions[low] > reach
                else None,
                to_all=False,
            )
        )
    return tiles


@torch.compiler.disable
def sparse_attention(
    query: Tensor,
    local: tuple[Tensor, Tensor],
    to_all: tuple[Tensor, Tensor] | None,
    layout: TokenLayout,
    window: int,
    dropout: float = 0.0,
) -> Tensor:
    """Attend as Longformer does.

    Parameters
    ----------
    query
        *Shape:* (tokens, heads, width of a head).
    local, to_all
        Key and value of every token for the local rows, and for the global rows (None when there is no global token),
        each shaped like ``query``.
    window
        Total width of the window: half of it on either side.
    dropout
        Probability with which an attention weight is dropped.

    Returns
    -------
    Tensor
        Shaped like ``query``.
    """
    return tiled_attention(query, local, to_all, layout.tiles(window, query.dtype), dropout)
