"""The bi-encoder's scores: vectors of mentions in, evidence about pairs of one story out.

Two mentions of a kind are compared by the cosines of their vectors, by the similarity of their documents, and by
facts of the pair. Among up to `ALL_PAIRS` mentions of a kind every pair is compared; beyond that, each mention with
the `NEIGHBOURS` nearest ones by its vectors and with the `SAME_HEAD` nearest ones of its head. A pronoun is compared
with the mentions around it alone, where the model has a scorer for that (see :mod:`cdcoref.linking.antecedents`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray

from cdcoref.corpus import KINDS
from cdcoref.inputs import Integers
from cdcoref.language import FactTables, conflicts, pair_features
from cdcoref.linking.antecedents import antecedents
from cdcoref.linking.mention_neighbours import near_pairs
from cdcoref.linking.pair_logits import IMPOSSIBLE, PairEvidence, kind_numbers
from cdcoref.model import CONTEXT_SIMILARITIES, SYMMETRIC_SIMILARITIES, CorefModel, VectorOptions
from cdcoref.reading import Halves, MentionVectors, Readings, Vectors
from cdcoref.stories import DocumentVectors

ALL_PAIRS = 2000
"""The largest number of mentions of a kind for which every pair is compared: two million pairs, some seconds."""
NEIGHBOURS = 48
"""Beyond that, the number of mentions that each is compared with by their vectors."""
SAME_HEAD = 500
"""Beyond that, the number of those with its head: where few pairs of a cluster are compared, linkage divides it."""
NEW = -1
"""The part of mentions that were not compared with any others yet."""
ROWS_AT_ONCE = 1024
"""Pairs whose vectors are multiplied at the same time: they stay in the processor's cache."""
PAIRS_AT_ONCE = 4 * 65_536
"""Pairs whose features are in memory at the same time: 25 MB."""


class _Compared:
    """Cosines of one sort of vectors with another, in pairs of mentions; both may be the same."""

    def __init__(self, ones: tuple[Halves, Integers], others: tuple[Halves, Integers]) -> None:
        (self._ones, self._row), (self._others, self._other_row) = ones, others

    def cosines(self, first: Integers, second: Integers) -> Vectors:
        """Those of the vectors of the first mentions with those of the second. *Shape:* (pairs,)"""
        one, other = self._row[first], self._other_row[second]
        if max(len(self._ones), len(self._others)) <= ALL_PAIRS:
            return self._all[one, other]
        result = torch.empty(len(first))
        sides = [
            (torch.from_numpy(rows), torch.from_numpy(of)) for rows, of in ((self._ones, one), (self._others, other))
        ]
        for start in range(0, len(first), ROWS_AT_ONCE):
            part = slice(start, start + ROWS_AT_ONCE)
            torch.linalg.vecdot(*(rows[of[part]].float() for rows, of in sides), out=result[part])
        return result.numpy()

    @cached_property
    def _all(self) -> Vectors:
        products: Vectors = self._ones.astype(np.float32) @ self._others.astype(np.float32).T
        return products


@dataclass(frozen=True, eq=False)
class ReadMentions:
    """Mentions of a story, and all that is known of them when their documents have been read alone.

    `facts`: What the features see of them.
    """

    vectors: MentionVectors
    facts: FactTables
    documents: DocumentVectors

    @classmethod
    def of(cls, readings: Readings) -> ReadMentions:
        """The mentions of documents that were read for vectors."""
        assert readings.vectors is not None
        # Forms of words, as the shipped models were trained with.
        documents = DocumentVectors(readings.corpus.documents, forms=True)
        return cls(readings.vectors, readings.facts, documents)

    def take(self, numbers: Sequence[int] | Integers) -> ReadMentions:
        """Some of them."""
        own = FactTables([self.facts.mentions[n] for n in numbers])
        return ReadMentions(self.vectors.take(numbers), own, self.documents)

    def similarities(self, name: str, pairs: Integers) -> list[Vectors]:
        """One of :data:`cdcoref.model.SIMILARITIES`, one number a pair or two. *Shape:* (pairs, 2) in, (pairs,) out"""
        i, j = pairs[:, 0], pairs[:, 1]
        if name == "story":
            return [self._of_stories(i, j)]
        compared = self._compared[name]
        if name in SYMMETRIC_SIMILARITIES:
            return [compared.cosines(i, j)]
        there, back = compared.cosines(i, j), compared.cosines(j, i)
        return [np.minimum(there, back), np.maximum(there, back)]

    @cached_property
    def _compared(self) -> dict[str, _Compared]:
        vectors = self.vectors.compact()
        rows = {name: vectors.table(name) for name in (*SYMMETRIC_SIMILARITIES, *CONTEXT_SIMILARITIES)}
        mentions = rows["mention"]
        return {name: _Compared(mentions if name in CONTEXT_SIMILARITIES else own, own) for name, own in rows.items()}

    @cached_property
    def _document_rows(self) -> Integers:
        return np.array([self.documents.row[one.document] for one in self.facts.mentions], dtype=np.int64)

    def _of_stories(self, i: Integers, j: Integers) -> Vectors:
        """How likely the documents of two mentions tell one story; 1 for a document and itself. *Shape:* (pairs,)"""
        row, count = self._document_rows, len(self.documents.ids)
        low, high = np.minimum(row[i], row[j]), np.maximum(row[i], row[j])
        codes, places = np.unique(low * count + high, return_inverse=True)
        values = self.documents.similarities_of_rows(codes // count, codes % count).astype(np.float32)
        return np.where(low == high, np.float32(1.0), values[places])


def compare_vectors(model: CorefModel, readings: Readings, known: Mapping[str, int] | None = None) -> PairEvidence:
    """The evidence about pairs of mentions of one story that the bi-encoder gives.

    `model`: Has vectors (see :class:`cdcoref.model.VectorOptions`).
    `readings`: The story's documents and mentions, with vectors; every mention has a kind.
    `known`: As in :class:`cdcoref.linking.Comparison`.
    """
    corpus, read = readings.corpus, ReadMentions.of(readings)
    parts = np.array([(known or {}).get(m.document, NEW) for m in corpus.mentions], dtype=np.int64)
    kinds = kind_numbers(corpus)
    first: list[NDArray[np.integer]] = []
    second: list[NDArray[np.integer]] = []
    logits: list[Vectors] = []
    options = model.settings.vectors
    of_pronouns = readings.pronouns(options.with_antecedents)
    for number, kind in enumerate(KINDS):
        own = np.flatnonzero((kinds == number) & ~of_pronouns)
        of_kind = read.take(own)
        for pairs in pairs_to_compare(of_kind, parts[own]):
            features = comparison_features(options, of_kind, pairs)
            first.append(own[pairs[:, 0]].astype(np.int32))
            second.append(own[pairs[:, 1]].astype(np.int32))
            of_pairs = _scores(model, features, of_kind.vectors.own["learnt"], pairs, kind)
            of_pairs[conflicts(of_kind.facts, pairs)] = IMPOSSIBLE
            logits.append(of_pairs)
    compared = [np.zeros(len(pairs), dtype=bool) for pairs in first]
    new = np.flatnonzero(parts == NEW)
    if of_pronouns[new].any():
        one, other, found = antecedents(model, readings.take(new))
        first.append(new[one].astype(np.int32))
        second.append(new[other].astype(np.int32))
        logits.append(found)
        compared.append(np.ones(len(found), dtype=bool))
    return PairEvidence.of(corpus, first, second, logits, compared)


def pairs_to_compare(mentions: ReadMentions, parts: Integers | None = None) -> Iterator[Integers]:
    """The pairs of mentions of one kind that are compared, the smaller number first. *Shape* of each: (pairs, 2)

    `parts`: The part of each, within which pairs are left out; None or `NEW`: pairs with it are not.
        *Shape:* (mentions,)
    """
    count = len(mentions.facts)
    if count < 2:
        return
    if parts is None:
        parts = np.full(count, NEW)
    if count <= ALL_PAIRS:
        first, second = np.triu_indices(count, 1)
    else:
        first, second = np.divmod(_near(mentions, parts), count)
    if (parts != NEW).any():
        unknown = (parts[first] != parts[second]) | (parts[first] == NEW)
        first, second = first[unknown], second[unknown]
    for start in range(0, len(first), PAIRS_AT_ONCE):
        part = slice(start, start + PAIRS_AT_ONCE)
        yield np.stack([first[part], second[part]], -1)


def _near(mentions: ReadMentions, parts: Integers) -> Integers:
    """Pairs near by vectors or heads (:func:`near_pairs`), with a mention outside the largest part compared before."""
    by_head = np.argsort(mentions.facts.heads, kind="stable")
    groups = np.split(by_head, np.flatnonzero(np.diff(mentions.facts.heads[by_head])) + 1)
    old = parts[parts != NEW]
    asking = parts != (np.bincount(old).argmax() if len(old) else NEW - 1)
    return near_pairs(mentions.vectors, groups, NEIGHBOURS, SAME_HEAD, asking)


def comparison_features(options: VectorOptions, mentions: ReadMentions, pairs: Integers) -> Vectors:
    """The features that the scorer of vectors takes for pairs.

    Features come first, then similarities. *Shape:* (pairs, features + similarities)
    """
    known = np.empty((len(pairs), options.pair_width), dtype=np.float32)
    features = len(options.pair_features)
    known[:, :features] = pair_features(options.pair_features, mentions.facts, pairs)
    columns = (column for name in options.similarities for column in mentions.similarities(name, pairs))
    for place, column in enumerate(columns, start=features):
        known[:, place] = column
    return known


def _scores(model: CorefModel, known: Vectors, learnt: NDArray[np.float16], pairs: Integers, kind: str) -> Vectors:
    assert model.vector_scorer is not None
    tables = (torch.from_numpy(table).to(model.device) for table in (known, learnt.astype(np.float32), pairs))
    with torch.inference_mode():
        scores: Vectors = model.vector_scorer(*tables, kind).cpu().numpy()
    return scores
