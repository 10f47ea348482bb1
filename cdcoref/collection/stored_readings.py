"""Readings of documents and logits of pairs of mentions, stored so that nothing is read twice."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cdcoref.collection.database import rows_in, stored_documents
from cdcoref.corpus import KINDS, Corpus, Mention
from cdcoref.formats import bounded_zlib, stored_mention
from cdcoref.reading import MentionVectors, Reading

if TYPE_CHECKING:
    from cdcoref.linking import PairLogits

_HALF = np.dtype("<f2")
_NUMBER = np.dtype("<i4")


def packed_vectors(vectors: MentionVectors) -> bytes:
    """The vectors of the mentions of one document, as they are stored; there must be at least one mention."""
    own = vectors.compact()
    mention, context, learnt, anaphora = (own.own[name] for name in ("mention", "context", "learnt", "anaphora"))
    sentence, document, opening = (own.shared[name] for name in ("sentence", "document", "opening"))
    shape = (*mention.shape, learnt.shape[1], anaphora.shape[1], len(sentence))
    numbers = np.array([*shape, *own.rows["sentence"].tolist()], dtype=_NUMBER)
    tables = (mention, context, learnt, sentence, document[0], opening[0])
    return numbers.tobytes() + b"".join(table.astype(_HALF).tobytes() for table in tables)


def unpacked_vectors(stored: bytes) -> MentionVectors:
    """Vectors from their stored form; zeros for those that are not stored."""
    try:
        count, width, learnt, anaphora, sentences = shape = np.frombuffer(stored, _NUMBER, 5).tolist()
        if min(shape) < 0:
            raise ValueError
        sentence_of = np.frombuffer(stored, _NUMBER, count, 5 * _NUMBER.itemsize).astype(np.int64)
        values = np.frombuffer(stored, _HALF, offset=(5 + count) * _NUMBER.itemsize).astype(np.float16)
        sizes = [count * width, count * width, count * learnt, sentences * width, width, width]
        mention, context, own, sentence, document, opening, rest = np.split(values, np.cumsum(sizes))
        if len(rest) or not ((sentence_of >= 0) & (sentence_of < sentences)).all():
            raise ValueError
        return MentionVectors(
            {
                "mention": mention.reshape(count, width),
                "context": context.reshape(count, width),
                "learnt": own.reshape(count, learnt),
                "anaphora": np.zeros((count, anaphora), dtype=np.float16),
            },
            {
                "sentence": sentence.reshape(sentences, width),
                "document": document.reshape(1, width),
                "opening": opening.reshape(1, width),
            },
            {"sentence": sentence_of, "document": np.zeros(count, dtype=np.int64)},
        )
    except (ValueError, IndexError) as error:
        raise sqlite3.DatabaseError("stored vectors are damaged") from error


def store_vectors(connection: sqlite3.Connection, vectors: Mapping[int, MentionVectors]) -> None:
    """Store the vectors of the mentions of documents, by the documents' numbers."""
    rows = ((number, packed_vectors(own)) for number, own in vectors.items() if len(own))
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
    if vectors and any(own and id not in packed for id, own in mentions.items()):
        raise sqlite3.DatabaseError("stored vectors are damaged")
    return [
        Reading(
            document, mentions[document.id], unpacked_vectors(packed[document.id]) if document.id in packed else None
        )
        for document in stored_documents(connection, "id", ids)
    ]


class DocumentScores(NamedTuple):
    """The compared mentions of two documents (or of one with itself), by their places. *Shapes:* (pairs,)"""

    first: np.ndarray
    second: np.ndarray
    logits: np.ndarray

    def packed(self) -> bytes:
        """The scores as they are stored."""
        parts = (self.first.astype("<i4"), self.second.astype("<i4"), self.logits.astype("<f4"))
        return zlib.compress(b"".join(part.tobytes() for part in parts), 1)

    @classmethod
    def unpacked(cls, stored: bytes) -> DocumentScores:
        """The scores from their stored form."""
        try:
            content = bounded_zlib(stored)
            if content is None:
                raise ValueError
            third = len(content) // 3
            first, second = (np.frombuffer(content[n * third : (n + 1) * third], dtype="<i4") for n in (0, 1))
            return cls(first, second, np.frombuffer(content[2 * third :], dtype="<f4"))
        except (zlib.error, ValueError) as error:
            raise sqlite3.DatabaseError("stored scores are damaged") from error

    def swapped(self) -> DocumentScores:
        """With the two documents in the other order."""
        return DocumentScores(self.second, self.first, self.logits)


DocumentPair = tuple[str, str]


def by_document_pair(corpus: Corpus, logits: PairLogits) -> dict[DocumentPair, DocumentScores]:
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
        first, second = numbers[one], numbers[other]
        rows.append((first, second, found.packed()) if first <= second else (second, first, found.swapped().packed()))
    connection.executemany("INSERT OR IGNORE INTO scores VALUES (?, ?, ?)", rows)


def pair_logits(corpus: Corpus, places: np.ndarray, scores: Mapping[DocumentPair, DocumentScores]) -> PairLogits:
    """Logits of the mentions of a corpus from those of its pairs of documents.

    `places` are those of the mentions in their documents when these were compared; some may be missing since. *Shape:*
    (mentions,)
    """
    from cdcoref.linking import PairLogits

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
    return PairLogits(
        len(corpus.mentions), low.astype(np.int32), high.astype(np.int32), kind_of[low], np.concatenate(values)
    )
