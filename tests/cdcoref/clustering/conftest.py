"""Pairs to cluster."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

Pairs = tuple[np.ndarray, np.ndarray, np.ndarray]


@pytest.fixture(scope="session")
def random_pairs() -> Callable[[int, int, int, int], Pairs]:
    """By random seed, items, pairs and steps: pairs and their distances below 1.

    There are so many steps of different distances; 0: all are different.
    """

    def made(seed: int, size: int, pairs: int, steps: int) -> Pairs:
        random = np.random.default_rng(seed)
        chosen = np.unique(random.integers(0, size * (size - 1) // 2, pairs))
        low, high = (places[chosen] for places in np.triu_indices(size, 1))
        distance = random.random(len(chosen))
        return low, high, np.floor(distance * steps) / steps if steps else distance

    return made
