"""Corrections as constraints: clusters that a model found in, clusters that obey what people said out.

Clusters that hold mentions which are the same are joined whole, whatever the model makes of the rest of them. Then a
cluster that holds mentions which must be apart is divided into as few parts as that takes: its mentions are merged
anew, the most similar groups first (average linkage), except groups that hold such a pair, until no two groups may be
merged. So a mention of which nobody said anything goes with those that it resembles most.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Constraints:
    """Numbers of mentions that are the same, and of mentions that are not; a mention is what it is by its number."""

    together: tuple[Pair, ...] = ()
    apart: tuple[Pair, ...] = ()


def constrained(labels: np.ndarray, constraints: Constraints, scores: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """The clusters that obey the constraints.

    Parameters
    ----------
    labels
        The cluster of every mention. *Shape:* (mentions,)
    constraints
        Which do not contradict each other.
    scores
        Gives the symmetric scores (0 to 1) of some mentions. *Shapes:* (some,) to (some, some)

    Returns
    -------
    labels
        Other numbers; mentions of clusters that obey already stay together. *Shape:* (mentions,)
    """
    joined = _joined(labels, constraints.together)
    divided = joined.copy()
    following = int(joined.max(initial=-1)) + 1
    for label in sorted({int(joined[a]) for a, b in constraints.apart if joined[a] == joined[b]}):
        members = np.flatnonzero(joined == label)
        place = {number: n for n, number in enumerate(members.tolist())}
        blocks = _joined(np.arange(len(members)), _within(constraints.together, place))
        parts = _divided(blocks, _within(constraints.apart, place), scores(members))
        divided[members] = following + parts
        following += int(parts.max()) + 1
    return divided


def contradiction(together: Iterable[Sequence[object]], apart: Iterable[tuple[object, object]]) -> bool:
    """Whether some that are the same, directly or through others, must be apart."""
    together, apart = [tuple(group) for group in together], list(apart)
    number: dict[object, int] = {}
    for group in (*together, *apart):
        for name in group:
            number.setdefault(name, len(number))
    pairs = [(number[group[0]], number[name]) for group in together for name in group[1:]]
    labels = _joined(np.arange(len(number)), pairs)
    return any(labels[number[a]] == labels[number[b]] for a, b in apart)


def _within(pairs: Iterable[Pair], place: dict[int, int]) -> list[Pair]:
    return [(place[a], place[b]) for a, b in pairs if a in place and b in place]


def _joined(labels: np.ndarray, pairs: Iterable[Pair]) -> np.ndarray:
    """The labels after the clusters of every pair have become one. *Shape:* (mentions,)"""
    size = int(labels.max(initial=-1)) + 1
    parent = list(range(size))

    def root(label: int) -> int:
        while parent[label] != label:
            parent[label] = parent[parent[label]]
            label = parent[label]
        return label

    for a, b in pairs:
        one, other = sorted((root(int(labels[a])), root(int(labels[b]))))
        parent[other] = one
    return np.array([root(label) for label in range(size)], dtype=np.int64)[labels]


def _divided(blocks: np.ndarray, apart: Sequence[Pair], scores: np.ndarray) -> np.ndarray:
    """Numbers from 0 of the parts of a cluster; the mentions of a block stay together. *Shape:* (mentions,)"""
    _, labels = np.unique(blocks, return_inverse=True)
    count = int(labels.max()) + 1
    members = np.zeros((count, len(labels)))
    members[labels, np.arange(len(labels))] = 1
    total = members @ scores @ members.T
    size = members.sum(axis=1)
    forbidden = np.eye(count, dtype=bool)
    for a, b in apart:
        forbidden[labels[a], labels[b]] = forbidden[labels[b], labels[a]] = True
    group = np.arange(count)
    alive = np.ones(count, dtype=bool)
    while True:
        average = np.where(forbidden | ~alive[:, None] | ~alive[None, :], -1.0, total / np.outer(size, size))
        one, other = divmod(int(average.argmax()), count)
        if average[one, other] < 0:
            return np.unique(group[labels], return_inverse=True)[1]
        one, other = min(one, other), max(one, other)
        total[one] += total[other]
        total[:, one] += total[:, other]
        size[one] += size[other]
        forbidden[one] |= forbidden[other]
        forbidden[:, one] |= forbidden[:, other]
        alive[other] = False
        group[group == other] = one
