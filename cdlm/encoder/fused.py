"""Attention of many tiles in parallel with PyTorch's fused attention: a few large calls, as GPUs need them.

In: the inputs of `tiles.tiled_attention`, with the tiles stacked in `TileBatch`es. Out: the same vectors. Tiles with a
similar number of keys are stacked together, so that little of a batch is padding. Keys are gathered for each tile,
unlike on the CPU: that costs memory in proportion to the tokens, and saves one launch per tile.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from cdlm.encoder.tiles import Tile, TiledSequence

BATCH_SCORES = 2**26
"""Maximum number of scores in a batch that have a mask of their own; in 16 bits the masks of a batch take 128 MB."""


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


def fused_attention(
    projected: Tensor,
    global_query: Tensor,
    global_rows: Tensor,
    batches: Sequence[TileBatch],
    dropout: float = 0.0,
    bias: Callable[[TileBatch], Tensor] | None = None,
) -> Tensor:
    """Compute what `tiles.tiled_attention` computes, on any device.

    `global_rows` are the indices of the global tokens among all tokens. Every token is in a row of the batches. The
    bias gives what is added to the scores of a batch, its mask included, if not the mask alone.
    """
    query = projected[:, 0].index_copy(0, global_rows, global_query)
    attended, places = [], []
    for batch in batches:
        key, value = projected[:, 3:5].unbind(1) if batch.to_all else projected[:, 1:3].unbind(1)
        rows = scaled_dot_product_attention(
            _gathered(query, batch.rows),
            _gathered(key, batch.keys),
            _gathered(value, batch.keys),
            attn_mask=batch.bias if bias is None else bias(batch),
            dropout_p=dropout,
        )
        attended.append(rows.transpose(1, 2).flatten(0, 1)[batch.kept])
        places.append(batch.rows.flatten()[batch.kept])
    if not attended:
        return query
    return torch.zeros_like(query).index_copy(0, torch.cat(places), torch.cat(attended))


def _gathered(vectors: Tensor, places: Tensor) -> Tensor:
    """*Shape:* (tokens, heads, width) and (tiles, places) in, (tiles, heads, places, width) out."""
    return vectors.index_select(0, places.flatten()).unflatten(0, places.shape).transpose(1, 2)
