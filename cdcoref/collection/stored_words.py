"""The words of the stored documents and of new ones: which documents are near each other, and which are copies."""

import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from hashlib import blake2b

import numpy as np
from scipy.sparse import csr_array

from cdcoref.clustering import connected
from cdcoref.collection.database import numbers_of, rows_in, stored_documents
from cdcoref.corpus import Document
from cdcoref.stories import Neighbourhood, blocks_of_products, near_duplicates, tf_idf

NEAREST = 8
"""Documents whose stories are looked at for a new document."""
NO_STORY = -1
"""The story of a new document."""


def packed_words(weights: Mapping[str, float]) -> bytes:
    """The words of a document (`cdcoref.stories.words_of`) as they are stored: hashes in ascending order, weights."""
    known = sorted(
        (int.from_bytes(blake2b(word.encode(errors="surrogatepass"), digest_size=8).digest(), "little", signed=True), w)
        for word, w in weights.items()
    )
    hashes, values = np.array([h for h, _ in known], dtype="<i8"), np.array([w for _, w in known], dtype="<f4")
    return hashes.tobytes() + values.tobytes()


class StoredWords:
    """The stored documents, without those that are being replaced (`without`), and behind them `new` ones.

    `numbers`, `ids`, `stories`: Of the documents; the last two of new ones are 0 and `NO_STORY`. *Shape:* (documents,)
    `share`: For how much of a document each counts in how rare words are: 0 for copies and new documents. *Shape:*
        (documents,)
    `weights`: How much each word weighs in each, before its rarity is known. *Shape:* (documents, words)
    `frequency`: In how many documents each word is. *Shape:* (words,)
    """

    def __init__(
        self, connection: sqlite3.Connection, new: Mapping[str, bytes] | None = None, without: Collection[int] = ()
    ) -> None:
        new = new or {}
        query = "SELECT number, id, story, share, words FROM documents ORDER BY number"
        rows = [row for row in connection.execute(query) if row[0] not in without]
        rows += [(0, id, NO_STORY, 0.0, words) for id, words in new.items()]
        self.numbers = np.array([row[0] for row in rows], dtype=np.int64)
        self.ids = [row[1] for row in rows]
        self.stories = np.array([row[2] for row in rows], dtype=np.int64)
        self.share = np.array([row[3] for row in rows], dtype=np.float64)
        texts: dict[int, list[int]] = {}
        for text, number in connection.execute("SELECT text, document FROM ordered_copies"):
            texts.setdefault(text, []).append(number)
        self._texts = list(texts.values())
        self.share[np.isin(self.numbers, [number for own in self._texts for number in own[1:]])] = 0.0
        halves = [(words[: len(words) * 2 // 3], words[len(words) * 2 // 3 :]) for *_, words in rows]
        hashes = np.frombuffer(b"".join(half for half, _ in halves), dtype="<i8")
        values = np.frombuffer(b"".join(half for _, half in halves), dtype="<f4").astype(np.float64)
        used, columns = np.unique(hashes, return_inverse=True)
        ends = np.cumsum([0, *(len(half) // 4 for _, half in halves)])
        self.weights = csr_array((values, columns, ends), shape=(len(rows), len(used)))
        self.frequency = np.bincount(columns, np.repeat(self.share, np.diff(ends)), len(used))

    @cached_property
    def vectors(self) -> csr_array:
        """Vectors of length 1, or 0 for a document without words. *Shape:* (documents, words)"""
        return tf_idf(self.weights, self.frequency, self.share.sum())

    def nearest(self, rows: Iterable[int]) -> set[int]:
        """The rows of the documents of other stories that are most similar to some, without copies and new ones."""
        chosen, found = np.array([*rows], dtype=np.int64), set[int]()
        for start, block in blocks_of_products(self.vectors, chosen, self.vectors):
            for place, (first, last) in enumerate(zip(block.indptr, block.indptr[1:], strict=False)):
                others, similarity = block.indices[first:last], block.data[first:last]
                apart = (self.share[others] > 0) & (self.stories[others] != self.stories[chosen[start + place]])
                best = np.lexsort((others[apart], -similarity[apart]))[:NEAREST]
                found.update(others[apart][best].tolist())
        return found

    def of_stories(self, stories: Collection[int]) -> np.ndarray:
        """The rows of the documents of some stories. *Shape:* (rows,)"""
        return np.flatnonzero(np.isin(self.stories, [*stories]))

    def neighbourhood(self, rows: np.ndarray, original_of: Mapping[str, str]) -> Neighbourhood:
        """Some documents and new ones, as :func:`cdcoref.stories.place_documents` takes them. `original_of` has the
        originals of new documents that are copies, and of stored ones that are copies of new documents, by id."""
        place = {int(self.numbers[row]): n for n, row in enumerate(rows.tolist())}
        own = [[place[number] for number in numbers if number in place] for numbers in self._texts]
        place_of_id = {self.ids[row]: n for n, row in enumerate(rows.tolist())}
        links = [(number, numbers[0]) for numbers in own for number in numbers]
        links += [(place_of_id[copy], place_of_id[original]) for copy, original in original_of.items()]
        groups = connected(len(rows), *np.array(links, dtype=np.int64).reshape(-1, 2).T)
        _, first, group = np.unique(groups, return_index=True, return_inverse=True)
        new = {self.ids[row] for row in rows.tolist() if self.stories[row] == NO_STORY}
        originals = np.flatnonzero(self.share[rows] > 0).tolist()
        for n in (*originals, *(place_of_id[id] for id in original_of.values() if id in new)):
            first[group[n]] = n
        return Neighbourhood(
            csr_array(self.weights[rows]), self.stories[rows], first[group], self.frequency, float(self.share.sum())
        )


def find_copies(
    connection: sqlite3.Connection,
    near: Iterable[int],
    new: Sequence[Document],
    without: Collection[int],
    lines: Collection[bytes],
) -> dict[str, str]:
    """The originals of new documents that are copies, and of stored ones that are copies of new documents, by id.
    `near` are the numbers of the stored documents near new ones, `without` of those that are being replaced; `lines`
    are keys of lines that are boilerplate."""
    candidates = set(near)
    for number in without:
        candidates.update([copy for copy in copies_of(connection, number) if copy not in without][:1])
    original_of = near_duplicates([*stored_documents(connection, "number", sorted(candidates)), *new], lines)
    with_new = {original_of.get(document.id, document.id) for document in new}
    return {copy: original for copy, original in original_of.items() if original in with_new}


def copies_of(connection: sqlite3.Connection, number: int) -> list[int]:
    """The numbers of a document and of the other copies of its text, the original first; none if it has no copy."""
    query = "SELECT document FROM ordered_copies WHERE text = (SELECT text FROM copies WHERE document = ?)"
    return [copy for (copy,) in connection.execute(query, (number,))]


def store_copies(connection: sqlite3.Connection, original_of: Mapping[str, str]) -> None:
    """Store which documents are copies of one text; `original_of` has the original of every copy by id."""
    number_of = numbers_of(connection, {id for pair in original_of.items() for id in pair})
    for pair in original_of.items():
        numbers = [number_of[id] for id in pair]
        known = rows_in(connection, "SELECT text FROM copies WHERE document IN ({})", numbers)
        text, *others = sorted(text for (text,) in known) or [numbers[1]]
        connection.executemany("UPDATE copies SET text = ? WHERE text = ?", ((text, other) for other in others))
        connection.executemany("INSERT OR REPLACE INTO copies VALUES (?, ?)", ((number, text) for number in numbers))
