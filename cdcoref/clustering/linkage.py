"""Sparse pair scores in, dendrograms and clusters out (paper section 3.2, Appendix C.1).

The clusters are those of ``sklearn.cluster.AgglomerativeClustering(metric="precomputed", n_clusters=None)`` on the full
matrix of distances ``1 - score``. The full matrix is not built: no two connected components of the graph of stored
pairs are closer than a pair that is not stored, so each component has its own dendrogram. A small or dense component
goes to SciPy as a matrix; large sparse ones are merged in sparse form by the same algorithm, nearest-neighbour chains
(Müllner 2011, *Modern hierarchical, agglomerative clustering algorithms*, section 3.1).

Mixed linkage, which scikit-learn does not have, takes 0.6 times the mean and 0.4 times the least distance of the pairs
of two clusters; see :mod:`cdcoref.clustering.mixed`.

How a pair that is not stored counts is the caller's choice (`unread`); by default its score is 0.

Ties: where several clusters are equally near, the one before it in the chain is taken, else the one whose largest
member comes first; chains begin at the first cluster. "First" means the order of `keys` where the caller gives them
(then the clusters do not depend on the order of the items), else the order of the items.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from scipy.cluster import hierarchy
from scipy.sparse import coo_array, csgraph

from cdcoref.clustering.known_pairs import merge_known
from cdcoref.clustering.mixed import merge_mixed
from cdcoref.clustering.pair_scores import PairScores, unique_pairs

OfSciPy = Literal["average", "single", "complete"]
Linkage = Literal["average", "mixed", "single", "complete"]
LINKAGES: tuple[str, ...] = get_args(Linkage)
Unread = float | Literal["mean"] | PairScores

_SMALL = 2000
"""Components of up to this many items become a matrix (16 MB) whatever their density."""
_DENSE_FRACTION = 0.08
"""Above this share of stored pairs a larger component is merged faster as a matrix than in sparse form."""
_DENSE_FRACTION_MIXED = 0.2
"""The same for mixed linkage, whose matrices are faster from this share on; up to 4,000 items (about 0.5 GB)."""
_MANY_PAIRS = 1_000_000
"""From this many pairs, loading the compiled chains takes less time than giving SciPy each small component."""


@dataclass(frozen=True, eq=False)
class Dendrogram:
    """All merges below a limit, in ascending order of distance.

    Attributes
    ----------
    size
        Number of items.
    first, second
        One item of either cluster that is merged. *Shape:* (merges,)
    distance
        Linkage distance of the merge. *Shape:* (merges,)
    limit
        Distance of two clusters between which no pair is stored; all merges are below it.
    """

    size: int
    first: np.ndarray
    second: np.ndarray
    distance: np.ndarray
    limit: float = 1.0

    def merges(self, distance_threshold: float) -> tuple[np.ndarray, np.ndarray]:
        """The merges whose distance is less than the threshold, the nearest first: one item of either cluster.

        *Shapes:* (merges,), (merges,)
        """
        count = int(np.searchsorted(self.distance, distance_threshold, side="left"))
        return self.first[:count], self.second[:count]

    def cut(self, distance_threshold: float) -> np.ndarray:
        """Labels after all merges whose distance is less than the threshold.

        Returns
        -------
        labels
            Cluster numbers from 0 in the order of their first item. *Shape:* (size,)

        Raises
        ------
        ValueError
            If the threshold is above the distance of unread pairs, which would merge all clusters.
        """
        if self.limit < 1 and distance_threshold > self.limit:
            raise ValueError(
                f"unread pairs are at distance {self.limit:.3g}; the distance threshold must not be above it, "
                f"as {distance_threshold:.3g} is"
            )
        if distance_threshold > 1:  # no two clusters are further apart than 1
            return np.zeros(self.size, dtype=np.int64)
        first, second = self.merges(distance_threshold)
        links = _graph(self.size, first, second, np.ones(len(first), dtype=np.int8))
        return _by_first_occurrence(csgraph.connected_components(links, directed=False)[1])


def agglomerative(
    scores: PairScores,
    distance_threshold: float,
    linkage: Linkage = "average",
    keys: Sequence[Any] | None = None,
    unread: Unread = 0.0,
) -> np.ndarray:
    """Cluster items, merging the closest clusters while their distance is less than a threshold.

    Parameters
    ----------
    scores
        Scores of the pairs that were read; the distance of a pair is ``1 - score``.
    distance_threshold
        Clusters at this distance or further are not merged. Above 1 everything is one cluster.
    linkage
        Distance of two clusters: the mean, least or greatest distance of their items, or ``"mixed"``, between the mean
        and the least (see the top of this file).
    keys
        One sortable key an item, which settles ties (see the top of this file).
    unread
        How a pair that is not in `scores` counts. A number: its score (0: certainly different). ``"mean"``: it is
        ignored, so that the distance of two clusters is the mean (or the greatest) over the pairs that were read;
        clusters without a read pair between them are at distance 1. Scores of pairs: prior scores, used for pairs that
        were not read; a pair in neither has score 0.

    Returns
    -------
    labels
        Cluster numbers from 0 in the order of their first item. *Shape:* (size,)

    Raises
    ------
    ValueError
        An unknown linkage or a wrong number of keys; a score of unread pairs outside 0 to 1, or so high that they would
        be merged (``1 - unread < distance_threshold``), or one above 0 with mixed linkage.
    """
    return dendrogram(scores, linkage, keys, unread).cut(distance_threshold)


def dendrogram(
    scores: PairScores, linkage: Linkage = "average", keys: Sequence[Any] | None = None, unread: Unread = 0.0
) -> Dendrogram:
    """All merges at once, to be cut at any number of thresholds. Parameters and errors as in `agglomerative`."""
    if linkage not in LINKAGES:
        raise ValueError(f"linkage is {linkage!r}; it must be one of {', '.join(LINKAGES)}")
    limit = _limit(scores, unread)
    if linkage == "mixed" and limit < 1:
        raise ValueError(f"unread is {unread}; with mixed linkage it must be 0, 'mean' or scores of pairs")
    item_at = _places(scores.size, keys)
    place_of = np.empty_like(item_at)
    place_of[item_at] = np.arange(scores.size)
    pairs = unique_pairs(scores, place_of)
    if isinstance(unread, PairScores):
        pairs = _joined(scores.size, pairs, unique_pairs(unread, place_of))
    low, high, score = pairs
    distance = 1.0 - score
    if unread != "mean":
        differs = distance != limit  # from a pair that is not stored; a score below 1e-16 does not
        low, high, distance = low[differs], high[differs], distance[differs]

    if linkage == "single":
        first, second, height = _spanning_tree(scores.size, (low, high, distance), limit)
    else:
        first, second, height = _merges(scores.size, (low, high, distance), limit, linkage, unread == "mean")
    return Dendrogram(scores.size, item_at[first], item_at[second], height, limit)


def _limit(scores: PairScores, unread: Unread) -> float:
    """The distance of clusters between which no pair is stored."""
    if isinstance(unread, PairScores):
        if unread.size != scores.size:
            raise ValueError(f"scores of unread pairs are of {unread.size} items, those of read pairs of {scores.size}")
        return 1.0
    if isinstance(unread, str):
        if unread != "mean":
            raise ValueError(f"unread is {unread!r}; it must be a score, 'mean', or scores of pairs")
        return 1.0
    if not 0 <= unread < 1:
        raise ValueError(f"the score of unread pairs is {unread}; it must be from 0 to less than 1")
    return 1.0 - unread


def _places(size: int, keys: Sequence[Any] | None) -> np.ndarray:
    """The items in the order that settles ties."""
    if keys is None:
        return np.arange(size)
    if len(keys) != size:
        raise ValueError(f"{len(keys)} keys for {size} items")
    return np.array(sorted(range(size), key=keys.__getitem__), dtype=np.int64)


Pairs = tuple[np.ndarray, np.ndarray, np.ndarray]


def _joined(size: int, read: Pairs, prior: Pairs) -> Pairs:
    """The pairs that were read, and those that only have a prior score; sorted."""
    codes = [low * size + high for low, high, _ in (read, prior)]
    new = ~np.isin(codes[1], codes[0], assume_unique=True)
    order = np.argsort(np.concatenate([codes[0], codes[1][new]]), kind="stable")
    low, high, score = (np.concatenate([a, b[new]])[order] for a, b in zip(read, prior, strict=True))
    return low, high, score


def _graph(size: int, low: np.ndarray, high: np.ndarray, weight: np.ndarray) -> coo_array:
    """A graph with 32-bit indices, the only ones that csgraph takes before SciPy 1.17.1."""
    return coo_array((weight, (low.astype(np.int32), high.astype(np.int32))), shape=(size, size))


def _spanning_tree(size: int, pairs: Pairs, limit: float) -> Pairs:
    """The merges of single linkage: the edges of a minimum spanning forest, by distance."""
    near = pairs[2] < limit
    low, high, distance = (column[near] for column in pairs)
    order = np.argsort(distance, kind="stable")
    low, high, distance = low[order], high[order], distance[order]
    rank = np.arange(1, len(order) + 1)  # instead of distances, since SciPy reads a weight of 0 as no edge
    forest = csgraph.minimum_spanning_tree(_graph(size, low, high, rank))
    edges = np.sort(forest.data).astype(np.int64) - 1
    return low[edges], high[edges], distance[edges]


def _merges(size: int, pairs: Pairs, limit: float, linkage: Linkage, known_only: bool) -> Pairs:
    """The merges of average, mixed or complete linkage, by distance; `known_only`: unread pairs are ignored."""
    by_scipy = not known_only and linkage != "mixed"
    low, high, distance = pairs
    near = distance < limit
    links = _graph(size, low[near], high[near], np.ones(int(near.sum()), dtype=np.int8))
    count, component = csgraph.connected_components(links, directed=False)
    inside = component[low] == component[high]
    if not inside.all():  # pairs further apart than `limit` connect nothing
        low, high, distance = low[inside], high[inside], distance[inside]

    stored = np.bincount(component[low], minlength=count)
    items = np.bincount(component, minlength=count)
    as_matrix = (items <= _SMALL) & (stored.sum() < _MANY_PAIRS)
    all_pairs = items * (items - 1) // 2
    if by_scipy:
        as_matrix |= (items > _SMALL) & (stored >= _DENSE_FRACTION * all_pairs)
    elif linkage == "mixed":
        as_matrix |= (items <= 2 * _SMALL) & (stored >= _DENSE_FRACTION_MIXED * all_pairs)
    chosen = as_matrix[component[low]]
    found = [_merge_matrices(component, (low[chosen], high[chosen], distance[chosen]), limit, linkage, known_only)]
    if not chosen.all():
        # Either import loads Numba, which small problems do without.
        rest = low[~chosen], high[~chosen], distance[~chosen]
        if linkage == "mixed":
            from cdcoref.clustering.nearest_first import mixed_merges

            found.append(mixed_merges(size, *rest, limit, known_only))
        else:
            from cdcoref.clustering.chains import chain_merges

            found.append(chain_merges(size, *rest, limit, linkage, known_only))
    first, second, height = (np.concatenate(columns) for columns in zip(*found, strict=True))
    order = np.argsort(height, kind="stable")
    return first[order], second[order], height[order]


Merge = tuple[int, int, float]


def _merge_matrices(component: np.ndarray, pairs: Pairs, limit: float, linkage: Linkage, known_only: bool) -> Pairs:
    """The merges of some components, each as a matrix."""

    def merge(size: int, own: Pairs) -> list[Merge]:
        if linkage == "mixed":
            return merge_mixed(size, *own, limit, known_only)
        if known_only:
            return merge_known(size, *own, limit, linkage)
        return _merge_dense(size, *own, limit, linkage)

    merges = [
        (int(members[first]), int(members[second]), height)
        for members, own in _components(component, pairs)
        for first, second, height in ([(0, 1, float(own[2][0]))] if len(members) == 2 else merge(len(members), own))
    ]
    first, second, height = zip(*merges, strict=True) if merges else ((), (), ())
    return np.array(first, dtype=np.int64), np.array(second, dtype=np.int64), np.array(height, dtype=np.float64)


def _components(component: np.ndarray, pairs: Pairs) -> Iterator[tuple[np.ndarray, Pairs]]:
    """The components that have pairs: their members, ascending, and their pairs in local numbers."""
    size, count = len(component), int(component.max(initial=-1)) + 1
    members = np.argsort(component, kind="stable")
    member_bounds = np.searchsorted(component[members], np.arange(count + 1))
    local = np.empty(size, dtype=np.int64)
    local[members] = np.arange(size) - member_bounds[component[members]]
    low, high, distance = pairs
    by_component = np.argsort(component[low], kind="stable")
    pair_bounds = np.searchsorted(component[low][by_component], np.arange(count + 1))
    low, high, distance = local[low][by_component], local[high][by_component], distance[by_component]
    for number in np.flatnonzero(np.diff(pair_bounds)):
        own = slice(pair_bounds[number], pair_bounds[number + 1])
        yield members[member_bounds[number] : member_bounds[number + 1]], (low[own], high[own], distance[own])


def _merge_dense(
    size: int, low: np.ndarray, high: np.ndarray, distance: np.ndarray, limit: float, method: OfSciPy
) -> list[Merge]:
    """Merges of a component as SciPy finds them in its full matrix."""
    condensed = np.full(size * (size - 1) // 2, limit)
    condensed[low * (2 * size - low - 3) // 2 + high - 1] = distance
    tree = hierarchy.linkage(condensed, method=method)
    item_of = list(range(size))  # an item of every cluster that SciPy numbers
    merges = []
    for left, right, height in tree[:, :3].tolist():
        a, b = item_of[int(left)], item_of[int(right)]
        item_of.append(a)
        if height < limit:
            merges.append((a, b, height))
    return merges


def _by_first_occurrence(labels: np.ndarray) -> np.ndarray:
    """The same partition, numbered from 0 in the order in which clusters first occur."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    number = np.empty(len(first), dtype=np.int64)
    number[np.argsort(first)] = np.arange(len(first))
    return number[inverse]
