"""Corrections as must-links and cannot-links: clusters that a model found in, clusters that obey people out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from cdcoref.clustering import CannotLinks, PairScores, connected, merge_blocks, with_followers

Pair = tuple[int, int]
Scores = Callable[[np.ndarray], np.ndarray]
"""Gives the symmetric scores (0 to 1) of some mentions. *Shapes:* (some,) to (some, some)"""


@dataclass(frozen=True, slots=True)
class Constraints:
    """The constraints of one correction: pairs of mentions, by their numbers."""

    must_links: tuple[Pair, ...] = ()
    cannot_links: tuple[Pair, ...] = ()


def constrained(
    labels: np.ndarray,
    constraints: Sequence[Constraints],
    scores: Scores,
    antecedents: Mapping[int, int] = MappingProxyType({}),
) -> np.ndarray:
    """The clusters that obey the constraints of every correction, in the order in which they were made.

    `labels` are the clusters of mentions. *Shape:* (mentions,), as the result. `antecedents` are those of pronouns that
    are in the clusters of their antecedents.
    """
    labels = labels.copy()
    must, cannot = _pairs(one.must_links for one in constraints), _pairs(one.cannot_links for one in constraints)
    ends = np.cumsum([(len(one.must_links), len(one.cannot_links)) for one in constraints], axis=0, dtype=np.int64)
    place = np.full(len(labels), -1, dtype=np.int64)
    for correction, (must_end, cannot_end) in zip(constraints, ends.tolist(), strict=True):
        before = labels.copy()
        for a, b in correction.must_links:
            if labels[a] != labels[b]:
                labels[labels == max(labels[a], labels[b])] = min(labels[a], labels[b])
        one, other = labels[cannot[:cannot_end]].T
        for label in np.unique(one[one == other]).tolist():
            members = np.flatnonzero(labels == label)
            place[:] = -1
            place[members] = np.arange(len(members))
            cannot_links = CannotLinks.of_pairs(len(members), _within(cannot[:cannot_end], place))
            blocks = connected(len(members), *_within(must[:must_end], place).T)
            links = _within(_pairs([[(n, antecedents[n]) for n in members.tolist() if n in antecedents]]), place)
            blocks = with_followers(blocks, cannot_links, links.tolist())
            counted = np.ones(len(members), dtype=bool)
            counted[links[:, 0]] = False
            parts = merge_blocks(blocks, cannot_links, _stored(scores(members)), before[members], counted)
            labels[members] = np.where(parts == 0, label, parts + int(labels.max()))
    return labels


def confirmed_groups(constraints: Iterable[Constraints], size: int) -> np.ndarray:
    """A number for every mention, equal for mentions that people confirmed to corefer. *Shape:* (size,)"""
    return connected(size, *_pairs(one.must_links for one in constraints).T)


def _pairs(parts: Iterable[Sequence[Pair]]) -> np.ndarray:
    """Pairs as an array. *Shape:* (pairs, 2)"""
    return np.array([pair for part in parts for pair in part], dtype=np.int64).reshape(-1, 2)


def _within(pairs: np.ndarray, place: np.ndarray) -> np.ndarray:
    """The pairs whose mentions both have a place, by their places. *Shape:* (pairs, 2)"""
    there = place[pairs]
    kept: np.ndarray = there[(there >= 0).all(axis=1)]
    return kept


def _stored(matrix: np.ndarray) -> PairScores:
    """The scores of a symmetric matrix that are above 0, each pair once."""
    first, second = np.nonzero(np.triu(matrix, 1))
    return PairScores(len(matrix), first, second, matrix[first, second])
