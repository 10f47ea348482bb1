"""Merges of sparse pairs: the two nearest clusters again and again, found in a heap of links, compiled by Numba, since
SciPy and scikit-learn link dense distances only. The result is that of
:func:`cdcoref.clustering.linkage.dense_merges`."""

import heapq
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import njit


def compiled(function: Callable[..., Any]) -> Any:
    """The function as machine code, cached on disk for later processes if there is a folder to write to."""
    try:
        return njit(cache=True)(function)
    except RuntimeError:  # neither the package's folder nor the user's home is writable
        return njit(function)


class Links(NamedTuple):
    """Links and the clusters that they tie together. Link `n` has the ends `2 * n` and `2 * n + 1`. The ends at one
    cluster are a list: the first one (`begin`), the one after each (`following`), the last one (`last`). A cluster has
    a `number`, that of its greatest item."""

    ends: np.ndarray
    following: np.ndarray
    alive: np.ndarray
    gain: np.ndarray
    distance: np.ndarray
    begin: np.ndarray
    last: np.ndarray
    degree: np.ndarray
    sizes: np.ndarray
    number: np.ndarray


@compiled
def _linked(sizes, low, high, distance):  # type: ignore[no-untyped-def]
    count, size = len(low), len(sizes)
    links = Links(
        np.empty(2 * count, dtype=np.int64),
        np.full(2 * count, -1, dtype=np.int64),
        np.ones(count, dtype=np.bool_),
        (1.0 - distance) * sizes[low] * sizes[high],
        distance,
        np.full(size, -1, dtype=np.int64),
        np.full(size, -1, dtype=np.int64),
        np.zeros(size, dtype=np.int64),
        sizes.copy(),
        np.arange(size),
    )
    for link in range(count):
        _attach(links, 2 * link, low[link])
        _attach(links, 2 * link + 1, high[link])
    return links


@compiled
def _attach(links, end, cluster):  # type: ignore[no-untyped-def]
    """Append an end to the list of a cluster."""
    links.ends[end] = cluster
    links.following[end] = -1
    if links.begin[cluster] < 0:
        links.begin[cluster] = end
    else:
        links.following[links.last[cluster]] = end
    links.last[cluster] = end
    links.degree[cluster] += 1


@compiled
def _distance(links, link):  # type: ignore[no-untyped-def]
    """The distance of the clusters of a link; it never falls, to the last bit, when one of them grows elsewhere."""
    pairs = links.sizes[links.ends[2 * link]] * links.sizes[links.ends[2 * link + 1]]
    if pairs == 1:
        return links.distance[link]
    return 1.0 - links.gain[link] / pairs


@compiled
def _code(links, link):  # type: ignore[no-untyped-def]
    """What comes first of links that are equally near: that of the least numbers."""
    one, other = links.number[links.ends[2 * link]], links.number[links.ends[2 * link + 1]]
    return min(one, other) * len(links.number) + max(one, other)


@compiled
def _slot(keys, key):  # type: ignore[no-untyped-def]
    """Where a key stands in a hash table, or may be put."""
    mixed = (key ^ (key >> 31)) * 0x2545F4914F6CDD1D
    slot = (mixed ^ (mixed >> 29)) & (len(keys) - 1)
    while keys[slot] >= 0 and keys[slot] != key:
        slot = (slot + 1) & (len(keys) - 1)
    return slot


@compiled
def _table(links):  # type: ignore[no-untyped-def]
    """A hash table of the links by their clusters: keys and links, and how many there are."""
    count = links.alive.sum()
    room = 16
    while room < 4 * count:
        room *= 2
    keys, found = np.full(room, -1, dtype=np.int64), np.empty(room, dtype=np.int64)
    for link in range(len(links.alive)):
        if links.alive[link]:
            slot = _slot(keys, _key(links, links.ends[2 * link], links.ends[2 * link + 1]))
            keys[slot], found[slot] = _key(links, links.ends[2 * link], links.ends[2 * link + 1]), link
    return keys, found, count


@compiled
def _key(links, one, other):  # type: ignore[no-untyped-def]
    return min(one, other) * len(links.number) + max(one, other)


@compiled
def sparse_merges(
    sizes: np.ndarray, low: np.ndarray, high: np.ndarray, distance: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The lesser and the greater cluster of all merges at a distance below 1, and their distance, in order. Arguments
    as in :func:`cdcoref.clustering.linkage.dense_merges`. *Shape:* (merges,) each"""
    size, links = len(sizes), _linked(sizes, low, high, distance)
    ends, following, alive, gain, _, begin, _, degree, sizes, number = links
    keys, found, used = _table(links)
    heap: list[Any] = [(0.0, 0, 0)]  # after a comprehension here, Numba 0.68 loses writes to the arrays that it reads
    heap.pop()
    for link in range(len(low)):
        heap.append((_distance(links, link), _code(links, link), link))
    heapq.heapify(heap)
    first = np.empty(size, dtype=np.int64)
    second = np.empty(size, dtype=np.int64)
    height = np.empty(size, dtype=np.float64)
    of_cluster = np.zeros(size, dtype=np.float64)
    count = 0
    while len(heap):
        value, code, link = heapq.heappop(heap)
        if not alive[link]:
            continue
        now, own = _distance(links, link), _code(links, link)
        if now != value or own != code:
            # Further than in the heap, or nearer, in which case it is in the heap once more.
            if now < 1.0 and (now > value or (now == value and own > code)):
                heapq.heappush(heap, (now, own, link))
            continue
        gone, kept = ends[2 * link], ends[2 * link + 1]
        if degree[gone] > degree[kept]:
            gone, kept = kept, gone
        a, b = min(number[gone], number[kept]), max(number[gone], number[kept])
        sizes[kept] += sizes[gone]
        number[kept] = b
        of_cluster[kept] = max(of_cluster[gone], of_cluster[kept], value)
        first[count], second[count], height[count] = a, b, of_cluster[kept]
        count += 1
        alive[link] = False
        end = begin[gone]
        while end >= 0:
            after, moved = following[end], end // 2
            if alive[moved]:
                key = _key(links, kept, ends[end ^ 1])
                slot = _slot(keys, key)
                if keys[slot] == key:
                    joined = found[slot]
                    gain[joined] += gain[moved]
                    alive[moved] = False
                    now = _distance(links, joined)
                    if now < 1.0:
                        heapq.heappush(heap, (now, _code(links, joined), joined))
                else:
                    keys[slot], found[slot] = key, moved
                    used += 1
                    _attach(links, end, kept)
            end = after
        if 2 * used > len(keys):  # most of them of clusters that are no more
            keys, found, used = _table(links)
    return first[:count], second[:count], height[:count]
