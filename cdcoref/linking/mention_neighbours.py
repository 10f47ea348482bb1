"""Which of many mentions are near each other, by the cosines of their own vectors, their sentences' and their
documents': all compared with all up to `EXACT` mentions, beyond that within cells of k-means and the nearest other
cells."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from cdcoref.inputs import Integers
from cdcoref.model import SYMMETRIC_SIMILARITIES
from cdcoref.reading import MentionVectors, Vectors

EXACT = 20_000
"""The largest number of mentions of a kind for which neighbours are exact."""
IN_CELL = 100
MOST_CELLS = 2_000
CELLS_SEARCHED = 32
"""The number of cells, its own included, whose mentions each mention is compared with: about 3,000 mentions."""
EXAMPLES_PER_CELL = 40
"""Mentions that k-means looks at, for every cell."""
ROWS_AT_ONCE = 512


def near_pairs(
    vectors: MentionVectors,
    groups: list[Integers],
    limit: int,
    limit_of_group: int,
    asking: NDArray[np.bool_] | None = None,
) -> Integers:
    """Pairs of mentions that are near each other.

    `groups`: Mentions that have something in common.
    `limit`, `limit_of_group`: How many of the nearest mentions count as near: of all, and of the others in a group.
    `asking`: Those whose nearest are looked for; None: all. *Shape:* (mentions,)

    Returns each pair once, as the smaller number times the number of mentions plus the greater; sorted. *Shape:*
    (pairs,)
    """
    count = len(vectors)
    points = _Points(vectors, np.ones(count, dtype=bool) if asking is None else asking)
    everything = np.arange(count)
    near = points.nearest(everything, limit) if count <= EXACT else points.nearest_in_cells(limit)
    codes = [_codes(near, count)]
    for group in groups:
        codes.append(_codes(points.nearest(group, limit_of_group), count))
    return np.unique(np.concatenate(codes))


def _codes(pairs: Iterator[tuple[Integers, Integers]], count: int) -> Integers:
    found = [np.minimum(one, other) * count + np.maximum(one, other) for one, other in pairs]
    return np.unique(np.concatenate(found)) if found else np.zeros(0, dtype=np.int64)


class _Points:
    """The vectors of mentions, whose cosines are added up; a sentence's or a document's are kept once."""

    def __init__(self, vectors: MentionVectors, asking: NDArray[np.bool_]) -> None:
        tables = map(vectors.compact().table, SYMMETRIC_SIMILARITIES[:3])
        self._tables: list[tuple[Vectors, Integers]] = [(rows.astype(np.float32), of) for rows, of in tables]
        self.count = len(vectors)
        self._asking = asking

    def cosines(self, numbers: Integers, others: Integers) -> Vectors:
        """Sums of cosines. *Shape:* (numbers, others)"""
        (mentions, of), *shared = self._tables
        total: Vectors = mentions[of[numbers]] @ mentions[of[others]].T
        for rows, of in shared:
            one, place = np.unique(of[numbers], return_inverse=True)
            other, column = np.unique(of[others], return_inverse=True)
            total += (rows[one] @ rows[other].T)[place[:, None], column]
        return total

    def nearest(self, numbers: Integers, limit: int) -> Iterator[tuple[Integers, Integers]]:
        """Those of some mentions that ask with the `limit` nearest others of them, a block of rows at a time."""
        kept = min(limit, len(numbers) - 1)
        if kept < 1:
            return
        if kept == len(numbers) - 1:
            first, second = np.triu_indices(len(numbers), 1)
            yield numbers[first], numbers[second]
            return
        asking = numbers[self._asking[numbers]]
        for start in range(0, len(asking), ROWS_AT_ONCE):
            yield self._nearest_of(asking[start : start + ROWS_AT_ONCE], numbers, kept)

    def nearest_in_cells(self, limit: int) -> Iterator[tuple[Integers, Integers]]:
        """Every mention that asks with the `limit` nearest of those in the cells searched."""
        members, searched = self._cells()
        for own, cells in zip(members, searched, strict=True):
            others = np.concatenate([members[cell] for cell in cells])
            asking = own[self._asking[own]]
            for start in range(0, len(asking), ROWS_AT_ONCE):
                yield self._nearest_of(asking[start : start + ROWS_AT_ONCE], others, min(limit, len(others) - 1))

    def _nearest_of(self, own: Integers, others: Integers, kept: int) -> tuple[Integers, Integers]:
        if kept < 1:
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        cosines = self.cosines(own, others)
        cosines[own[:, None] == others] = -np.inf
        nearest = np.argpartition(cosines, len(others) - kept, axis=1)[:, -kept:]
        return np.repeat(own, kept), others[nearest.ravel()]

    def _cells(self) -> tuple[list[Integers], Integers]:
        """The mentions of every cell, and for every cell those that are searched for it, itself first."""
        from sklearn.cluster import KMeans

        count = min(MOST_CELLS, max(2, round(self.count / IN_CELL)))
        # By content, which does not depend on the order of the mentions.
        order = np.lexsort(np.concatenate([rows[of, :4] for rows, of in self._tables], axis=1).T)
        step = max(1, self.count // (EXAMPLES_PER_CELL * count))
        fitted = KMeans(count, init="random", n_init=1, max_iter=5, random_state=0).fit(self._rows(order[::step]))
        centres = fitted.cluster_centers_.astype(np.float32)
        half = 0.5 * np.square(centres).sum(axis=1)
        parts = (
            np.argmax(self._rows(np.arange(start, min(self.count, start + 4096))) @ centres.T - half, axis=1)
            for start in range(0, self.count, 4096)
        )
        cell = np.concatenate(list(parts))
        by_cell = np.argsort(cell, kind="stable")
        members = np.split(by_cell, np.searchsorted(cell[by_cell], np.arange(1, count)))
        between = centres @ centres.T - half
        between[np.arange(count), np.arange(count)] = np.inf
        return members, np.argsort(-between, axis=1, kind="stable")[:, :CELLS_SEARCHED]

    def _rows(self, numbers: Integers) -> NDArray[np.float32]:
        """Everything that is compared of some mentions, side by side."""
        return np.concatenate([rows[of[numbers]] for rows, of in self._tables], axis=1)
