"""The sparse assignment against SciPy's dense one and against all assignments."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from cdcoref.scoring.assignment import best_assignment


def check(rows: np.ndarray, columns: np.ndarray, weights: np.ndarray, best: float) -> None:
    chosen = best_assignment(rows, columns, weights)
    assert len(set(rows[chosen].tolist())) == chosen.sum(), "a row is used twice"
    assert len(set(columns[chosen].tolist())) == chosen.sum(), "a column is used twice"
    assert weights[chosen].sum() == pytest.approx(best, abs=1e-9)


cells = st.dictionaries(st.tuples(st.integers(0, 4), st.integers(0, 4)), st.integers(1, 6), min_size=1)


@given(cells)
def test_is_the_best_of_all(cells: dict[tuple[int, int], int]) -> None:
    best = max(sum(cells.get(pair, 0) for pair in enumerate(order)) for order in permutations(range(5)))
    rows, columns = np.array(list(cells)).T
    check(rows, columns, np.array(list(cells.values()), float), best)


@pytest.mark.parametrize(("height", "width", "density"), [(1, 9, 1), (60, 80, 0.02), (80, 60, 0.2), (50, 50, 1)])
@pytest.mark.parametrize("ties", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_equals_the_dense_solver(height: int, width: int, density: float, ties: bool, seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrix = rng.integers(1, 4, (height, width)) if ties else rng.random((height, width)) + 0.01
    matrix = matrix * (rng.random((height, width)) < density)
    rows, columns = np.nonzero(matrix)
    order = rng.permutation(len(rows))
    rows, columns = rows[order], columns[order]
    best = matrix[linear_sum_assignment(matrix, maximize=True)].sum()
    check(rows, columns, matrix[rows, columns].astype(float), best)


def test_nothing_to_assign() -> None:
    empty = np.empty(0, np.int64)
    assert best_assignment(empty, empty, np.empty(0)).tolist() == []


def test_a_large_sparse_problem() -> None:
    rng = np.random.default_rng(0)
    places = np.unique(rng.integers(0, 3000, (9000, 2)), axis=0)
    weights = rng.random(len(places)) + 0.1
    matrix = np.zeros((3000, 3000))
    matrix[places[:, 0], places[:, 1]] = weights
    check(places[:, 0], places[:, 1], weights, matrix[linear_sum_assignment(matrix, maximize=True)].sum())
