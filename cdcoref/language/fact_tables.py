"""Facts about mentions as arrays, each computed when a feature first needs it. What two mentions share is looked up in
a table of all of them where they are few, and computed pair by pair where they are many."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from cdcoref.language.mention_facts import MentionFacts
from cdcoref.language.proper_names import different_names

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Integers = NDArray[np.int64]
Numbers = NDArray[np.float32]
Flags = NDArray[np.bool_]

DENSE_ROWS = 2000
"""Up to this many different sets of words, or sentences, are all compared at once."""
PAIRS_AT_ONCE = 100_000
PRIOR_DOCUMENTS = 200
PRIOR_RATE = 0.02
"""Smoothing of document frequencies: `PRIOR_DOCUMENTS` imaginary documents contain every word at this rate."""


class Rows:
    """Sparse rows that several mentions share, such as the words of a sentence, compared in pairs of mentions."""

    def __init__(self, row_of: Integers, table: csr_array) -> None:
        self.row_of = row_of
        self.table = table

    def products(self, first: Integers, second: Integers) -> Numbers:
        """Scalar products of the rows of pairs of mentions. *Shape:* (pairs,)"""
        if self.table.shape[0] <= DENSE_ROWS:
            return self._all[self.row_of[first], self.row_of[second]]
        result = np.zeros(len(first), dtype=np.float32)
        for start in range(0, len(first), PAIRS_AT_ONCE):
            part = slice(start, start + PAIRS_AT_ONCE)
            one, other = self.table[self.row_of[first[part]]], self.table[self.row_of[second[part]]]
            result[part] = np.asarray(one.multiply(other).sum(axis=1)).ravel()
        return result

    @cached_property
    def _all(self) -> Numbers:
        products: Numbers = (self.table @ self.table.T).toarray()
        return products


class WordSets:
    """A set of words for every mention; `sizes` are those of the sets. *Shape:* (mentions,)"""

    def __init__(self, sets: Sequence[frozenset[str]]) -> None:
        row_of = numbered(sets)
        different = dict.fromkeys(sets)
        columns: dict[str, int] = {}
        entries = [sorted(columns.setdefault(word, len(columns)) for word in words) for words in different]
        self._rows = Rows(row_of, _sparse_rows(entries, max(1, len(columns))))
        self._columns = columns
        self.sizes = np.array([len(words) for words in different], dtype=np.float32)[row_of]

    def shared(self, first: Integers, second: Integers) -> Numbers:
        """How many words the sets of pairs of mentions share. *Shape:* (pairs,)"""
        return self._rows.products(first, second)

    def agreement(self, first: Integers, second: Integers) -> Numbers:
        """1: one set lies in the other; 0.3: they share something; -1: they share nothing; 0: one is empty."""
        result = np.zeros(len(first), dtype=np.float32)
        some = self.sizes > 0
        if not some.any():
            return result
        both = np.flatnonzero(some[first] & some[second])
        one, other = first[both], second[both]
        shared = self.shared(one, other)
        whole = shared == np.minimum(self.sizes[one], self.sizes[other])
        result[both] = np.where(shared == 0, -1.0, np.where(whole, 1.0, 0.3))
        return result

    def contain(self, mentions: Integers, words: Sequence[str], chosen: Integers) -> Flags:
        """Whether the sets of mentions contain words, given as positions in `words`. *Shape of all:* (pairs,)"""
        columns = np.array([self._columns.get(word, -1) for word in words], dtype=np.int64)[chosen]
        table, width = self._rows.table, self._rows.table.shape[1]
        codes = np.repeat(np.arange(table.shape[0]), np.diff(table.indptr)) * width + table.indices
        wanted = self._rows.row_of[mentions] * width + columns
        places = np.minimum(np.searchsorted(codes, wanted), len(codes) - 1)
        return (columns >= 0) & (codes[places] == wanted) if len(codes) else np.zeros(len(mentions), dtype=bool)


Value = TypeVar("Value", bound=Hashable)


class Values(Generic[Value]):
    """A value for every mention that has one; what relates two values is computed once for all mentions with them.

    `known`: which mentions have one. *Shape:* (mentions,)
    """

    def __init__(self, values: Sequence[Value | None]) -> None:
        numbers = numbered([None, *values])[1:]
        self._values = list(dict.fromkeys([None, *values]))
        self._numbers = numbers
        self.known = numbers > 0

    def related(
        self, relation: Callable[[Value, Value], bool], others: Values[Value], first: Integers, second: Integers
    ) -> Flags:
        """Where a relation holds between a value of the first mention and one among `others` of the second.

        It holds nowhere without both values. *Shape:* (pairs,)
        """
        result = np.zeros(len(first), dtype=bool)
        both = np.flatnonzero(self.known[first] & others.known[second])
        count = len(others._values)
        pairs = self._numbers[first[both]] * count + others._numbers[second[both]]
        codes, places = np.unique(pairs, return_inverse=True)
        holds = [relation(self._values[code // count], others._values[code % count]) for code in codes.tolist()]  # type: ignore[arg-type]
        result[both] = np.array(holds, dtype=bool)[places]
        return result


def _value(value: Callable[[MentionFacts], int]) -> cached_property[Integers]:
    """A number of each mention. *Shape:* (mentions,), as of the others."""
    return cached_property(lambda tables: np.array([value(m) for m in tables.mentions], dtype=np.int64))


def _number(value: Callable[[MentionFacts], Hashable]) -> cached_property[Integers]:
    return cached_property(lambda tables: numbered(value(m) for m in tables.mentions))


def _sets(words: Callable[[MentionFacts], frozenset[str]]) -> cached_property[WordSets]:
    return cached_property(lambda tables: WordSets([words(m) for m in tables.mentions]))


class FactTables:
    """The facts of mentions as arrays; every array has a place for each mention, and is computed when first needed."""

    def __init__(self, mentions: Sequence[MentionFacts]) -> None:
        self.mentions = mentions

    def __len__(self) -> int:
        return len(self.mentions)

    documents = _number(lambda m: m.document)
    sentences = _value(lambda m: m.sentence)
    starts = _value(lambda m: m.start)
    ends = _value(lambda m: m.end)
    words = _number(lambda m: m.words.words)
    heads = _number(lambda m: m.words.head)
    """Positions in :attr:`different_heads`."""
    definite = _value(lambda m: m.words.definite)
    modifiers = _sets(lambda m: m.phrase.modifiers)
    complements = _sets(lambda m: m.phrase.complements)
    lemmas = _sets(lambda m: m.words.lemmas)
    names = _sets(lambda m: m.words.names)
    numbers = _sets(lambda m: m.words.numbers)
    years = _sets(lambda m: m.words.years)
    dates = _sets(lambda m: m.words.dates)

    @cached_property
    def different_heads(self) -> list[str]:
        """All heads, each once."""
        return list(dict.fromkeys(m.words.head for m in self.mentions))

    @cached_property
    def pronouns(self) -> Integers:
        """A number for the class of each pronoun; 0 for mentions that are no pronouns. *Shape:* (mentions,)"""
        return numbered(["", *(m.words.pronoun for m in self.mentions)])[1:]

    @cached_property
    def values(self) -> list[WordSets]:
        """Years, amounts, weekdays, months and countries; mentions that corefer cannot differ in them."""
        return [WordSets(sets) for sets in zip(*(m.words.stated.values for m in self.mentions), strict=True)]

    def different_names(self, first: Integers, second: Integers) -> Flags:
        """Whether pairs of mentions have different full names. *Shape:* (pairs,)"""
        return self._full_names.related(different_names, self._full_names, first, second)

    @cached_property
    def _full_names(self) -> Values[tuple[str, ...]]:
        return Values([m.words.stated.full_name or None for m in self.mentions])

    @cached_property
    def sentence_lemmas(self) -> Rows:
        """Lemmas of the sentences in which mentions begin, as vectors of length 1."""
        return self._sentence_vectors(lambda mention: mention.around.lemmas)

    @cached_property
    def sentence_names(self) -> Rows:
        """The names and numbers in the sentence of each mention, likewise."""
        return self._sentence_vectors(lambda mention: mention.around.names)

    def _sentence_vectors(self, words: Callable[[MentionFacts], frozenset[str]]) -> Rows:
        """Sentences as vectors of length 1; a word counts more, the fewer documents have it."""
        places = [(m.document, m.sentence) for m in self.mentions]
        sentences = dict(zip(places, self.mentions, strict=True))
        row = {place: number for number, place in enumerate(sentences)}
        word_sets = [words(mention) for mention in sentences.values()]
        columns = {word: number for number, word in enumerate(sorted(frozenset().union(*word_sets)))}
        table = _sparse_rows([sorted(columns[word] for word in own) for own in word_sets], max(1, len(columns)))
        documents = numbered(document for document, _ in sentences)
        rows = np.repeat(np.arange(len(word_sets)), np.diff(table.indptr))
        seen = np.unique(documents[rows] * table.shape[1] + table.indices) % table.shape[1]
        frequency = np.bincount(seen, minlength=table.shape[1])
        total = len(set(documents.tolist()))
        rarity = np.log((total + PRIOR_DOCUMENTS) / (frequency + PRIOR_DOCUMENTS * PRIOR_RATE)).astype(np.float32)
        weights = rarity[table.indices]
        size = np.sqrt(np.bincount(rows, weights**2, minlength=len(word_sets)))
        table.data = weights / np.maximum(size, 1e-9)[rows].astype(np.float32)
        return Rows(np.array([row[place] for place in places], dtype=np.int64), table)


def numbered(values: Iterable[Hashable]) -> Integers:
    """A number for each value, equal for equal values, from 0 in the order in which they first occur."""
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(value, len(numbers)) for value in values], dtype=np.int64)


def _sparse_rows(entries: Sequence[Sequence[int]], width: int) -> csr_array:
    """Ones in the given columns of every row, which are in ascending order. *Shape:* (rows, width)"""
    from scipy.sparse import csr_array

    bounds = np.cumsum([0, *map(len, entries)])
    columns = np.array([column for entry in entries for column in entry], dtype=np.int64)
    return csr_array((np.ones(len(columns), dtype=np.float32), columns, bounds), shape=(len(entries), width))
