"""Clusters in, the decisions that people should check out: probabilities near the threshold, and names that two people
may have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from cdcoref import linking
from cdcoref.circumstances import places_named
from cdcoref.corpus import ENTITY, Mention, mention_text
from cdcoref.reading import Readings
from cdcoref.reports import says_little

Pair = tuple[int, int]
EVEN = 0.5
"""The antecedent of a pronoun is in doubt, the nearer its probability is to this."""
MIN_PROBABILITY = 0.05
"""Clusters whose mean probability is below this are not asked about."""
TRIVIAL = 0.1
"""The share of its doubt that counts of a decision about dates, numbers or verbs of reporting."""
OPEN = 1.0
"""The doubt of a name that may be that of two people: nothing in the texts decides it."""


class UncertainDecision(NamedTuple):
    """A merge that was made (`together`) or not, by its most probable pair, with its mean probability and its doubt."""

    first: int
    second: int
    together: bool
    probability: float
    doubt: float


def uncertain_decisions(
    labels: np.ndarray,
    links: linking.MentionLinks,
    confidence: np.ndarray,
    above: np.ndarray,
    must_links: Sequence[Pair],
    cannot_links: Sequence[Pair],
    stories: Sequence[Readings],
) -> list[UncertainDecision]:
    """The decisions in doubt, the most doubtful first.

    `labels`: The clusters of the mentions of all stories. *Shape:* (mentions,)
    `confidence`: That each belongs to its cluster; NaN if unknown. *Shape:* (mentions,)
    `above`: The probability above which a mention's cluster is merged with others. *Shape:* (mentions,)
    `must_links`, `cannot_links`: What people have decided.
    """
    above = above.copy()
    above[links.pronouns] = EVEN
    mentions = [(mention, story) for story in stories for mention in story.corpus.mentions]
    found = _merges(labels, links, confidence, above, must_links)
    found += _non_merges(labels, links, above, cannot_links)
    found += list(_one_name(labels, confidence, must_links, mentions))
    little = [says_little(mention, story[mention.document].document) for mention, story in mentions]
    found = [
        decision._replace(doubt=decision.doubt * TRIVIAL)
        if little[decision.first] and little[decision.second]
        else decision
        for decision in found
    ]
    return sorted(found, key=lambda decision: (-decision.doubt, decision.first, decision.second))


def _doubt(probability: float, above: float) -> float:
    """1 where the probability is the one above which clusters are merged, 0 where it is 0 or 1.

    >>> _doubt(0.4, 0.4), _doubt(0.1, 0.4), round(_doubt(0.7, 0.4), 1)
    (1.0, 0.25, 0.5)
    """
    return probability / above if probability < above else (1 - probability) / (1 - above) if above < 1 else 1.0


def _one_name(
    labels: np.ndarray, confidence: np.ndarray, must_links: Sequence[Pair], mentions: Sequence[tuple[Mention, Readings]]
) -> Iterator[UncertainDecision]:
    """Of each person the full names in two documents that have no other name or event in common."""
    answered = {int(labels[mention]) for pair in must_links for mention in pair}
    people: dict[int, dict[str, int]] = {}
    shared: dict[str, set[int]] = {}
    for number, (mention, story) in enumerate(mentions):
        reading = story[mention.document]
        text = mention_text(mention, reading.document)
        if says_little(mention, reading.document) or places_named(text.split()):
            continue
        label = int(labels[number])
        is_name = text[:1].isupper()
        if mention.kind != ENTITY or is_name:
            shared.setdefault(mention.document, set()).add(label)
        if mention.kind == ENTITY and is_name and len(mention.tokens) > 1:
            head = reading.parse.head_of(mention.tokens)
            if reading.parse.entity_types[head] == "PERSON":
                people.setdefault(label, {}).setdefault(mention.document, number)
    for label, first_of in people.items():
        if label in answered:
            continue
        (one, first), *others = first_of.items()
        for other, second in others:
            if shared[one] & shared[other] <= {label}:
                yield UncertainDecision(first, second, True, float(np.nan_to_num(confidence[first], nan=1.0)), OPEN)
                break


def _merges(
    labels: np.ndarray,
    links: linking.MentionLinks,
    confidence: np.ndarray,
    above: np.ndarray,
    must_links: Sequence[Pair],
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
    answered = {mention for pair in must_links for mention in pair}
    weakest: dict[int, UncertainDecision] = {}
    for pair in best.tolist():
        mention, partner = int(one[pair]), int(other[pair])
        value = float(confidence[mention])
        if mention in answered or np.isnan(value):
            continue
        decision = UncertainDecision(mention, partner, True, value, _doubt(value, float(above[mention])))
        label = int(labels[mention])
        if label not in weakest or decision.probability < weakest[label].probability:
            weakest[label] = decision
    return list(weakest.values())


def _non_merges(
    labels: np.ndarray, links: linking.MentionLinks, above: np.ndarray, cannot_links: Sequence[Pair]
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
    answered = {frozenset((int(labels[a]), int(labels[b]))) for a, b in cannot_links}
    return [
        UncertainDecision(a, b, False, probability, _doubt(probability, float(above[a])))
        for a, b, probability in zip(one, other, value, strict=True)
        if probability >= MIN_PROBABILITY and frozenset((int(labels[a]), int(labels[b]))) not in answered
    ]
