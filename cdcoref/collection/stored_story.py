"""A stored story in, its clusters out, by stored logits or head lemma; stories of one subject joined by name."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from cdcoref.collection.stored_readings import DocumentPair, DocumentScores, pair_logits
from cdcoref.corpus import Corpus
from cdcoref.formats import stored_document, stored_mention
from cdcoref.reading import Readings

if TYPE_CHECKING:
    from cdcoref.linking import MentionLinks
    from cdcoref.model import CorefConfig

SHARED = 1e-3
"""What the same name counts beside probabilities where people divide a cluster: what was compared counts more."""


@dataclass(frozen=True)
class StoredStory:
    """A story with all that its clusters depend on; `places` are those of mentions among those of their documents.

    A mention's confidence is that with which it came. *Shapes:* (mentions,)
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

    @cached_property
    def readings(self) -> Readings:
        """What is known of the documents and mentions; joining and questions take it from there too."""
        return Readings(self.corpus)

    def mention_keys(self) -> list[str]:
        """The key under which corrections store each mention."""
        return [mention_key(self.contents[m.document], m.tokens, m.kind) for m in self.corpus.mentions]


def mention_key(content: bytes, tokens: tuple[int, ...], kind: str | None) -> str:
    """The key under which corrections store a mention: the content of its document, its tokens and its kind."""
    return f"{content.hex()}:{','.join(map(str, tokens))}:{kind or ''}"


def story_clusters(story: StoredStory, config: CorefConfig | None) -> tuple[list[Hashable], list[MentionLinks]]:
    """The clusters of a story before corrections; by head lemma without a configuration."""
    from cdcoref.linking import clusters_by_kind, lemma_clusters

    corpus = story.corpus
    if config is None:
        linked = lemma_clusters(corpus, [[document.id for document in corpus.documents]])
        return [(mention.kind, mention.cluster) for mention in linked.mentions], []
    found = clusters_by_kind(story.readings, pair_logits(corpus, story.places, story.scores), config)
    names = [(mention.kind, int(found[mention.kind or ""][0][n])) for n, mention in enumerate(corpus.mentions)]
    return [*names], [links for _, links in found.values()]


class SubjectNames:
    """The names of entities in stories that are clustered together."""

    def __init__(self, stories: Sequence[StoredStory], subject_of: Mapping[int, int]) -> None:
        self._stories = stories
        self._ends = np.cumsum([0, *(len(story.numbers) for story in stories)]).tolist()
        by_subject: defaultdict[int, list[int]] = defaultdict(list)
        for place, story in enumerate(stories):
            if story.number in subject_of:
                by_subject[subject_of[story.number]].append(place)
        self._subjects = [places for places in by_subject.values() if len(places) > 1]

    def joined(self, labels: np.ndarray) -> np.ndarray:
        """The labels of mentions after clusters of the same name have become one; before, no stories share one.

        *Shapes:* (mentions,)
        """
        from cdcoref.linking import joined_by_name

        labels = labels.copy()
        for places in self._subjects:
            own = []
            for place in places:
                story = self._stories[place]
                clusters = labels[self._of_story(place)].tolist()
                named = zip(story.corpus.mentions, clusters, strict=True)
                mentions = tuple(replace(mention, cluster=str(label)) for mention, label in named)
                own.append(story.readings.with_corpus(replace(story.corpus, mentions=mentions)))
            for place, corpus in zip(places, joined_by_name(own), strict=True):
                labels[self._of_story(place)] = [int(mention.cluster or 0) for mention in corpus.mentions]
        return labels

    def shared(self, members: np.ndarray, joined: np.ndarray) -> np.ndarray:
        """`SHARED` for mentions of different stories that :meth:`joined` put into one cluster, 0 for others.

        *Shapes:* (members,), (mentions,) to (members, members)
        """
        story = np.searchsorted(self._ends, members, side="right")
        same = (story[:, None] != story) & (joined[members][:, None] == joined[members])
        return SHARED * same.astype(np.float64)

    def _of_story(self, place: int) -> slice:
        return slice(self._ends[place], self._ends[place + 1])
