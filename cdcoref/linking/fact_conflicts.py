"""Facts that exclude each other as cannot-links: mentions of one cluster in, which of them cannot be one out.

Two mentions cannot be one if they state different years, amounts, weekdays, months, countries, genders or full names,
if one possesses the other, or if they are two nouns of one clause. Two events cannot if their circumstances exclude
each other (:class:`cdcoref.circumstances.CircumstanceTables`). Such a pair has a probability of almost nothing, which
keeps most of them apart. But linkage looks at the mean over all pairs, so two clusters that agree in everything else
may be merged all the same. A cluster with a cannot-link is divided afterwards (:mod:`cdcoref.clustering.constraints`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from cdcoref.circumstances import CircumstanceTables
from cdcoref.clustering import CannotLinks
from cdcoref.language import NO_FACTS, StatedFacts, in_conflict

MOST_ODD_ONES = 0.2
"""The share of a cluster that may leave it one by one; more are divided from it as groups."""


@dataclass(frozen=True, slots=True)
class MentionConflicts:
    """Which mentions cannot be in one cluster.

    Attributes
    ----------
    stated
        By mention, the facts that it states; mentions with facts in conflict cannot.
    pairs
        By mention, others that it cannot be in one cluster with; both mentions of a pair have the other.
    """

    stated: Mapping[int, StatedFacts]
    pairs: Mapping[int, frozenset[int]] = field(default_factory=dict)

    def with_circumstances(self, circumstances: CircumstanceTables, labels: NDArray[np.integer]) -> MentionConflicts:
        """The same, and also pairs of events of one cluster that differ in when, where or how many.

        Parameters
        ----------
        circumstances
            Of all mentions.
        labels
            The cluster of every mention. *Shape:* (mentions,)
        """
        first, second = _pairs_within(labels)
        differ = circumstances.conflicts(first, second)
        pairs: defaultdict[int, set[int]] = defaultdict(set)
        for one, other in zip(first[differ].tolist(), second[differ].tolist(), strict=True):
            pairs[one].add(other)
            pairs[other].add(one)
        for one, others in self.pairs.items():
            pairs[one] |= others
        return MentionConflicts(self.stated, {one: frozenset(others) for one, others in pairs.items()})

    def within(self, members: Sequence[int]) -> CannotLinks | None:
        """The cannot-links between the members of a cluster, by their positions; None if there are none."""
        facts: dict[StatedFacts, int] = {NO_FACTS: 0}
        classes: dict[tuple[int, int], int] = {}
        class_of = []
        for member in members:
            number = facts.setdefault(self.stated.get(member, NO_FACTS), len(facts))
            key = number, member if member in self.pairs else -1
            class_of.append(classes.setdefault(key, len(classes)))
        excluded = np.zeros((len(facts), len(facts)), dtype=bool)
        for (mine, one), (theirs, other) in combinations(list(facts.items())[1:], 2):
            excluded[one, other] = excluded[other, one] = in_conflict(mine, theirs)
        rows = [number for number, _ in classes]
        conflicting = excluded[np.ix_(rows, rows)]
        own = {member: place for (_, member), place in classes.items() if member >= 0}
        for member, place in own.items():
            conflicting[place, [own[other] for other in self.pairs[member] if other in own]] = True
        return CannotLinks(np.array(class_of), conflicting) if conflicting.any() else None


def odd_ones(members: Sequence[int], conflicts: MentionConflicts, looking_back: frozenset[int]) -> frozenset[int]:
    """The few members of a cluster that look back to another happening than the others; none if they are not few.

    "The 2007 ceremony" among thirty mentions of this year's: it leaves alone, and takes nothing along that is like it.

    Parameters
    ----------
    members
        In an order that does not depend on that of files.
    conflicts
        Which mentions cannot be in one cluster.
    looking_back
        The mentions that may be odd (:attr:`cdcoref.circumstances.CircumstanceTables.looks_back`).
    """
    inside = set(members)
    found = [
        member
        for member in members
        if member in looking_back and not inside.isdisjoint(conflicts.pairs.get(member, frozenset()))
    ]
    return frozenset(found) if len(found) <= len(members) * MOST_ODD_ONES else frozenset()


def _pairs_within(labels: NDArray[np.integer]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """All pairs of mentions of one cluster, the smaller number first. *Shapes:* (pairs,)"""
    order = np.argsort(labels, kind="stable")
    ends = np.flatnonzero(np.diff(labels[order])) + 1
    firsts, seconds = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for members in np.split(order, ends):
        if len(members) > 1:
            one, other = np.triu_indices(len(members), 1)
            firsts.append(members[one])
            seconds.append(members[other])
    return np.concatenate(firsts), np.concatenate(seconds)
