"""Near-duplicates in a collection: which documents are copies of one text. The longest of them is the original."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping, Sequence

from cdcoref.collection.chosen_rows import numbers_of, rows_in, stored_documents
from cdcoref.collection.word_index import Weights, documents_near, set_share, word_rows
from cdcoref.corpus import Document
from cdcoref.stories import near_duplicates

_COPIES = (
    "SELECT number, share FROM copies JOIN documents ON number = document WHERE copies.text = ? "
    "ORDER BY length(documents.text) DESC, number"
)


def find_copies(
    connection: sqlite3.Connection,
    new: Sequence[tuple[Document, Weights]],
    without: frozenset[int],
    lines: Collection[bytes],
) -> dict[str, str]:
    """The originals of new documents that are copies, and of stored ones that are copies of new documents, by id.

    Stored documents with the numbers `without` are being replaced; `lines` are keys of lines that are boilerplate.
    """
    rows = word_rows(connection, {word for _, weights in new for word in weights})
    near = {number for _, weights in new for number in documents_near(connection, weights, rows, without)}
    for number in without:
        near.update([copy for copy in copies_of(connection, number) if copy not in without][:1])
    documents = [document for document, _ in new]
    original_of = near_duplicates([*stored_documents(connection, "number", sorted(near)), *documents], lines)
    with_new = {original_of.get(document.id, document.id) for document in documents}
    return {copy: original for copy, original in original_of.items() if original in with_new}


def copies_of(connection: sqlite3.Connection, number: int) -> list[int]:
    """The numbers of a document and of the other copies of its text, the original first; none if it has no copy."""
    row = connection.execute("SELECT text FROM copies WHERE document = ?", (number,)).fetchone()
    return [] if row is None else [copy for copy, _ in connection.execute(_COPIES, row)]


def store_copies(connection: sqlite3.Connection, original_of: Mapping[str, str]) -> None:
    """Store which documents are copies of one text; `original_of` has the original of every copy by id."""
    number_of = numbers_of(connection, {id for pair in original_of.items() for id in pair})
    texts: set[int] = set()
    for pair in original_of.items():
        numbers = [number_of[id] for id in pair]
        known = sorted(
            text for (text,) in rows_in(connection, "SELECT text FROM copies WHERE document IN ({})", numbers)
        )
        text, *others = known or [numbers[1]]
        connection.executemany("UPDATE copies SET text = ? WHERE text = ?", ((text, other) for other in others))
        connection.executemany("INSERT OR REPLACE INTO copies VALUES (?, ?)", ((number, text) for number in numbers))
        texts = (texts - set(others)) | {text}
    for text in texts:
        _share_once(connection, text)


def leave_to_copies(connection: sqlite3.Connection, number: int) -> None:
    """Let the next of the copies of a document that is about to be removed count in its place."""
    (share,) = connection.execute("SELECT share FROM documents WHERE number = ?", (number,)).fetchone()
    others = [copy for copy in copies_of(connection, number) if copy != number]
    if others and share:
        set_share(connection, number, 0.0)
        set_share(connection, others[0], share)


def return_to_copies(connection: sqlite3.Connection, number: int) -> None:
    """Let one of the copies of a document that has come back count, the original."""
    row = connection.execute("SELECT text FROM copies WHERE document = ?", (number,)).fetchone()
    if row is not None:
        _share_once(connection, row[0])


def _share_once(connection: sqlite3.Connection, text: int) -> None:
    copies = connection.execute(_COPIES, (text,)).fetchall()
    share = copies[0][1] or max(share for _, share in copies)
    for place, (number, _) in enumerate(copies):
        set_share(connection, number, 0.0 if place else share)
