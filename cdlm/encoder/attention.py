"""Sliding-window and global attention over a flat batch: no padding, no work for rows that are discarded.

In: the concatenated tokens of all sequences (`TokenLayout` says where each sequence is and which of its tokens are
global), and their query, key and value vectors. Out: one vector per token. The pattern is Longformer's (Beltagy et al.
2020, section 3.1; paper, section 2): a local token attends to its window and to every global token; a global token
attends, with its own projections, to every token of its sequence.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field

import torch
from torch import Tensor

from cdlm.encoder.compiling import outside_graphs
from cdlm.encoder.fused import TileBatch, fused_attention, tile_batches
from cdlm.encoder.relative import PositionBias
from cdlm.encoder.tiles import KEYS_STEP, Observer, SequencePlace, Tile, TiledSequence, tiled_attention

ROWS = 128
"""Maximum number of rows in a tile: more rows mean more scores outside the band, fewer mean more calls."""
ROWS_STEP = 16
"""The number of rows in a tile is a multiple of this, except in the last of a sequence."""


@dataclass(frozen=True)
class FlatSequence(SequencePlace):
    """One sequence of a flat batch: its global tokens first, then its local tokens, each in the order of the text."""

    positions: list[int]
    """Of its local tokens in the row of the padded batch, ascending."""


@dataclass(frozen=True)
class TokenLayout:
    """Where the real tokens of a padded batch of a *shape* (batch, length) are, and which of them are global.

    `kept` has for each token of the flat batch its index in the flattened padded one, *shape* (tokens,); `global_rows`
    the index of each global token in the flat batch, *shape* (global tokens,). A sequence has at least one token.
    """

    shape: tuple[int, int]
    kept: Tensor
    global_rows: Tensor
    sequences: list[FlatSequence]
    _tiled: dict[tuple[int, torch.dtype, bool], list[TiledSequence]] = field(default_factory=dict, repr=False)
    _batched: dict[tuple[int, torch.dtype, bool, int], list[TileBatch]] = field(default_factory=dict, repr=False)

    @classmethod
    def from_masks(cls, attention_mask: Tensor, global_attention_mask: Tensor | None) -> TokenLayout:
        """Build the layout of a batch from its masks, both of *shape* (batch, length).

        Zero means unset. As in Hugging Face's Longformer, tokens whose attention mask is 2 are global too.
        """
        real = attention_mask != 0
        batch, length = real.shape
        is_global = attention_mask > 1
        if global_attention_mask is not None:
            is_global |= (global_attention_mask != 0) & real
        # 0 for global, 1 for local, 2 for padding: a stable sort puts each sequence's tokens in this order.
        rank = 2 - real.to(torch.int8) - is_global.to(torch.int8)
        order = rank.sort(dim=1, stable=True).indices
        counts, global_counts = real.sum(1).tolist(), is_global.sum(1).tolist()
        kept, global_rows, sequences = [], [], []
        start = global_start = 0
        for row, (count, global_count) in enumerate(zip(counts, global_counts, strict=True)):
            if count == 0:
                continue
            kept.append(order[row, :count] + row * length)
            global_rows.append(torch.arange(start, start + global_count, device=real.device))
            tokens, global_tokens = slice(start, start + count), slice(global_start, global_start + global_count)
            sequences.append(FlatSequence(tokens, global_tokens, order[row, global_count:count].tolist()))
            start, global_start = tokens.stop, global_tokens.stop
        empty = [order.new_empty(0)]
        return cls((batch, length), torch.cat(kept or empty), torch.cat(global_rows or empty), sequences)

    @property
    def most_global(self) -> int:
        """The largest number of global tokens in a sequence."""
        return max((sequence.global_count for sequence in self.sequences), default=0)

    def padded(self, flat: Tensor) -> Tensor:
        """The tokens of the flat batch at their places in the padded one, zeros elsewhere.

        *Shape:* (tokens, width) in, (batch, length, width) out
        """
        table = flat.new_zeros(self.shape[0] * self.shape[1], flat.shape[-1]).index_copy(0, self.kept, flat)
        return table.unflatten(0, self.shape)

    def tiled(self, window: int, dtype: torch.dtype, *, local_only: bool = False) -> list[TiledSequence]:
        """The sequences with their tiles for a window, with masks of a type; created once.

        With `local_only`, the tiles of the global tokens' rows are omitted.
        """
        key = window, dtype, local_only
        if key not in self._tiled:
            tiled = []
            for sequence in self.sequences:
                tiles = _tiles(sequence, self.kept[sequence.tokens], window // 2, dtype, local_only)
                tiled.append(TiledSequence(sequence.tokens, sequence.global_tokens, tiles))
            self._tiled[key] = tiled
        return self._tiled[key]

    def batched(self, window: int, dtype: torch.dtype, *, local_only: bool = False, masks: int = 1) -> list[TileBatch]:
        """The tiles, stacked; created on first use. A tile needs one mask, or one for each head."""
        key = window, dtype, local_only, masks
        if key not in self._batched:
            tiled = self.tiled(window, dtype, local_only=local_only)
            self._batched[key] = tile_batches(tiled, dtype, self.kept.device, masks)
        return self._batched[key]


def _tiles(sequence: FlatSequence, places: Tensor, reach: int, dtype: torch.dtype, local_only: bool) -> list[Tile]:
    """Tiles of one sequence whose local tokens, at the given positions, see ``reach`` tokens on either side."""
    length, first_local = len(places), sequence.global_count
    tiles = []
    if not local_only:
        keys = (0, length + -length % KEYS_STEP)
        own = torch.arange(keys[1], device=places.device) < length
        tiles = [Tile(rows, (0, 0), keys, _bias(own[None], dtype), to_all=True) for rows in _parts(0, first_local)]
    positions = sequence.positions
    places = torch.nn.functional.pad(places, (0, KEYS_STEP - 1))
    for rows in _parts(first_local, length):
        low, high = rows[0] - first_local, rows[1] - first_local
        near_low = first_local + bisect_left(positions, positions[low] - reach)
        near_high = first_local + bisect_right(positions, positions[high - 1] + reach)
        # The first local keys follow the global keys, so that one range holds both.
        prefix = (0, 0) if near_low == first_local else (0, first_local)
        near_low = 0 if near_low == first_local else near_low
        keys = (near_low, near_high + -(prefix[1] + near_high - near_low) % KEYS_STEP)
        number = torch.arange(*keys, device=places.device)
        close = (places[rows[0] : rows[1], None] - places[None, slice(*keys)]).abs() <= reach
        sees = (number < near_high) & (close | (number < first_local))
        sees = torch.nn.functional.pad(sees, (prefix[1], 0), value=True)
        tiles.append(Tile(rows, prefix, keys, _bias(sees, dtype), to_all=False))
    return tiles


def _bias(sees: Tensor, dtype: torch.dtype) -> Tensor | None:
    """Zero where a row sees a key and minus infinity elsewhere, or None if every row sees every key."""
    if bool(sees.all()):
        return None
    return torch.zeros(sees.shape, dtype=dtype, device=sees.device).masked_fill_(~sees, -torch.inf)


def _parts(start: int, end: int) -> list[tuple[int, int]]:
    """Cut a range into as few parts of at most `ROWS` as possible, of similar size, all but the last in steps."""
    if start == end:
        return []
    count = -(-(end - start) // ROWS)
    size = -(-(end - start) // count)
    size = -(-size // ROWS_STEP) * ROWS_STEP
    return [(low, min(low + size, end)) for low in range(start, end, size)]


@dataclass(frozen=True)
class GlobalAttention:
    """Attention weights from and to the global tokens in one layer, for a padded batch (paper, section 3.5).

    The i-th global token of a sequence, in the order of the text, has index i; there are as many indices as in the
    sequence with the most. Weights from and to padding, and those of global tokens that a sequence lacks, are 0.
    """

    of_global: Tensor
    """How much each global token attends to each token. *Shape:* (batch, heads, global tokens, length)"""
    to_global: Tensor
    """How much each token attends to each global token. *Shape:* (batch, heads, length, global tokens)"""

    @classmethod
    def empty(cls, layout: TokenLayout, heads: int, dtype: torch.dtype) -> GlobalAttention:
        """All weights zero."""
        batch, length = layout.shape
        count = layout.most_global
        of_global = torch.zeros(batch, heads, count, length, dtype=dtype, device=layout.kept.device)
        return cls(of_global, of_global.new_zeros(batch, heads, length, count))

    def observer(self, layout: TokenLayout) -> Observer:
        """An observer that stores the weights of tiles."""
        length = layout.shape[1]

        def put(sequence: TiledSequence, tile: Tile, heads: slice, weights: Tensor) -> None:
            row, count = int(layout.kept[sequence.tokens.start]) // length, sequence.global_count
            places = layout.kept[sequence.tokens] % length
            rows = slice(*tile.rows)
            # In one range or two, a tile's keys begin with the global tokens.
            self.to_global[row, heads, :, :count].index_copy_(
                1, places[rows], weights[:, :, :count].detach().to(self.to_global.dtype)
            )
            if tile.to_all:
                self.of_global[row, heads, rows].index_copy_(
                    2, places, weights[:, :, : sequence.length].detach().to(self.of_global.dtype)
                )

        return put

    def put_rows(self, layout: TokenLayout, number: int, weights: Tensor) -> None:
        """Store the weights of a sequence's global tokens, *shape* (global tokens, heads, tokens)."""
        sequence = layout.sequences[number]
        length, count = layout.shape[1], sequence.global_count
        row, places = int(layout.kept[sequence.tokens.start]) // length, layout.kept[sequence.tokens] % length
        by_head = weights.detach().transpose(0, 1).to(self.of_global.dtype)
        self.of_global[row, :, :count].index_copy_(2, places, by_head)
        self.to_global[row, :, :, :count].index_copy_(1, places[:count], by_head[:, :, :count])


@outside_graphs
def sparse_attention(
    projected: Tensor,
    global_query: Tensor | None,
    layout: TokenLayout,
    window: int,
    dropout: float = 0.0,
    record: GlobalAttention | None = None,
    bias: PositionBias | None = None,
) -> Tensor:
    """Attend as Longformer does, and record the attention from and to global tokens. *Shape:* (tokens, heads, width)

    Parameters
    ----------
    projected
        *Shape:* (tokens, 3 or 5, heads, width of a head). Query, key and value of every token for the local rows; then,
        for the rows of global tokens, key and value of every token.
    global_query
        *Shape:* (global tokens, heads, width of a head). Queries of the global tokens. None if there are none, or if
        their rows are computed elsewhere: the output is then undefined there.
    window
        Total width of the window: half of it on either side.
    """
    local_only = global_query is None
    if global_query is None:
        global_query = projected.new_zeros(len(layout.global_rows), *projected.shape[2:])
    if projected.device.type == "cpu" or record is not None:
        observer = None if record is None else record.observer(layout)
        tiled = layout.tiled(window, projected.dtype, local_only=local_only)
        return tiled_attention(projected, global_query, tiled, dropout, observer, bias)
    masks = 1 if bias is None else projected.shape[2]
    batches = layout.batched(window, projected.dtype, local_only=local_only, masks=masks)
    of_batch = None if bias is None else bias.of_batch
    return fused_attention(projected, global_query, layout.global_rows, batches, dropout, of_batch)
