"""The compiled chains, held against the same algorithm over Python dictionaries: equal merges in equal order."""

from __future__ import annotations

import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdcoref.clustering import chains
from cdcoref.clustering.chains import chain_merges

Merge = tuple[int, int, float]
RandomPairs = Callable[[int, int, int, int], tuple[np.ndarray, np.ndarray, np.ndarray]]
Reference = Callable[..., list[Merge]]


@pytest.fixture(scope="module")
def reference() -> Reference:
    """The algorithm over dictionaries, which the benchmark measures."""
    path = Path(__file__).resolve().parents[3] / "scripts" / "benchmark_clustering.py"
    return runpy.run_path(str(path))["dictionary_merges"]


def merges_of(*arguments: Any) -> list[Merge]:
    first, second, height = chain_merges(*arguments)
    return list(zip(first.tolist(), second.tolist(), height.tolist(), strict=True))


@given(
    seed=st.integers(0, 2**32 - 1),
    size=st.integers(2, 60),
    pairs=st.integers(0, 400),
    steps=st.sampled_from([0, 0, 1, 2, 3, 10]),
    linkage=st.sampled_from(["average", "complete"]),
)
def test_equal_the_same_algorithm_over_dictionaries(
    reference: Reference, random_pairs: RandomPairs, seed: int, size: int, pairs: int, steps: int, linkage: str
) -> None:
    problem = random_pairs(seed, size, pairs, steps)
    assert merges_of(size, *problem, 1.0, linkage, False) == reference(size, *problem, linkage)


@pytest.mark.parametrize("steps", [0, 4])
@pytest.mark.parametrize("linkage", ["average", "complete"])
def test_equal_it_where_the_arena_is_often_written_anew(
    reference: Reference, random_pairs: RandomPairs, linkage: str, steps: int
) -> None:
    problem = random_pairs(1, 1500, 12_000, steps)
    assert merges_of(1500, *problem, 1.0, linkage, False) == reference(1500, *problem, linkage)


def test_a_long_chain(reference: Reference) -> None:
    # Each is nearer to the next one, so that the chain reaches the last before anything is merged.
    size = 100
    low = np.arange(size - 1)
    problem = low, low + 1, 1 - (low + 1) / size
    assert merges_of(size, *problem, 1.0, "average", False) == reference(size, *problem, "average")


def test_no_pairs() -> None:
    empty = np.array([], dtype=np.int64)
    assert merges_of(3, empty, empty, empty.astype(float), 1.0, "average", False) == []
    assert merges_of(0, empty, empty, empty.astype(float), 1.0, "average", True) == []


def test_compiles_where_nothing_can_be_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def njit(*functions: Any, **options: Any) -> Any:
        if options:
            raise RuntimeError("cannot cache function: no locator available")
        return ("compiled", *functions)

    monkeypatch.setattr(chains, "njit", njit)
    assert chains.compiled(len) == ("compiled", len)


def test_small_problems_do_not_load_numba() -> None:
    code = """
import sys
import numpy as np
from cdcoref.clustering import PairScores, agglomerative
scores = PairScores(4, [0, 1, 2], [1, 2, 3], [0.9, 0.2, 0.8])
for unread in (0.0, 0.1, "mean", PairScores(4, [0], [3], [0.1])):
    assert agglomerative(scores, 0.5, unread=unread).tolist() == [0, 0, 1, 1]
assert "numba" not in sys.modules
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
