"""Bootstrap intervals over sets: against known distributions, and in pairs."""

from __future__ import annotations

import numpy as np
import pytest

from cdlm.intervals import interval, resampled_means


def test_the_interval_of_a_mean() -> None:
    generator = np.random.default_rng(0)
    values = generator.normal(5, 2, size=400)
    low, high = interval(resampled_means(values, np.ones(400)))
    standard_error = values.std() / 20
    assert low == pytest.approx(values.mean() - 1.96 * standard_error, abs=0.3 * standard_error)
    assert high == pytest.approx(values.mean() + 1.96 * standard_error, abs=0.3 * standard_error)


def test_items_of_a_set_are_drawn_together() -> None:
    """Ten equal items a set say no more than one: the interval is that of the sets."""
    values = np.random.default_rng(1).normal(size=50)
    one = interval(resampled_means(values, np.ones(50)))
    ten = interval(resampled_means(10 * values, np.full(50, 10)))
    assert ten == pytest.approx(one)


def test_the_same_sets_are_drawn_for_two_models() -> None:
    values = np.random.default_rng(2).normal(size=30)
    differences = resampled_means(values + 1, np.ones(30)) - resampled_means(values, np.ones(30))
    assert interval(differences) == pytest.approx((1, 1))


def test_sets_without_items() -> None:
    means = resampled_means(np.array([0.0, 6.0]), np.array([0, 2]))
    assert np.isnan(means).any()
    assert interval(means) == (3, 3)
