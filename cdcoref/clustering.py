"""Sparse pair scores in, clusters out: exact agglomerative clustering (paper section 3.2, Appendix C.1).

The clusters are those of ``sklearn.cluster.AgglomerativeClustering(metric="precomputed", n_clusters=None)`` on the full
matrix of distances ``1 - score``, in which a pair that was never compared has score 0. The full matrix is not built:
two connected components of the graph of positive scores are at distance 1 under every linkage, so each component has
a dendrogram of its own. A dense component goes to SciPy; a large sparse one is merged in place by the same algorithm,
nearest-neighbour chains (Müllner 2011, *Modern hierarchical, agglomerative clustering algorithms*, section 3.1).

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
from scipy.sparse import coo_array, csgraph, csr_array

Linkage = Literal["average", "single", "complete"]
LINKAGES: tuple[str, ...] = get_args(Linkage)

_ALWAYS_DENSE = 2000
"""Components of up to this many items become a dense matrix (16 MB) whatever their density."""
_DENSE_FRACTION = 0.08
"""Above this share of stored pairs a larger component takes less memory as a matrix than as dictionaries."""


@dataclass(frozen=True, eq=False)
class PairScores:
    """Scores of some pairs of `size` items; a pair that is not stored has score 0.

    Attributes
    ----------
    size
        Number of items.
    first, second
        The two items of every stored pair, numbers from 0 to ``size - 1``, in either order. *Shape:* (pairs,)
    score
        From 0 (certainly different) to 1 (certainly the same). A pair may be stored more than once, for instance from
        several windows or in both orders: its score is then the mean. *Shape:* (pairs,)

    Raises
    ------
    ValueError
        An item that does not exist or is paired with itself, a score outside 0 to 1, or arrays of different lengths.
    """

    size: int
    first: np.ndarray
    second: np.ndarray
    score: np.ndarray

    def __post_init__(self) -> None:
        for name, dtype in (("first", np.int64), ("second", np.int64), ("score", np.float64)):
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=dtype))
        lengths = len(self.first), len(self.second), len(self.score)
        if len(set(lengths)) > 1:
            raise ValueError(f"first, second and score have different lengths: {lengths}")
        if len(self.score) == 0:
            return
        if min(self.first.min(), self.second.min()) < 0 or max(self.first.max(), self.second.max()) >= self.size:
            raise ValueError(f"a pair names an item outside 0 to {self.size - 1}")
        if np.any(self.first == self.second):
            raise ValueError("an item is paired with itself")
        if not np.all((self.score >= 0) & (self.score <= 1)):
            raise ValueError("a score is outside 0 to 1")

    def matrix(self) -> csr_array:
        """Symmetric scores without explicit zeros. *Shape:* (size, size)"""
        low, high, score = _unique_pairs(self.size, self.first, self.second, self.score)
        rows, columns = np.concatenate([low, high]), np.concatenate([high, low])
        return coo_array((np.concatenate([score, score]), (rows, columns)), shape=(self.size, self.size)).tocsr()


@dataclass(frozen=True, eq=False)
class Dendrogram:
    """Every merge below distance 1, in ascending order of distance.

    Attributes
    ----------
    size
        Number of items.
    first, second
        One item of either cluster that is merged. *Shape:* (merges,)
    distance
        Linkage distance of the merge. *Shape:* (merges,)
    """

    size: int
    first: np.ndarray
    second: np.ndarray
    distance: np.ndarray

    def cut(self, distance_threshold: float) -> np.ndarray:
        """Labels after all merges whose distance is less than the threshold.

        Returns
        -------
        labels
            Cluster numbers from 0 in the order of their first item. *Shape:* (size,)
        """
        if distance_threshold > 1:  # no two clusters are further apart than 1
            return np.zeros(self.size, dtype=np.int64)
        merges = int(np.searchsorted(self.distance, distance_threshold, side="left"))
        ones = np.ones(merges, dtype=np.int8)
        links = _graph(self.size, self.first[:merges], self.second[:merges], ones)
        return _by_first_occurrence(csgraph.connected_components(links, directed=False)[1])


def agglomerative(
    scores: PairScores,
    distance_threshold: float,
    linkage: Linkage = "average",
    keys: Sequence[Any] | None = None,
) -> np.ndarray:
    """Cluster items, merging the closest clusters while their distance is less than a threshold.

    Parameters
    ----------
    scores
        Scores of pairs; the distance of a pair is ``1 - score``.
    distance_threshold
        Clusters at this distance or further are not merged. Above 1 everything is one cluster.
    linkage
        Distance of two clusters: the mean, least or greatest distance of their items.
    keys
        One sortable key an item, which settles ties (see the top of this file).

    Returns
    -------
    labels
        Cluster numbers from 0 in the order of their first item. *Shape:* (size,)
    """
    return dendrogram(scores, linkage, keys).cut(distance_threshold)


def dendrogram(scores: PairScores, linkage: Linkage = "average", keys: Sequence[Any] | None = None) -> Dendrogram:
    """All merges at once, to be cut at any number of thresholds. Parameters as in `agglomerative`."""
    if linkage not in LINKAGES:
        raise ValueError(f"linkage is {linkage!r}; it must be one of {', '.join(LINKAGES)}")
    item_at = _places(scores.size, keys)
    place_of = np.empty_like(item_at)
    place_of[item_at] = np.arange(scores.size)
    low, high, score = _unique_pairs(scores.size, place_of[scores.first], place_of[scores.second], scores.score)
    distance = 1.0 - score
    near = distance < 1.0  # a score below 1e-16 rounds to none
    low, high, distance = low[near], high[near], distance[near]

    if linkage == "single":
        first, second, height = _spanning_tree(scores.size, low, high, distance)
    else:
        first, second, height = _merges(scores.size, low, high, distance, linkage)
    return Dendrogram(scores.size, item_at[first], item_at[second], height)


def _places(size: int, keys: Sequence[Any] | None) -> np.ndarray:
    """The items in the order that settles ties."""
    if keys is None:
        return np.arange(size)
    if len(keys) != size:
        raise ValueError(f"{len(keys)} keys for {size} items")
    return np.array(sorted(range(size), key=keys.__getitem__), dtype=np.int64)


def _unique_pairs(
    size: int, first: np.ndarray, second: np.ndarray, score: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Positive pairs with ``first < second``, sorted, each once with its mean score."""
    code = np.minimum(first, second) * size + np.maximum(first, second)
    order = np.argsort(code, kind="stable")
    code, score = code[order], score[order]
    if np.any(code[1:] == code[:-1]):
        order = np.lexsort((score, code))  # the order of storage must not reach the last bit of a mean
        code, score = code[order], score[order]
        starts = np.flatnonzero(np.diff(code, prepend=-1))
        ends = np.append(starts[1:], len(code))
        mean = np.add.reduceat(score, starts) / (ends - starts)
        # The mean of equal numbers can round to another number, so it is held between the least and the greatest.
        score, code = np.clip(mean, score[starts], score[ends - 1]), code[starts]
    positive = score > 0
    code, score = code[positive], score[positive]
    return code // max(size, 1), code % max(size, 1), score


Pairs = tuple[np.ndarray, np.ndarray, np.ndarray]


def _graph(size: int, low: np.ndarray, high: np.ndarray, weight: np.ndarray) -> coo_array:
    """A graph with 32-bit indices, the only ones that csgraph takes before SciPy 1.17.1."""
    return coo_array((weight, (low.astype(np.int32), high.astype(np.int32))), shape=(size, size))


def _spanning_tree(size: int, low: np.ndarray, high: np.ndarray, distance: np.ndarray) -> Pairs:
    """The merges of single linkage: the edges of a minimum spanning forest, by distance."""
    order = np.argsort(distance, kind="stable")
    low, high, distance = low[order], high[order], distance[order]
    rank = np.arange(1, len(order) + 1)  # instead of distances, since SciPy reads a weight of 0 as no edge
    forest = csgraph.minimum_spanning_tree(_graph(size, low, high, rank))
    edges = np.sort(forest.data).astype(np.int64) - 1
    return low[edges], high[edges], distance[edges]


def _merges(size: int, low: np.ndarray, high: np.ndarray, distance: np.ndarray, linkage: Linkage) -> Pairs:
    """The merges of average or complete linkage, by distance."""
    merges = [
        (int(members[first]), int(members[second]), height)
        for members, pairs in _components(size, low, high, distance)
        for first, second, height in _merge(len(members), *pairs, linkage)
    ]
    merges.sort(key=lambda merge: merge[2])
    return (
        np.array([merge[0] for merge in merges], dtype=np.int64),
        np.array([merge[1] for merge in merges], dtype=np.int64),
        np.array([merge[2] for merge in merges], dtype=np.float64),
    )


def _components(
    size: int, low: np.ndarray, high: np.ndarray, distance: np.ndarray
) -> Iterator[tuple[np.ndarray, Pairs]]:
    """Connected components of two items or more: the members, ascending, and their pairs in local numbers."""
    links = _graph(size, low, high, np.ones(len(low), dtype=np.int8))
    count, component = csgraph.connected_components(links, directed=False)
    members = np.argsort(component, kind="stable")
    member_bounds = np.searchsorted(component[members], np.arange(count + 1))
    local = np.empty(size, dtype=np.int64)
    local[members] = np.arange(size) - member_bounds[component[members]]
    by_component = np.argsort(component[low], kind="stable")
    pair_bounds = np.searchsorted(component[low][by_component], np.arange(count + 1))
    low, high, distance = local[low][by_component], local[high][by_component], distance[by_component]
    for number in np.flatnonzero(np.diff(pair_bounds)):
        pairs = slice(pair_bounds[number], pair_bounds[number + 1])
        yield members[member_bounds[number] : member_bounds[number + 1]], (low[pairs], high[pairs], distance[pairs])


Merge = tuple[int, int, float]


def _merge(size: int, low: np.ndarray, high: np.ndarray, distance: np.ndarray, linkage: Linkage) -> list[Merge]:
    """The merges of one component, by whichever algorithm suits its density."""
    if size == 2:
        return [(0, 1, float(distance[0]))]
    possible = size * (size - 1) // 2
    if size <= _ALWAYS_DENSE or len(distance) >= _DENSE_FRACTION * possible:
        return _merge_dense(size, low, high, distance, linkage)
    return _merge_sparse(size, low, high, distance, linkage)


def _merge_dense(size: int, low: np.ndarray, high: np.ndarray, distance: np.ndarray, linkage: Linkage) -> list[Merge]:
    """Merges of a component as SciPy finds them in its full matrix."""
    condensed = np.ones(size * (size - 1) // 2)
    condensed[low * (2 * size - low - 3) // 2 + high - 1] = distance
    tree = hierarchy.linkage(condensed, method=linkage)
    item_of = list(range(size))  # an item of every cluster that SciPy numbers
    merges = []
    for left, right, height in tree[:, :3].tolist():
        a, b = item_of[int(left)], item_of[int(right)]
        item_of.append(a)
        if height < 1.0:
            merges.append((a, b, height))
    return merges


def _merge_sparse(size: int, low: np.ndarray, high: np.ndarray, distance: np.ndarray, linkage: Linkage) -> list[Merge]:
    """The same merges from rows of stored distances only: a missing entry is distance 1.

    A chain leads from a cluster to its nearest cluster, and so on, until two are nearest to each other; those are
    merged. The arithmetic and the choice between ties are SciPy's, so that the result is too.
    """
    rows: list[dict[int, float]] = [{} for _ in range(size)]
    for a, b, d in zip(low.tolist(), high.tolist(), distance.tolist(), strict=True):
        rows[a][b] = rows[b][a] = d
    sizes = [1] * size
    merges: list[Merge] = []
    chain: list[int] = []
    start = 0
    while start < size or chain:
        if not chain:
            if rows[start]:
                chain.append(start)
            else:
                start += 1  # merged into a later one, or everything left is at distance 1
            continue
        row = rows[chain[-1]]
        if not row:
            chain.pop()
            continue
        nearest = min(row.values())
        if len(chain) == 1 or row.get(chain[-2]) != nearest:
            chain.append(min(cluster for cluster, d in row.items() if d == nearest))
            continue
        a, b = sorted((chain.pop(), chain.pop()))
        merges.append((a, b, nearest))
        _absorb(rows, a, b, sizes, linkage)
    return merges


def _absorb(rows: list[dict[int, float]], a: int, b: int, sizes: list[int], linkage: Linkage) -> None:
    """Merge cluster `a` into cluster `b`: new distances to every neighbour of either."""
    row_a, row_b = rows[a], rows[b]
    rows[a] = {}
    size_a, size_b = sizes[a], sizes[b]
    sizes[b] = size_a + size_b
    del row_a[b], row_b[a]
    merged: dict[int, float] = {}
    for cluster in row_a.keys() | row_b.keys():
        to_a, to_b = row_a.get(cluster, 1.0), row_b.get(cluster, 1.0)
        d = (size_a * to_a + size_b * to_b) / (size_a + size_b) if linkage == "average" else max(to_a, to_b)
        other = rows[cluster]
        other.pop(a, None)
        if d < 1.0:
            merged[cluster] = other[b] = d
        else:
            other.pop(b, None)
    rows[b] = merged


def _by_first_occurrence(labels: np.ndarray) -> np.ndarray:
    """The same partition, numbered from 0 in the order in which clusters first occur."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    number = np.empty(len(first), dtype=np.int64)
    number[np.argsort(first)] = np.arange(len(first))
    return number[inverse]
