"""Merges of a small component in which pairs that were not read are ignored.

The distance of two clusters is the mean or the greatest over the known pairs between them; without any they are never
merged. This is not a linkage of one full matrix, so SciPy cannot compute it. But a merged cluster is never closer to a
third than the closer of its parts was, so nearest-neighbour chains find the same merges as repeatedly merging the two
nearest clusters (Müllner 2011, section 3.1).
"""

from __future__ import annotations

import numpy as np


def merge_known(
    size: int, low: np.ndarray, high: np.ndarray, distance: np.ndarray, limit: float, linkage: str
) -> list[tuple[int, int, float]]:
    """The merges at a distance below `limit`: the lesser and the greater of two clusters, and their distance.

    The merged cluster goes on under the greater number. Ties are settled as in ``linkage.py``.
    """
    # Both orders of every pair: how many known pairs there are, and the mean or greatest distance of them.
    known = np.zeros((size, size))
    matrix = np.full((size, size), np.inf)
    known[low, high] = known[high, low] = 1.0
    matrix[low, high] = matrix[high, low] = distance
    merges: list[tuple[int, int, float]] = []
    chain: list[int] = []
    start = 0
    while start < size:
        chain = chain or [start]
        tip = chain[-1]
        nearest = int(matrix[tip].argmin())
        least = float(matrix[tip, nearest])
        if least >= limit:  # or merged into a later one
            chain.pop()
            start += not chain
        elif len(chain) == 1 or matrix[tip, chain[-2]] != least:
            chain.append(nearest)
        else:
            a, b = sorted((chain.pop(), chain.pop()))
            merges.append((a, b, least))
            _absorb(known, matrix, a, b, linkage)
    return merges


def _absorb(known: np.ndarray, matrix: np.ndarray, a: int, b: int, linkage: str) -> None:
    """Merge cluster `a` into cluster `b`."""
    total = known[a] + known[b]
    if linkage == "average":
        sums = (known[row] * np.where(known[row] > 0, matrix[row], 0.0) for row in (a, b))
        both = sum(sums) / np.maximum(total, 1.0)
    else:
        both = np.maximum(matrix[a], matrix[b])
    merged = np.where(known[a] == 0, matrix[b], np.where(known[b] == 0, matrix[a], both))
    merged[[a, b]], total[[a, b]] = np.inf, 0.0
    matrix[b] = matrix[:, b] = merged
    known[b] = known[:, b] = total
    matrix[a] = matrix[:, a] = np.inf
    known[a] = known[:, a] = 0.0
