"""What is known about a pair of mentions besides the text: facts about mentions in, numbers from -1 to 1 out,
symmetric, of many pairs at once. The pair scorer learns their weights."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cdcoref.errors import InputError
from cdcoref.language.fact_tables import FactTables, Flags, Integers, Numbers, Rows, numbered
from cdcoref.language.mention_facts import MentionFacts

PREFIX_LENGTH = 3
"""Heads that share fewer letters at their beginning share nothing."""


class MentionPairs:
    """Pairs of mentions whose features are asked for; what several features need is computed once."""

    def __init__(self, tables: FactTables, pairs: Integers) -> None:
        self.tables = tables
        self.first, self.second = pairs[:, 0], pairs[:, 1]

    def equal(self, numbers: Integers) -> Flags:
        """Where the two mentions have the same number. *Shape:* (mentions,) in, (pairs,) out"""
        return numbers[self.first] == numbers[self.second]

    def cosines(self, sentences: Rows) -> Numbers:
        """Cosines of the sentences of the two mentions, whose vectors have the length 1."""
        return np.minimum(sentences.products(self.first, self.second), np.float32(1.0))

    def of_both(self, numbers: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """The numbers of the first and of the second mentions. *Shape:* (mentions,) in, (pairs,) out"""
        return numbers[self.first], numbers[self.second]

    @cached_property
    def same_document(self) -> Flags:
        """Whether both are of one document."""
        return self.equal(self.tables.documents)

    @cached_property
    def same_head(self) -> Flags:
        """Whether their heads have one lemma."""
        return self.equal(self.tables.heads)

    @cached_property
    def lemmas(self) -> tuple[Numbers, Numbers, Numbers]:
        """How many lemmas they share, and how many either has."""
        lemmas = self.tables.lemmas
        return lemmas.shared(self.first, self.second), *self.of_both(lemmas.sizes)


def _rare_head(pairs: MentionPairs) -> NDArray[np.generic]:
    """The same head, and how few mentions of the sequence have it: 1 where these two alone do."""
    heads = pairs.tables.heads
    others = np.maximum(1, np.bincount(heads)[heads] - 1)
    return np.where(pairs.same_head, 1.0 / np.sqrt(others[pairs.first]), 0.0)


def _head_within(pairs: MentionPairs) -> NDArray[np.generic]:
    """The head of one is among the words of the other: 0.5, or 1 where both are."""
    lemmas, heads, of_mention = pairs.tables.lemmas, pairs.tables.different_heads, pairs.tables.heads
    one = lemmas.contain(pairs.first, heads, of_mention[pairs.second])
    other = lemmas.contain(pairs.second, heads, of_mention[pairs.first])
    return 0.5 * one + 0.5 * other


def _head_prefix(pairs: MentionPairs) -> NDArray[np.generic]:
    """How much of the longer head both begin with ("acquire", "acquisition")."""
    heads, of_mention = pairs.tables.different_heads, pairs.tables.heads
    beginnings = numbered(head[:PREFIX_LENGTH] for head in heads)[of_mention]
    alike = np.flatnonzero(pairs.equal(beginnings))
    one, other = of_mention[pairs.first[alike]], of_mention[pairs.second[alike]]
    codes, places = np.unique(one * len(heads) + other, return_inverse=True)
    found = [_prefix(heads[code // len(heads)], heads[code % len(heads)]) for code in codes.tolist()]
    result = np.zeros(len(pairs.first), dtype=np.float32)
    result[alike] = np.array(found, dtype=np.float32)[places]
    return result


def _overlap(pairs: MentionPairs) -> NDArray[np.generic]:
    shared, one, other = pairs.lemmas
    return shared / np.maximum(1, np.minimum(one, other))


def _jaccard(pairs: MentionPairs) -> NDArray[np.generic]:
    shared, one, other = pairs.lemmas
    return shared / np.maximum(1, one + other - shared)


def _one_pronoun(pairs: MentionPairs) -> NDArray[np.generic]:
    one, other = pairs.of_both(pairs.tables.pronouns > 0)
    return one != other


def _two_pronouns(pairs: MentionPairs) -> NDArray[np.generic]:
    """Both are pronouns: 1 where they are of one class ("he", "his"), else -1."""
    one, other = pairs.of_both(pairs.tables.pronouns > 0)
    alike = np.where(pairs.equal(pairs.tables.pronouns), 1.0, -1.0)
    return np.where(one & other, alike, 0.0)


def _both_definite(pairs: MentionPairs) -> NDArray[np.generic]:
    one, other = pairs.of_both(pairs.tables.definite)
    return (one > 0) & (other > 0)


def _one_indefinite(pairs: MentionPairs) -> NDArray[np.generic]:
    one, other = pairs.of_both(pairs.tables.definite)
    return (one < 0) | (other < 0)


def _one_modified(pairs: MentionPairs) -> NDArray[np.generic]:
    one, other = pairs.of_both(pairs.tables.modifiers.sizes + pairs.tables.complements.sizes)
    return (one > 0) != (other > 0)


def _closeness(pairs: MentionPairs) -> NDArray[np.generic]:
    """1 in one sentence, less the more sentences lie between, 0 in different documents."""
    one, other = pairs.of_both(pairs.tables.sentences.astype(np.float32))
    between = np.abs(one - other)
    return np.where(pairs.same_document, 1.0 / (1.0 + np.log1p(between)), 0.0)


def _nested(pairs: MentionPairs) -> NDArray[np.generic]:
    start, other_start = pairs.of_both(pairs.tables.starts)
    end, other_end = pairs.of_both(pairs.tables.ends)
    within = ((start <= other_start) & (other_end <= end)) | ((other_start <= start) & (end <= other_end))
    return pairs.same_document & within


class Feature(NamedTuple):
    """A feature of pairs.

    `evidence`: Whether it states agreement (above 0) and conflict (below 0), so that a higher value never lowers the
        probability of coreference; otherwise it only describes the pair.
    `prior`: What a value of 1 adds to the logit where training has too few pairs to learn it from.
    """

    of_pairs: Callable[[MentionPairs], NDArray[np.generic]]
    evidence: bool = False
    prior: float = 0.0


FEATURES: dict[str, Feature] = {
    "same_words": Feature(lambda pairs: pairs.equal(pairs.tables.words), True),  # but for determiners
    "same_head": Feature(lambda pairs: pairs.same_head, True),
    "rare_head": Feature(_rare_head, True),
    "head_within": Feature(_head_within, True),
    "head_prefix": Feature(_head_prefix, True),
    "overlap": Feature(_overlap, True),
    "jaccard": Feature(_jaccard, True),
    "names": Feature(lambda pairs: pairs.tables.names.agreement(pairs.first, pairs.second), True, 1.0),
    "numbers": Feature(lambda pairs: pairs.tables.numbers.agreement(pairs.first, pairs.second), True, 1.0),
    "years": Feature(lambda pairs: pairs.tables.years.agreement(pairs.first, pairs.second), True, 1.0),
    "dates": Feature(lambda pairs: pairs.tables.dates.agreement(pairs.first, pairs.second), True, 1.0),
    "one_pronoun": Feature(_one_pronoun),
    "two_pronouns": Feature(_two_pronouns, True),
    "both_definite": Feature(_both_definite),
    "one_indefinite": Feature(_one_indefinite),
    "same_document": Feature(lambda pairs: pairs.same_document),
    "closeness": Feature(_closeness),
    "same_sentence": Feature(lambda pairs: pairs.same_document & pairs.equal(pairs.tables.sentences)),
    "nested": Feature(_nested),
    "sentences": Feature(lambda pairs: pairs.cosines(pairs.tables.sentence_lemmas)),
    "sentence_names": Feature(lambda pairs: pairs.cosines(pairs.tables.sentence_names)),
    "modifiers": Feature(lambda pairs: pairs.tables.modifiers.agreement(pairs.first, pairs.second), True),
    "complements": Feature(lambda pairs: pairs.tables.complements.agreement(pairs.first, pairs.second), True),
    "one_modified": Feature(_one_modified),
}
"""By name; a saved model refers to these names, so a name never changes its meaning."""


def conflicts(mentions: FactTables, pairs: Integers) -> Flags:
    """Which pairs cannot corefer, by what they state. *Shape:* (pairs, 2) in, (pairs,) out"""
    first, second = pairs[:, 0], pairs[:, 1]
    values = [sets.agreement(first, second) < 0 for sets in mentions.values]
    return np.any([*values, mentions.different_names(first, second)], axis=0)


def check_features(names: Iterable[str]) -> None:
    """Refuse the name of a feature that does not exist."""
    for name in names:
        if name not in FEATURES:
            raise InputError(f"features has {name!r}, which is no feature; cdcoref.language.FEATURES has their names")


def pair_features(names: Sequence[str], mentions: Sequence[MentionFacts] | FactTables, pairs: Integers) -> Numbers:
    """The features of pairs, in the order of `names`.

    `pairs` are positions in `mentions` (*Shape:* (pairs, 2)), which are given as tables if several calls ask for them.
    *Shape:* (pairs, features)
    """
    table = np.zeros((len(pairs), len(names)), dtype=np.float32)
    if len(pairs):
        tables = mentions if isinstance(mentions, FactTables) else FactTables(mentions)
        compared = MentionPairs(tables, pairs)
        for column, name in enumerate(names):
            table[:, column] = FEATURES[name].of_pairs(compared)
    return table


def _prefix(one: str, other: str) -> float:
    """Letters that both begin with, as a share of the longer; 0 for fewer than `PREFIX_LENGTH`."""
    shared = 0
    for letter, same in zip(one, other, strict=False):
        if letter != same:
            break
        shared += 1
    return shared / max(len(one), len(other)) if shared >= PREFIX_LENGTH else 0.0
