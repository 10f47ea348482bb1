"""Readings of documents, stored so that no document is read twice: its mentions and their vectors."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence

import numpy as np

from cdcoref.collection.chosen_rows import rows_in, stored_documents
from cdcoref.corpus import Mention
from cdcoref.formats import stored_mention
from cdcoref.reading import MentionVectors, Reading

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
