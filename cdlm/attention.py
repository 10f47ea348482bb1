"""Sliding-window and global attention over a flat batch: no padding, no work for rows that are thrown away.

In: the tokens of all sequences one after the other (`TokenLayout` says where each sequence is and which of its tokens
are global), and their query, key and value vectors. Out: one vector a token. The pattern is Longformer's (Beltagy et
al. 2020, section 3.1; paper, section 2): a local token attends to its window and to every global token, a global
token attends, with projections of its own, to every token of its sequence.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from cdlm.tiles import Observer, Tile, tiled_attention

ROWS = 128
"""Rows of a tile at most: more rows mean more scores beside the band, fewer mean more calls."""
ROWS_STEP, KEYS_STEP = 16, 32
"""Tiles have multiples of so many rows and keys where they can: softmax is a quarter faster then, and in 16 bits there
are fewer shapes for which oneDNN must make a kernel."""


@dataclass(frozen=True)
class FlatSequence:
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
    shape
        (batch, length) of the padded batch.
    kept
        *Shape:* (tokens,). For each token of the flat batch its index in the padded batch, flattened.
    global_rows
        *Shape:* (global tokens,). Indices of the global tokens in the flat batch.
    sequences
        The sequences that have at least one token.
    """

    shape: tuple[int, int]
    kept: Tensor
    global_rows: Tensor
    sequences: list[FlatSequence]
    _tiles: dict[tuple[int, torch.dtype], list[Tile]] = field(default_factory=dict, repr=False)

    @classmethod
    def from_masks(cls, attention_mask: Tensor, global_attention_mask: Tensor | None) -> TokenLayout:
        """Build the layout of a batch from its masks, both of *shape* (batch, length); zero means no."""
        real = attention_mask != 0
        batch, length = real.shape
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
            sequences.append(FlatSequence(start, start + count, global_count, order[row, global_count:count].tolist()))
            start += count
        empty = [order.new_empty(0)]
        return cls((batch, length), torch.cat(kept or empty), torch.cat(global_rows or empty), sequences)

    def tiles(self, window: int, dtype: torch.dtype) -> list[Tile]:
        """Return the tiles of all sequences for a window, with masks of a type; they are made once."""
        if (window, dtype) not in self._tiles:
            self._tiles[window, dtype] = [
                tile for sequence in self.sequences for tile in _sequence_tiles(sequence, window // 2, dtype, self.kept)
            ]
        return self._tiles[window, dtype]


def _sequence_tiles(sequence: FlatSequence, reach: int, dtype: torch.dtype, kept: Tensor) -> list[Tile]:
    """Tiles of one sequence whose local tokens see ``reach`` tokens on either side."""
    start, first_local, end = sequence.start, sequence.start + sequence.global_count, sequence.end
    tiles = []
    keys = _widened((start, end), 0, len(kept))
    own = torch.arange(*keys, device=kept.device)
    bias = _bias(((own >= start) & (own < end))[None], dtype)
    for rows in _parts(start, first_local):
        tiles.append(Tile(rows, (start, start), keys, bias, to_all=True))
    positions = sequence.positions
    for rows in _parts(first_local, end):
        low, high = rows[0] - first_local, rows[1] - first_local
        near_low = first_local + bisect_left(positions, positions[low] - reach)
        near_high = first_local + bisect_right(positions, positions[high - 1] + reach)
        # The first local keys follow the global keys, so that one range holds both.
        prefix = (start, start) if near_low == first_local else (start, first_local)
        near = (start if near_low == first_local else near_low, near_high)
        keys = _widened(near, prefix[1] - prefix[0], len(kept))
        own = torch.arange(*keys, device=kept.device)
        seen = (own >= near[0]) & (own < near[1])
        close = (kept[rows[0] : rows[1], None] - kept[None, keys[0] : keys[1]]).abs() <= reach
        sees = seen & (close | (own < first_local))
        sees = torch.nn.functional.pad(sees, (prefix[1] - prefix[0], 0), value=True)
        tiles.append(Tile(rows, prefix, keys, _bias(sees, dtype), to_all=False))
    return tiles


def _bias(sees: Tensor, dtype: torch.dtype) -> Tensor | None:
    """Zero where a row sees a key and minus infinity elsewhere, or None where all see all."""
    if bool(sees.all()):
        return None
    return torch.zeros(sees.shape, dtype=dtype, device=sees.device).masked_fill_(~sees, -torch.inf)


def _parts(start: int, end: int) -> list[tuple[int, int]]:
    """Cut a range into the fewest parts of at most `ROWS`, about even, and all but the last in steps."""
    if start == end:
        return []
    count = -(-(end - start) // ROWS)
    size = -(-(end - start) // count)
    size = -(-size // ROWS_STEP) * ROWS_STEP
    return [(low, min(low + size, end)) for low in range(start, end, size)]


def _widened(keys: tuple[int, int], others: int, tokens: int) -> tuple[int, int]:
    """Widen a range of keys so that with ``others`` it is a multiple of `KEYS_STEP`, if there are so many tokens."""
    missing = -(keys[1] - keys[0] + others) % KEYS_STEP
    high = min(keys[1] + missing, tokens)
    return max(0, keys[0] - (missing - (high - keys[1]))), high


@dataclass(frozen=True)
class GlobalAttention:
    """Attention weights of one layer of and towards the global tokens, for a padded batch (paper, section 3.5).

    The i-th global token of a sequence, in the order of the text, has index i; there are as many as in the sequence
    that has the most. Weights of and towards padding, and those of global tokens that a sequence does not have, are 0.

    Parameters
    ----------
    of_global
        *Shape:* (batch, heads, global tokens, length). How much each global token attends to each token.
    to_global
        *Shape:* (batch, heads, length, global tokens). How much each token attends to each global token.
    """

    of_global: Tensor
    to_global: Tensor

    @classmethod
    def empty(cls, layout: TokenLayout, heads: int, dtype: torch.dtype) -> GlobalAttention:
        """All weights zero."""
        batch, length = layout.shape
        count = max((sequence.global_count for sequence in layout.sequences), default=0)
        of_global = torch.zeros(batch, heads, count, length, dtype=dtype, device=layout.kept.device)
        return cls(of_global, of_global.new_zeros(batch, heads, length, count))

    def observer(self, layout: TokenLayout) -> Observer:
        """Return what puts the weights of tiles in their places."""
        starts = [sequence.start for sequence in layout.sequences]
        length = layout.shape[1]

        def put(tile: Tile, heads: slice, weights: Tensor) -> None:
            sequence = layout.sequences[bisect_right(starts, tile.rows[0]) - 1]
            row = int(layout.kept[sequence.start]) // length
            places = layout.kept % length
            first = 0 if tile.prefix_length else sequence.start - tile.keys[0]
            towards = weights[:, :, first : first + sequence.global_count].detach()
            self.to_global[row, heads, :, : sequence.global_count].index_copy_(
                1, places[slice(*tile.rows)], towards.to(self.to_global.dtype)
            )
            if tile.to_all:
                low, high = tile.rows[0] - sequence.start, tile.rows[1] - sequence.start
                whole = weights[:, :, first : first + sequence.end - sequence.start].detach()
                self.of_global[row, heads, low:high].index_copy_(
                    2, places[sequence.start : sequence.end], whole.to(self.of_global.dtype)
                )

        return put


@torch.compiler.disable
def sparse_attention(
    projected: Tensor,
    global_query: Tensor | None,
    layout: TokenLayout,
    window: int,
    dropout: float = 0.0,
    record: GlobalAttention | None = None,
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
    record
        Where to put the attention of and towards global tokens.

    Returns
    -------
    Tensor
        *Shape:* (tokens, heads, width of a head).
    """
    tiles = layout.tiles(window, projected.dtype)
    if projected.device.type == "cpu" or record is not None:
        observer = None if record is None else record.observer(layout)
        return tiled_attention(projected, global_query, layout.global_rows, tiles, dropout, observer)
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
        rows.append(
            scaled_dot_product_attention(
                tile.of_rows(query)[None], key[None], value[None], attn_mask=tile.bias, dropout_p=dropout
            )[0]
        )
    # The tiles are in the order of the rows.
    return torch.cat(rows, dim=1).transpose(0, 1)
