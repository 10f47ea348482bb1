"""Cannot-links: a cluster that holds some in, groups of mentions that hold none out.

Two mentions cannot be one if they state different years, amounts, weekdays, months, countries, genders or full names,
or if one possesses the other. Two events cannot if their circumstances exclude each other
(:class:`cdcoref.circumstances.CircumstanceTables`). Such a pair has a probability of almost nothing, which keeps most
of them apart. But linkage looks at the mean over all pairs, so two clusters that agree in everything else may be merged
all the same. A cluster with a cannot-link is divided here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from cdcoref.circumstances import CircumstanceTables
from cdcoref.language import NO_FACTS, StatedFacts, in_conflict

Members = list[int]
MOST_ODD_ONES = 0.2
"""The share of a cluster that may leave it one by one; more are divided from it as groups."""
Pairs = Mapping[int, frozenset[int]]
"""By mention, those that it cannot be one with; both mentions of a pair have the other."""


@dataclass(frozen=True, slots=True)
class CannotLinks:
    """Which mentions cannot be in one cluster.

    Attributes
    ----------
    stated
        By mention, the facts that it states; mentions with facts in conflict cannot.
    pairs
        Further pairs that cannot.
    """

    stated: Mapping[int, StatedFacts]
    pairs: Pairs = field(default_factory=dict)

    def with_circumstances(self, circumstances: CircumstanceTables, labels: NDArray[np.integer]) -> CannotLinks:
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
        return CannotLinks(self.stated, {one: frozenset(others) for one, others in pairs.items()})

    def group(self, members: Iterable[int]) -> _Group:
        """What mentions rule out together."""
        group = _Group(set(), set(), set())
        for member in members:
            if any(own := self.stated.get(member, NO_FACTS)):
                group.stated.add(own)
            if member in self.pairs:
                group.bound.add(member)
                group.excluded |= self.pairs[member]
        return group

    def holds_conflict(self, members: Sequence[int]) -> bool:
        """Whether two of the mentions cannot be in one cluster."""
        group = self.group(members)
        return not group.bound.isdisjoint(group.excluded) or any(
            in_conflict(one, other) for one, other in combinations(group.stated, 2)
        )


@dataclass(slots=True)
class _Group:
    """Mentions of one cluster: what they state, those of them with pairs of their own, and whom these exclude."""

    stated: set[StatedFacts]
    bound: set[int]
    excluded: set[int]

    def conflicts(self, other: _Group) -> bool:
        if not self.excluded.isdisjoint(other.bound):
            return True
        return any(in_conflict(mine, theirs) for mine, theirs in product(self.stated, other.stated))

    def add(self, other: _Group) -> None:
        self.stated |= other.stated
        self.bound |= other.bound
        self.excluded |= other.excluded


def with_conflicts(labels: Sequence[int], order: Sequence[int], links: CannotLinks) -> list[Members]:
    """The clusters that hold a cannot-link.

    Parameters
    ----------
    labels
        The cluster of every mention.
    order
        The order in which the members of a cluster are given.
    links
        Which mentions cannot be in one cluster.
    """
    found: dict[int, Members] = defaultdict(list)
    for number in order:
        found[labels[number]].append(number)
    return [members for members in found.values() if len(members) > 1 and links.holds_conflict(members)]


def odd_ones(members: Sequence[int], links: CannotLinks, looking_back: frozenset[int]) -> frozenset[int]:
    """The few members of a cluster that look back to another happening than the others; none if they are not few.

    "The 2007 ceremony" among thirty mentions of this year's: it leaves alone, and takes nothing along that is like it.

    Parameters
    ----------
    members
        In an order that does not depend on that of files.
    links
        Which mentions cannot be in one cluster.
    looking_back
        The mentions that may be odd (:attr:`cdcoref.circumstances.CircumstanceTables.looks_back`).
    """
    inside = set(members)
    found = [
        member
        for member in members
        if member in looking_back and not inside.isdisjoint(links.pairs.get(member, frozenset()))
    ]
    return frozenset(found) if len(found) <= len(members) * MOST_ODD_ONES else frozenset()


def divide(
    members: Sequence[int],
    merges: Iterable[tuple[int, int]],
    links: CannotLinks,
    scores: Mapping[tuple[int, int], float],
    odd: frozenset[int] = frozenset(),
) -> list[Members]:
    """The groups of the members of a cluster that holds a cannot-link; the groups hold none.

    The cluster falls apart where a merge brought a conflict into it. Then, as long as two of its parts do not conflict,
    the two of them that corefer most probably in the mean become one again.

    Parameters
    ----------
    members
        In an order that does not depend on that of files.
    merges
        The merges that made the cluster, the nearest first: a member of either side.
    links
        Which mentions cannot be in one cluster.
    scores
        Probability that two members corefer, by their numbers; 0 if there is none.
    odd
        Members that leave first, each alone (:func:`odd_ones`).

    Returns
    -------
    list
        In the order of their first members, members of each in their order.
    """
    parts = _parts(members, merges, links, odd)
    groups = [links.group(part) for part in parts]
    possible = np.array([[mine is not other and not mine.conflicts(other) for other in groups] for mine in groups])
    place = {member: number for number, part in enumerate(parts) for member in part}
    probable = np.zeros((len(parts), len(parts)))
    for (one, other), score in scores.items():
        probable[place[one], place[other]] += score
        probable[place[other], place[one]] += score
    sizes = np.array([len(part) for part in parts])
    mean = np.where(possible, _rounded(probable / np.outer(sizes, sizes)), -1.0)
    nearest = mean.argmax(axis=1)
    rows = np.arange(len(parts))
    while (best := mean[rows, nearest]).max() >= 0:
        one, other = sorted((int(best.argmax()), int(nearest[best.argmax()])))
        parts[one], parts[other] = parts[one] + parts[other], []
        sizes[one] += sizes[other]
        probable[one] += probable[other]
        possible[one] &= possible[other]
        probable[:, one], possible[:, one] = probable[one], possible[one]
        mean[other] = mean[:, other] = -1.0
        possible[:, other] = False
        mean[one] = mean[:, one] = np.where(possible[one], _rounded(probable[one] / (sizes[one] * sizes)), -1.0)
        nearest[mean[:, one] > mean[rows, nearest]] = one
        stale = (nearest == one) | (nearest == other)
        stale[one] = True
        nearest[stale] = mean[stale].argmax(axis=1)
    rank = {member: number for number, member in enumerate(members)}
    found = [sorted(part, key=rank.__getitem__) for part in parts if part]
    return sorted(found, key=lambda group: rank[group[0]])


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


def _parts(
    members: Sequence[int], merges: Iterable[tuple[int, int]], links: CannotLinks, odd: frozenset[int]
) -> list[Members]:
    """The largest clusters without a conflict on the way to one cluster, in the order of their first members."""
    above = {member: member for member in members}
    whole = {member: [] if member in odd else [member] for member in members}
    groups = {member: links.group(own) for member, own in whole.items()}
    parts: list[Members] = [[member] for member in members if member in odd]
    for pair in merges:
        one, other = (_root(above, member) for member in pair)
        above[other] = one
        mine, theirs = whole.pop(one, None), whole.pop(other, None)
        if mine is not None and theirs is not None and not groups[one].conflicts(groups[other]):
            whole[one] = mine + theirs
            groups[one].add(groups[other])
        else:
            parts += [part for part in (mine, theirs) if part]
    rank = {member: number for number, member in enumerate(members)}
    return sorted([*parts, *filter(None, whole.values())], key=lambda part: min(rank[member] for member in part))


def _root(above: dict[int, int], member: int) -> int:
    while above[member] != member:
        above[member] = above[above[member]]
        member = above[member]
    return member


def _rounded(means: NDArray[np.float64]) -> NDArray[np.float64]:
    """So that the order in which scores were added does not decide between equal ones."""
    return np.round(means, 9)
