"""Clusters that cannot be right: one in, groups of mentions that do not contradict each other out.

Two mentions conflict that name different years, amounts, weekdays, months or full names. Such a pair has a probability
of almost nothing, which keeps most of them apart. But linkage looks at the mean over all pairs, so two clusters that
agree in everything else may be merged all the same. A cluster that holds a conflict is divided here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

from cdcoref.particulars import Particulars, in_conflict
from cdcoref.words import MentionWords

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
    named: dict[int, dict[Particulars, None]] = defaultdict(dict)
    for number in order:
        found[labels[number]].append(number)
        if number in words and any(own := words[number].particulars):
            named[labels[number]][own] = None
    return [found[label] for label, own in named.items() if _conflict(own)]


def divided(
    members: Sequence[int], words: Mapping[int, MentionWords], scores: Mapping[tuple[int, int], float]
) -> list[Members]:
    """The groups of the members of a cluster in which something conflicts.

    Members with particulars each join the group without conflict with which they corefer most probably, or begin one,
    in their order; then each of the others joins the most probable group.

    Parameters
    ----------
    members
        In an order that does not depend on that of files.
    words
        Of the members.
    scores
        Probability that two members corefer, the smaller number first; 0 if there is none.
    """
    groups: list[Members] = []
    named: list[dict[Particulars, None]] = []
    for number in members:
        own = words[number].particulars
        if any(own):
            possible = [n for n, others in enumerate(named) if not any(in_conflict(own, other) for other in others)]
            if possible:
                place = max(possible, key=lambda n: _mean(number, groups[n], scores))
            else:
                place = len(groups)
                groups.append([])
                named.append({})
            groups[place].append(number)
            named[place][own] = None
    with_particulars = [list(group) for group in groups]
    for number in members:
        if not any(words[number].particulars):
            place = max(range(len(groups)), key=lambda n: _mean(number, with_particulars[n], scores))
            groups[place].append(number)
    return groups


def _conflict(named: Iterable[Particulars]) -> bool:
    return any(in_conflict(one, other) for one, other in combinations(named, 2))


def _mean(number: int, group: Sequence[int], scores: Mapping[tuple[int, int], float]) -> float:
    pairs = ((min(number, other), max(number, other)) for other in group)
    return sum(scores.get(pair, 0.0) for pair in pairs) / len(group)
