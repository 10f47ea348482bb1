"""The least certain decisions of a story: clusters and probabilities in, pairs of mentions to ask people about out.

A decision is a merge that was made (a mention and the rest of its cluster) or one that was not (two clusters).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cdcoref.collection.corrected_clusters import Constraints

if TYPE_CHECKING:
    from cdcoref.linking import MentionLinks

QUESTIONS_A_STORY = 50
MIN_PROBABILITY = 0.05
"""Clusters whose mean probability is below this are not asked about."""


class UncertainDecision(NamedTuple):
    """A decision, as a pair of mentions that stands for it.

    `first`, `second`: Numbers of the mentions: of all pairs across the two sides the most probable one. `together`:
    Whether they are in one cluster. `probability`: The mean over the pairs across the two sides; of a pronoun, the
    probability of its antecedent. `doubt`: 1 at the probability above which clusters are merged, less the farther from
    it.
    """

    first: int
    second: int
    together: bool
    probability: float
    doubt: float


def least_sure(
    labels: np.ndarray,
    links: MentionLinks,
    confidence: np.ndarray,
    above: np.ndarray,
    corrections: Sequence[Constraints],
) -> list[UncertainDecision]:
    """Decisions, the least certain first.

    `labels` are the clusters of mentions, `confidence` how probably each belongs to its cluster, and `above` the
    probability above which it is merged with others. *Shapes:* (mentions,)
    """
    decisions = [
        *_merges(labels, links, confidence, above, corrections),
        *_non_merges(labels, links, above, corrections),
    ]
    return sorted(decisions, key=lambda d: (-d.doubt, d.first, d.second))


def _merges(
    labels: np.ndarray,
    links: MentionLinks,
    confidence: np.ndarray,
    above: np.ndarray,
    corrections: Sequence[Constraints],
) -> list[UncertainDecision]:
    """The mention of each cluster that fits worst, with the one that it resembles most or refers to."""
    compared = links.compared
    one = np.concatenate([compared.first, compared.second, links.pronouns])
    other = np.concatenate([compared.second, compared.first, links.candidates])
    probability = np.concatenate([compared.score, compared.score, links.probability])
    within = labels[one] == labels[other]
    one, other, probability = one[within], other[within], probability[within]
    best = np.lexsort((other, -probability, one))
    best = best[np.unique(one[best], return_index=True)[1]]
    answered = {mention for one in corrections for pair in one.must_links for mention in pair}
    weakest: dict[int, UncertainDecision] = {}
    for pair in best.tolist():
        mention, partner = int(one[pair]), int(other[pair])
        value = float(confidence[mention])
        if mention in answered or np.isnan(value):
            continue
        decision = UncertainDecision(mention, partner, True, value, 1 - abs(value - float(above[mention])))
        label = int(labels[mention])
        if label not in weakest or decision.probability < weakest[label].probability:
            weakest[label] = decision
    return list(weakest.values())


def _non_merges(
    labels: np.ndarray, links: MentionLinks, above: np.ndarray, corrections: Sequence[Constraints]
) -> list[UncertainDecision]:
    """Of every two clusters with compared mentions the pair that is most probably the same; and pronouns alone."""
    compared = links.compared
    across = labels[compared.first] != labels[compared.second]
    first, second, probability = compared.first[across], compared.second[across], compared.score[across]
    low = np.minimum(labels[first], labels[second])
    high = np.maximum(labels[first], labels[second])
    code = low * (int(labels.max()) + 1) + high
    order = np.lexsort((second, first, -probability, code))
    _, starts = np.unique(code[order], return_index=True)
    total = np.add.reduceat(probability[order], starts) if len(starts) else probability
    best = order[starts]
    size = np.bincount(labels[~links.refers], minlength=int(labels.max()) + 1)
    mean = total / (size[low[best]] * size[high[best]])
    alone = labels[links.pronouns] != labels[links.candidates]
    one = np.concatenate([first[best], links.pronouns[alone]]).tolist()
    other = np.concatenate([second[best], links.candidates[alone]]).tolist()
    value = np.concatenate([mean, links.probability[alone]]).tolist()
    answered = {frozenset((int(labels[a]), int(labels[b]))) for one in corrections for a, b in one.cannot_links}
    return [
        UncertainDecision(a, b, False, probability, 1 - abs(probability - float(above[a])))
        for a, b, probability in zip(one, other, value, strict=True)
        if probability >= MIN_PROBABILITY and frozenset((int(labels[a]), int(labels[b]))) not in answered
    ]
