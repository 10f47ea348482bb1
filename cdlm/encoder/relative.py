"""A bias on attention scores by how far apart two tokens are (Shaw et al. 2018; MPNet, Song et al. 2020): one table of
a number per bucket of distances and head, shared by all layers."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import torch
from torch import Tensor

from cdlm.encoder.layout import SequencePlace, Tile, TileBatch

MAX_DISTANCE = 128
"""Tokens that are at least this far apart share a bucket, one for either direction."""


def distance_buckets(distances: Tensor, count: int) -> Tensor:
    """The bucket of each distance: half of the buckets for either direction, as in MPNet and T5.

    Of one direction, the first half of the buckets are those of one distance each; the others grow logarithmically up
    to `MAX_DISTANCE`. A distance is the place of the key minus that of the row; `count` is for both directions.
    """
    of_direction = count // 2
    exact = of_direction // 2
    far = distances.abs()
    # In fp32, as MPNet computes it: distances on the border between two buckets depend on the rounding.
    growth = torch.log(far.float().clamp_min(1) / exact) / math.log(MAX_DISTANCE / exact) * (of_direction - exact)
    large = (exact + growth.to(torch.long)).clamp_max(of_direction - 1)
    return torch.where(far < exact, far, large) + (distances > 0) * of_direction


@dataclass(frozen=True)
class PositionBias:
    """The bias of one forward pass, which every layer adds to its scores."""

    table: Tensor
    """*Shape:* (buckets, heads)"""
    places: Tensor
    """The place of each token of the flat batch; only differences within a sequence count. *Shape:* (tokens,)"""
    _buckets: dict[int, Tensor] = field(default_factory=dict, repr=False)
    _of_tiles: dict[tuple[int, torch.dtype], Tensor] = field(default_factory=dict, repr=False)
    _of_batches: dict[int, Tensor] = field(default_factory=dict, repr=False)

    def tile_buckets(self, sequence: SequencePlace, tile: Tile) -> Tensor:
        """The bucket of every score of a tile. *Shape:* (rows, keys)."""
        if id(tile) not in self._buckets:
            places = self.places[sequence.tokens]
            ranges = [torch.arange(*span, device=places.device) for span in (tile.prefix, tile.keys)]
            keys = torch.cat(ranges).clamp_max(sequence.length - 1)  # room after the last token, which is masked
            self._buckets[id(tile)] = distance_buckets(places[keys] - places[slice(*tile.rows), None], len(self.table))
        return self._buckets[id(tile)]

    def of_tile(self, sequence: SequencePlace, tile: Tile, dtype: torch.dtype) -> Tensor:
        """Values added to the scores of a tile, its mask included; without gradients. *Shape:* (heads, rows, keys)."""
        key = id(tile), dtype
        if key not in self._of_tiles:
            buckets = self.tile_buckets(sequence, tile)
            rows = self.table.detach().T.to(dtype).contiguous()
            bias = rows.index_select(1, buckets.flatten()).unflatten(1, buckets.shape)
            self._of_tiles[key] = bias if tile.bias is None else bias.add_(tile.bias)
        return self._of_tiles[key]

    def of_batch(self, batch: TileBatch) -> Tensor:
        """Values added to the scores of stacked tiles, their mask included. *Shape:* (tiles, heads, rows, keys)."""
        if id(batch) not in self._of_batches:
            distances = self.places[batch.keys][:, None] - self.places[batch.rows][:, :, None]
            bias = self.of_distances(distances).permute(0, 3, 1, 2)
            self._of_batches[id(batch)] = bias.to(batch.bias.dtype) + batch.bias
        return self._of_batches[id(batch)]

    def of_global_rows(self, sequence: SequencePlace) -> Tensor:
        """Values added to the scores of the global tokens of a sequence. *Shape:* (global tokens, heads, tokens)."""
        places = self.places[sequence.tokens]
        return self.of_distances(places[None] - places[: sequence.global_count, None]).transpose(1, 2)

    def of_distances(self, distances: Tensor) -> Tensor:
        """The bias at distances of a key's place from a row's. *Shape:* (...) in, (..., heads) out."""
        return torch.nn.functional.embedding(distance_buckets(distances, len(self.table)), self.table)
