"""Pairs to cluster."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from cdcoref.clustering import PairScores, dendrogram


@pytest.fixture(scope="session")
def scores_of() -> Callable[[int, int, int, int], PairScores]:
    """By random seed, items, pairs and steps: scores above 0.

    `steps` is the number of different scores; 0: all are different.
    """

    def made(seed: int, size: int, pairs: int, steps: int) -> PairScores:
        random = np.random.default_rng(seed)
        chosen = np.unique(random.integers(0, size * (size - 1) // 2, pairs))
        low, high = (places[chosen] for places in np.triu_indices(size, 1))
        distance = random.random(len(chosen))
        return PairScores(size, low, high, 1 - (np.floor(distance * steps) / steps if steps else distance))

    return made


@pytest.fixture(scope="session")
def by_sparse_merges() -> Callable[..., Any]:
    """The dendrogram of items that lie in a component of more than 2000, which is not made a matrix.

    The others of that component are as good as unrelated to the items and to each other, and are merged after them.
    """

    def tree_of(scores: PairScores, sizes: np.ndarray | None = None) -> Any:
        size, others = scores.size, np.arange(scores.size, scores.size + 2000)
        first = np.concatenate([scores.first, np.arange(size), others])
        second = np.concatenate([scores.second, np.full(size, size), others + 1])
        score = np.concatenate([scores.score, np.full(size + 2000, 1e-12)])
        whole = np.ones(size + 2001, dtype=np.int64)
        whole[:size] = 1 if sizes is None else sizes
        tree = dendrogram(PairScores(size + 2001, first, second, score), sizes=whole)
        count = int(np.searchsorted(tree.distance, 1 - 1e-11))
        columns = {name: getattr(tree, name)[:count] for name in ("first", "second", "distance")}
        return replace(tree, size=size, **columns)

    return tree_of
