"""Near-duplicates in a collection: which new documents are copies of others, and what becomes of copies.

A copy is in the story of its original and counts for nothing in how rare words are; in finding stories it has no say.
A new document that is longer than the stored original becomes the original of its copies, and of other originals that
are near it; an original that is removed leaves its place to the first of them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence

from cdcoref.collection.chosen_rows import numbers_of, rows_in, stored_documents
from cdcoref.collection.word_index import Weights, documents_near, set_share, word_rows
from cdcoref.corpus import Document
from cdcoref.stories import near_duplicates, resemblance

CLOSE = 0.2
"""From this resemblance on a new document is also compared with the copies of an original."""


def find_copies(
    connection: sqlite3.Connection,
    new: Sequence[tuple[Document, Weights]],
    without: frozenset[int],
    lines: Collection[bytes],
) -> dict[str, str]:
    """The original of every new document that is a copy, and of stored copies whose original changes, by id.

    Parameters
    ----------
    new
        Documents and their words.
    without
        Numbers of stored documents that are being replaced; the first copies of those are originals then.
    lines
        Keys of lines that are boilerplate.
    """
    rows = word_rows(connection, {word for _, weights in new for word in weights})
    near = {number for _, weights in new for number in documents_near(connection, weights, rows, without)}
    near |= {heir for number in without if (heir := _heir(connection, number, without)) is not None}
    originals = list(stored_documents(connection, "number", sorted(near)))
    documents = [document for document, _ in new]
    close = {one.id for one in originals for document in documents if resemblance(one, document, lines) >= CLOSE}
    query = (
        "SELECT copies.document, one.id, other.id FROM copies JOIN documents AS one ON one.number = copies.document "
        "JOIN documents AS other ON other.number = copies.original WHERE other.id = ?"
    )
    stored = [row for id in sorted(close) for row in connection.execute(query, (id,)).fetchall()]
    original_of = {str(copy): str(original) for number, copy, original in stored if number not in without}
    numbers = sorted(int(number) for number, *_ in stored if number not in without)
    copies = list(stored_documents(connection, "number", numbers))
    found = near_duplicates(documents, [*originals, *copies], original_of, lines)
    result = _with_longest(found, original_of, {one.id: one for one in (*originals, *documents)})
    stored_close = [one for one in (*originals, *copies) if one.id in close or one.id in original_of]
    absorbed = _absorbed(documents, stored_close, original_of | result, lines)
    moved = {copy: absorbed[original] for copy, original in original_of.items() if original in absorbed}
    return result | moved | absorbed


def _absorbed(
    new: Sequence[Document], stored: Sequence[Document], original_of: Mapping[str, str], lines: Collection[bytes]
) -> dict[str, str]:
    """By the id of each stored original that has become a copy of a new document, that of its new original.

    Parameters
    ----------
    new, stored
        New documents, and stored ones that resemble them.
    original_of
        By the id of every copy among them that of its original.
    lines
        Keys of lines that are boilerplate.
    """
    grown = {original_of.get(one.id, one.id) for one in new}
    known = [*new, *(one for one in stored if original_of.get(one.id, one.id) in grown)]
    waiting = [one for one in stored if one.id not in grown and one.id not in original_of]
    if not waiting:
        return {}
    found = near_duplicates(waiting, known, original_of, lines)
    return {copy: original for copy, original in found.items() if original in grown}


def _with_longest(
    found: Mapping[str, str], stored: Mapping[str, str], documents: Mapping[str, Document]
) -> dict[str, str]:
    """The originals of new copies, with the longest of several new documents in the place of a stored original.

    Parameters
    ----------
    found, stored
        By the id of every new or stored copy that of its original.
    documents
        The new documents and the originals, by id.
    """
    longest: dict[str, str] = {}
    for copy, original in sorted(found.items()):
        if len(documents[copy].tokens) > len(documents[longest.get(original, original)].tokens):
            longest[original] = copy
    result = {copy: longest.get(original, original) for copy, original in found.items()}
    result |= longest
    result |= {copy: longest[original] for copy, original in stored.items() if original in longest}
    return {copy: original for copy, original in result.items() if copy != original}


def originals_of(connection: sqlite3.Connection, numbers: Iterable[int]) -> dict[int, int]:
    """The original of every copy among the stored documents, by number."""
    return dict(rows_in(connection, "SELECT document, original FROM copies WHERE document IN ({})", numbers))


def store_copies(connection: sqlite3.Connection, original_of: Mapping[str, str]) -> None:
    """Store which documents are copies, by the ids under which they are stored; they count for nothing from now on."""
    number_of = numbers_of(connection, {id for pair in original_of.items() for id in pair})
    for id, original in original_of.items():
        connection.execute("DELETE FROM copies WHERE document = ?", (number_of[original],))
        connection.execute("INSERT OR REPLACE INTO copies VALUES (?, ?)", (number_of[id], number_of[original]))
        set_share(connection, number_of[id], 0.0)


def forget_copies(connection: sqlite3.Connection, number: int) -> None:
    """Note that a document is about to be removed: the first of its copies, if it has any, is the original of the
    others, and counts in how rare words are for as much of a document as it did."""
    heir = _heir(connection, number, ())
    if heir is not None:
        (share,) = connection.execute("SELECT share FROM documents WHERE number = ?", (number,)).fetchone()
        connection.execute("DELETE FROM copies WHERE document = ?", (heir,))
        connection.execute("UPDATE copies SET original = ? WHERE original = ?", (heir, number))
        set_share(connection, heir, share)
    connection.execute("DELETE FROM copies WHERE document = ?", (number,))


def _heir(connection: sqlite3.Connection, number: int, without: Collection[int]) -> int | None:
    """The first copy of a document."""
    query = "SELECT document FROM copies WHERE original = ? ORDER BY document"
    return next((copy for (copy,) in connection.execute(query, (number,)) if copy not in without), None)
