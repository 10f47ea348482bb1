"""Merges in sparse form, held against those of the matrix: equal to the last bit; and the code that is compiled."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdcoref.clustering import sparse_merges as sparse_module
from cdcoref.clustering.dense_merges import dense_merges
from cdcoref.clustering.sparse_merges import compiled, sparse_merges

Merge = tuple[int, int, float]
RandomPairs = Callable[[int, int, int, int], tuple[np.ndarray, np.ndarray, np.ndarray]]
SHARES = [0.0, 0.4, 1.0]


def in_sparse_form(size: int, *problem: Any) -> list[Merge]:
    first, second, height = sparse_merges(size, *problem)
    return list(zip(first.tolist(), second.tolist(), height.tolist(), strict=True))


@given(
    seed=st.integers(0, 2**32 - 1),
    size=st.integers(2, 60),
    pairs=st.integers(0, 400),
    steps=st.sampled_from([0, 0, 1, 2, 3, 10]),
    share=st.sampled_from(SHARES),
)
def test_equals_the_matrix(
    random_pairs: RandomPairs, seed: int, size: int, pairs: int, steps: int, share: float
) -> None:
    low, high, distance = random_pairs(seed, size, pairs, steps)
    expected = dense_merges(size, low, high, distance, share)
    assert in_sparse_form(size, low, high, distance, share) == expected
    assert all(height < 1 for _, _, height in expected)


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("steps", [0, 4])
def test_equals_it_where_many_links_move(random_pairs: RandomPairs, steps: int, share: float) -> None:
    problem = random_pairs(1, 1000, 12_000, steps)
    found = in_sparse_form(1000, *problem, share)
    assert found == dense_merges(1000, *problem, share)
    assert len(found) == 999


def by_both_forms(size: int, distances: dict[tuple[int, int], float], share: float) -> list[Merge]:
    low, high = np.array(list(distances)).T
    problem = size, low, high, np.array(list(distances.values())), share
    found = in_sparse_form(*problem)
    assert dense_merges(*problem) == found
    return found


def test_a_merged_cluster_that_is_nearer_than_its_parts_comes_first_of_equals() -> None:
    # 0 is at 0.4375 from {1, 2}, at 0.5 from {3, 4}, nearer to all four, and as near or a little further from 5.
    near = (1 - 0.4) * (1 - 1.875 / 4) + 0.4 * 0.25
    distances = dict.fromkeys([(1, 2), (3, 4)], 0.1) | dict.fromkeys([(1, 3), (1, 4), (2, 3), (2, 4)], 0.2)
    distances |= {(0, 1): 0.25, (0, 2): 0.875, (0, 3): 0.5, (0, 4): 0.5}
    for other in (near, near + 0.01):
        merges = by_both_forms(6, distances | {(0, 5): other}, 0.4)
        assert [(first, second) for first, second, _ in merges] == [(1, 2), (3, 4), (2, 4), (0, 4), (4, 5)]
        assert merges[3][2] == near


def test_a_distance_that_rounds_to_1_is_no_merge() -> None:
    assert by_both_forms(3, {(0, 1): 0.1, (1, 2): float(np.nextafter(1, 0))}, 0.0) == [(0, 1, 0.1)]


def test_no_pairs() -> None:
    nothing = np.array([], dtype=np.int64)
    assert in_sparse_form(3, nothing, nothing, nothing.astype(float), 0.4) == []
    assert in_sparse_form(0, nothing, nothing, nothing.astype(float), 0.0) == []


def test_compiles_where_nothing_can_be_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def njit(*functions: Any, **options: Any) -> Any:
        if options:
            raise RuntimeError("cannot cache function: no locator available")
        return ("compiled", *functions)

    monkeypatch.setattr(sparse_module, "njit", njit)
    assert compiled(len) == ("compiled", len)


def test_small_problems_do_not_load_numba() -> None:
    code = """
import sys
from cdcoref.clustering import PairScores, agglomerative
scores = PairScores(4, [0, 1, 2], [1, 2, 3], [0.9, 0.2, 0.8])
for linkage in ("average", "mixed", "single"):
    assert agglomerative(scores, 0.5, linkage).tolist() == [0, 0, 1, 1]
assert "numba" not in sys.modules
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
