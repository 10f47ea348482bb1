"""The table behind every metric: how many mentions each key cluster shares with each response cluster, for groups of
documents that no cluster crosses, or in which each counts by the share of its mentions."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from itertools import chain, repeat
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

ABSENT = -1
"""The label of a mention on the side that lacks it."""


@dataclass(frozen=True, slots=True, eq=False)
class Overlap:
    """Sparse contingency table of key clusters (rows) and response clusters (columns).

    `key_sizes` and `response_sizes` count the mentions of each cluster, those that the other side lacks included.
    *Shape:* (rows,), (columns,). `rows`, `columns` and `counts` are the nonzero cells, sorted by row, then column.
    *Shape:* (cells,) Each cluster belongs to one of `groups` groups, such as a topic or a document.
    """

    key_sizes: Ints
    response_sizes: Ints
    rows: Ints
    columns: Ints
    counts: Ints
    key_groups: Ints
    response_groups: Ints
    groups: int = 1
    shares: tuple[csr_array, csr_array, csr_array] | None = None
    """Of rows, columns and cells in groups, if clusters may span these. *Shape of each:* (groups, ...)"""

    @classmethod
    def from_labels(
        cls,
        key: Ints,
        response: Ints,
        *,
        groups_of: tuple[Ints, Ints] | None = None,
        groups: int = 1,
        remove_singletons: bool = False,
    ) -> Overlap:
        """Build the table from the cluster of each mention on either side, from 0, or `ABSENT`. *Shape:* (mentions,)

        `groups_of` has the group of each key cluster and of each response cluster, if there are several.
        """
        row, kept_rows = _kept(key, remove_singletons)
        column, kept_columns = _kept(response, remove_singletons)
        both = (row >= 0) & (column >= 0)
        width = len(kept_columns) or 1
        cells, counts = np.unique(row[both] * width + column[both], return_counts=True)
        return cls(
            np.bincount(row[row >= 0], minlength=len(kept_rows)),
            np.bincount(column[column >= 0], minlength=len(kept_columns)),
            cells // width,
            cells % width,
            counts,
            groups_of[0][kept_rows] if groups_of else np.zeros_like(kept_rows),
            groups_of[1][kept_columns] if groups_of else np.zeros_like(kept_columns),
            groups,
        )

    @classmethod
    def from_clusters(
        cls,
        key: Iterable[Iterable[Hashable]],
        response: Iterable[Iterable[Hashable]],
        *,
        remove_singletons: bool = False,
    ) -> Overlap:
        """Build the table from two lists of clusters; a mention listed twice belongs to its first cluster."""
        key_of = _cluster_of(key)
        response_of = _cluster_of(response)
        extra = [label for mention, label in response_of.items() if mention not in key_of]
        key_labels = np.fromiter(chain(key_of.values(), repeat(ABSENT, len(extra))), np.int64, len(key_of) + len(extra))
        matched = map(response_of.get, key_of, repeat(ABSENT))
        response_labels = np.fromiter(chain(matched, extra), np.int64, len(key_labels))
        return cls.from_labels(key_labels, response_labels, remove_singletons=remove_singletons)

    @classmethod
    def shared_out(cls, key: Ints, response: Ints, group_of: Ints, groups: int, *, remove_singletons: bool) -> Overlap:
        """Build the table from labels, as in `from_labels`, and the group of each mention. *Shape:* (mentions,)

        Clusters may span groups: each counts in a group by the share of its mentions, so that none is cut.
        """
        table = cls.from_labels(key, response, groups=groups, remove_singletons=remove_singletons)
        row, column = (_kept(labels, remove_singletons)[0] for labels in (key, response))
        both = (row >= 0) & (column >= 0)
        width = len(table.response_sizes) or 1
        cell = np.searchsorted(table.rows * width + table.columns, row[both] * width + column[both])
        shares = (
            _shares(row[row >= 0], group_of[row >= 0], (groups, len(table.key_sizes))),
            _shares(column[column >= 0], group_of[column >= 0], (groups, len(table.response_sizes))),
            _shares(cell, group_of[both], (groups, len(table.counts))),
        )
        return replace(table, shares=shares)

    def by_key_group(self, values: Ints | Floats) -> Floats:
        """Sum one value per row into groups. *Shape:* (groups,)"""
        return self._by_group(values, self.key_groups, 0)

    def by_response_group(self, values: Ints | Floats) -> Floats:
        """Sum one value per column into groups. *Shape:* (groups,)"""
        return self._by_group(values, self.response_groups, 1)

    def by_cell_group(self, values: Ints | Floats) -> Floats:
        """Sum one value per cell into groups. *Shape:* (groups,)"""
        return self._by_group(values, self.key_groups[self.rows], 2)

    def _by_group(self, values: Ints | Floats, group_of: Ints, part: int) -> Floats:
        if self.shares is not None:
            return np.asarray(self.shares[part] @ values)
        return np.bincount(group_of, values, self.groups).astype(float)


def _kept(labels: Ints, remove_singletons: bool) -> tuple[Ints, Ints]:
    """The row or column of each mention, or `ABSENT`, and which clusters these are. *Shapes:* (mentions,), (kept,)"""
    sizes = np.bincount(labels[labels >= 0])
    kept = np.flatnonzero(sizes > int(remove_singletons))
    numbers = np.full(len(sizes) + 1, ABSENT)  # the last one is that of mentions that are absent
    numbers[kept] = np.arange(len(kept))
    return numbers[labels], kept


def _shares(member_of: Ints, group_of: Ints, shape: tuple[int, int]) -> csr_array:
    """Which share of each cluster or cell is in each group, from those of its mentions. *Shape:* `shape`"""
    from scipy.sparse import csr_array  # most scores need no shares, and importing it takes a while

    sizes = np.bincount(member_of, minlength=shape[1])
    return csr_array((1.0 / sizes[member_of], (group_of, member_of)), shape=shape)


def _cluster_of(clusters: Iterable[Iterable[Hashable]]) -> dict[Hashable, int]:
    numbers: dict[Hashable, int] = {}
    for number, cluster in enumerate(clusters):
        for mention in cluster:
            numbers.setdefault(mention, number)
    return numbers
