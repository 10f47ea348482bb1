"""Mixed linkage in sparse form, held against the matrix: equal merges, to the last bit."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdcoref.clustering.mixed import merge_mixed
from cdcoref.clustering.nearest_first import mixed_merges

Merge = tuple[int, int, float]
RandomPairs = Callable[[int, int, int, int], tuple[np.ndarray, np.ndarray, np.ndarray]]


def in_sparse_form(size: int, *problem: np.ndarray, known_only: bool) -> list[Merge]:
    first, second, height = mixed_merges(size, *problem, 1.0, known_only)
    return list(zip(first.tolist(), second.tolist(), height.tolist(), strict=True))


@given(
    seed=st.integers(0, 2**32 - 1),
    size=st.integers(2, 60),
    pairs=st.integers(0, 400),
    steps=st.sampled_from([0, 0, 1, 2, 3, 10]),
    known_only=st.booleans(),
)
def test_equals_the_matrix(
    random_pairs: RandomPairs, seed: int, size: int, pairs: int, steps: int, known_only: bool
) -> None:
    low, high, distance = random_pairs(seed, size, pairs, steps)
    expected = merge_mixed(size, low, high, distance, 1.0, known_only)
    assert in_sparse_form(size, low, high, distance, known_only=known_only) == expected
    assert all(height < 1 for _, _, height in expected)


@pytest.mark.parametrize("known_only", [False, True])
@pytest.mark.parametrize("steps", [0, 4])
def test_equals_it_where_many_links_move(random_pairs: RandomPairs, steps: int, known_only: bool) -> None:
    problem = random_pairs(1, 1000, 12_000, steps)
    found = in_sparse_form(1000, *problem, known_only=known_only)
    assert found == merge_mixed(1000, *problem, 1.0, known_only)
    assert len(found) == 999


def test_no_pairs() -> None:
    nothing = np.array([], dtype=np.int64)
    assert in_sparse_form(3, nothing, nothing, nothing.astype(float), known_only=False) == []
    assert in_sparse_form(0, nothing, nothing, nothing.astype(float), known_only=True) == []
