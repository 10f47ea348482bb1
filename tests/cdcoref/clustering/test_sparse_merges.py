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
