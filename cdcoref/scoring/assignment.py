"""The best one-to-one assignment of clusters, for CEAF (Luo 2005): a maximum-weight matching in a sparse bipartite
graph. Cells that no rival can beat are chosen outright, which settles nearly all; the rest by augmenting paths."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cdcoref.scoring.overlap import Floats, Ints


def best_assignment(rows: Ints, columns: Ints, weights: Floats) -> NDArray[np.bool_]:
    """Choose cells, at most one per row and column, so that the sum of their weights, all positive, is maximal.

    No cell occurs twice. *Shape* of all, and of the result, which says whether each is chosen: (cells,)
    """
    chosen = np.zeros(len(rows), bool)
    left = np.arange(len(rows))
    while len(left):
        safe = _dominant(rows[left], columns[left], weights[left])
        if not safe.any():
            break
        chosen[left[safe]] = True
        used_rows = np.zeros(int(rows[left].max()) + 1, bool)
        used_columns = np.zeros(int(columns[left].max()) + 1, bool)
        used_rows[rows[left[safe]]] = True
        used_columns[columns[left[safe]]] = True
        left = left[~(used_rows[rows[left]] | used_columns[columns[left]])]
    if len(left):
        chosen[left[_solve(rows[left], columns[left], weights[left])]] = True
    return chosen


def _dominant(rows: Ints, columns: Ints, weights: Floats) -> NDArray[np.bool_]:
    """Cells contained in a best assignment: their weight is at least that of the best rivals in row and column."""
    safe = weights >= _best_rival(rows, weights) + _best_rival(columns, weights)
    # Of equal cells that stand in each other's way, one at a time: the first of a row, then the first of a column.
    candidates = np.flatnonzero(safe)
    _, first = np.unique(rows[candidates], return_index=True)
    candidates = candidates[first]
    _, first = np.unique(columns[candidates], return_index=True)
    safe[:] = False
    safe[candidates[first]] = True
    return safe


def _best_rival(lines: Ints, weights: Floats) -> Floats:
    """The largest weight among the other cells of the same line (row or column), or 0."""
    order = np.lexsort((-weights, lines))
    sorted_lines = lines[order]
    starts = np.flatnonzero(np.r_[True, sorted_lines[1:] != sorted_lines[:-1]])
    best = weights[order[starts]]
    seconds = np.minimum(starts + 1, len(order) - 1)
    second = np.where(sorted_lines[seconds] == sorted_lines[starts], weights[order[seconds]], 0.0)
    second[seconds == starts] = 0.0
    number = np.cumsum(np.r_[False, sorted_lines[1:] != sorted_lines[:-1]])
    rival = np.empty(len(weights))
    rival[order] = best[number]
    rival[order[starts]] = second
    return rival


def _solve(rows: Ints, columns: Ints, weights: Floats) -> Ints:
    """The indices of the chosen cells; each row may take a worthless column instead, for a perfect matching."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    row_names, row = np.unique(rows, return_inverse=True)
    column_names, column = np.unique(columns, return_inverse=True)
    height, width = len(row_names), len(column_names)
    own = np.arange(height)
    # Costs start at 1, for the solver takes 0 for no edge.
    cost = np.concatenate([1 + weights.max() - weights, np.full(height, 1 + weights.max())])
    places = (np.concatenate([row, own]), np.concatenate([column, width + own]))
    matched = np.empty(height, np.int64)
    taken_rows, taken_columns = min_weight_full_bipartite_matching(
        csr_array((cost, places), shape=(height, width + height))
    )
    matched[taken_rows] = taken_columns
    return np.flatnonzero(matched[row] == column)
