"""Clusters that cannot be right: one in, groups of mentions that do not contradict each other out.

Two mentions conflict that name different years, amounts, weekdays, months or full names. Such a pair has a probability
of almost nothing, which keeps most of them apart. But linkage looks at the mean over all pairs, so two clusters that
agree in everything else may be merged all the same. A cluster that holds a conflict is divided here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from cdcoref.language import MentionWords, StatedFacts, in_conflict

Members = list[int]


def with_conflicts(labels: Sequence[int], order: Sequence[int], words: Mapping[int, MentionWords]) -> list[Members]:
    """The clusters in which something conflicts.

    Parameters
    ----------
    labels
        The cluster of every mention.
    order
        The order in which the members of a cluster are given.
    words
        By mention; one without words conflicts with none.
    """
    found: dict[int, Members] = defaultdict(list)
    named: dict[int, dict[StatedFacts, None]] = defaultdict(dict)
    for number in order:
        found[labels[number]].append(number)
        if number in words and any(own := words[number].stated):
            named[labels[number]][own] = None
    return [found[label] for label, own in named.items() if _conflict(own)]


def divided(
    members: Sequence[int],
    merges: Iterable[tuple[int, int]],
    words: Mapping[int, MentionWords],
    scores: Mapping[tuple[int, int], float],
) -> list[Members]:
    """The groups of the members of a cluster in which something conflicts.

    The cluster falls apart where a merge brought a conflict into it. Then, as long as two of its parts do not conflict,
    the two of them that corefer most probably in the mean become one again.

    Parameters
    ----------
    members
        In an order that does not depend on that of files.
    merges
        The merges that made the cluster, the nearest first: a member of either side.
    words
        Of the members.
    scores
        Probability that two members corefer, by their numbers; 0 if there is none.

    Returns
    -------
    list
        In the order of their first members, members of each in their order.
    """
    parts = _parts(members, merges, words)
    named = [_particulars(part, words) for part in parts]
    possible = np.array([[mine is not other and not _contradict(mine, other) for other in named] for mine in named])
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
    groups = [sorted(part, key=rank.__getitem__) for part in parts if part]
    return sorted(groups, key=lambda group: rank[group[0]])


def _parts(
    members: Sequence[int], merges: Iterable[tuple[int, int]], words: Mapping[int, MentionWords]
) -> list[Members]:
    """The largest clusters without a conflict on the way to one cluster, in the order of their first members."""
    above = {member: member for member in members}
    whole = {member: [member] for member in members}
    named = {member: _particulars([member], words) for member in members}
    parts: list[Members] = []
    for pair in merges:
        one, other = (_root(above, member) for member in pair)
        above[other] = one
        mine, theirs = whole.pop(one, None), whole.pop(other, None)
        if mine is not None and theirs is not None and not _contradict(named[one], named[other]):
            whole[one] = mine + theirs
            named[one] |= named[other]
        else:
            parts += [part for part in (mine, theirs) if part is not None]
    rank = {member: number for number, member in enumerate(members)}
    return sorted([*parts, *whole.values()], key=lambda part: min(rank[member] for member in part))


def _root(above: dict[int, int], member: int) -> int:
    while above[member] != member:
        above[member] = above[above[member]]
        member = above[member]
    return member


def _particulars(members: Iterable[int], words: Mapping[int, MentionWords]) -> set[StatedFacts]:
    return {own for member in members if any(own := words[member].stated)}


def _contradict(some: Iterable[StatedFacts], others: Iterable[StatedFacts]) -> bool:
    return any(in_conflict(one, other) for one, other in product(some, others))


def _rounded(means: NDArray[np.float64]) -> NDArray[np.float64]:
    """So that the order in which scores were added does not decide between equal ones."""
    return np.round(means, 9)


def _conflict(named: Iterable[StatedFacts]) -> bool:
    return any(in_conflict(one, other) for one, other in combinations(named, 2))
