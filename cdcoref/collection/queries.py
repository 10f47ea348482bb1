"""A collection's tables in, what people look at out: lists, pages, what was searched for, what to check next."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any, NamedTuple

from cdcoref.collection.cluster_numbers import living_cluster
from cdcoref.collection.database import rows_in, stored_documents
from cdcoref.collection.records import (
    ClusterChange,
    ClusterPage,
    ClusterSummary,
    Counts,
    DocumentPage,
    DocumentSummary,
    Question,
    SearchResult,
    StoredMention,
)
from cdcoref.collection.search import clusters_with_words, full_text_query
from cdcoref.collection.stored_words import copies_of
from cdcoref.corpus import Document
from cdcoref.errors import InputError, check_text
from cdcoref.formats import checked_day, cluster_id, day_of, stored_document, stored_mention
from cdcoref.language import BEGINNING
from cdcoref.reports import LocatedMentions

NEIGHBOURS = 12
SNIPPET = 160
"""Characters of the beginning of a document."""

_SUMMARY = (
    "number, kind, coalesce(name, title), name, mentions, documents, confidence, story, "
    "(SELECT count(*) FROM mentions JOIN checked ON checked.mention = mentions.number "
    "WHERE mentions.cluster = clusters.number)"
)
_DOCUMENT = (
    "documents.number, documents.id, documents.story, documents.added, documents.text, "
    "(SELECT count(*) FROM mentions WHERE mentions.document = documents.number AND NOT rejected), "
    "json_extract(documents.fields, '$.metadata')"
)
_MENTION = (
    "mentions.number, cluster, rejected, mentions.number IN (SELECT mention FROM checked), confidence, tokens, "
    "mentions.kind, documents.id"
)
# The length of a blob is known without reading it: only few documents, such as those of stop words alone, are read.
EMPTY = "length(words) = 0 AND json_array_length(fields, '$.tokens') = 0"
"""The condition of documents without words, which are no story."""
CORRECTED = (
    "SELECT DISTINCT documents.id FROM documents JOIN corrected ON corrected.content = documents.content "
    "JOIN corrections ON corrections.number = corrected.correction WHERE corrections.undone IS NULL "
    "AND action NOT IN ('join-stories', 'split-story', 'move-document')"
)
"""Ids of the documents with a mention that a correction names which holds."""
_SPACE = re.compile(r"\s+")
_OF_STORY = (
    "SELECT cluster FROM documents JOIN mentions ON mentions.document = documents.number WHERE documents.story = ?"
)
_RELATED = (
    "SELECT min(documents.number) FROM subjects AS own JOIN subjects AS other ON other.subject = own.subject "
    "AND other.story != own.story JOIN documents ON documents.story = other.story WHERE own.story = ? "
    "GROUP BY documents.story"
)


def number_of(id: str, letter: str, what: str) -> int:
    """The number in an id of a cluster (``"c"``) or a mention (``"m"``)."""
    check_text(f"the id of a {what}", id)
    match = re.fullmatch(rf"{letter}([1-9][0-9]{{0,17}})", id)
    if match is None:
        raise InputError(f"{id!r} is not the id of a {what}, which is {letter} and a number, such as {letter}12")
    return int(match[1])


def counts(connection: sqlite3.Connection) -> Counts:
    """How much there is."""
    query = (
        "SELECT (SELECT count(*) FROM documents), "
        f"(SELECT count(DISTINCT story) FROM documents WHERE NOT ({EMPTY})), "
        "coalesce(sum(mentions), 0), count(*), coalesce(sum(documents > 1), 0), coalesce(sum(mentions = 1), 0), "
        "(SELECT count(*) FROM corrections WHERE undone IS NULL) FROM clusters WHERE mentions > 0"
    )
    return Counts(*connection.execute(query).fetchone())


class ClusterFilter(NamedTuple):
    """Clusters with a minimum number of mentions, of a kind, in a story, and with the words of a query."""

    kind: str | None = None
    min_mentions: int = 1
    story: int | None = None
    query: str | None = None

    @property
    def asks(self) -> bool:
        """Whether the query asks for anything."""
        return self.query is not None and bool(self.query.replace("\0", " ").strip())

    def condition(self) -> tuple[str, list[object]]:
        """The condition that chooses clusters, but for the query, and its values."""
        conditions: dict[str, object] = {"mentions >= ?": max(1, self.min_mentions)}
        if self.kind is not None:
            conditions["kind = ?"] = self.kind
        if self.story is not None:
            conditions[f"number IN ({_OF_STORY})"] = self.story
        return " AND ".join(conditions), list(conditions.values())


def cluster_list(
    connection: sqlite3.Connection, chosen: ClusterFilter, limit: int, offset: int
) -> list[ClusterSummary]:
    """Clusters, most documents first; with a query, best matches first."""
    condition, values = chosen.condition()
    if chosen.asks:
        found = clusters_with_words(connection, chosen.query or "", condition, values)
        return summaries(connection, found[offset : offset + limit])
    sql = (
        f"SELECT {_SUMMARY} FROM clusters WHERE {condition} "
        "ORDER BY documents DESC, mentions DESC, number LIMIT ? OFFSET ?"
    )
    return [_summary(row) for row in connection.execute(sql, (*values, limit, offset))]


def cluster_count(connection: sqlite3.Connection, chosen: ClusterFilter) -> int:
    """How many clusters :func:`cluster_list` lists without a limit."""
    condition, values = chosen.condition()
    if chosen.asks:
        return len(clusters_with_words(connection, chosen.query or "", condition, values))
    (count,) = connection.execute(f"SELECT count(*) FROM clusters WHERE {condition}", values).fetchone()
    return int(count)


def document_list(
    connection: sqlite3.Connection, since: str | None, source: str | None, limit: int, offset: int
) -> list[DocumentSummary]:
    """Documents of a day or later and of a source, if these are given, the latest first."""
    condition, values = _chosen_documents(connection, since, source)
    query = f"SELECT {_DOCUMENT} FROM documents WHERE {condition} ORDER BY number DESC LIMIT ? OFFSET ?"
    return [_document_summary(row) for row in connection.execute(query, (*values, limit, offset))]


def document_count(connection: sqlite3.Connection, since: str | None, source: str | None) -> int:
    """How many documents :func:`document_list` lists without a limit."""
    condition, values = _chosen_documents(connection, since, source)
    (count,) = connection.execute(f"SELECT count(*) FROM documents WHERE {condition}", values).fetchone()
    return int(count)


def _chosen_documents(
    connection: sqlite3.Connection, since: str | None, source: str | None
) -> tuple[str, tuple[object, ...]]:
    """The condition that chooses documents, and its values; what it compares is computed by functions of Python."""
    conditions = ["1"]
    values: list[object] = []
    if since is not None:
        connection.create_function("document_day", 3, _day, deterministic=True)
        conditions.append("document_day(id, substr(text, 1, ?), json_extract(fields, '$.metadata')) >= ?")
        values += [BEGINNING, checked_day(since)]
    if source is not None:
        connection.create_function("document_source", 1, _source, deterministic=True)
        conditions.append("document_source(json_extract(fields, '$.metadata')) = ?")
        values.append(source.strip().casefold())
    return " AND ".join(conditions), tuple(values)


def _day(id: str, beginning: str, metadata: str | None) -> str | None:
    return day_of(id, beginning, _metadata(metadata))


def _source(metadata: str | None) -> str:
    known = _metadata(metadata).get("source")
    return known.strip().casefold() if isinstance(known, str) else ""


def _metadata(stored: str | None) -> dict[str, Any]:
    """Metadata as they are stored; none where they are damaged."""
    known = json.loads(stored) if stored else {}
    return known if isinstance(known, dict) else {}


def cluster_page(
    connection: sqlite3.Connection, id: str, limit: int | None, offset: int, around: str | None
) -> ClusterPage:
    """All about a cluster, or about the one into which it was merged, with a limited number of its documents.

    With `around`, the offset is that of the part in which this mention's document is, the first if it is in none.
    """
    number = living_cluster(connection, number_of(id, "c", "cluster"))
    row = connection.execute(f"SELECT {_SUMMARY} FROM clusters WHERE number = ?", (number,)).fetchone()
    if row is None:
        raise InputError(f"there is no cluster {id} in the collection")
    order = documents_in_time(connection, number)
    if around is not None and limit:
        query = "SELECT document FROM mentions WHERE number = ? AND cluster = ?"
        found = connection.execute(query, (number_of(around, "m", "mention"), number)).fetchone()
        offset = 0 if found is None else order.index(found[0]) // limit * limit
    chosen = order[offset : None if limit is None else offset + limit]
    query = f"SELECT {_DOCUMENT} FROM documents WHERE number IN ({{}})"
    documents = {row[0]: _document_summary(row) for row in rows_in(connection, query, chosen)}
    query = (
        f"SELECT {_MENTION} FROM mentions JOIN documents ON documents.number = mentions.document "
        "WHERE cluster = ? AND document IN ({}) ORDER BY place"
    )
    rows = rows_in(connection, query, chosen, number)
    place = {documents[document].id: n for n, document in enumerate(chosen)}
    mentions = stored_mentions(connection, sorted(rows, key=lambda row: place[row[-1]]))
    query = (
        "SELECT words, count(*) AS occurrences FROM mentions WHERE cluster = ? "
        "GROUP BY words ORDER BY occurrences DESC, min(document), min(place)"
    )
    names = connection.execute(query, (number,)).fetchall()
    query = (
        "SELECT cluster, count(DISTINCT document) AS shared FROM mentions WHERE cluster != ?1 AND document IN "
        "(SELECT document FROM mentions WHERE cluster = ?1) GROUP BY cluster ORDER BY shared DESC, cluster LIMIT ?2"
    )
    near = [other for other, _ in connection.execute(query, (number, NEIGHBOURS))]
    query = (
        "SELECT DISTINCT story FROM documents JOIN mentions ON mentions.document = documents.number "
        "WHERE cluster = ? ORDER BY story"
    )
    stories = tuple(story for (story,) in connection.execute(query, (number,)))
    query = "SELECT time, cluster, change, other FROM changes WHERE cluster = ?1 OR other = ?1 ORDER BY number DESC"
    changes = connection.execute(query, (number,)).fetchall()
    return ClusterPage(
        _summary(row),
        tuple(names),
        tuple(documents[document] for document in chosen),
        offset,
        tuple(mentions),
        tuple(summaries(connection, near)),
        tuple(
            ClusterChange(time, cluster_id(cluster), change, None if other is None else cluster_id(other))
            for time, cluster, change, other in changes
        ),
        stories,
    )


def documents_in_time(connection: sqlite3.Connection, cluster: int) -> list[int]:
    """Numbers of the documents in which a cluster is mentioned, by date; those without one last, as they were added."""
    query = (
        "SELECT number, id, substr(text, 1, ?), json_extract(fields, '$.metadata') FROM documents "
        "WHERE number IN (SELECT document FROM mentions WHERE cluster = ?)"
    )
    rows = connection.execute(query, (BEGINNING, cluster)).fetchall()
    dated = [(_day(id, beginning, metadata), number) for number, id, beginning, metadata in rows]
    return [number for _, number in sorted(dated, key=lambda row: (row[0] is None, row[0] or "", row[1]))]


def no_document(connection: sqlite3.Connection, id: str) -> InputError:
    """The error that no document has an id; it names one whose file name begins with this, such as "a.txt" for "a"."""
    name = PurePath(id).name.lower()
    rows = connection.execute("SELECT id FROM documents WHERE instr(lower(id), ?) ORDER BY length(id), id", (name,))
    near = (own for (own,) in rows if PurePath(own).name.lower().startswith(name))
    hint = next((f"; is it {own!r}?" for own in near), "")
    return InputError(f"there is no document {id!r} in the collection{hint}")


def document_page(connection: sqlite3.Connection, id: str, others: int | None) -> DocumentPage:
    """All about a document, with a limited number of others of its story and of stories about the same subject."""
    row = connection.execute(f"SELECT {_DOCUMENT} FROM documents WHERE id = ?", (id,)).fetchone()
    if row is None:
        raise no_document(connection, id)
    summary, number = _document_summary(row), row[2]
    text, fields = connection.execute("SELECT text, fields FROM documents WHERE number = ?", (row[0],)).fetchone()
    query = (
        f"SELECT {_MENTION} FROM mentions JOIN documents ON documents.number = mentions.document "
        "WHERE document = ? ORDER BY place"
    )
    rows = connection.execute(query, (row[0],)).fetchall()
    clusters = dict.fromkeys(cluster for _, cluster, *_ in rows if cluster is not None)
    limit = -1 if others is None else others
    query = f"SELECT {_DOCUMENT} FROM documents WHERE story = ? AND id != ? ORDER BY number LIMIT ?"
    story = connection.execute(query, (number, id, limit)).fetchall()
    query = f"SELECT {_DOCUMENT} FROM documents WHERE number IN ({_RELATED}) ORDER BY number LIMIT ?"
    related = connection.execute(query, (number, limit)).fetchall()
    numbers = copies_of(connection, row[0])
    id_of = dict(rows_in(connection, "SELECT number, id FROM documents WHERE number IN ({})", numbers))
    copies = tuple(id_of[number] for number in numbers if number != row[0])
    document = replace(stored_document(id, text, fields), parse=None)
    return DocumentPage(
        summary,
        document if numbers[:1] in ([], [row[0]]) else replace(document, copy_of=copies[0]),
        tuple(stored_mentions(connection, rows)),
        tuple(summaries(connection, list(clusters))),
        tuple(_document_summary(other) for other in story),
        tuple(_document_summary(other) for other in related),
        copies,
    )


def search(connection: sqlite3.Connection, query: str, kind: str | None, limit: int, offset: int) -> SearchResult:
    """Clusters and documents with all words of a query, or words that begin with them, in any case and accents."""
    match = full_text_query(query)
    if match is None:
        return SearchResult((), ())
    clusters = cluster_list(connection, ClusterFilter(kind, query=query), limit, offset)
    sql = (
        f"SELECT {_DOCUMENT}, snippet(document_words, 0, char(2), char(3), '...', 24) "
        "FROM document_words JOIN documents ON documents.number = document_words.rowid "
        "WHERE document_words MATCH ? ORDER BY rank, documents.number LIMIT ? OFFSET ?"
    )
    documents = [_document_summary(row) for row in connection.execute(sql, (match, limit, offset)).fetchall()]
    return SearchResult(tuple(clusters), tuple(documents))


def questions(connection: sqlite3.Connection, limit: int, offset: int) -> list[Question]:
    """The decisions in doubt, those first that change most: by their doubt and the documents of their clusters."""
    query = (
        "SELECT first, second, together, probability FROM questions ORDER BY doubt * (SELECT sum(documents) "
        "FROM clusters WHERE number IN (SELECT cluster FROM mentions WHERE mentions.number IN (first, second))) DESC, "
        "first, second LIMIT ? OFFSET ?"
    )
    rows = connection.execute(query, (limit, offset)).fetchall()
    found = mentions_by_number(connection, [number for first, second, *_ in rows for number in (first, second)])
    return [
        Question(found[first], found[second], bool(together), float(probability))
        for first, second, together, probability in rows
        if first in found and second in found
    ]


def mentions_by_number(connection: sqlite3.Connection, numbers: Sequence[int]) -> dict[int, StoredMention]:
    """Mentions by their numbers; those that are not there are left out."""
    query = (
        f"SELECT {_MENTION} FROM mentions JOIN documents ON documents.number = mentions.document "
        "WHERE mentions.number IN ({})"
    )
    rows = list(rows_in(connection, query, dict.fromkeys(numbers)))
    return dict(zip((row[0] for row in rows), stored_mentions(connection, rows), strict=True))


def stored_mentions(connection: sqlite3.Connection, rows: Sequence[Sequence[Any]]) -> list[StoredMention]:
    """Mentions with their places in the texts."""
    ids = dict.fromkeys(row[-1] for row in rows)
    documents = {document.id: document for document in stored_documents(connection, "id", ids)}
    places = LocatedMentions(documents.values())
    return [_mention(row, documents[row[-1]], places) for row in rows]


def summaries(connection: sqlite3.Connection, numbers: Sequence[int]) -> list[ClusterSummary]:
    """Clusters by their numbers, in that order."""
    query = f"SELECT {_SUMMARY} FROM clusters WHERE number IN ({{}})"
    found = {row[0]: _summary(row) for row in rows_in(connection, query, numbers)}
    return [found[number] for number in numbers if number in found]


def _summary(row: Sequence[Any]) -> ClusterSummary:
    number, kind, title, name, mentions, documents, confidence, story, checked = row
    if not isinstance(title, str) or not isinstance(name, str | None):
        raise sqlite3.DatabaseError(f"the name of cluster {cluster_id(number)} is damaged")
    if not isinstance(confidence, float | int | None):
        raise sqlite3.DatabaseError(f"the confidence of cluster {cluster_id(number)} is damaged")
    return ClusterSummary(cluster_id(number), kind, title, name, mentions, documents, confidence, story, checked)


def _document_summary(row: Sequence[Any]) -> DocumentSummary:
    _, id, story, added, text, mentions, stored, *found = row
    words = len(text.split())
    snippet = " ".join((found[0] if found else text).split())
    if not found and len(snippet) > SNIPPET:
        snippet = f"{snippet[: SNIPPET + 1].rpartition(' ')[0] or snippet[:SNIPPET]} ..."
    metadata = _metadata(stored)
    day = day_of(id, text, metadata)
    return DocumentSummary(id, story if words else None, added, day, words, mentions, snippet, metadata)


def _mention(row: Sequence[Any], document: Document, places: LocatedMentions) -> StoredMention:
    number, cluster, rejected, checked, confidence, tokens, kind, id = row
    mention = stored_mention(id, tokens, kind, cluster, None, None, confidence)
    shown = places.shown(mention)
    first, last = document.sentence_at(mention.start)
    opening, closing = document.offsets[first][0], max(document.offsets[last - 1][1], shown.end)
    return StoredMention(
        f"m{number}",
        id,
        kind,
        mention.cluster,
        mention.tokens,
        shown.start,
        shown.end,
        shown.line,
        shown.text,
        _SPACE.sub(" ", document.text[opening : shown.start]).lstrip(),
        _SPACE.sub(" ", document.text[shown.end : closing]).rstrip(),
        confidence,
        bool(rejected),
        bool(checked),
    )
