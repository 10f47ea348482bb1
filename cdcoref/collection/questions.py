"""The least sure decisions of a story: clusters and probabilities in, pairs of mentions to ask people about out.

A decision is a merge that was made (a mention and the rest of its cluster) or one that was not (two clusters). It is
the less sure, the nearer the mean probability of the pairs across the two sides is to the one above which clusters are
merged. A decision about which people have said something is not asked about again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cdcoref.collection.constraints import Constraints
from cdcoref.collection.story import Scores

QUESTIONS_A_STORY = 50
LEAST_PROBABILITY = 0.05
"""Clusters whose mean probability is below this are not asked about."""


class Decision(NamedTuple):
    """A decision, as a pair of mentions that stands for it.

    Attributes
    ----------
    first, second
        Numbers of the mentions: of all pairs across the two sides the most probable one.
    together
        Whether they are in one cluster.
    probability
        The mean over the pairs across the two sides.
    doubt
        1 at the probability above which clusters are merged, less the farther from it.
    """

    first: int
    second: int
    together: bool
    probability: float
    doubt: float


def least_sure(labels: np.ndarray, scores: Scores, above: np.ndarray, constraints: Constraints) -> list[Decision]:
    """Decisions, the least sure first.

    Parameters
    ----------
    labels
        The cluster of every mention. *Shape:* (mentions,)
    scores
        Probabilities of pairs; a pair that was not compared counts as 0.
    above
        The probability above which the clusters of each mention's kind are merged. *Shape:* (mentions,)
    constraints
        What people have said.
    """
    within = labels[scores.first] == labels[scores.second]
    decisions = [
        *_merges(labels, scores, within, above, constraints),
        *_non_merges(labels, scores, ~within, above, constraints),
    ]
    return sorted(decisions, key=lambda d: (-d.doubt, d.first, d.second))


def _merges(
    labels: np.ndarray, scores: Scores, chosen: np.ndarray, above: np.ndarray, constraints: Constraints
) -> list[Decision]:
    """Of every cluster the mention that fits the least, with the other that it resembles most."""
    one = np.concatenate([scores.first[chosen], scores.second[chosen]])
    other = np.concatenate([scores.second[chosen], scores.first[chosen]])
    probability = np.concatenate([scores.probability[chosen]] * 2)
    if not len(one):
        return []
    size = np.bincount(labels)[labels]
    mean = np.bincount(one, probability, len(labels)) / np.maximum(size - 1, 1)
    best = np.lexsort((other, -probability, one))
    best = best[np.unique(one[best], return_index=True)[1]]
    answered = {mention for pair in constraints.together for mention in pair}
    weakest: dict[int, Decision] = {}
    for pair in best.tolist():
        mention, partner = int(one[pair]), int(other[pair])
        if mention in answered:
            continue
        decision = Decision(
            mention, partner, True, float(mean[mention]), float(1 - abs(mean[mention] - above[mention]))
        )
        label = int(labels[mention])
        if label not in weakest or decision.probability < weakest[label].probability:
            weakest[label] = decision
    return list(weakest.values())


def _non_merges(
    labels: np.ndarray, scores: Scores, chosen: np.ndarray, above: np.ndarray, constraints: Constraints
) -> list[Decision]:
    """Of every two clusters with compared mentions the pair that is most probably the same."""
    first, second, probability = scores.first[chosen], scores.second[chosen], scores.probability[chosen]
    if not len(first):
        return []
    low = np.minimum(labels[first], labels[second])
    high = np.maximum(labels[first], labels[second])
    code = low * (int(labels.max()) + 1) + high
    order = np.lexsort((second, first, -probability, code))
    _, starts = np.unique(code[order], return_index=True)
    total = np.add.reduceat(probability[order], starts)
    best = order[starts]
    size = np.bincount(labels)
    mean = total / (size[low[best]] * size[high[best]])
    answered = {tuple(sorted((int(labels[a]), int(labels[b])))) for a, b in constraints.apart}
    decisions = []
    for pair, value in zip(best.tolist(), mean.tolist(), strict=True):
        if value >= LEAST_PROBABILITY and (int(low[pair]), int(high[pair])) not in answered:
            mention = int(first[pair])
            decisions.append(Decision(mention, int(second[pair]), False, value, float(1 - abs(value - above[mention]))))
    return decisions
