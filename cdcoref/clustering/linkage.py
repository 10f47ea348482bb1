"""Sparse pair scores in, dendrograms and clusters out (paper section 3.2, Appendix C.1): those of scikit-learn's
`AgglomerativeClustering` on the full matrix of distances, which is not built. The distance of two clusters is the mean
of their pairs', ``1 - score``, or 1 for a pair not stored. Ties: clusters whose largest members come first, in the
order of `keys`, are merged first."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cdcoref.clustering.pair_scores import PairScores, connected, unique_pairs

_SMALL = 2000
"""Components of up to this many items become a matrix (16 MB) whatever their density."""
_DENSE_FRACTION = 0.2
"""From this share of stored pairs on, components of up to twice as many are merged faster as a matrix (0.5 GB)."""
_MANY_PAIRS = 1_000_000
"""From this many pairs, loading the compiled code takes less time than making each small component a matrix."""
Pairs = tuple[np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True, eq=False)
class Dendrogram:
    """All merges at a distance below 1, nearest first: an item of either cluster, the distance. *Shape:* (merges,)"""

    size: int
    first: np.ndarray
    second: np.ndarray
    distance: np.ndarray

    def merges(self, distance_threshold: float) -> tuple[np.ndarray, np.ndarray]:
        """The merges whose distance is less than the threshold: one item of either cluster. *Shapes:* (merges,)"""
        count = int(np.searchsorted(self.distance, distance_threshold, side="left"))
        return self.first[:count], self.second[:count]

    def cut(self, distance_threshold: float) -> np.ndarray:
        """Labels after all merges below the threshold, from 0 in the order of their first item. *Shape:* (size,)"""
        if distance_threshold > 1:  # no two clusters are further apart than 1
            return np.zeros(self.size, dtype=np.int64)
        return connected(self.size, *self.merges(distance_threshold))


def agglomerative(scores: PairScores, distance_threshold: float, keys: Sequence[Any] | None = None) -> np.ndarray:
    """Cluster items, merging the closest clusters while their distance is less than a threshold.

    Above 1 everything is one cluster. `keys`, one sortable key an item, settle ties. Returns labels from 0 in the order
    of their first item. *Shape:* (size,). Raises `ValueError` for a wrong number of keys.
    """
    return dendrogram(scores, keys).cut(distance_threshold)


def dendrogram(scores: PairScores, keys: Sequence[Any] | None = None, sizes: np.ndarray | None = None) -> Dendrogram:
    """All merges at once, to be cut at any number of thresholds. Parameters and errors as in `agglomerative`.

    `sizes`: For clusters in place of items, how many items each has; scores are means then. *Shape:* (size,)
    """
    if keys is not None and len(keys) != scores.size:
        raise ValueError(f"{len(keys)} keys for {scores.size} items")
    items = range(scores.size)
    item_at = np.array(items if keys is None else sorted(items, key=keys.__getitem__), dtype=np.int64)
    place_of = np.empty_like(item_at)
    place_of[item_at] = np.arange(scores.size)
    low, high, score = unique_pairs(scores, place_of)
    distance = 1.0 - score
    stored = distance < 1.0  # not those of score 0, nor of one below 1e-16
    sizes = np.ones(scores.size, dtype=np.int64) if sizes is None else np.asarray(sizes, dtype=np.int64)
    first, second, height = _merges(sizes[item_at], (low[stored], high[stored], distance[stored]))
    return Dendrogram(scores.size, item_at[first], item_at[second], height)


def _merges(sizes: np.ndarray, pairs: Pairs) -> Pairs:
    low, high, distance = pairs
    component = connected(len(sizes), low, high)
    items = np.bincount(component)
    stored = np.bincount(component[low], minlength=len(items))
    as_matrix = (items <= _SMALL) & (stored.sum() < _MANY_PAIRS)
    as_matrix |= (items <= 2 * _SMALL) & (stored >= _DENSE_FRACTION * (items * (items - 1) // 2))
    chosen = as_matrix[component[low]]
    found = [_merge_matrices(component, (low[chosen], high[chosen], distance[chosen]), sizes)]
    if not chosen.all():
        from cdcoref.clustering.sparse_merges import sparse_merges  # loads Numba, which small problems do without

        found.append(sparse_merges(sizes, low[~chosen], high[~chosen], distance[~chosen]))
    first, second, height = (np.concatenate(columns) for columns in zip(*found, strict=True))
    order = np.argsort(height, kind="stable")
    return first[order], second[order], height[order]


def _merge_matrices(component: np.ndarray, pairs: Pairs, sizes: np.ndarray) -> Pairs:
    merges = [
        (int(members[first]), int(members[second]), height)
        for members, own in _components(component, pairs)
        for first, second, height in (
            [(0, 1, float(own[2][0]))] if len(members) == 2 else dense_merges(sizes[members], *own)
        )
    ]
    first, second, height = zip(*merges, strict=True) if merges else ((), (), ())
    return np.array(first, dtype=np.int64), np.array(second, dtype=np.int64), np.array(height)


def _components(component: np.ndarray, pairs: Pairs) -> Iterator[tuple[np.ndarray, Pairs]]:
    """The components that have pairs: their members, ascending, and their pairs in local numbers."""
    size = len(component)
    members = np.argsort(component, kind="stable")
    member_bounds = np.searchsorted(component[members], np.arange(size + 1))
    local = np.empty(size, dtype=np.int64)
    local[members] = np.arange(size) - member_bounds[component[members]]
    low, high, distance = pairs
    by_component = np.argsort(component[low], kind="stable")
    pair_bounds = np.searchsorted(component[low][by_component], np.arange(size + 1))
    low, high, distance = local[low][by_component], local[high][by_component], distance[by_component]
    for number in np.flatnonzero(np.diff(pair_bounds)):
        own = slice(pair_bounds[number], pair_bounds[number + 1])
        yield members[member_bounds[number] : member_bounds[number + 1]], (low[own], high[own], distance[own])


def dense_merges(
    sizes: np.ndarray, low: np.ndarray, high: np.ndarray, distance: np.ndarray
) -> list[tuple[int, int, float]]:
    """All merges at a distance below 1: the lesser and the greater of two clusters, and their distance. The pairs are
    given once each, with a distance below 1. The merged cluster goes on under the greater number. Of equally near
    clusters those with the least numbers are merged first. *Shapes* of the clusters' sizes, and of the pairs' items and
    distances: (size,), (pairs,)"""
    size = len(sizes)
    gain = np.zeros((size, size))  # how much nearer than 1 the pairs of two clusters are in all; 0 if none is stored
    gain[low, high] = gain[high, low] = (1.0 - distance) * sizes[low] * sizes[high]
    between = np.full((size, size), np.inf)
    between[low, high] = between[high, low] = distance
    sizes = sizes.astype(np.float64)
    nearest = between.argmin(axis=1)
    to_nearest = between[np.arange(size), nearest]
    height = np.zeros(size)
    merges: list[tuple[int, int, float]] = []
    while True:
        a = int(to_nearest.argmin())
        if not to_nearest[a] < 1.0:
            return merges
        b = int(nearest[a])
        height[b] = max(height[a], height[b], to_nearest[a])
        merges.append((a, b, float(height[b])))
        sizes[b] += sizes[a]
        gain[b] = gain[:, b] = gain[a] + gain[b]
        gain[a] = gain[:, a] = gain[b, b] = 0.0
        between[a] = between[:, a] = np.inf
        new = np.where(gain[b] > 0, 1.0 - gain[b] / (sizes * sizes[b]), np.inf)
        between[b] = between[:, b] = new
        again = np.flatnonzero((nearest == a) | (nearest == b))  # those of a and b are each other
        nearest[again] = between[again].argmin(axis=1)
        to_nearest[again] = between[again, nearest[again]]
        nearer = (new < to_nearest) | ((new == to_nearest) & (b < nearest))
        nearest[nearer], to_nearest[nearer] = b, new[nearer]
