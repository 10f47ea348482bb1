"""Clusters that cannot be right: one in, groups without different years, amounts, weekdays or months out.

Pairs of mentions that conflict have a probability of almost nothing, which keeps most of them apart. But average
linkage looks at the mean over all pairs, so two clusters that agree in everything else may be merged all the same. What
is then in one cluster is divided among the values that conflict.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

from cdcoref.words import MentionWords, Values, in_conflict

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
    values: dict[int, dict[Values, None]] = defaultdict(dict)
    for number in order:
        found[labels[number]].append(number)
        if number in words and any(words[number].values):
            values[labels[number]][words[number].values] = None
    return [found[label] for label, own in values.items() if _conflict(own)]


def divided(
    members: Sequence[int], words: Mapping[int, MentionWords], scores: Mapping[tuple[int, int], float]
) -> list[Members]:
    """The groups of the members of a cluster in which something conflicts.

    Members that name a value each join the group without conflict with which they corefer most probably, or begin one,
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
    values: list[dict[Values, None]] = []
    for number in members:
        own = words[number].values
        if any(own):
            possible = [n for n, named in enumerate(values) if not any(in_conflict(own, other) for other in named)]
            if possible:
                place = max(possible, key=lambda n: _mean(number, groups[n], scores))
            else:
                place = len(groups)
                groups.append([])
                values.append({})
            groups[place].append(number)
            values[place][own] = None
    with_values = [list(group) for group in groups]
    for number in members:
        if not any(words[number].values):
            place = max(range(len(groups)), key=lambda n: _mean(number, with_values[n], scores))
            groups[place].append(number)
    return groups


def _conflict(values: Iterable[Values]) -> bool:
    return any(in_conflict(one, other) for one, other in combinations(values, 2))


def _mean(number: int, group: Sequence[int], scores: Mapping[tuple[int, int], float]) -> float:
    pairs = ((min(number, other), max(number, other)) for other in group)
    return sum(scores.get(pair, 0.0) for pair in pairs) / len(group)
