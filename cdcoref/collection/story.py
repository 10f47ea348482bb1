"""A stored story in, its clusters out: from stored logits, or by head lemma, as the model has them.

Nothing is read by a model here: a story that has changed is clustered again from what is stored.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from cdcoref.collection.scores import DocumentPair, DocumentScores, pair_logits
from cdcoref.collection.settings import Settings
from cdcoref.corpus import KINDS, Corpus, Mention
from cdcoref.formats import stored_document, stored_mention

if TYPE_CHECKING:
    from cdcoref.model import CorefConfig


@dataclass(frozen=True)
class StoredStory:
    """A story with all that its clusters depend on.

    Attributes
    ----------
    number
        The story's number.
    corpus
        The documents and mentions, without rejected ones; a mention's confidence is that with which it came.
    numbers, places
        The number of every mention, and its place among those of its document. *Shape:* (mentions,)
    contents
        The hash of every document's content, by id.
    scores
        By pair of documents.
    """

    number: int
    corpus: Corpus
    numbers: np.ndarray
    places: np.ndarray
    contents: Mapping[str, bytes]
    scores: Mapping[DocumentPair, DocumentScores]

    @classmethod
    def load(cls, connection: sqlite3.Connection, number: int) -> StoredStory:
        """Read a story."""
        documents = []
        contents = {}
        query = "SELECT id, text, fields, content FROM documents WHERE story = ? ORDER BY number"
        for id, text, fields, content in connection.execute(query, (number,)):
            documents.append(stored_document(id, text, fields))
            contents[id] = content
        query = (
            "SELECT mentions.number, mentions.place, documents.id, mentions.tokens, mentions.kind, NULL, "
            "mentions.source_id, mentions.tag, mentions.found "
            "FROM documents JOIN mentions ON documents.number = mentions.document "
            "WHERE documents.story = ? AND NOT mentions.rejected ORDER BY mentions.document, mentions.place"
        )
        rows = connection.execute(query, (number,)).fetchall()
        query = (
            "SELECT one.id, other.id, scores.logits FROM documents AS one "
            "JOIN scores ON scores.first = one.number JOIN documents AS other ON other.number = scores.second "
            "WHERE one.story = ?1 AND other.story = ?1"
        )
        stored = connection.execute(query, (number,))
        return cls(
            number,
            Corpus(tuple(documents), tuple(stored_mention(*row[2:]) for row in rows)),
            np.array([row[0] for row in rows], dtype=np.int64),
            np.array([row[1] for row in rows], dtype=np.int64),
            contents,
            {(one, other): DocumentScores.unpacked(logits) for one, other, logits in stored},
        )

    def mention_keys(self) -> list[str]:
        """What corrections know each mention by."""
        return [mention_key(self.contents[m.document], m.tokens, m.kind) for m in self.corpus.mentions]


def mention_key(content: bytes, tokens: tuple[int, ...], kind: str | None) -> str:
    """What a correction knows a mention by: the content of its document, its tokens and its kind."""
    return f"{content.hex()}:{','.join(map(str, tokens))}:{kind or ''}"


@dataclass(frozen=True)
class Scores:
    """Probabilities of pairs of mentions, the first number the smaller. *Shapes:* (pairs,)"""

    size: int
    first: np.ndarray
    second: np.ndarray
    probability: np.ndarray

    @classmethod
    def joined(cls, parts: list[Scores]) -> Scores:
        """The scores of all mentions of several stories, which have no pairs across them."""
        offsets = np.cumsum([0, *(part.size for part in parts)])
        shifted = list(zip(parts, offsets[:-1].tolist(), strict=True))
        return cls(
            int(offsets[-1]),
            np.concatenate([np.zeros(0, np.int64), *(part.first + offset for part, offset in shifted)]),
            np.concatenate([np.zeros(0, np.int64), *(part.second + offset for part, offset in shifted)]),
            np.concatenate([np.zeros(0), *(part.probability for part in parts)]),
        )

    def among(self, members: np.ndarray) -> np.ndarray:
        """The scores of some mentions; 0 for a pair that was not compared. *Shape:* (members, members)"""
        place = np.full(self.size, -1, dtype=np.int64)
        place[members] = np.arange(len(members))
        a, b = place[self.first], place[self.second]
        there = (a >= 0) & (b >= 0)
        matrix = np.zeros((len(members), len(members)))
        matrix[a[there], b[there]] = matrix[b[there], a[there]] = self.probability[there]
        return matrix


@dataclass(frozen=True)
class StoryClusters:
    """The clusters of a story before corrections.

    Attributes
    ----------
    labels
        The number of every mention's cluster, from 0. *Shape:* (mentions,)
    confidence
        Of every mention, see :class:`cdcoref.corpus.Mention`; NaN where nothing is known. *Shape:* (mentions,)
    scores
        Probabilities of the compared pairs; none of them if mentions are linked by lemma.
    """

    labels: np.ndarray
    confidence: np.ndarray
    scores: Scores


@dataclass(frozen=True)
class StoryClusterer:
    """Clusters stories by the settings of their collection."""

    settings: Settings

    @cached_property
    def merge_above(self) -> dict[str, float]:
        """By kind, the probability above which clusters are merged; empty if mentions are linked by lemma."""
        if self.settings.lemma or self.settings.clustering is None:
            return {}
        return {kind: 1.0 - self._config.distance_threshold[kind] for kind in KINDS}

    def __call__(self, story: StoredStory) -> StoryClusters:
        """Cluster a story."""
        corpus = story.corpus
        if not self.merge_above:
            from cdcoref.linking import lemma_clusters

            labels = _labels(lemma_clusters(corpus, [[document.id for document in corpus.documents]]))
            none = np.zeros(0, dtype=np.int64)
            return StoryClusters(labels, confidences(corpus), Scores(len(labels), none, none, np.zeros(0)))
        from cdcoref.linking import cluster_mentions

        logits = pair_logits(corpus, story.places, story.scores)
        clustered = cluster_mentions(corpus, logits, self._config)
        probability = logits.probabilities(self._config.temperature)
        scores = Scores(logits.size, logits.first.astype(np.int64), logits.second.astype(np.int64), probability)
        return StoryClusters(_labels(clustered), confidences(clustered), scores)

    @cached_property
    def _config(self) -> CorefConfig:
        from cdcoref.model import CorefConfig

        config = CorefConfig.from_dict(self.settings.clustering)
        threshold = self.settings.options.threshold
        if threshold is None:
            return config
        return replace(config, distance_threshold=dict.fromkeys(KINDS, 1.0 - threshold))


def confidences(corpus: Corpus) -> np.ndarray:
    """The confidence of every mention; NaN where it has none. *Shape:* (mentions,)"""
    return np.array([np.nan if m.confidence is None else m.confidence for m in corpus.mentions], dtype=np.float64)


def _labels(corpus: Corpus) -> np.ndarray:
    numbers: dict[object, int] = {}

    def name(number: int, mention: Mention) -> object:
        return number if mention.cluster is None else (mention.kind, mention.cluster)

    return np.array(
        [numbers.setdefault(name(number, m), len(numbers)) for number, m in enumerate(corpus.mentions)],
        dtype=np.int64,
    )
