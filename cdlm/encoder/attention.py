"""Longformer's attention over a flat batch (Beltagy et al. 2020, section 3.1): a local token attends to its window and
to every global token; a global token, with its own projections, to every token of its sequence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from cdlm.encoder.layout import Tile, TileBatch, TiledSequence, TokenLayout
from cdlm.encoder.relative import PositionBias
from cdlm.encoder.tiled_attention import Observer, tiled_attention


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

    `projected`, *shape* (tokens, 3 or 5, heads, width of a head), has query, key and value of every token for the local
    rows; then, for the rows of global tokens, key and value of every token. `global_query`, *shape* (global tokens,
    heads, width of a head), is None if there are no global tokens, or if their rows are computed elsewhere: the output
    is then undefined there. The window is the total width, half of it on either side.
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


def fused_attention(
    projected: Tensor,
    global_query: Tensor,
    global_rows: Tensor,
    batches: Sequence[TileBatch],
    dropout: float = 0.0,
    bias: Callable[[TileBatch], Tensor] | None = None,
) -> Tensor:
    """What `tiled_attention` computes, on any device, with keys gathered for each tile: memory for fewer launches.

    `global_rows` are the indices of the global tokens among all tokens. Every token is in a row of the batches. The
    bias gives what is added to the scores of a batch, its mask included; by default that is the mask.
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
