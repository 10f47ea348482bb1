"""The words of stored documents: a document in, its vector and its postings stored; the documents near new ones out.

Postings (which documents have a word) find the documents that share rare words with a new one.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array, diags_array

from cdcoref.clustering import connected
from cdcoref.collection.chosen_rows import numbers_of, rows_in, stories_of
from cdcoref.collection.settings import store_value, stored_value
from cdcoref.stories import Neighbourhood, rarity, unit_length

POSTINGS = 3_000
"""Postings that are read for a new document, those of the rarest words first."""
NEAREST = 8
"""Documents whose stories are looked at for a new document."""

TOTAL_SHARE = "total_share"
BOILERPLATE = "boilerplate"
_ORIGINALS_WITH = "SELECT document FROM postings JOIN documents ON number = document WHERE word = ? AND share > 0"
"""A copy of another document has a share of 0."""

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


def forget_words(connection: sqlite3.Connection) -> None:
    """Remove what :func:`index_words` stored of all documents."""
    connection.execute("DELETE FROM postings")
    connection.execute("DELETE FROM words")
    connection.execute("UPDATE documents SET words = x'', share = 0")
    store_value(connection, TOTAL_SHARE, 0.0)


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

    `ids`: Theirs, in the order of the rows: first those of stored documents, then those of new ones. `stories`:
    Numbers of the stored stories, by the number that they have in `near`. `near`: As
    :func:`cdcoref.stories.place_documents` takes it.
    """

    ids: list[str]
    stories: list[int]
    near: Neighbourhood


def surroundings(
    connection: sqlite3.Connection,
    new: Mapping[str, Weights],
    without: frozenset[int],
    original_of: Mapping[str, str],
    tied: Set[int] = frozenset(),
) -> Surroundings:
    """The neighbourhood of new documents, without the stored documents that they replace (`without`).

    `new` has their words by id; `original_of` has the originals of new documents that are copies, and of stored ones
    that are copies of new documents; `tied` are other stories that are looked at.
    """
    rows = word_rows(connection, {word for weights in new.values() for word in weights})
    candidates = {number for weights in new.values() for number in documents_near(connection, weights, rows, without)}
    candidates.update(numbers_of(connection, (id for pair in original_of.items() for id in pair)).values())
    stories = sorted(stories_of(connection, candidates - without) | tied)
    ids: list[str] = []
    texts: list[int] = []
    story_of: list[int] = []
    columns: list[np.ndarray] = []
    values: list[np.ndarray] = []
    place = {story: number for number, story in enumerate(stories)}
    query = (
        "SELECT number, id, story, words, share > 0, (SELECT copies.text FROM copies WHERE document = number) "
        "FROM documents WHERE story IN ({}) ORDER BY number"
    )
    originals: list[str] = []
    for number, id, story, stored, is_original, text in rows_in(connection, query, stories):
        if number not in without:
            ids.append(id)
            originals += [id] if is_original else []
            texts.append(number if text is None else text)
            story_of.append(place[story])
            own, weight = _unpacked(stored)
            columns.append(own)
            values.append(weight)
    frequency = {row.number: row.frequency for row in rows.values()}
    unknown: dict[str, int] = {}
    for number, (id, weights) in enumerate(new.items(), start=1):
        ids.append(id)
        texts.append(-number)
        story_of.append(-1)
        numbers = [
            rows[word].number if word in rows else -1 - unknown.setdefault(word, len(unknown)) for word in weights
        ]
        columns.append(np.array(numbers, dtype=np.int64))
        values.append(np.array(list(weights.values())))
    table, counts = _table(connection, columns, values, frequency)
    row_of = {id: row for row, id in enumerate(ids)}
    first_of_text = {text: row for row, text in reversed(list(enumerate(texts)))}
    links = [(row, first_of_text[text]) for row, text in enumerate(texts)]
    links += [(row_of[copy], row_of[original]) for copy, original in original_of.items()]
    _, first, group = np.unique(
        connected(len(ids), *np.array(links, dtype=np.int64).reshape(-1, 2).T), return_index=True, return_inverse=True
    )
    total = stored_value(connection, TOTAL_SHARE, 0.0)
    for original in (*originals, *(id for id in original_of.values() if id in new)):
        first[group[row_of[original]]] = row_of[original]
    near = Neighbourhood(table, np.array(story_of, dtype=np.int64), first[group], counts, total)
    return Surroundings(ids, stories, near)


def vectors_of_stories(
    connection: sqlite3.Connection, stories: Sequence[int], *, copies: bool = False
) -> tuple[csr_array, np.ndarray, np.ndarray]:
    """The vectors of the documents of some stories, of length 1 or 0, their numbers, and the place of each one's story
    in `stories`; with or without copies of others.

    *Shapes:* (documents, words), (documents,), (documents,)
    """
    place = {story: number for number, story in enumerate(stories)}
    originals = "" if copies else "share > 0 AND"
    query = f"SELECT number, story, words FROM documents WHERE {originals} story IN ({{}}) ORDER BY number"
    found = [(n, place[story], *_unpacked(stored)) for n, story, stored in rows_in(connection, query, stories)]
    table, frequency = _table(connection, [row[2] for row in found], [row[3] for row in found], {})
    weights = rarity(frequency, stored_value(connection, TOTAL_SHARE, 0.0))
    numbers, story_of = np.array([row[:2] for row in found], dtype=np.int64).reshape(-1, 2).T
    return unit_length(csr_array(table @ diags_array(weights))), numbers, story_of


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
