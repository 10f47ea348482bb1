"""The words of stored documents: a document in, its vector and its postings stored; the documents near new ones out.

Postings (which documents have a word) find the documents that share rare words with a new one; vectors of those, and of
the stories that they are in, then say where it belongs (`cdcoref.stories.place_documents`). What is read is bounded by
`POSTINGS` and `NEAREST` a new document and by the size of the stories near it, not by that of the collection.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array, diags_array

from cdcoref.collection.chosen_rows import rows_in, stories_of
from cdcoref.collection.settings import store_value, stored_value
from cdcoref.stories import Neighbourhood, rarity, unit_length

POSTINGS = 3_000
"""Postings that are read for a new document, those of the rarest words first."""
NEAREST = 8
"""Documents whose stories are looked at for a new document."""

TOTAL_SHARE = "total_share"
BOILERPLATE = "boilerplate"
_ORIGINALS_WITH = "SELECT document FROM postings WHERE word = ? AND document NOT IN (SELECT document FROM copies)"

Weights = Mapping[str, float]
"""The words of a document and how much each weighs, see `cdcoref.stories.words_of`."""


class WordRow(NamedTuple):
    """The stored row of a word."""

    number: int
    documents: int
    frequency: float


def word_rows(connection: sqlite3.Connection, words: Iterable[str]) -> dict[str, WordRow]:
    """The stored rows of words, by word."""
    query = "SELECT word, number, documents, frequency FROM words WHERE word IN ({})"
    return {word: WordRow(*row) for word, *row in rows_in(connection, query, words)}


def index_words(connection: sqlite3.Connection, document: int, weights: Weights, share: float) -> None:
    """Store the vector and the postings of a document that is new, and count its words."""
    connection.executemany(
        "INSERT INTO words (word, documents, frequency) VALUES (?, 1, ?) "
        "ON CONFLICT (word) DO UPDATE SET documents = documents + 1, frequency = frequency + excluded.frequency",
        ((word, share) for word in weights),
    )
    rows = word_rows(connection, weights)
    numbers = sorted((rows[word].number, weight) for word, weight in weights.items())
    connection.executemany("INSERT INTO postings VALUES (?, ?)", ((number, document) for number, _ in numbers))
    store_value(connection, TOTAL_SHARE, stored_value(connection, TOTAL_SHARE, 0.0) + share)
    packed = _packed(numbers)
    connection.execute("UPDATE documents SET words = ?, share = ? WHERE number = ?", (packed, share, document))


def stored_boilerplate(connection: sqlite3.Connection) -> frozenset[bytes]:
    """The keys of the lines that were found to be boilerplate, see :func:`cdcoref.stories.boilerplate_lines`.

    Documents that came before one was found keep its words until the collection is rebuilt.
    """
    return frozenset(map(bytes.fromhex, stored_value(connection, BOILERPLATE, [])))


def store_boilerplate(connection: sqlite3.Connection, keys: Iterable[bytes]) -> None:
    """Store what :func:`stored_boilerplate` returns."""
    store_value(connection, BOILERPLATE, sorted(key.hex() for key in keys))


def unindex_words(connection: sqlite3.Connection, document: int) -> None:
    """Undo :func:`index_words`."""
    set_share(connection, document, 0.0)
    (stored,) = connection.execute("SELECT words FROM documents WHERE number = ?", (document,)).fetchone()
    numbers = [(number,) for number in _unpacked(stored)[0].tolist()]
    connection.executemany("UPDATE words SET documents = documents - 1 WHERE number = ?", numbers)
    connection.executemany("DELETE FROM postings WHERE word = ? AND document = ?", ((n, document) for (n,) in numbers))
    connection.executemany("DELETE FROM words WHERE number = ? AND documents = 0", numbers)


def set_share(connection: sqlite3.Connection, document: int, share: float) -> None:
    """Let a stored document count for another share of a document in how frequent its words are."""
    query = "SELECT words, share FROM documents WHERE number = ?"
    stored, before = connection.execute(query, (document,)).fetchone()
    if share == before:
        return
    connection.executemany(
        "UPDATE words SET frequency = max(0, frequency + ?) WHERE number = ?",
        ((share - before, number) for number in _unpacked(stored)[0].tolist()),
    )
    connection.execute("UPDATE documents SET share = ? WHERE number = ?", (share, document))
    store_value(connection, TOTAL_SHARE, max(0.0, stored_value(connection, TOTAL_SHARE, 0.0) + share - before))


def documents_near(
    connection: sqlite3.Connection, weights: Weights, rows: Mapping[str, WordRow], without: frozenset[int]
) -> list[int]:
    """Numbers of the documents that share the most, and rarest, words with a new one; `without` are not looked at.

    Copies are not looked at either.
    """
    total = stored_value(connection, TOTAL_SHARE, 0.0)
    known = sorted((rows[word].documents, word) for word in weights if word in rows)
    score: Counter[int] = Counter()
    read = 0
    for count, word in known:
        read += count
        if read > POSTINGS and score:
            break
        row = rows[word]
        (rare,) = rarity(np.array([row.frequency]), total)
        gain = weights[word] * float(rare) ** 2
        for (document,) in connection.execute(_ORIGINALS_WITH, (row.number,)):
            score[document] += gain  # type: ignore[assignment]
    best = sorted((-gain, number) for number, gain in score.items() if number not in without)
    return [number for _, number in best[:NEAREST]]


class Surroundings(NamedTuple):
    """The documents of the stories near new documents, and their vectors.

    Attributes
    ----------
    documents
        Numbers of the stored ones, in the order of the rows; the new ones follow them.
    stories
        Numbers of the stored stories, by the number that they have in `near`.
    near
        As :func:`cdcoref.stories.place_documents` takes it.
    """

    documents: list[int]
    stories: list[int]
    near: Neighbourhood


def surroundings(
    connection: sqlite3.Connection,
    new: Sequence[Weights],
    without: frozenset[int],
    original_of: Mapping[int, int],
) -> Surroundings:
    """The neighbourhood of new documents, without the documents that they replace (`without`).

    `original_of` has the originals of copies: stored documents by their numbers, and the new document of place p by
    -1 - p.
    """
    rows = word_rows(connection, {word for weights in new for word in weights})
    candidates = {number for weights in new for number in documents_near(connection, weights, rows, without)}
    candidates |= {original for original in original_of.values() if original >= 0}
    stories = sorted(stories_of(connection, candidates))
    documents: list[int] = []
    story_of: list[int] = []
    columns: list[np.ndarray] = []
    values: list[np.ndarray] = []
    for number, place, own, weight in _words_of_stories(connection, stories):
        if number not in without:
            documents.append(number)
            story_of.append(place)
            columns.append(own)
            values.append(weight)
    frequency = {row.number: row.frequency for row in rows.values()}
    unknown: dict[str, int] = {}
    for weights in new:
        numbers = [
            rows[word].number if word in rows else -1 - unknown.setdefault(word, len(unknown)) for word in weights
        ]
        columns.append(np.array(numbers, dtype=np.int64))
        values.append(np.array(list(weights.values())))
        story_of.append(-1)
    table, counts = _table(connection, columns, values, frequency)
    total = stored_value(connection, TOTAL_SHARE, 0.0)
    row_of = {number: row for row, number in enumerate([*documents, *(-1 - place for place in range(len(new)))])}
    originals = np.arange(len(row_of))
    stored = connection.execute("SELECT document, original FROM copies ORDER BY document").fetchall()
    heirs: dict[int, int] = {}
    for copy, original in (*stored, *original_of.items()):
        if copy in row_of:
            # The first copy of a document that is being replaced is the original of the others.
            there = original if original in row_of else heirs.setdefault(original, copy)
            originals[row_of[copy]] = row_of[there]
    near = Neighbourhood(table, np.array(story_of, dtype=np.int64), originals, counts, total)
    return Surroundings(documents, stories, near)


def vectors_of_stories(connection: sqlite3.Connection, stories: Sequence[int]) -> tuple[csr_array, np.ndarray]:
    """The vectors of the documents of some stories, of length 1 or 0, and the place of each one's story in `stories`;
    copies are left out.

    *Shapes:* (documents, words), (documents,)
    """
    copies = {copy for (copy,) in connection.execute("SELECT document FROM copies")}
    found = [row for row in _words_of_stories(connection, stories) if row[0] not in copies]
    table, frequency = _table(connection, [own for *_, own, _ in found], [weight for *_, weight in found], {})
    weights = rarity(frequency, stored_value(connection, TOTAL_SHARE, 0.0))
    story_of = np.array([place for _, place, _, _ in found], dtype=np.int64)
    return unit_length(csr_array(table @ diags_array(weights))), story_of


def _words_of_stories(
    connection: sqlite3.Connection, stories: Sequence[int]
) -> Iterator[tuple[int, int, np.ndarray, np.ndarray]]:
    """Of every document of some stories its number, its story's place among them, its words and what each weighs."""
    place = {story: number for number, story in enumerate(stories)}
    query = "SELECT number, story, words FROM documents WHERE story IN ({}) ORDER BY number"
    for number, story, stored in rows_in(connection, query, stories):
        yield (number, place[story], *_unpacked(stored))


def _table(
    connection: sqlite3.Connection,
    columns: Sequence[np.ndarray],
    values: Sequence[np.ndarray],
    known: Mapping[int, float],
) -> tuple[csr_array, np.ndarray]:
    """A table of words, a column for each that occurs, and how frequent each is; unknown words are below 0.

    *Shapes:* (documents, words), (words,)
    """
    frequency = dict(known)
    used, inverse = np.unique(np.concatenate([np.zeros(0, np.int64), *columns]), return_inverse=True)
    query = "SELECT number, frequency FROM words WHERE number IN ({})"
    unknown = [number for number in used.tolist() if number >= 0 and number not in frequency]
    frequency.update(rows_in(connection, query, unknown))
    ends = np.cumsum([0, *map(len, columns)])
    table = csr_array((np.concatenate([np.zeros(0), *values]), inverse, ends), shape=(len(columns), len(used)))
    table.sort_indices()
    return table, np.array([frequency.get(number, 0.0) for number in used.tolist()])


def _packed(numbers: Sequence[tuple[int, float]]) -> bytes:
    """Numbers of words as 32-bit integers, then their weights as 32-bit floats."""
    columns = np.array([number for number, _ in numbers], dtype="<i4")
    return columns.tobytes() + np.array([weight for _, weight in numbers], dtype="<f4").tobytes()


def _unpacked(stored: bytes) -> tuple[np.ndarray, np.ndarray]:
    half = len(stored) // 2
    return (
        np.frombuffer(stored[:half], dtype="<i4").astype(np.int64),
        np.frombuffer(stored[half:], dtype="<f4").astype(np.float64),
    )
