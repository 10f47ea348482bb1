"""Confidence intervals by the bootstrap over sets of documents, since items of one set are not independent."""

from __future__ import annotations

import numpy as np

LEVEL = 0.95
DRAWS = 2000
_DRAWS_AT_ONCE = 100


def resampled_means(sums: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """The mean of all items in each bootstrap sample of the sets, from each set's sum and number of items.

    With the same number of sets, the same sets are drawn, so that models are compared in pairs. *Shape:* (sets,) in,
    (draws,) out; NaN if no drawn set has an item.
    """
    generator = np.random.default_rng(0)
    sets = len(sums)
    means = []
    for _ in range(0, DRAWS, _DRAWS_AT_ONCE):
        times = generator.multinomial(sets, np.full(sets, 1 / sets), size=_DRAWS_AT_ONCE)
        with np.errstate(invalid="ignore"):
            means.append((times @ sums) / (times @ counts))
    return np.concatenate(means)


def interval(values: np.ndarray) -> tuple[float, float]:
    """The middle 95 % of resampled values, NaN ignored."""
    low, high = np.nanquantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)
