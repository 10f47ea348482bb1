"""Pair logits in, clusters out: agglomerative clustering of the mentions of each kind (paper, Appendix C.1).

Where the model finds the antecedents of pronouns, pronouns do not take part in it: each joins the cluster of its
antecedent afterwards, and so mentions of other documents only through it. A cluster whose mentions name different
years, amounts, weekdays or months is divided (:mod:`cdcoref.linking.conflicts`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cdcoref.clustering import PairScores, dendrogram
from cdcoref.corpus import ENTITY, KINDS, Corpus
from cdcoref.linking.antecedents import pronouns
from cdcoref.linking.conflicts import divided, with_conflicts
from cdcoref.linking.pair_logits import PairLogits
from cdcoref.model import CorefConfig
from cdcoref.words import MentionWords


class KindClusters:
    """The clusters of the mentions of one kind, at any threshold.

    Ties are broken by the documents' ids and the mentions' positions, so the order of the documents does not matter.

    Parameters
    ----------
    corpus
        Documents and mentions of all kinds.
    logits
        Of their pairs.
    kind
        The kind.
    settings
        Of the model that gave the logits.
    temperature
        Replaces the settings' own.
    """

    def __init__(
        self,
        corpus: Corpus,
        logits: PairLogits,
        kind: str,
        settings: CorefConfig,
        temperature: Mapping[str, float] | None = None,
    ) -> None:
        keys = [(m.document, m.tokens, m.kind or "") for m in corpus.mentions]
        scores = logits.scores(temperature or settings.temperature, kind)
        apart = np.zeros(len(keys), dtype=bool)
        if settings.vectors.antecedents and kind == ENTITY:
            apart = pronouns(corpus)
        of_pronouns = apart[scores.first] | apart[scores.second]
        self._compared, found = _chosen(scores, ~of_pronouns), _chosen(scores, of_pronouns)
        by_mean = settings.vectors.unread_pairs == "mean" and kind in settings.vectors.together
        self._tree = dendrogram(self._compared, settings.linkage, keys, unread="mean" if by_mean else 0.0)
        self._antecedent: dict[int, tuple[int, float]] = {}
        for one, other, score in zip(found.first.tolist(), found.second.tolist(), found.score.tolist(), strict=True):
            # Of two pronouns the one that comes later refers to the earlier.
            pronoun, antecedent = (
                (one, other) if apart[one] and not (apart[other] and keys[one] < keys[other]) else (other, one)
            )
            if score > max(0.5, self._antecedent.get(pronoun, (0, 0.0))[1]):
                self._antecedent[pronoun] = antecedent, score
        self._order = sorted(range(len(keys)), key=lambda number: keys[number])
        documents = {document.id: document for document in corpus.documents}
        self._words = {
            number: MentionWords.of([documents[m.document].tokens[t] for t in m.tokens])
            for number, m in enumerate(corpus.mentions)
            if m.kind == kind and not apart[number]
        }

    def cut(self, distance_threshold: float) -> NDArray[np.integer]:
        """The number of each mention's cluster; mentions of other kinds are clusters of their own. *Shape:* (mentions,)

        Parameters
        ----------
        distance_threshold
            Clusters are merged while their distance is below it.
        """
        labels = self._tree.cut(distance_threshold)
        following = int(labels.max(initial=-1)) + 1
        conflicting = with_conflicts(labels.tolist(), self._order, self._words)
        scores = self._scores_within(labels, [members[0] for members in conflicting])
        for members in conflicting:
            for group in divided(members, self._words, scores)[1:]:
                labels[group] = following
                following += 1
        for pronoun in self._order:
            if pronoun in self._antecedent:
                labels[pronoun] = labels[self._antecedent[pronoun][0]]
        return labels

    def _scores_within(self, labels: NDArray[np.integer], some: Sequence[int]) -> Mapping[tuple[int, int], float]:
        """Probabilities within the clusters of some mentions, by the numbers of two mentions, the smaller first."""
        first, second = self._compared.first, self._compared.second
        chosen = np.flatnonzero((labels[first] == labels[second]) & np.isin(labels[first], labels[list(some)]))
        low, high = np.minimum(first, second)[chosen].tolist(), np.maximum(first, second)[chosen].tolist()
        return dict(zip(zip(low, high, strict=True), self._compared.score[chosen].tolist(), strict=True))

    def confidences(self, labels: NDArray[np.integer]) -> NDArray[np.float64]:
        """How probably each mention belongs to its cluster; NaN for a cluster of one. *Shape:* (mentions,)

        That of a pronoun is its antecedent's; that of another mention the mean probability that it corefers with the
        others that are no pronouns, or else with the pronouns that refer to it.
        """
        first, second, score = self._compared.first, self._compared.second, self._compared.score
        refers = np.zeros(len(labels), dtype=bool)
        refers[list(self._antecedent)] = True
        others = np.bincount(labels[~refers], minlength=len(labels))[labels] - 1
        together = labels[first] == labels[second]
        sums = np.zeros(len(labels))
        for side in (first, second):
            np.add.at(sums, side[together], score[together])
        result = np.full(len(labels), np.nan)
        compared = ~refers & (others > 0)
        result[compared] = sums[compared] / others[compared]
        of_antecedent: dict[int, list[float]] = {}
        for pronoun, (antecedent, probability) in self._antecedent.items():
            result[pronoun] = probability
            of_antecedent.setdefault(antecedent, []).append(probability)
        for antecedent, values in of_antecedent.items():
            if np.isnan(result[antecedent]):
                result[antecedent] = sum(values) / len(values)
        return result


def cluster_mentions(corpus: Corpus, logits: PairLogits, settings: CorefConfig) -> Corpus:
    """Cluster the mentions of each kind; each mention gets its cluster's name and a confidence."""
    mentions = list(corpus.mentions)
    for kind in KINDS:
        clusters = KindClusters(corpus, logits, kind, settings)
        labels = clusters.cut(settings.distance_threshold[kind])
        found = clusters.confidences(labels)
        for number, mention in enumerate(corpus.mentions):
            if mention.kind == kind:
                confidence = mention.confidence if np.isnan(found[number]) else float(found[number])
                mentions[number] = replace(mention, cluster=f"{kind}_{labels[number]}", confidence=confidence)
    return replace(corpus, mentions=tuple(mentions))


def _chosen(scores: PairScores, chosen: NDArray[np.bool_]) -> PairScores:
    return PairScores(scores.size, scores.first[chosen], scores.second[chosen], scores.score[chosen])
