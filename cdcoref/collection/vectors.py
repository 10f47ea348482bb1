"""Vectors of the mentions of documents, stored so that no document is read alone twice: `MentionVectors` in and out.

What finds the antecedents of pronouns is not stored: that is settled within a document when it is new. A news report
with 70 mentions takes some 130 kB.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from cdcoref.collection.word_index import chunks, marks

if TYPE_CHECKING:
    from cdcoref.linking import MentionVectors

_HALF = np.dtype("<f2")
_NUMBER = np.dtype("<i4")


def packed_vectors(vectors: MentionVectors) -> bytes:
    """The vectors of the mentions of one document, as they are stored; there must be at least one mention."""
    own = vectors.compact()
    shape = (*own.mention.shape, own.learnt.shape[1], own.anaphora.shape[1], len(own.sentences))
    numbers = np.array([*shape, *own.sentence_of.tolist()], dtype=_NUMBER)
    tables = (own.mention, own.contexts, own.learnt, own.sentences, own.documents[0], own.openings[0])
    return numbers.tobytes() + b"".join(table.astype(_HALF).tobytes() for table in tables)


def unpacked_vectors(stored: bytes) -> MentionVectors:
    """Vectors from their stored form; zeros for those that are not stored.

    Raises
    ------
    sqlite3.DatabaseError
        If it is damaged.
    """
    from cdcoref.linking import MentionVectors

    try:
        count, width, learnt, anaphora, sentences = shape = np.frombuffer(stored, _NUMBER, 5).tolist()
        if min(shape) < 0:
            raise ValueError
        sentence_of = np.frombuffer(stored, _NUMBER, count, 5 * _NUMBER.itemsize).astype(np.int64)
        values = np.frombuffer(stored, _HALF, offset=(5 + count) * _NUMBER.itemsize).astype(np.float16)
        sizes = [count * width, count * width, count * learnt, sentences * width, width, width]
        tables = np.split(values, np.cumsum(sizes))
        if len(tables.pop()) or not ((sentence_of >= 0) & (sentence_of < sentences)).all():
            raise ValueError
        return MentionVectors(
            tables[0].reshape(count, width),
            tables[1].reshape(count, width),
            tables[3].reshape(sentences, width),
            tables[4].reshape(1, width),
            tables[5].reshape(1, width),
            sentence_of,
            np.zeros(count, dtype=np.int64),
            tables[2].reshape(count, learnt),
            np.zeros((count, anaphora), dtype=np.float16),
        )
    except (ValueError, IndexError) as error:
        raise sqlite3.DatabaseError("stored vectors are damaged") from error


def store_vectors(
    connection: sqlite3.Connection, numbers: Mapping[str, int], vectors: Mapping[str, MentionVectors]
) -> None:
    """Store the vectors of documents that have none; `numbers` are those of the documents by id."""
    rows = ((numbers[id], packed_vectors(own)) for id, own in vectors.items() if len(own))
    connection.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?)", rows)


def stored_vectors(connection: sqlite3.Connection, ids: Sequence[str]) -> dict[str, MentionVectors]:
    """The vectors of the mentions of documents, by id, in the order of their places; of those that have them."""
    found = {}
    for chunk in chunks(ids):
        query = (
            "SELECT documents.id, vectors.packed FROM documents JOIN vectors ON vectors.document = documents.number "
            f"WHERE documents.id IN ({marks(chunk)})"
        )
        found.update({id: unpacked_vectors(packed) for id, packed in connection.execute(query, chunk)})
    return found
