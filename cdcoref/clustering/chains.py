"""Stored distances in, merges out: nearest-neighbour chains, compiled (Müllner 2011, section 3.1).

A chain leads from a cluster to its nearest cluster, and so on, until two are nearest to each other; those are merged.
The arithmetic and the choice between ties are those of SciPy's linkage of the full matrix, so that the result is too.

Every stored distance is an entry in the rows of both its clusters, and each entry holds the position of the other (its
twin), so that a merge touches only the two rows that become one and the twins of their entries. All rows lie in one
arena. A merged row is written at its end; when the arena is full, the rows still in use are copied to a new one.

Importing this module imports Numba. The first call on a machine compiles; afterwards the code is in Numba's cache.
"""

from __future__ import annotations

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


class Rows(NamedTuple):
    """Every cluster's stored distances. A row begins at `begin` and has `length` entries.

    An entry holds the other cluster (`target`), the distance, the position of its twin, and the number of stored pairs
    behind the distance (`known`; empty unless it is needed).
    """

    begin: np.ndarray
    length: np.ndarray
    target: np.ndarray
    distance: np.ndarray
    twin: np.ndarray
    known: np.ndarray


@compiled
def _filled(size, low, high, distance, counted):  # type: ignore[no-untyped-def]
    """The rows of single items, with room for half as many entries more."""
    length = np.zeros(size, dtype=np.int64)
    for pair in range(len(low)):
        length[low[pair]] += 1
        length[high[pair]] += 1
    begin = np.zeros(size, dtype=np.int64)
    for row in range(1, size):
        begin[row] = begin[row - 1] + length[row - 1]
    rows = _empty(begin, length, 3 * len(low), counted)
    length[:] = 0
    for pair in range(len(low)):
        one, other = low[pair], high[pair]
        entry, twin = begin[one] + length[one], begin[other] + length[other]
        length[one] += 1
        length[other] += 1
        rows.target[entry], rows.target[twin] = other, one
        rows.distance[entry] = rows.distance[twin] = distance[pair]
        rows.twin[entry], rows.twin[twin] = twin, entry
        if counted:
            rows.known[entry] = rows.known[twin] = 1
    return rows


@compiled
def _empty(begin, length, capacity, counted):  # type: ignore[no-untyped-def]
    return Rows(
        begin,
        length,
        np.empty(capacity, dtype=np.int32),
        np.empty(capacity, dtype=np.float64),
        np.empty(capacity, dtype=np.int64),
        np.empty(capacity if counted else 0, dtype=np.int64),
    )


@compiled
def _moved(rows):  # type: ignore[no-untyped-def]
    """The same rows one after the other in an arena of their own, with room for half as many entries more."""
    begin = np.zeros_like(rows.begin)
    for row in range(1, len(begin)):
        begin[row] = begin[row - 1] + rows.length[row - 1]
    capacity = rows.length.sum() * 3 // 2
    new = _empty(begin, rows.length, capacity, len(rows.known) > 0)
    for row in range(len(begin)):
        for place in range(rows.length[row]):
            old, entry = rows.begin[row] + place, begin[row] + place
            other = rows.target[old]
            new.target[entry] = other
            new.distance[entry] = rows.distance[old]
            new.twin[entry] = begin[other] + rows.twin[old] - rows.begin[other]
            if len(rows.known):
                new.known[entry] = rows.known[old]
    return new


@compiled
def _remove(rows, row, entry):  # type: ignore[no-untyped-def]
    """Take an entry out of its row; the last one of the row comes in its place."""
    rows.length[row] -= 1
    last = rows.begin[row] + rows.length[row]
    if entry != last:
        rows.target[entry] = rows.target[last]
        rows.distance[entry] = rows.distance[last]
        rows.twin[entry] = rows.twin[last]
        rows.twin[rows.twin[entry]] = entry
        if len(rows.known):
            rows.known[entry] = rows.known[last]


@compiled
def _nearest(rows, row, before, far):  # type: ignore[no-untyped-def]
    """The nearest cluster (-1: none is nearer than `far`), its distance, and the distance of the cluster `before`."""
    nearest, least, to_before = -1, far, far
    for entry in range(rows.begin[row], rows.begin[row] + rows.length[row]):
        distance, other = rows.distance[entry], rows.target[entry]
        if distance < least or (distance == least and other < nearest):
            nearest, least = other, distance
        if other == before:
            to_before = distance
    return nearest, least, to_before


@compiled
def _absorb(rows, a, b, sizes, far, average, known_only, end, entry_of):  # type: ignore[no-untyped-def]
    """Merge cluster `a` into cluster `b`: their new row is written at `end`, and where it ends is returned."""
    size_a, size_b = sizes[a], sizes[b]
    begin = end
    for entry in range(rows.begin[b], rows.begin[b] + rows.length[b]):
        entry_of[rows.target[entry]] = entry
    for row in (a, b):
        for entry in range(rows.begin[row], rows.begin[row] + rows.length[row]):
            other = rows.target[entry]
            if other in (a, b):
                continue
            in_b = entry_of[other]
            if row == b and in_b < 0:  # is done: it is in both rows
                continue
            entry_of[other] = -1
            in_a = entry if row == a else -1
            to_a = rows.distance[in_a] if in_a >= 0 else far
            to_b = rows.distance[in_b] if in_b >= 0 else far
            known = 0
            if known_only and (in_a < 0 or in_b < 0):
                distance = rows.distance[entry]
                if average:
                    known = rows.known[entry]
            elif not average:
                distance = max(to_a, to_b)
            elif known_only:
                known_a, known_b = rows.known[in_a], rows.known[in_b]
                known = known_a + known_b
                distance = (known_a * to_a + known_b * to_b) / known
            else:
                distance = (size_a * to_a + size_b * to_b) / (size_a + size_b)
            if in_a >= 0 and in_b >= 0:
                _remove(rows, other, rows.twin[in_a])
            twin = rows.twin[in_b if in_b >= 0 else in_a]
            if distance == far and not known_only:
                _remove(rows, other, twin)
                continue
            rows.target[end], rows.target[twin] = other, b
            rows.distance[end] = rows.distance[twin] = distance
            rows.twin[end], rows.twin[twin] = twin, end
            if len(rows.known):
                rows.known[end] = rows.known[twin] = known
            end += 1
    entry_of[a] = -1
    rows.length[a] = 0
    rows.begin[b], rows.length[b] = begin, end - begin
    sizes[b] = size_a + size_b
    return end


@compiled
def _chains(size, low, high, distance, far, average, known_only):  # type: ignore[no-untyped-def]
    """What `chain_merges` returns."""
    rows = _filled(size, low, high, distance, average and known_only)
    end = 2 * len(low)
    sizes = np.ones(size, dtype=np.int64)
    entry_of = np.full(size, -1, dtype=np.int64)
    first = np.empty(size, dtype=np.int64)
    second = np.empty(size, dtype=np.int64)
    height = np.empty(size, dtype=np.float64)
    count = 0
    chain = np.empty(16, dtype=np.int64)
    links = 0
    start = 0
    while start < size:
        if links == 0:
            if rows.length[start] == 0:  # merged into a later one, or nothing left is near it
                start += 1
                continue
            chain[0] = start
            links = 1
        tip = chain[links - 1]
        before = chain[links - 2] if links > 1 else -1
        nearest, least, to_before = _nearest(rows, tip, before, far)
        if nearest < 0:
            links -= 1
            if links == 0:
                start += 1
        elif before < 0 or to_before != least:
            if links == len(chain):
                chain = np.append(chain, np.empty(links, dtype=np.int64))
            chain[links] = nearest
            links += 1
        else:
            links -= 2
            a, b = min(tip, before), max(tip, before)
            first[count], second[count], height[count] = a, b, least
            count += 1
            if end + rows.length[a] + rows.length[b] > len(rows.target):
                rows = _moved(rows)
                end = rows.length.sum()
            end = _absorb(rows, a, b, sizes, far, average, known_only, end, entry_of)
    return first[:count], second[:count], height[:count]


def chain_merges(
    size: int, low: np.ndarray, high: np.ndarray, distance: np.ndarray, limit: float, linkage: str, known_only: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All merges of average or complete linkage at a distance below `limit`.

    Parameters
    ----------
    size
        Number of items.
    low, high
        The items of every stored pair, each pair once. *Shape:* (pairs,)
    distance
        Their distances. *Shape:* (pairs,)
    limit
        Distance of a pair that is not stored.
    linkage
        ``"average"`` or ``"complete"``.
    known_only
        Ignore pairs that are not stored.

    Returns
    -------
    tuple
        Of every merge the lesser and the greater of the two clusters, and their distance, in the order of the merges.
        The merged cluster goes on under the greater number. *Shape:* (merges,) each
    """
    return _chains(size, low, high, distance, limit, linkage == "average", known_only)
