"""Any number of values in, the stored rows with one of them out; a statement of SQL takes only some hundreds."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Literal, TypeVar

from cdcoref.corpus import Document
from cdcoref.formats import stored_document

_AT_ONCE = 500
Value = TypeVar("Value")


def rows_in(
    connection: sqlite3.Connection, query: str, values: Iterable[object], *before: object
) -> Iterator[tuple[Any, ...]]:
    """The rows of a query for many values, in the query's order for each few hundred of them."""
    for chunk in chunks(values):
        yield from connection.execute(query.format(marks(chunk)), (*before, *chunk))


def insert(connection: sqlite3.Connection, statement: str, values: Sequence[object] = ()) -> int:
    """Insert a row; returns its number."""
    number = connection.execute(statement, values).lastrowid
    assert number is not None
    return number


def stories_of(connection: sqlite3.Connection, documents: Iterable[int]) -> set[int]:
    """The stories of documents, by number."""
    query = "SELECT DISTINCT story FROM documents WHERE number IN ({})"
    return {story for (story,) in rows_in(connection, query, documents)}


def numbers_of(connection: sqlite3.Connection, ids: Iterable[str]) -> dict[str, int]:
    """The numbers of stored documents by their ids; those that are not there are left out."""
    return dict(rows_in(connection, "SELECT id, number FROM documents WHERE id IN ({})", ids))


def stored_documents(
    connection: sqlite3.Connection, column: Literal["id", "number"], values: Iterable[object]
) -> Iterator[Document]:
    """The stored documents with some ids or numbers, in the order of their numbers for each few hundred of them."""
    query = f"SELECT id, text, fields FROM documents WHERE {column} IN ({{}}) ORDER BY number"
    return (stored_document(*row) for row in rows_in(connection, query, values))


def chunks(values: Iterable[Value]) -> Iterator[list[Value]]:
    """Values in lists that an SQL statement can take."""
    left = iter(values)
    while chunk := list(islice(left, _AT_ONCE)):
        yield chunk


def marks(values: Sequence[object]) -> str:
    """As many question marks as there are values."""
    return ",".join("?" * len(values))
