"""Logits of mention pairs, stored by pair of documents: `PairLogits` in, rows of the table out, and back.

A pair of documents that was not read together has no row, and its mentions no logits.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cdcoref.corpus import KINDS, Corpus
from cdcoref.formats import bounded_zlib

if TYPE_CHECKING:
    from cdcoref.linking import PairLogits


class DocumentScores(NamedTuple):
    """The compared mentions of two documents (or of one with itself).

    `first`, `second`: Places of the mentions in the one and the other document. *Shape:* (pairs,) `logits`: *Shape:*
    (pairs,)
    """

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
