"""Where the tokens of a batch are in one flat batch without padding, and the tiles in which they attend: blocks of rows
with all the keys that they attend to, computed in place on a CPU and stacked for a GPU."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

ROWS = 128
"""Maximum number of rows in a tile: more rows mean more scores outside the band, fewer mean more calls."""


ROWS_STEP = 16
"""The number of rows in a tile is a multiple of this, except in the last of a sequence."""


TILE_SCORES = 1_500_000
"""Scores computed at a time, over the heads: 6 MB in fp32."""


KEYS_STEP = 32
"""The number of keys in a tile is a multiple of this: softmax then takes a quarter less time, and in 16 bits oneDNN
needs kernels for fewer shapes. The extra room is after a sequence's last token."""


BATCH_SCORES = 2**26
"""Maximum number of scores in a batch that have a mask of their own; in 16 bits the masks of a batch take 128 MB."""


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
        """The vectors of the tile's keys. *Shape:* (heads, tokens, width) in, (heads, keys, width) out."""
        keys = vectors[:, slice(*self.keys)]
        if self.prefix_length:
            return torch.cat([vectors[:, slice(*self.prefix)], keys], dim=1)
        return without_gaps(keys)

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
class TiledSequence(SequencePlace):
    """A sequence of a flat batch, and the tiles of its attention, in the order of the rows; a row is in one at most."""

    tiles: list[Tile]


def without_gaps(vectors: Tensor) -> Tensor:
    """Close the gaps in 16-bit operands, which oneDNN would do for each product; MKL reads fp32 with gaps."""
    return vectors if vectors.element_size() > 2 else vectors.contiguous()


@dataclass(frozen=True)
class TileBatch:
    """Tiles of the same kind, padded to the same number of rows and of keys."""

    rows: Tensor
    """Their indices among all tokens; padding is any token. *Shape:* (tiles, rows)"""
    keys: Tensor
    """Likewise. *Shape:* (tiles, keys)"""
    kept: Tensor
    """Positions, in the flattened rows, of those that are not padding. *Shape:* (rows kept,)"""
    bias: Tensor
    """Added to the scores: zero, or minus infinity where a row does not attend. *Shape:* (tiles, 1, rows, keys)"""
    to_all: bool
    """Whether these are rows of global tokens."""


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
        real = torch.arange(keys[1], device=places.device) < length
        tiles = [Tile(rows, (0, 0), keys, _bias(real[None], dtype), to_all=True) for rows in _parts(0, first_local)]
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


def tile_batches(
    sequences: Sequence[TiledSequence], dtype: torch.dtype, device: torch.device, masks: int = 1
) -> list[TileBatch]:
    """Stack the tiles of all sequences, those of local and of global rows separately; see `TokenLayout.batched`."""
    most = BATCH_SCORES // masks
    tiles = [(tile, sequence) for sequence in sequences for tile in sequence.tiles]
    tiles.sort(key=lambda pair: (pair[0].to_all, pair[0].key_count))
    groups: list[list[tuple[Tile, TiledSequence]]] = []
    for tile, sequence in tiles:
        last = groups[-1] if groups else []
        rows = max([tile.rows[1] - tile.rows[0], *(other.rows[1] - other.rows[0] for other, _ in last)])
        # The keys only grow within a group.
        if not last or last[0][0].to_all != tile.to_all or (len(last) + 1) * rows * tile.key_count > most:
            groups.append([])
        groups[-1].append((tile, sequence))
    return [_stacked(group, dtype, device) for group in groups]


def _stacked(group: Sequence[tuple[Tile, TiledSequence]], dtype: torch.dtype, device: torch.device) -> TileBatch:
    most_rows = max(tile.rows[1] - tile.rows[0] for tile, _ in group)
    most_keys = max(tile.key_count for tile, _ in group)
    shape = (len(group), most_rows)
    rows = torch.zeros(shape, dtype=torch.long, device=device)
    is_row = torch.zeros(shape, dtype=torch.bool, device=device)
    keys = torch.zeros(len(group), most_keys, dtype=torch.long, device=device)
    bias = torch.full((len(group), 1, most_rows, most_keys), -torch.inf, dtype=dtype, device=device)
    for number, (tile, sequence) in enumerate(group):
        start, last = sequence.tokens.start, sequence.tokens.stop - 1
        count = tile.rows[1] - tile.rows[0]
        rows[number, :count] = torch.arange(*tile.rows, device=device) + start
        is_row[number, :count] = True
        ranges = [torch.arange(*span, device=device) for span in (tile.prefix, tile.keys)]
        keys[number, : tile.key_count] = (torch.cat(ranges) + start).clamp_max(last)
        bias[number, 0, :count, : tile.key_count] = 0 if tile.bias is None else tile.bias
        bias[number, 0, count:] = 0  # a row that attends to nothing would have undefined weights
    return TileBatch(rows, keys, is_row.flatten().nonzero()[:, 0], bias, group[0][0].to_all)
