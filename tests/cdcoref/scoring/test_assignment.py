"""The assignment of clusters behind CEAF, against SciPy's dense one and against all assignments."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from cdcoref.scoring import Overlap, Scores


def overlap(rows: np.ndarray, columns: np.ndarray, counts: np.ndarray) -> Overlap:
    """So many mentions in common in some cells; no others."""
    keys, responses = (np.bincount(places, counts).astype(int) for places in (rows, columns))
    return Overlap(keys, responses, rows, columns, counts, np.zeros_like(keys), np.zeros_like(responses))


def check(rows: np.ndarray, columns: np.ndarray, counts: np.ndarray) -> None:
    """CEAFm maximizes the mentions in common, CEAFe the sum of their shares; both are recall by known divisors."""
    table = overlap(rows, columns, counts)
    scores = Scores.of(table, ["ceafm", "ceafe"])
    matrix = np.zeros((len(table.key_sizes), len(table.response_sizes)))
    matrix[rows, columns] = counts
    shares = 2 * matrix / (table.key_sizes[:, None] + table.response_sizes).clip(1)
    for name, weights, whole in (("ceafm", matrix, counts.sum()), ("ceafe", shares, len(table.key_sizes))):
        best = weights[linear_sum_assignment(weights, maximize=True)].sum()
        assert scores[name].recall * whole == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize(("height", "width", "density"), [(1, 9, 1), (60, 80, 0.02), (80, 60, 0.2), (50, 50, 1)])
@pytest.mark.parametrize("most", [3, 1000])
@pytest.mark.parametrize("seed", range(4))
def test_equals_the_dense_solver(height: int, width: int, density: float, most: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrix = rng.integers(1, most + 1, (height, width)) * (rng.random((height, width)) < density)
    rows, columns = np.nonzero(matrix)
    check(rows, columns, matrix[rows, columns])


def test_a_large_sparse_problem() -> None:
    rng = np.random.default_rng(0)
    rows, columns = np.unique(rng.integers(0, 1500, (4500, 2)), axis=0).T
    check(rows, columns, rng.integers(1, 10_000, len(rows)))
