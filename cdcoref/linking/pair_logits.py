"""Logits of pairs of mentions: what a model says of the sequences that it reads, and what is kept of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cdcoref.circumstances import Place
from cdcoref.clustering import PairScores
from cdcoref.corpus import ENTITY, EVENT, KINDS, Corpus
from cdcoref.language import Values, WordSets, numbered
from cdcoref.model import Combinations, VectorOptions
from cdcoref.reading import Readings

Matrix = NDArray[np.float32]
DocumentPair = tuple[str, str]
"""Two documents to compare, by id."""

IMPOSSIBLE = -20.0
"""The logit of a pair in conflict (:func:`cdcoref.language.in_conflict`): too low to be read together."""
ELSEWHERE = {EVENT: -2.0, ENTITY: -4.0}
"""What is added to the logit of a pair of mentions of a kind that are at two places."""
PAIRS_AT_ONCE = 500_000
"""Pairs whose evidence is combined at the same time: some 150 MB."""


def pair_keys(first: NDArray[np.integer], second: NDArray[np.integer], size: int) -> NDArray[np.int64]:
    """One number for each pair of `size` mentions, whatever its order. *Shape:* (pairs,)"""
    keys: NDArray[np.int64] = np.minimum(first, second).astype(np.int64) * size + np.maximum(first, second)
    return keys


def kind_numbers(corpus: Corpus) -> NDArray[np.int8]:
    """The kind of every mention, as a position in `KINDS`; every mention has one. *Shape:* (mentions,)"""
    return np.array([KINDS.index(m.kind or "") for m in corpus.mentions], dtype=np.int8)


def work(corpus: Corpus, pairs: Sequence[DocumentPair] | None) -> float:
    """What progress counts: the documents that have mentions, and the pairs of documents; None: all pairs."""
    count = len({mention.document for mention in corpus.mentions})
    return float(count + (count * (count - 1) // 2 if pairs is None else len(pairs)))


@dataclass(frozen=True, slots=True)
class PairLogits:
    """Logits of pairs of mentions; a pair that was not compared is absent.

    `size`: Number of mentions in the corpus.
    `first`, `second`: Numbers of the two mentions, the smaller first. *Shape:* (pairs,)
    `kinds`: Their kind, as a position in `KINDS`. *Shape:* (pairs,)
    `logits`: *Shape:* (pairs,)
    """

    size: int
    first: NDArray[np.integer]
    second: NDArray[np.integer]
    kinds: NDArray[np.integer]
    logits: Matrix

    def probabilities(self, temperature: Mapping[str, float]) -> NDArray[np.float64]:
        """Calibrated probabilities of coreference. *Shape:* (pairs,)"""
        divisor = np.array([temperature[kind] for kind in KINDS])
        scaled = self.logits.astype(np.float64) / divisor[self.kinds]
        return 0.5 * (1.0 + np.tanh(0.5 * scaled))

    def scores(self, temperature: Mapping[str, float], kind: str) -> PairScores:
        """The probabilities of one kind's pairs, for clustering."""
        chosen = self.kinds == KINDS.index(kind)
        values = self.probabilities(temperature)[chosen]
        first, second = self.first[chosen].astype(np.int64), self.second[chosen].astype(np.int64)
        return PairScores(self.size, first, second, values)

    def across_stories(self, readings: Readings, story_of: Mapping[str, int], combine: Combinations) -> PairLogits:
        """The same, with something added to the logits of pairs of different stories; see `Combination.other_story`.

        `story_of` has the story of each document by id.
        """
        mentions = readings.corpus.mentions
        of_mention = np.array([story_of[m.document] for m in mentions], dtype=np.int64)
        if len(np.unique(of_mention)) < 2:
            return self
        other = np.flatnonzero(of_mention[self.first] != of_mention[self.second])
        names = WordSets([frozenset(readings[m.document].name(m)) for m in mentions])
        shared = names.shared(self.first[other].astype(np.int64), self.second[other].astype(np.int64)) > 0
        other = other[~(shared & (self.kinds[other] == KINDS.index(ENTITY)))]
        logits = self.logits.copy()
        added = np.array([combine.of_kind(kind).other_story for kind in KINDS], dtype=logits.dtype)
        logits[other] += added[self.kinds[other]]
        return replace(self, logits=logits)

    def across_places(self, readings: Readings) -> PairLogits:
        """The same, with `ELSEWHERE` added for pairs without names, of two documents, at places that differ.

        The place of an entity is that of its event, or else of what its document is about.
        """
        scenes = Values(list(_scenes(readings)))
        documents = numbered(mention.document for mention in readings.corpus.mentions)
        across = documents[self.first] != documents[self.second]
        across = np.flatnonzero(across & scenes.known[self.first] & scenes.known[self.second])
        first, second = (side[across].astype(np.int64) for side in (self.first, self.second))
        across = across[scenes.related(Place.excludes, scenes, first, second)]
        logits = self.logits.copy()
        logits[across] += np.array([ELSEWHERE[kind] for kind in KINDS], dtype=logits.dtype)[self.kinds[across]]
        return replace(self, logits=logits)

    def of_pairs(self, chosen: NDArray[np.bool_] | slice) -> PairLogits:
        """Some of the pairs."""
        return PairLogits(self.size, self.first[chosen], self.second[chosen], self.kinds[chosen], self.logits[chosen])


def _scenes(readings: Readings) -> Iterator[Place | None]:
    """By mention the place of its event; None if unknown, and of names, dates and pronouns."""
    known = list(zip(readings.corpus.mentions, readings.facts.mentions, readings.circumstances, strict=True))
    leads = {document.id: readings[document.id].stated.lead.where for document in readings.corpus.documents}
    of_events = {(m.document, one.syntax.head): event for m, one, event in known if m.kind == EVENT}
    for mention, one, _ in known:
        words, verb = one.words, one.syntax.verb if one.syntax.verb >= 0 else one.clause
        event = of_events.get((mention.document, one.syntax.head if mention.kind == EVENT else verb))
        where = [*event.where] if event else []
        if mention.kind == ENTITY and not (event and event.elsewhere):
            where += filter(None, (leads[mention.document],))
        named = words.pronoun or (mention.kind == ENTITY and (words.names or words.dates))
        yield None if named else next((stated.place for stated in where if stated.place.country), None)


@dataclass(frozen=True, slots=True)
class PairEvidence:
    """Logits of pairs of mentions by the bi-encoder and the cross-encoder, before they are combined.

    `size`, `first`, `second`, `kinds`: As in :class:`PairLogits`.
    `cross_encoder`: Logits of the candidates, which the cross-encoder read; NaN for the others. *Shape:* (pairs,)
    `bi_encoder`: Logits of all pairs by the bi-encoder. *Shape:* (pairs,)
    `within`: Whether both mentions are of one document. *Shape:* (pairs,)
    `antecedents`: Whether they are a pronoun and its antecedent; then `bi_encoder` is the log-odds that both refer to
        the same. *Shape:* (pairs,)
    """

    size: int
    first: NDArray[np.integer]
    second: NDArray[np.integer]
    kinds: NDArray[np.integer]
    cross_encoder: Matrix
    bi_encoder: Matrix
    within: NDArray[np.bool_]
    antecedents: NDArray[np.bool_]

    @classmethod
    def of(
        cls,
        corpus: Corpus,
        first: Sequence[NDArray[np.integer]],
        second: Sequence[NDArray[np.integer]],
        bi_encoder: Sequence[Matrix],
        antecedents: Sequence[NDArray[np.bool_]],
    ) -> PairEvidence:
        """What the bi-encoder says of several lots of pairs of the mentions of a corpus, in either order."""
        one, other = (np.concatenate([np.zeros(0, dtype=np.int32), *side]) for side in (first, second))
        low, high = np.minimum(one, other), np.maximum(one, other)
        numbers = {document.id: number for number, document in enumerate(corpus.documents)}
        document_of = np.array([numbers[m.document] for m in corpus.mentions], dtype=np.int64)
        return cls(
            len(corpus.mentions),
            low,
            high,
            kind_numbers(corpus)[low],
            np.full(len(low), np.nan, dtype=np.float32),
            np.concatenate([np.zeros(0, dtype=np.float32), *bi_encoder]),
            document_of[low] == document_of[high],
            np.concatenate([np.zeros(0, dtype=bool), *antecedents]),
        )

    def combine(self, options: VectorOptions) -> PairLogits:
        """One logit a pair; see :class:`cdcoref.model.VectorOptions`."""
        logits = np.empty(len(self.first), dtype=np.float32)
        for start in range(0, len(logits), PAIRS_AT_ONCE):
            part = slice(start, start + PAIRS_AT_ONCE)
            logits[part] = self._combine(options, part)
        return PairLogits(self.size, self.first, self.second, self.kinds, logits)

    def _combine(self, options: VectorOptions, part: slice) -> NDArray[np.float64]:
        def of_pairs(name: str) -> NDArray[np.float64]:
            return np.array([getattr(options.combine.of_kind(kind), name) for kind in KINDS])[self.kinds[part]]

        cross, bi = self.cross_encoder[part], self.bi_encoder[part]
        across, within = (
            of_pairs(f"cross_encoder_weight{where}") * cross
            + of_pairs(f"bi_encoder_weight{where}") * bi
            + of_pairs(f"bias{where}")
            for where in ("", "_within")
        )
        unread = of_pairs("unread_weight") * bi + of_pairs("unread_bias")
        unread = np.where(self.antecedents[part], of_pairs("antecedent_weight") * bi, unread)
        logits: NDArray[np.float64] = np.where(np.isnan(cross), unread, np.where(self.within[part], within, across))
        return logits
