"""What is stored of documents and stories, so that nothing is read twice: vectors, logits, and clusters from them."""

from __future__ import annotations

import sqlite3
import zlib
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from cdcoref import linking
from cdcoref import model as models
from cdcoref.collection.database import rows_in, stored_documents
from cdcoref.corpus import KINDS, Corpus, Mention
from cdcoref.formats import stored_document, stored_mention
from cdcoref.reading import MentionVectors, Reading, Readings
from cdlm.packed import bounded_zlib


def store_vectors(connection: sqlite3.Connection, vectors: Mapping[int, MentionVectors]) -> None:
    """Store the vectors of the mentions of documents, by the documents' numbers."""
    rows = ((number, own.packed().tobytes()) for number, own in vectors.items() if len(own))
    connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)


def stored_readings(connection: sqlite3.Connection, ids: Sequence[str], *, vectors: bool) -> list[Reading]:
    """Stored documents as they were read, with vectors if these are asked for."""
    query = (
        "SELECT documents.id, tokens, kind, NULL, source_id, tag, found FROM documents "
        "JOIN mentions ON mentions.document = documents.number "
        "WHERE documents.id IN ({}) ORDER BY documents.number, place"
    )
    mentions: dict[str, list[Mention]] = {id: [] for id in ids}
    for row in rows_in(connection, query, ids):
        mentions[row[0]].append(stored_mention(*row))
    query = "SELECT id, packed FROM documents JOIN vectors ON document = number WHERE id IN ({})"
    packed = dict(rows_in(connection, query, ids)) if vectors else {}
    try:
        if vectors and any(own and id not in packed for id, own in mentions.items()):
            raise ValueError("some are missing")
        unpacked = {id: MentionVectors.unpacked(stored) for id, stored in packed.items()}
    except (ValueError, IndexError) as error:
        raise sqlite3.DatabaseError("stored vectors are damaged") from error
    documents = stored_documents(connection, "id", ids)
    return [Reading(document, mentions[document.id], unpacked.get(document.id)) for document in documents]


class DocumentScores(NamedTuple):
    """The compared mentions of two documents (or of one with itself), by their places. *Shapes:* (pairs,)"""

    first: np.ndarray
    second: np.ndarray
    logits: np.ndarray

    def packed(self) -> bytes:
        parts = (self.first.astype("<i4"), self.second.astype("<i4"), self.logits.astype("<f4"))
        return zlib.compress(b"".join(part.tobytes() for part in parts), 1)

    @classmethod
    def unpacked(cls, stored: bytes) -> DocumentScores:
        try:
            content = bounded_zlib(stored)
            if content is None:
                raise ValueError
            third = len(content) // 3
            first, second = (np.frombuffer(content[n * third : (n + 1) * third], dtype="<i4") for n in (0, 1))
            return cls(first, second, np.frombuffer(content[2 * third :], dtype="<f4"))
        except (zlib.error, ValueError) as error:
            raise sqlite3.DatabaseError("stored scores are damaged") from error


DocumentPair = tuple[str, str]


def by_document_pair(corpus: Corpus, logits: linking.PairLogits) -> dict[DocumentPair, DocumentScores]:
    """The logits of every pair of documents, by their ids, the id that comes first first."""
    ids = sorted(document.id for document in corpus.documents)
    rank = {id: number for number, id in enumerate(ids)}
    of_mention = np.array([rank[m.document] for m in corpus.mentions], dtype=np.int64)
    place = np.zeros(len(corpus.mentions), dtype=np.int64)
    for own in corpus.mention_numbers().values():
        place[own] = np.arange(len(own))
    if not len(logits.first):
        return {}
    swap = of_mention[logits.first] > of_mention[logits.second]
    one = np.where(swap, logits.second, logits.first)
    other = np.where(swap, logits.first, logits.second)
    code = of_mention[one] * len(ids) + of_mention[other]
    order = np.argsort(code, kind="stable")
    code, one, other, values = code[order], one[order], other[order], logits.logits[order]
    starts = np.flatnonzero(np.diff(code, prepend=-1))
    result = {}
    for start, end in zip(starts.tolist(), [*starts[1:].tolist(), len(code)], strict=True):
        pair = ids[code[start] // len(ids)], ids[code[start] % len(ids)]
        result[pair] = DocumentScores(place[one[start:end]], place[other[start:end]], values[start:end])
    return result


def store_scores(
    connection: sqlite3.Connection, numbers: Mapping[str, int], scores: Mapping[DocumentPair, DocumentScores]
) -> None:
    """Store scores of pairs of documents that have none; `numbers` are those of the documents by id."""
    rows = []
    for (one, other), found in scores.items():
        swap = numbers[one] > numbers[other]
        ordered = DocumentScores(found.second, found.first, found.logits) if swap else found
        rows.append((*sorted((numbers[one], numbers[other])), ordered.packed()))
    connection.executemany("INSERT OR IGNORE INTO scores VALUES (?, ?, ?)", rows)


def pair_logits(
    corpus: Corpus, places: np.ndarray, scores: Mapping[DocumentPair, DocumentScores]
) -> linking.PairLogits:
    """Logits of the mentions of a corpus from those of its pairs of documents. `places` are those of the mentions in
    their documents when these were compared; some may be missing since. *Shape:* (mentions,)"""
    own = corpus.mention_numbers()
    number_at = {}
    for id, numbers in own.items():
        table = np.full(max((int(places[n]) for n in numbers), default=-1) + 2, -1, dtype=np.int64)
        table[places[numbers]] = numbers
        number_at[id] = table
    first, second = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    values = [np.zeros(0, dtype=np.float32)]
    for (one, other), pair in scores.items():
        a = number_at[one][np.minimum(pair.first, len(number_at[one]) - 1)]
        b = number_at[other][np.minimum(pair.second, len(number_at[other]) - 1)]
        there = (a >= 0) & (b >= 0)
        first.append(np.minimum(a, b)[there])
        second.append(np.maximum(a, b)[there])
        values.append(pair.logits[there].astype(np.float32))
    low, high = np.concatenate(first), np.concatenate(second)
    kind_of = np.array([KINDS.index(m.kind) if m.kind in KINDS else -1 for m in corpus.mentions], dtype=np.int8)
    return linking.PairLogits(
        len(corpus.mentions), low.astype(np.int32), high.astype(np.int32), kind_of[low], np.concatenate(values)
    )


@dataclass(frozen=True)
class StoredStory:
    """A story with all that its clusters depend on; `places` of mentions are those in their documents."""

    number: int
    corpus: Corpus
    numbers: np.ndarray
    places: np.ndarray
    contents: Mapping[str, bytes]
    scores: Mapping[DocumentPair, DocumentScores]

    @classmethod
    def load(cls, connection: sqlite3.Connection, number: int) -> StoredStory:
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


def mention_key(content: bytes, tokens: tuple[int, ...], kind: str | None) -> str:
    """The key under which corrections store a mention: the content of its document, its tokens and its kind."""
    return f"{content.hex()}:{','.join(map(str, tokens))}:{kind or ''}"


def story_clusters(
    story: StoredStory, config: models.CorefConfig | None
) -> tuple[list[Hashable], list[linking.MentionLinks]]:
    """The clusters of a story before corrections; by head lemma without a configuration."""
    corpus = story.corpus
    if config is None:
        linked = linking.lemma_clusters(corpus, [[document.id for document in corpus.documents]])
        return [(mention.kind, mention.cluster) for mention in linked.mentions], []
    found = linking.clusters_by_kind(story.readings, pair_logits(corpus, story.places, story.scores), config)
    names = [(mention.kind, int(found[mention.kind or ""][0][n])) for n, mention in enumerate(corpus.mentions)]
    return [*names], [links for _, links in found.values()]


def joined_by_subject(
    stories: Sequence[StoredStory], subject_of: Mapping[int, int], story_of: np.ndarray, labels: np.ndarray
) -> np.ndarray:
    """The labels after clusters of one name in stories about one subject have become one; before, stories share none.

    `story_of`: The number of the story of every mention of the stories. *Shape* of it and of labels: (mentions,)
    """
    by_subject: defaultdict[int, list[StoredStory]] = defaultdict(list)
    for story in stories:
        if story.number in subject_of:
            by_subject[subject_of[story.number]].append(story)
    labels = labels.copy()
    for of_subject in (own for own in by_subject.values() if len(own) > 1):
        own = []
        for story in of_subject:
            named = zip(story.corpus.mentions, labels[story_of == story.number].tolist(), strict=True)
            mentions = tuple(replace(mention, cluster=str(label)) for mention, label in named)
            own.append(story.readings.with_corpus(replace(story.corpus, mentions=mentions)))
        for story, corpus in zip(of_subject, linking.joined_by_name(own), strict=True):
            labels[story_of == story.number] = [int(mention.cluster or 0) for mention in corpus.mentions]
    return labels
