"""What is known about a pair of mentions besides the text that the encoder reads: traits of mentions in, numbers out.

Which features a model uses is part of its configuration, by name; a new one is a function below with its name in
`FEATURES`. Each is symmetric, from -1 to 1, and computed for all pairs of a sequence at once. They are told to the
pair scorer, which learns what they mean; none of them is a rule.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cdcoref.errors import InputError
from cdcoref.sequences.traits import Traits

Integers = NDArray[np.int64]
Numbers = NDArray[np.float32]

PREFIX_LENGTH = 3
"""Heads that share fewer letters at their beginning share nothing."""
DENSE_SENTENCES = 2000
"""Up to so many sentences, all are compared at once."""
PAIRS_AT_ONCE = 100_000
PRIOR_DOCUMENTS = 200
PRIOR_RATE = 0.02
"""Smoothing of document frequencies: so many imaginary documents, in each of which a word occurs at this rate."""


class MentionPairs:
    """Pairs of mentions whose features are asked for; what several features need is computed once.

    Parameters
    ----------
    mentions
        What is known of every mention.
    pairs
        Positions in `mentions`. *Shape:* (pairs, 2)
    """

    def __init__(self, mentions: Sequence[Traits], pairs: Integers) -> None:
        self.mentions = mentions
        self.first, self.second = pairs[:, 0], pairs[:, 1]

    def equal(self, values: Iterable[Hashable]) -> NDArray[np.bool_]:
        """Where the two mentions have the same value; `values` has one for every mention."""
        numbers = _numbered(values)
        return numbers[self.first] == numbers[self.second]

    def of_both(self, values: Iterable[float]) -> tuple[Numbers, Numbers]:
        """The numbers of the first mentions and those of the second."""
        array = np.fromiter(values, dtype=np.float32, count=len(self.mentions))
        return array[self.first], array[self.second]

    def shared(self, sets: Sequence[frozenset[str]]) -> tuple[Numbers, Numbers, Numbers]:
        """How much two sets share, and the sizes of both."""
        columns: dict[str, int] = {}
        table = np.zeros((len(sets), len({word for words in sets for word in words}) or 1), dtype=np.float32)
        for row, words in enumerate(sets):
            for word in words:
                table[row, columns.setdefault(word, len(columns))] = 1.0
        sizes = table.sum(axis=1)
        return (table @ table.T)[self.first, self.second], sizes[self.first], sizes[self.second]

    def agreement(self, sets: Sequence[frozenset[str]]) -> Numbers:
        """1: one set lies in the other; 0.3: they share something; -1: they share nothing; 0: one is empty."""
        if not any(sets):
            return np.zeros(len(self.first), dtype=np.float32)
        shared, one, other = self.shared(sets)
        value = np.where(shared == 0, -1.0, np.where(shared == np.minimum(one, other), 1.0, 0.3))
        return np.where((one > 0) & (other > 0), value, 0.0).astype(np.float32)

    def sentence_cosines(self, words: Callable[[Traits], frozenset[str]]) -> Numbers:
        """Cosines of the two sentences by some of their words; a word counts more, the fewer documents have it."""
        from scipy.sparse import csr_array

        places = [(m.document, m.sentence) for m in self.mentions]
        sentences = dict(zip(places, self.mentions, strict=True))
        row = {place: number for number, place in enumerate(sentences)}
        said = [words(mention) for mention in sentences.values()]
        columns = {word: number for number, word in enumerate(sorted(frozenset().union(*said)))}
        entries = [sorted(columns[word] for word in own) for own in said]
        documents = _numbered(document for document, _ in sentences)
        lengths = np.array([len(entry) for entry in entries])
        flat = np.array([column for entry in entries for column in entry], dtype=np.int64)
        rows = np.repeat(np.arange(len(entries)), lengths)
        seen = np.unique(documents[rows] * max(1, len(columns)) + flat) % max(1, len(columns))
        frequency = np.bincount(seen, minlength=len(columns))
        total = len(set(documents.tolist()))
        rarity = np.log((total + PRIOR_DOCUMENTS) / (frequency + PRIOR_DOCUMENTS * PRIOR_RATE)).astype(np.float32)
        size = np.sqrt(np.bincount(rows, rarity[flat] ** 2, minlength=len(entries)))
        values = rarity[flat] / np.maximum(size, 1e-9)[rows].astype(np.float32)
        table = csr_array((values, (rows, flat)), shape=(len(entries), max(1, len(columns))))
        own = np.array([row[place] for place in places], dtype=np.int64)
        one, other = own[self.first], own[self.second]
        if table.shape[0] <= DENSE_SENTENCES:
            return _at_most_one((table @ table.T).toarray()[one, other])
        parts = [slice(start, start + PAIRS_AT_ONCE) for start in range(0, len(one), PAIRS_AT_ONCE)]
        products: list[NDArray[np.generic]] = []
        for part in parts:
            products.append(np.asarray(table[one[part]].multiply(table[other[part]]).sum(axis=1)))
        return _at_most_one(np.concatenate([np.zeros(0), *products]))

    @cached_property
    def same_document(self) -> NDArray[np.bool_]:
        """Whether both are of one document."""
        return self.equal(m.document for m in self.mentions)

    @cached_property
    def same_head(self) -> NDArray[np.bool_]:
        """Whether their heads have one lemma."""
        return self.equal(m.words.head for m in self.mentions)

    @cached_property
    def lemmas(self) -> tuple[Numbers, Numbers, Numbers]:
        """How many lemmas they share, and how many either has."""
        return self.shared([m.words.lemmas for m in self.mentions])

    @cached_property
    def pronouns(self) -> tuple[Numbers, Numbers]:
        """1 where either is a pronoun."""
        return self.of_both(float(bool(m.words.pronoun)) for m in self.mentions)

    @cached_property
    def definite(self) -> tuple[Numbers, Numbers]:
        """See :class:`cdcoref.words.MentionWords`."""
        return self.of_both(m.words.definite for m in self.mentions)


def _same_words(pairs: MentionPairs) -> NDArray[np.generic]:
    """The same words, but for determiners."""
    return pairs.equal(m.words.words for m in pairs.mentions)


def _same_head(pairs: MentionPairs) -> NDArray[np.generic]:
    return pairs.same_head


def _rare_head(pairs: MentionPairs) -> NDArray[np.generic]:
    """The same head, and how few mentions of the sequence have it: 1 where these two alone do."""
    heads = _numbered(m.words.head for m in pairs.mentions)
    others = np.maximum(1, np.bincount(heads)[heads] - 1)
    return np.where(pairs.same_head, 1.0 / np.sqrt(others[pairs.first]), 0.0)


def _head_within(pairs: MentionPairs) -> NDArray[np.generic]:
    """The head of one is among the words of the other: 0.5, or 1 where both are."""
    heads = {head: n for n, head in enumerate(dict.fromkeys(m.words.head for m in pairs.mentions))}
    has = np.zeros((len(pairs.mentions), len(heads)), dtype=np.float32)
    for row, mention in enumerate(pairs.mentions):
        for word in mention.words.lemmas:
            if word in heads:
                has[row, heads[word]] = 0.5
    own = np.array([heads[m.words.head] for m in pairs.mentions], dtype=np.int64)
    return has[pairs.first, own[pairs.second]] + has[pairs.second, own[pairs.first]]


def _head_prefix(pairs: MentionPairs) -> NDArray[np.generic]:
    """How much of the longer head both begin with ("acquire", "acquisition")."""
    heads = list(dict.fromkeys(m.words.head for m in pairs.mentions))
    number = {head: n for n, head in enumerate(heads)}
    alike: dict[str, list[str]] = defaultdict(list)
    for head in heads:
        alike[head[:PREFIX_LENGTH]].append(head)
    table = np.zeros((len(heads), len(heads)), dtype=np.float32)
    for beginning, group in alike.items():
        if len(beginning) == PREFIX_LENGTH:
            for one in group:
                table[number[one], [number[other] for other in group]] = [_prefix(one, other) for other in group]
    own = np.array([number[m.words.head] for m in pairs.mentions], dtype=np.int64)
    return table[own[pairs.first], own[pairs.second]]


def _overlap(pairs: MentionPairs) -> NDArray[np.generic]:
    """The lemmas that both have, as a share of the shorter."""
    shared, one, other = pairs.lemmas
    return shared / np.maximum(1, np.minimum(one, other))


def _jaccard(pairs: MentionPairs) -> NDArray[np.generic]:
    """The lemmas that both have, as a share of those that either has."""
    shared, one, other = pairs.lemmas
    return shared / np.maximum(1, one + other - shared)


def _names(pairs: MentionPairs) -> NDArray[np.generic]:
    """Whether names agree; see :meth:`MentionPairs.agreement`. So for numbers, years, weekdays and months."""
    return pairs.agreement([m.words.names for m in pairs.mentions])


def _numbers(pairs: MentionPairs) -> NDArray[np.generic]:
    return pairs.agreement([m.words.numbers for m in pairs.mentions])


def _years(pairs: MentionPairs) -> NDArray[np.generic]:
    return pairs.agreement([m.words.years for m in pairs.mentions])


def _dates(pairs: MentionPairs) -> NDArray[np.generic]:
    return pairs.agreement([m.words.dates for m in pairs.mentions])


def _one_pronoun(pairs: MentionPairs) -> NDArray[np.generic]:
    one, other = pairs.pronouns
    return one != other


def _two_pronouns(pairs: MentionPairs) -> NDArray[np.generic]:
    """Both are pronouns: 1 where they are of one class ("he", "his"), else -1."""
    one, other = pairs.pronouns
    alike = np.where(pairs.equal(m.words.pronoun for m in pairs.mentions), 1.0, -1.0)
    return np.where((one > 0) & (other > 0), alike, 0.0)


def _both_definite(pairs: MentionPairs) -> NDArray[np.generic]:
    one, other = pairs.definite
    return (one > 0) & (other > 0)


def _one_indefinite(pairs: MentionPairs) -> NDArray[np.generic]:
    one, other = pairs.definite
    return (one < 0) | (other < 0)


def _same_document(pairs: MentionPairs) -> NDArray[np.generic]:
    return pairs.same_document


def _closeness(pairs: MentionPairs) -> NDArray[np.generic]:
    """1 in one sentence, less the more sentences lie between, 0 in different documents."""
    one, other = pairs.of_both(m.sentence for m in pairs.mentions)
    return np.where(pairs.same_document, 1.0 / (1.0 + np.log1p(np.abs(one - other))), 0.0)


def _same_sentence(pairs: MentionPairs) -> NDArray[np.generic]:
    one, other = pairs.of_both(m.sentence for m in pairs.mentions)
    return pairs.same_document & (one == other)


def _nested(pairs: MentionPairs) -> NDArray[np.generic]:
    """One lies within the other."""
    start, other_start = pairs.of_both(m.start for m in pairs.mentions)
    end, other_end = pairs.of_both(m.end for m in pairs.mentions)
    within = ((start <= other_start) & (other_end <= end)) | ((other_start <= start) & (end <= other_end))
    return pairs.same_document & within


def _sentences(pairs: MentionPairs) -> NDArray[np.generic]:
    """How much the words of the two sentences agree; see :meth:`MentionPairs.sentence_cosines`."""
    return pairs.sentence_cosines(lambda mention: mention.around.lemmas)


def _sentence_names(pairs: MentionPairs) -> NDArray[np.generic]:
    """How much their names and numbers do."""
    return pairs.sentence_cosines(lambda mention: mention.around.names)


FEATURES: dict[str, Callable[[MentionPairs], NDArray[np.generic]]] = {
    "same_words": _same_words,
    "same_head": _same_head,
    "rare_head": _rare_head,
    "head_within": _head_within,
    "head_prefix": _head_prefix,
    "overlap": _overlap,
    "jaccard": _jaccard,
    "names": _names,
    "numbers": _numbers,
    "years": _years,
    "dates": _dates,
    "one_pronoun": _one_pronoun,
    "two_pronouns": _two_pronouns,
    "both_definite": _both_definite,
    "one_indefinite": _one_indefinite,
    "same_document": _same_document,
    "closeness": _closeness,
    "same_sentence": _same_sentence,
    "nested": _nested,
    "sentences": _sentences,
    "sentence_names": _sentence_names,
}
"""By name; a saved model refers to these names, so a name never changes its meaning."""


def conflicts(mentions: Sequence[Traits], pairs: Integers) -> NDArray[np.bool_]:
    """Which pairs cannot corefer; see :func:`cdcoref.words.in_conflict`. *Shape:* (pairs, 2) in, (pairs,) out"""
    compared = MentionPairs(mentions, pairs)
    sorts = list(zip(*(m.words.values for m in mentions), strict=True))
    return np.any([compared.agreement(sets) < 0 for sets in sorts], axis=0)


def check_features(names: Iterable[str]) -> None:
    """Refuse the name of a feature that does not exist."""
    for name in names:
        if name not in FEATURES:
            raise InputError(f"features has {name!r}, which is none of {', '.join(FEATURES)}")


def pair_features(names: Sequence[str], mentions: Sequence[Traits], pairs: Integers) -> Numbers:
    """The features of pairs.

    Parameters
    ----------
    names
        The features, in the order of the columns.
    mentions
        What is known of every mention.
    pairs
        Positions in `mentions`. *Shape:* (pairs, 2)

    Returns
    -------
    NDArray
        *Shape:* (pairs, features)
    """
    table = np.zeros((len(pairs), len(names)), dtype=np.float32)
    if len(pairs):
        compared = MentionPairs(mentions, pairs)
        for column, name in enumerate(names):
            table[:, column] = FEATURES[name](compared)
    return table


def _numbered(values: Iterable[Hashable]) -> Integers:
    """The same number for the same value."""
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(value, len(numbers)) for value in values], dtype=np.int64)


def _at_most_one(cosines: NDArray[np.generic]) -> Numbers:
    return np.minimum(cosines.astype(np.float32), np.float32(1.0))


def _prefix(one: str, other: str) -> float:
    """Letters that both begin with, as a share of the longer; 0 for fewer than `PREFIX_LENGTH`."""
    shared = 0
    for letter, same in zip(one, other, strict=False):
        if letter != same:
            break
        shared += 1
    return shared / max(len(one), len(other)) if shared >= PREFIX_LENGTH else 0.0
