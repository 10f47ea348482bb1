"""Logits of pairs of mentions: what a model says of the sequences that it reads, and what is kept of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cdcoref.clustering import PairScores
from cdcoref.corpus import ENTITY, KINDS, Corpus
from cdcoref.inputs import PairSequence
from cdcoref.language import WordSets, in_sentence_case, name_of
from cdcoref.model import WEIGHTS, WEIGHTS_WITHIN, CorefModel, VectorOptions, collate_pairs

Matrix = NDArray[np.float32]

IMPOSSIBLE = -20.0
"""The logit of a pair in conflict (:func:`cdcoref.language.in_conflict`): too low to be read together."""
PAIRS_AT_ONCE = 500_000
"""Pairs whose evidence is weighed at the same time: some 150 MB."""


@dataclass(frozen=True, slots=True)
class PairLogits:
    """Logits of pairs of mentions; a pair that was not compared is absent.

    Attributes
    ----------
    size
        Number of mentions in the corpus.
    first, second
        Numbers of the two mentions, the smaller first. *Shape:* (pairs,)
    kinds
        Their kind, as a position in `KINDS`. *Shape:* (pairs,)
    logits
        *Shape:* (pairs,)
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

    def within(self, groups: Sequence[Sequence[str]], corpus: Corpus) -> PairLogits:
        """The pairs whose documents are in one group."""
        group_of = {name: number for number, group in enumerate(groups) for name in group}
        of_mention = np.array([group_of[m.document] for m in corpus.mentions], dtype=np.int64)
        chosen = of_mention[self.first] == of_mention[self.second] if len(self.first) else slice(None)
        return self.of_pairs(chosen)

    def across_stories(self, corpus: Corpus, story_of: Mapping[str, int], added: Mapping[str, float]) -> PairLogits:
        """The same, with something added to the logits of pairs of different stories; see `VectorOptions.other_story`.

        Parameters
        ----------
        corpus
            The mentions, and their documents.
        story_of
            By id, the story of each document.
        added
            By kind.
        """
        of_mention = np.array([story_of[m.document] for m in corpus.mentions], dtype=np.int64)
        if len(np.unique(of_mention)) < 2:
            return self
        other = np.flatnonzero(of_mention[self.first] != of_mention[self.second])
        documents = {document.id: in_sentence_case(document) for document in corpus.documents}
        names = WordSets([frozenset(name_of(documents[m.document].tokens[m.start : m.end])) for m in corpus.mentions])
        shared = names.shared(self.first[other].astype(np.int64), self.second[other].astype(np.int64)) > 0
        other = other[~(shared & (self.kinds[other] == KINDS.index(ENTITY)))]
        logits = self.logits.copy()
        logits[other] += np.array([added[kind] for kind in KINDS], dtype=logits.dtype)[self.kinds[other]]
        return replace(self, logits=logits)

    def of_pairs(self, chosen: NDArray[np.bool_] | slice) -> PairLogits:
        """Some of the pairs."""
        return PairLogits(self.size, self.first[chosen], self.second[chosen], self.kinds[chosen], self.logits[chosen])


@dataclass(frozen=True, slots=True)
class PairEvidence:
    """What is known of pairs of mentions before it is weighed: read together, and by the vectors alone.

    Attributes
    ----------
    size, first, second, kinds
        As in :class:`PairLogits`.
    together
        Logits of the pairs that were read together as candidates; NaN for the others. *Shape:* (pairs,)
    alone
        Logits by the vectors. *Shape:* (pairs,)
    documents
        How alike the two documents are. *Shape:* (pairs,)
    within
        Whether both mentions are of one document. *Shape:* (pairs,)
    antecedents
        Whether they are a pronoun and its antecedent; then `alone` is the log-odds that both refer to the same.
        *Shape:* (pairs,)
    """

    size: int
    first: NDArray[np.integer]
    second: NDArray[np.integer]
    kinds: NDArray[np.integer]
    together: Matrix
    alone: Matrix
    documents: Matrix
    within: NDArray[np.bool_]
    antecedents: NDArray[np.bool_]

    def known(self, part: slice = slice(None)) -> Matrix:
        """What is weighed of some pairs, in the order of `WEIGHTS`; the first two of it are those of `WEIGHTS_WITHIN`.

        NaN where pairs were not read together. *Shape:* (pairs, 4)
        """
        together, alike = self.together[part], self.documents[part]
        return np.stack([together, self.alone[part], alike, together * alike], axis=1)

    def combine(self, options: VectorOptions) -> PairLogits:
        """One logit a pair; see :class:`cdcoref.model.VectorOptions`."""
        logits = np.empty(len(self.first), dtype=np.float32)
        for start in range(0, len(logits), PAIRS_AT_ONCE):
            part = slice(start, start + PAIRS_AT_ONCE)
            logits[part] = self._combine(options, part)
        weighed = PairLogits(self.size, self.first, self.second, self.kinds, logits)
        return weighed if options.unread_pairs == "vectors" else weighed.of_pairs(self._counted(options))

    def _counted(self, options: VectorOptions) -> NDArray[np.bool_]:
        """Which pairs linkage is told of if it is not told what the vectors say: the others count as unread."""
        together = np.isin(self.kinds, [KINDS.index(kind) for kind in options.together])
        settled = self.antecedents | (self.alone <= IMPOSSIBLE)
        return ~together | ~np.isnan(self.together) | settled

    def _combine(self, options: VectorOptions, part: slice) -> NDArray[np.float64]:
        kinds, alone = self.kinds[part], self.alone[part]
        across, within, unread, antecedent = (
            np.array([[getattr(options, name)[kind] for name in names] for kind in KINDS])[kinds]
            for names in (
                (*WEIGHTS, "bias"),
                (*WEIGHTS_WITHIN, "bias_within"),
                ("unread", "unread_bias"),
                ("antecedent_weight",),
            )
        )
        known = self.known(part)
        of_two = (known * across[:, :-1]).sum(axis=1) + across[:, -1]
        of_one = (known[:, :2] * within[:, :-1]).sum(axis=1) + within[:, -1]
        apart = np.where(self.antecedents[part], antecedent[:, 0] * alone, unread[:, 0] * alone + unread[:, 1])
        logits: NDArray[np.float64] = np.where(
            np.isnan(self.together[part]), apart, np.where(self.within[part], of_one, of_two)
        )
        return logits


def pair_logits(model: CorefModel, sequences: Sequence[PairSequence]) -> list[Matrix]:
    """Logits of the pairs of every sequence. *Shape* of each: (pairs,)"""
    batch = collate_pairs(sequences, model.encoder.config.pad_token_id)
    with model.inference():
        logits = model.pair_logits({name: tensor.to(model.device) for name, tensor in batch.items()})
    return np.split(logits.float().cpu().numpy(), np.cumsum([len(s.pairs) for s in sequences])[:-1])
