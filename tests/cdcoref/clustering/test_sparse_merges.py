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

from cdcoref.clustering import PairScores, agglomerative, dendrogram

Trees = Callable[..., Any]
RandomScores = Callable[[int, int, int, int], PairScores]


def merges(tree: Any) -> list[tuple[int, int, float]]:
    return list(zip(tree.first.tolist(), tree.second.tolist(), tree.distance.tolist(), strict=True))


@given(
    seed=st.integers(0, 2**32 - 1),
    size=st.integers(2, 60),
    pairs=st.integers(0, 400),
    steps=st.sampled_from([0, 0, 1, 2, 3, 10]),
)
def test_equals_the_matrix(
    by_sparse_merges: Trees, scores_of: RandomScores, seed: int, size: int, pairs: int, steps: int
) -> None:
    scores = scores_of(seed, size, pairs, steps)
    expected = merges(dendrogram(scores))
    # The order of equally near merges of different components may differ.
    assert sorted(merges(by_sparse_merges(scores))) == sorted(expected)
    assert all(height < 1 for _, _, height in expected)


@given(seed=st.integers(0, 2**32 - 1), size=st.integers(2, 40), pairs=st.integers(1, 300), begun=st.floats(0.2, 0.9))
def test_clusters_with_sizes_go_on_as_their_items_would(
    by_sparse_merges: Trees, scores_of: RandomScores, seed: int, size: int, pairs: int, begun: float
) -> None:
    """Also where they are not made a matrix."""
    scores = scores_of(seed, size, pairs, 0)
    tree = dendrogram(scores)
    labels = tree.cut(begun)
    sizes, sides = np.bincount(labels), np.sort([labels[scores.first], labels[scores.second]], axis=0)
    (low, high), pair = np.unique(sides[:, sides[0] != sides[1]], axis=1, return_inverse=True)
    sums = np.bincount(pair.ravel(), scores.score[sides[0] != sides[1]], len(low))
    means = PairScores(len(sizes), low, high, sums / (sizes[low] * sizes[high]))
    later = tree.distance[tree.distance >= begun]
    assert dendrogram(means, sizes=sizes).distance == pytest.approx(later)
    assert by_sparse_merges(means, sizes).distance == pytest.approx(later)


@pytest.mark.parametrize("steps", [0, 4])
def test_equal_at_many_links(by_sparse_merges: Trees, scores_of: RandomScores, steps: int) -> None:
    scores = scores_of(1, 1000, 12_000, steps)
    found = merges(by_sparse_merges(scores))
    assert found == merges(dendrogram(scores))
    assert len(found) == 999


def test_a_distance_that_rounds_to_1_is_no_merge() -> None:
    scores = PairScores(3, [0, 1], [1, 2], [0.9, 1.0 - np.nextafter(1, 0)])
    assert agglomerative(scores, 1.0).tolist() == [0, 0, 1]
    path = np.arange(2, 2003)  # 0 and 2003 others, and one that is related to 1 alone
    scores = PairScores(2004, [0, 1, 0, *path[:-1]], [1, 2003, 2, *path[1:]], [0.9, scores.score[1], *[0.9] * 2001])
    assert agglomerative(scores, 1.0).tolist() == [0] * 2003 + [1]


def test_some_components_are_matrices_and_others_not(by_sparse_merges: Trees, scores_of: RandomScores) -> None:
    small, large = scores_of(0, 40, 100, 0), scores_of(1, 2500, 5000, 0)
    columns = {name: [getattr(small, name), getattr(large, name)] for name in ("first", "second", "score")}
    for name in ("first", "second"):
        columns[name][1] = columns[name][1] + 40
    tree = dendrogram(PairScores(2540, *map(np.concatenate, columns.values())))
    assert sorted(tree.distance) == tree.distance.tolist()
    assert np.bincount(tree.cut(1.0)).max() > 2000
    for threshold in (0.3, 0.6, 0.9, 1.0):
        labels = tree.cut(threshold)
        assert labels[:40].tolist() == dendrogram(small).cut(threshold).tolist()
        expected = by_sparse_merges(large).cut(threshold)
        assert (labels[40:] - labels[:40].max() - 1).tolist() == expected.tolist()


def in_a_new_process(numba: str, code: str) -> None:
    """Runs code with a stand-in for Numba; None: it cannot be imported."""
    code = f"import sys\nsys.modules['numba'] = {numba}\n{code}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_small_and_dense_components_become_matrices_for_which_numba_is_not_loaded() -> None:
    code = """
import numpy as np
from cdcoref.clustering import PairScores, agglomerative

def is_compiled(*components):
    "Whether merging components with this number of items and pairs imports Numba."
    first, second, start = [], [], 0
    for items, pairs in components:
        turn, item = np.divmod(np.arange(pairs), items)
        first.append(start + item)
        second.append(start + (item + turn + 1) % items)
        start += items
    score = np.linspace(1, 0.5, sum(map(len, first)))
    try:
        labels = agglomerative(PairScores(start, np.concatenate(first), np.concatenate(second), score), 1.0)
    except ImportError:
        return True
    assert np.bincount(labels).tolist() == [items for items, _ in components]
    return False

assert not is_compiled((20, 19), (4, 6), (2, 1))
assert not is_compiled((2000, 1999))
assert is_compiled((20, 19), (2001, 2000))
assert not is_compiled((20, 19), (2001, 400_200))
assert is_compiled((2001, 400_199))
assert is_compiled((4001, 1_600_400))
assert is_compiled(*[(2000, 100_000)] * 10)
"""
    in_a_new_process("None", code)


def test_compiles_where_nothing_can_be_kept() -> None:
    stand_in = """type(sys)("numba")
compiled = []
def njit(function=None, **options):
    if options:
        raise RuntimeError("cannot cache function: no locator available")
    compiled.append(function)
    return function
sys.modules["numba"].njit = njit"""
    code = """
import numpy as np
from cdcoref.clustering import PairScores, agglomerative
path = np.arange(2001)
scores = PairScores(2002, path, path + 1, np.where(path % 2, 0.1, 0.5))
assert agglomerative(scores, 0.6).tolist() == np.repeat(np.arange(1001), 2).tolist()
assert compiled
"""
    in_a_new_process(stand_in, code)
