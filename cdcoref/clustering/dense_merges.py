"""Merges of a component as a matrix: the two nearest clusters again and again, all pairs in memory.

For components that are small or in which most pairs are stored. :mod:`cdcoref.clustering.sparse_merges` finds the same
merges, to the last bit, from stored pairs alone.
"""

from __future__ import annotations

import numpy as np


def dense_merges(
    size: int, low: np.ndarray, high: np.ndarray, distance: np.ndarray, share: float
) -> list[tuple[int, int, float]]:
    """All merges at a distance below 1: the lesser and the greater of two clusters, and their distance.

    The merged cluster goes on under the greater number. Of equally near clusters those with the least numbers are
    merged first.

    Parameters
    ----------
    size
        Number of items.
    low, high, distance
        The items of every stored pair, each pair once, and their distance, which is below 1. *Shape:* (pairs,)
    share
        Share of the least distance of a pair in the distance of two clusters (see :mod:`cdcoref.clustering.linkage`).
    """
    gain = np.zeros((size, size))  # how much nearer than 1 the pairs of two clusters are in all
    gain[low, high] = gain[high, low] = 1.0 - distance
    least = np.full((size, size), np.inf)
    least[low, high] = least[high, low] = distance
    between = least.copy()
    sizes = np.ones(size)
    nearest = between.argmin(axis=1)
    to_nearest = between[np.arange(size), nearest]
    height = np.zeros(size)
    merges: list[tuple[int, int, float]] = []
    while True:
        a = int(to_nearest.argmin())
        if not to_nearest[a] < 1.0:
            return merges
        b = int(nearest[a])
        height[b] = max(height[a], height[b], to_nearest[a])
        merges.append((a, b, float(height[b])))
        sizes[b] += sizes[a]
        gain[b] = gain[:, b] = gain[a] + gain[b]
        least[b] = least[:, b] = np.minimum(least[a], least[b])
        least[b, b] = np.inf
        for matrix in (least, between):
            matrix[a] = matrix[:, a] = np.inf
        pairs = sizes * sizes[b]
        there = least[b] < np.inf
        mixed = (1 - share) * (1.0 - gain[b] / pairs) + share * np.where(there, least[b], 1.0)
        new = np.where(there, mixed, np.inf)
        between[b] = between[:, b] = new
        again = np.flatnonzero((nearest == a) | (nearest == b))  # those of a and b are each other
        nearest[again] = between[again].argmin(axis=1)
        to_nearest[again] = between[again, nearest[again]]
        nearer = (new < to_nearest) | ((new == to_nearest) & (b < nearest))
        nearest[nearer], to_nearest[nearer] = b, new[nearer]
