"""A collection's file in, transactions on it and rows of it out: all of a change is stored, or nothing of it. In
SQLite's write-ahead mode, readers see the file as it was when they began; one program writes at a time."""

import os
import re
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path, PurePath
from typing import Any, Literal, TypeVar

from cdcoref.corpus import Document
from cdcoref.errors import InputError, check_text
from cdcoref.formats import (
    APPLICATION_ID,
    COLLECTION_VERSION,
    check_collection,
    collection_errors,
    connect_to_collection,
    has_room_beside,
    stored_document,
)

WAIT = 60.0
"""Seconds to wait for another program that is writing."""
_PAUSE = 0.1
STORING = "storing"
"""The last stage of an addition or a rebuild: a program that ends in it, or after it, may have stored the change."""
TABLES = Path(__file__).with_name("tables.sql")
_AT_ONCE = 500
"""Values that a statement takes, at most."""
Value = TypeVar("Value")


class Database:
    """A connection to a collection's file."""

    def __init__(self, path: str | Path, *, create: bool = False) -> None:
        self.path = Path(path)
        self._absolute = self.path.absolute()
        try:
            exists = self.path.exists() and self.path.stat().st_size > 0
        except OSError as error:  # the name is too long, or a folder of it may not be entered
            raise InputError(f"the file cannot be used ({error.strerror})", path) from error
        if self.path.exists() and not self.path.is_file() and not self.path.is_dir():
            raise InputError("this is a pipe or a device, which cannot hold a collection; name a file", path)
        if not exists and not create:
            raise InputError("there is no collection here; `cdcoref add` creates one", path)
        if exists and (self.path.is_dir() or not os.access(self.path, os.W_OK) or not has_room_beside(self.path)):
            self._opened = self._absolute.stat()
            self.connection = connect_to_collection(path)
            return
        with collection_errors(path):
            self.connection = sqlite3.connect(self.path, isolation_level=None, timeout=WAIT)
            try:
                # Each change goes into the file at once, so that a copy of the file alone has all of them, but for
                # those stored while others read: they wait beside it for the next change, or for the last to close it.
                self.connection.execute("PRAGMA wal_autocheckpoint = 1")
                self._opened = self._absolute.stat()
                self._prepare(create)
            except BaseException:
                self.connection.close()
                raise

    def _prepare(self, create: bool) -> None:
        connection = self.connection
        connection.execute("BEGIN")  # between the two questions nobody makes the tables
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        connection.execute("ROLLBACK")
        if application or tables or not create:
            check_collection(connection, self.path)
            connection.execute("PRAGMA synchronous = FULL")
            return
        _write_ahead(connection)
        connection.execute("PRAGMA synchronous = FULL")
        with self.writing():
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            if not version:  # another program may have been faster
                for statement in _statements(TABLES.read_text(encoding="utf-8")):
                    connection.execute(statement)
                connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                connection.execute(f"PRAGMA user_version = {COLLECTION_VERSION}")

    def close(self) -> None:
        self.connection.close()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A change: it is stored whole when the block ends, and not at all if it ends with an error."""
        with collection_errors(self.path):
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                if not is_in_place(self._absolute, self._opened):
                    raise InputError("the file was removed or replaced in the meantime; nothing was stored", self.path)
                yield self.connection
                self.connection.execute("COMMIT")
            finally:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The collection as it is now, until the block ends; within a transaction, as that sees it."""
        with collection_errors(self.path):
            if self.connection.in_transaction:
                yield self.connection
                return
            self.connection.execute("BEGIN")
            try:
                yield self.connection
            finally:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Keep changes in a file of their own, so that others read on; here SQLite does not wait for another program."""
    last = time.monotonic() + WAIT
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > last:
                raise
        time.sleep(_PAUSE)


def is_in_place(path: Path, opened: os.stat_result) -> bool:
    """Whether a file that was opened is still there, and not another one under its name."""
    try:
        return os.path.samestat(opened, path.stat())
    except OSError:
        return False


def _statements(text: str) -> Iterator[str]:
    statement = ""
    for line in text.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


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


def number_of(id: str, letter: str, what: str) -> int:
    """The number in an id of a cluster (``"c"``) or a mention (``"m"``)."""
    check_text(f"the id of a {what}", id)
    match = re.fullmatch(rf"{letter}([1-9][0-9]{{0,17}})", id)
    if match is None:
        raise InputError(f"{id!r} is not the id of a {what}, which is {letter} and a number, such as {letter}12")
    return int(match[1])


def no_document(connection: sqlite3.Connection, id: str) -> InputError:
    """The error that no document has an id; it names one whose file name begins with this, such as "a.txt" for "a"."""
    name = PurePath(id).name.lower()
    rows = connection.execute("SELECT id FROM documents WHERE instr(lower(id), ?) ORDER BY length(id), id", (name,))
    near = (own for (own,) in rows if PurePath(own).name.lower().startswith(name))
    hint = next((f"; is it {own!r}?" for own in near), "")
    return InputError(f"there is no document {id!r} in the collection{hint}")
