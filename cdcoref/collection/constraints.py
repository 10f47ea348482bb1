"""Corrections as constraints: clusters that a model found in, clusters that obey what people said out.

Corrections are obeyed one after the other, as people made them. Clusters that hold mentions which are the same are
joined whole. Then a cluster that holds mentions which must be apart is divided into as few parts as that takes: its
mentions are merged anew, the most similar groups first (average linkage), never groups that hold such a pair, until no
two groups may be merged. So a mention of which nobody said anything goes with those that it resembles most. Of clusters
that were joined by this correction only what was in one before is merged and compared. A pronoun follows its
antecedent, unless people said otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

Pair = tuple[int, int]
Scores = Callable[[np.ndarray], np.ndarray]
"""Gives the symmetric scores (0 to 1) of some mentions. *Shapes:* (some,) to (some, some)"""
NOT_COMPARED = -0.5
"""Instead of a score, between groups of which one has only pronouns: they are merged last."""
NEVER = -1.0


@dataclass(frozen=True, slots=True)
class Constraints:
    """What one correction says: numbers of mentions that are the same, and of mentions that are not."""

    together: tuple[Pair, ...] = ()
    apart: tuple[Pair, ...] = ()


def constrained(
    labels: np.ndarray,
    constraints: Sequence[Constraints],
    scores: Scores,
    antecedents: Mapping[int, int] = MappingProxyType({}),
) -> np.ndarray:
    """The clusters that obey the constraints.

    Parameters
    ----------
    labels
        The cluster of every mention. *Shape:* (mentions,)
    constraints
        Of every correction, in the order in which they were made; they do not contradict each other.
    scores
        Of mentions.
    antecedents
        The antecedent of every pronoun that is in the cluster of its antecedent.

    Returns
    -------
    labels
        Other numbers; mentions of clusters that obey already stay together. *Shape:* (mentions,)
    """
    labels = labels.copy()
    together, apart = _pairs(one.together for one in constraints), _pairs(one.apart for one in constraints)
    ends = np.cumsum([(len(one.together), len(one.apart)) for one in constraints], axis=0, dtype=np.int64)
    place = np.full(len(labels), -1, dtype=np.int64)
    for correction, (end, apart_end) in zip(constraints, ends.tolist(), strict=True):
        found = labels.copy()
        for a, b in correction.together:
            if labels[a] != labels[b]:
                labels[labels == max(labels[a], labels[b])] = min(labels[a], labels[b])
        said = apart[:apart_end]
        own = labels[said]
        for label in np.unique(own[own[:, 0] == own[:, 1], 0]).tolist():
            members = np.flatnonzero(labels == label)
            place[:] = -1
            place[members] = np.arange(len(members))
            links = [(n, antecedents[n]) for n in members.tolist() if n in antecedents]
            parts = _divided(
                scores(members),
                found[members],
                _within(together[:end], place).tolist(),
                _within(said, place).tolist(),
                _within(_pairs([links]), place).tolist(),
            )
            labels[members] = np.where(parts == 0, label, parts + int(labels.max()))
    return labels


def confirmed_groups(constraints: Iterable[Constraints], size: int) -> np.ndarray:
    """A number for every mention, the same for those that people said are the same. *Shape:* (size,)"""
    return _joined(np.arange(size), (pair for one in constraints for pair in one.together))


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


def _pairs(parts: Iterable[Sequence[Pair]]) -> np.ndarray:
    """Pairs as an array. *Shape:* (pairs, 2)"""
    return np.array([pair for part in parts for pair in part], dtype=np.int64).reshape(-1, 2)


def _within(pairs: np.ndarray, place: np.ndarray) -> np.ndarray:
    """The pairs of which both have a place, by their places. *Shape:* (some, 2)"""
    there = place[pairs]
    kept: np.ndarray = there[(there >= 0).all(axis=1)]
    return kept


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


def _blocks(size: int, together: Iterable[Pair], apart: Sequence[Pair], links: Iterable[Pair]) -> np.ndarray:
    """Numbers from 0 of what stays together: by what people said, and pronouns with antecedents. *Shape:* (size,)"""
    blocks = _joined(np.arange(size), together)
    for pronoun, antecedent in links:
        one, other = int(blocks[pronoun]), int(blocks[antecedent])
        if not any({int(blocks[a]), int(blocks[b])} == {one, other} for a, b in apart):
            blocks[blocks == one] = other
    return np.unique(blocks, return_inverse=True)[1]


def _divided(
    scores: np.ndarray, found: np.ndarray, together: Iterable[Pair], apart: Sequence[Pair], links: Sequence[Pair]
) -> np.ndarray:
    """Numbers from 0 of the parts of a cluster. *Shape:* (mentions,)

    Parameters
    ----------
    scores
        Of its mentions. *Shape:* (mentions, mentions)
    found
        The clusters before any was joined. *Shape:* (mentions,)
    together, apart, links
        Mentions that are the same, that are not, and pronouns with their antecedents.
    """
    blocks = _blocks(len(scores), together, apart, links)
    count = int(blocks.max()) + 1
    members = np.zeros((count, len(blocks)))
    members[blocks, np.arange(len(blocks))] = 1
    of_one = (found[:, None] == found[None, :]).astype(np.float64)
    related = members @ of_one @ members.T
    members[:, [pronoun for pronoun, _ in links]] = 0
    total, pairs = members @ (scores * of_one) @ members.T, members @ of_one @ members.T
    forbidden = np.eye(count, dtype=bool)
    for a, b in apart:
        forbidden[blocks[a], blocks[b]] = forbidden[blocks[b], blocks[a]] = True

    def similar(row: int | slice) -> np.ndarray:
        known = np.where(pairs[row] > 0, total[row] / np.maximum(pairs[row], 1), NOT_COMPARED)
        return np.where(forbidden[row] | (related[row] == 0), NEVER, known)

    average = similar(slice(None))
    group = np.arange(count)
    while True:
        one, other = divmod(int(average.argmax()), len(average))
        if average[one, other] == NEVER:
            break
        one, other = min(one, other), max(one, other)
        for sums in (total, pairs, related):
            sums[one] += sums[other]
            sums[:, one] += sums[:, other]
        forbidden[one] |= forbidden[other]
        forbidden[:, one] |= forbidden[:, other]
        forbidden[other] = forbidden[:, other] = True
        average[one] = average[:, one] = similar(one)
        average[other] = average[:, other] = NEVER
        group[group == other] = one
    return np.unique(group[blocks], return_inverse=True)[1]
