"""Mixed linkage: the distance of two clusters is 0.6 times the mean and 0.4 times the least distance of their pairs.

So one sure pair counts for more than in average linkage, and one alone does not decide as in single linkage. A merged
cluster may be nearer to a third than either part was. The two nearest clusters are therefore merged again and again; a
merge counts as no nearer than those that made its two clusters, so that all merges below a threshold are those after
which no two clusters are nearer than that. Here for small components, as a matrix; in sparse form, with the same
arithmetic, in :mod:`cdcoref.clustering.nearest_first`.
"""

from __future__ import annotations

import numpy as np

NEAREST = 0.4
"""Share of the least distance of a pair in the distance of two clusters; the rest is the mean distance."""


def merge_mixed(
    size: int, low: np.ndarray, high: np.ndarray, distance: np.ndarray, limit: float, known_only: bool
) -> list[tuple[int, int, float]]:
    """The merges at a distance below `limit`: the lesser and the greater of two clusters, and their distance.

    The merged cluster goes on under the greater number. Of equally near clusters those with the least numbers are
    merged first. Pairs that are not stored are at the distance `limit`, or are ignored (`known_only`);
    stored ones are no further.
    """
    gain, stored = np.zeros((size, size)), np.zeros((size, size))  # how much nearer than `limit`, how many pairs
    gain[low, high] = gain[high, low] = limit - distance
    stored[low, high] = stored[high, low] = 1.0
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
        if not to_nearest[a] < limit:
            return merges
        b = int(nearest[a])
        height[b] = max(height[a], height[b], to_nearest[a])
        merges.append((a, b, float(height[b])))
        sizes[b] += sizes[a]
        for matrix, merged in (
            (gain, gain[a] + gain[b]),
            (stored, stored[a] + stored[b]),
            (least, np.minimum(least[a], least[b])),
        ):
            matrix[b] = matrix[:, b] = merged
        for matrix, nothing in ((stored, 0.0), (between, np.inf)):
            matrix[a] = matrix[:, a] = nothing
        stored[b, b] = 0.0
        pairs = np.maximum(stored[b], 1.0) if known_only else sizes * sizes[b]
        mixed = (1 - NEAREST) * (limit - gain[b] / pairs) + NEAREST * least[b]
        new = np.where(stored[b] > 0, np.where(pairs == 1, least[b], mixed), np.inf)
        between[b] = between[:, b] = new
        to_nearest[a] = np.inf
        again = np.flatnonzero(((nearest == a) | (nearest == b)) & (to_nearest < np.inf))
        again = np.union1d(again, [b])
        nearest[again] = between[again].argmin(axis=1)
        to_nearest[again] = between[again, nearest[again]]
        nearer = (new < to_nearest) | ((new == to_nearest) & (b < nearest))
        nearer[b] = False
        nearest[nearer], to_nearest[nearer] = b, new[nearer]
