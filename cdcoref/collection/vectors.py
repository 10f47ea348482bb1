"""Vectors of the mentions of documents, stored so that no document is read alone twice: `MentionVectors` in and out.

What all mentions of a sentence or of a document have in common is stored once. What finds the antecedents of pronouns
is not: that is settled within a document when it is new. Some 100 kB for a news report with 100 mentions.
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
    """The vectors of the mentions of one document, of which there is at least one, as they are stored."""
    sentences, place = np.unique(vectors.sentence, axis=0, return_inverse=True)
    shape = (*vectors.mention.shape, vectors.learnt.shape[1], vectors.anaphora.shape[1], len(sentences))
    numbers = np.array([*shape, *place.ravel().tolist()], dtype=_NUMBER)
    tables = (vectors.mention, vectors.learnt, sentences, vectors.document[0])
    return numbers.tobytes() + b"".join(table.astype(_HALF).tobytes() for table in tables)


def unpacked_vectors(stored: bytes) -> MentionVectors:
    """What was stored; zeros for what is not.

    Raises
    ------
    sqlite3.DatabaseError
        If it is damaged.
    """
    from cdcoref.linking import MentionVectors

    try:
        count, width, learnt, anaphora, sentences = np.frombuffer(stored, _NUMBER, 5).tolist()
        place = np.frombuffer(stored, _NUMBER, count, 5 * _NUMBER.itemsize)
        values = np.frombuffer(stored, _HALF, offset=(5 + count) * _NUMBER.itemsize).astype(np.float16)
        ends = np.cumsum([count * width, count * learnt, sentences * width, width])
        tables = np.split(values, ends)
        if len(tables.pop()):
            raise ValueError
        return MentionVectors(
            tables[0].reshape(count, width),
            tables[2].reshape(sentences, width)[place],
            np.repeat(tables[3].reshape(1, width), count, axis=0),
            tables[1].reshape(count, learnt),
            np.zeros((count, anaphora), dtype=np.float16),
        )
    except (ValueError, IndexError) as error:
        raise sqlite3.DatabaseError("stored vectors are damaged") from error


def store_vectors(
    connection: sqlite3.Connection, numbers: Mapping[str, int], vectors: Mapping[str, MentionVectors]
) -> None:
    """Store the vectors of documents that have none; `numbers` are those of the documents by id."""
    rows = ((numbers[id], packed_vectors(own)) for id, own in vectors.items() if len(own.mention))
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
