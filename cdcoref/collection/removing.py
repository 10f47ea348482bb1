"""Documents that are removed, what is kept of them until a rebuild, and how a removal is undone without reading."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from cdcoref.collection.cluster_numbers import now
from cdcoref.collection.database import Database, marks, no_document, numbers_of, rows_in, stories_of
from cdcoref.collection.documents import count_revision, delete_document
from cdcoref.collection.reclustering import recluster, tied
from cdcoref.collection.records import Report
from cdcoref.collection.stored_words import copies_of
from cdcoref.collection.stories import drop_empty_stories, place_stories
from cdcoref.errors import InputError

_PARTS = {"documents": "number", "mentions": "document", "left_out": "document", "vectors": "document"}
"""Tables with a document and what belongs to it, and where its number is."""


class _Kept(NamedTuple):
    """A removed document: its number, id and story, and the numbers of the others in that, as JSON."""

    number: int
    id: str
    story: int
    beside: str


def remove_documents(database: Database, ids: Sequence[str]) -> Report:
    """Remove documents by id, all of them or none."""
    with database.writing() as connection:
        (removal,) = connection.execute("SELECT coalesce(max(removal), 0) + 1 FROM removals").fetchone()
        found = numbers_of(connection, ids)
        for id in ids:
            if id not in found:
                raise no_document(connection, id)
        numbers = [found[id] for id in dict.fromkeys(ids)]
        others = (
            "SELECT number FROM documents WHERE story = (SELECT story FROM documents WHERE number = ?1) "
            "AND number != ?1"
        )
        for number in numbers:
            beside = json.dumps([other for (other,) in connection.execute(others, (number,))])
            connection.execute("INSERT INTO removals VALUES (?, ?, ?, ?)", (number, removal, now(), beside))
            for table, column in _PARTS.items():
                connection.execute(f"INSERT INTO removed_{table} SELECT * FROM {table} WHERE {column} = ?", (number,))
            scores = "INSERT INTO removed_scores SELECT * FROM scores WHERE first = ?1 OR second = ?1"
            connection.execute(scores, (number,))
        tied_before = tied(connection, stories_of(connection, numbers))
        removed = [delete_document(connection, number) for number in numbers]
        stories = place_stories(connection, {deleted.story for deleted in removed})
        stories |= drop_empty_stories(connection, tied_before)
        former = {m.cluster for deleted in removed for m in deleted.mentions if m.cluster is not None}
        return replace(recluster(connection, stories, former), removed=tuple(dict.fromkeys(ids)))


def forget_removed(connection: sqlite3.Connection) -> None:
    """Erase what is kept of removed documents; their removal cannot be undone any more."""
    for table in (*_PARTS, "scores"):
        connection.execute(f"DELETE FROM removed_{table}")
    connection.execute("DELETE FROM removals")


def restore_documents(database: Database, ids: Sequence[str] | None) -> Report:
    """Bring back removed documents, all of them or none; without ids, those of the latest removal."""
    with database.writing() as connection:
        kept = [_kept(connection, id, database) for id in _chosen(connection, ids, database)]
        for one in kept:
            _check_absent(connection, one, database)  # one that was inserted just now may have the same content
            story = _story(connection, one)
            for table, column in _PARTS.items():
                where = f"FROM removed_{table} WHERE {column} = ?"
                connection.execute(f"INSERT INTO {table} SELECT * {where}", (one.number,))
                connection.execute(f"DELETE {where}", (one.number,))
            connection.execute("UPDATE documents SET story = ? WHERE number = ?", (story, one.number))
            connection.execute("DELETE FROM removals WHERE document = ?", (one.number,))
        # Scores belong to pairs of documents: those whose two documents are both present are restored.
        both = "first IN (SELECT number FROM documents) AND second IN (SELECT number FROM documents)"
        connection.execute(f"INSERT OR REPLACE INTO scores SELECT * FROM removed_scores WHERE {both}")
        connection.execute(f"DELETE FROM removed_scores WHERE {both}")
        numbers = [one.number for one in kept]
        stories = place_stories(connection, stories_of(connection, numbers), numbers)
        _leave_others(connection, numbers, tied(connection, stories))
        count_revision(connection)
        return replace(recluster(connection, stories), restored=tuple(one.id for one in kept))


def _chosen(connection: sqlite3.Connection, ids: Sequence[str] | None, database: Database) -> list[str]:
    if ids is not None:
        return list(dict.fromkeys(ids))
    query = (
        "SELECT id FROM removed_documents JOIN removals ON document = number "
        "WHERE removal = (SELECT max(removal) FROM removals) ORDER BY number"
    )
    found = [str(id) for (id,) in connection.execute(query)]
    if not found:
        raise InputError("no document was removed since the collection was built", database.path)
    return found


def _kept(connection: sqlite3.Connection, id: str, database: Database) -> _Kept:
    """What is kept of the document with an id that was removed last."""
    query = (
        "SELECT number, id, story, beside FROM removed_documents JOIN removals ON document = number "
        "WHERE id = ? ORDER BY removal DESC LIMIT 1"
    )
    row = connection.execute(query, (id,)).fetchone()
    if row is None:
        raise InputError(
            f"no document {id!r} was removed since the collection was built; add the document again", database.path
        )
    return _Kept(*row)


def _check_absent(connection: sqlite3.Connection, one: _Kept, database: Database) -> None:
    query = (
        "SELECT documents.id FROM documents JOIN removed_documents AS kept "
        "ON documents.id = kept.id OR documents.content = kept.content WHERE kept.number = ?"
    )
    row = connection.execute(query, (one.number,)).fetchone()
    if row is not None:
        as_what = "" if row[0] == one.id else f" as {row[0]!r}"
        raise InputError(f"the document {one.id!r} has been added again{as_what}; nothing was changed", database.path)


def _story(connection: sqlite3.Connection, one: _Kept) -> int:
    """The story of its copies, or else with most of the documents that were beside it, or else the one it was in."""
    query = "SELECT story FROM documents WHERE number IN ({})"
    for numbers in (copies_of(connection, one.number), json.loads(one.beside)):
        if counts := Counter(int(story) for (story,) in rows_in(connection, query, numbers)):
            return min(counts, key=lambda story: (-counts[story], story))
    connection.execute("INSERT OR IGNORE INTO stories (number) VALUES (?)", (one.story,))
    return one.story


def _leave_others(connection: sqlite3.Connection, numbers: Iterable[int], stories: Sequence[int]) -> None:
    """Take the mentions of documents out of clusters that others of other stories are in by now."""
    for number in numbers:
        connection.execute(
            "UPDATE mentions SET cluster = NULL WHERE document = ? AND cluster IN ("
            "SELECT mentions.cluster FROM mentions JOIN documents ON documents.number = mentions.document "
            f"WHERE documents.story NOT IN ({marks(stories)}))",
            (number, *stories),
        )
