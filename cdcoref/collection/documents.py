"""Documents on their way in and out: which are new, changed or known; their rows, mentions, words and scores."""

from __future__ import annotations

import os
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import PurePath
from typing import NamedTuple

from cdcoref.collection.cluster_numbers import now
from cdcoref.collection.corrections import stored_tokens
from cdcoref.collection.database import insert
from cdcoref.collection.settings import store_value, stored_value
from cdcoref.collection.stored_words import packed_words
from cdcoref.corpus import Document, Mention, mention_text
from cdcoref.errors import InputError
from cdcoref.formats import plain_fields, stored_document, stored_fields, stored_mention
from cdcoref.stories import boilerplate_lines, without_boilerplate, words_of

BOILERPLATE = "boilerplate"
REVISION = "revision"
"""Counts the changes after which the mentions of a document may be others: it was removed or replaced, or a rebuild."""


@dataclass(frozen=True)
class Incoming:
    """A document that is to be added, with its words, and its mentions unless they are to be found. `content` is the
    hash by which the same document is recognised. `source` is the file of a plain text named after it. `words` are
    those of the document as they are stored."""

    document: Document
    mentions: tuple[Mention, ...] | None
    content: bytes
    source: str | None
    words: bytes

    @classmethod
    def of(cls, document: Document, mentions: Sequence[Mention] | None, boilerplate: Collection[bytes]) -> Incoming:
        """Prepare a document; lines whose keys are `boilerplate` do not count, and no mentions are found in them."""
        given = None
        if mentions is not None:
            ordered = sorted(mentions, key=lambda m: (m.start, m.end, m.tokens, m.kind or "", m.cluster or ""))
            given = tuple({mention.key: mention for mention in ordered}.values())
        try:
            document.text.encode()
        except UnicodeEncodeError:
            raise InputError(
                f"document {document.id!r} contains half of a surrogate pair, which is not a character", document.path
            ) from None
        seen = plain_fields(replace(document, id="", path=None, metadata={}, found=frozenset()))
        marked = None if given is None else [(m.tokens, m.kind) for m in given]
        content = sha256(repr((document.text, seen, marked)).encode(errors="backslashreplace")).digest()
        path = None if document.path is None else os.path.abspath(document.path)
        source = path if path is not None and PurePath(path).as_posix().endswith(f"/{document.id}") else None
        read = without_boilerplate(document, boilerplate) if given is None else document
        return cls(read, given, content, source, packed_words(words_of(document, boilerplate)))

    def renamed(self, id: str) -> Incoming:
        """The document under another id."""
        mentions = None if self.mentions is None else tuple(replace(m, document=id) for m in self.mentions)
        return replace(self, document=replace(self.document, id=id), mentions=mentions)


@dataclass(frozen=True)
class Sorted:
    """Incoming documents: those to be added, numbers of those that they replace, ids of those that are there."""

    new: tuple[Incoming, ...]
    replaced: Mapping[str, int]
    known: Mapping[str, str]


def sort_documents(connection: sqlite3.Connection, incoming: Sequence[Incoming]) -> Sorted:
    """Tell new documents from changed and known ones.

    A document with the content of a stored one is known, whatever its id. A plain text is a changed one if a text from
    the same file is stored; if its id is that of a text from another file, its id gets a prefix: as many folders
    of its path as make it unique. Any other document is a changed one if its id is stored.
    """
    # What a changed document was is no longer known, wherever that document stands among the others; one that was known
    # by it may itself be what replaces another.
    changed: frozenset[str] = frozenset()
    while not (found := _sorted(connection, incoming, changed)).replaced.keys() <= changed:
        changed = frozenset(found.replaced)
    return found


def _sorted(connection: sqlite3.Connection, incoming: Sequence[Incoming], changed: frozenset[str]) -> Sorted:
    there: dict[bytes, str] = {}
    fresh: dict[bytes, Incoming] = {}
    for document in incoming:
        row = connection.execute("SELECT id FROM documents WHERE content = ?", (document.content,)).fetchone()
        if row is not None and row[0] not in changed:
            there[document.content] = row[0]
        else:
            fresh.setdefault(document.content, document)
    new: dict[str, Incoming] = {}
    replaced: dict[str, int] = {}
    taken = {document.document.id for document in fresh.values() if document.source is None}
    for document in fresh.values():
        number, id = _place(connection, document, taken)
        if id in new:
            raise InputError(
                f"the document {document.document.id!r} and another document to be added would both have the id "
                f"{id!r} in the collection; give one of them another id",
                document.document.path,
            )
        taken.add(id)
        there[document.content] = id
        new[id] = document.renamed(id)
        if number is not None:
            replaced[id] = number
    known = {d.document.id: there[d.content] for d in incoming if fresh.get(d.content) is not d}
    return Sorted(tuple(new.values()), replaced, known)


def _place(connection: sqlite3.Connection, incoming: Incoming, taken: set[str]) -> tuple[int | None, str]:
    """The number of the stored document that one replaces, if any, and its id."""
    by_id = "SELECT number, source FROM documents WHERE id = ?"
    if incoming.source is None:
        row = connection.execute(by_id, (incoming.document.id,)).fetchone()
        return (None if row is None else row[0]), incoming.document.id
    query = "SELECT number, id FROM documents WHERE source = ?"
    row = connection.execute(query, (incoming.source,)).fetchone()
    if row is not None:
        return row[0], row[1]
    parts = PurePath(incoming.source).parts
    id = incoming.document.id
    depth = len(PurePath(id).parts)
    while id in taken or connection.execute(by_id, (id,)).fetchone() is not None:
        depth += 1
        if depth > len(parts):
            raise InputError(f"another document has the id {incoming.document.id!r}", incoming.source)
        id = "/".join(parts[-depth:])
    return None, id


def stored_boilerplate(connection: sqlite3.Connection) -> frozenset[bytes]:
    """The keys of lines that are boilerplate; documents that came before keep their words until a rebuild."""
    return frozenset(map(bytes.fromhex, stored_value(connection, BOILERPLATE, [])))


class MentionRow(NamedTuple):
    """A mention as it is stored: its kind and words, its tokens, the cluster that it is in and its first one."""

    number: int | None
    kind: str | None
    words: str
    tokens: str
    cluster: int | None
    origin: int | None


class Deleted(NamedTuple):
    """A document that was removed: its story, the hash of its content, its mentions in the order of the text."""

    story: int
    content: bytes
    mentions: list[MentionRow]


def delete_document(connection: sqlite3.Connection, number: int) -> Deleted:
    """Remove a document and all that belongs to it."""
    query = "SELECT story, content FROM documents WHERE number = ?"
    story, content = connection.execute(query, (number,)).fetchone()
    mentions = _mentions_of(connection, number)
    connection.execute("DELETE FROM documents WHERE number = ?", (number,))
    count_revision(connection)
    return Deleted(int(story), content, mentions)


def count_revision(connection: sqlite3.Connection) -> None:
    """Note that the mentions of a document, known by its id, may be others than before."""
    store_value(connection, REVISION, stored_value(connection, REVISION, 0) + 1)


def _mentions_of(connection: sqlite3.Connection, document: int) -> list[MentionRow]:
    query = "SELECT number, kind, words, tokens, cluster, origin FROM mentions WHERE document = ? ORDER BY place"
    return [MentionRow(*row) for row in connection.execute(query, (document,))]


def insert_document(
    connection: sqlite3.Connection,
    incoming: Incoming,
    mentions: Sequence[Mention],
    story: int,
    share: float,
    before: Sequence[MentionRow] = (),
) -> tuple[int, dict[tuple[str, str | None], str]]:
    """Store a document with its mentions; returns its number.

    Mentions go into the clusters that they were in `before` the document changed, so that these keep their numbers;
    clustering the story again decides where they belong. Those of one kind with the same words are the same: the first
    of those before and the first of those after, and so on. Returns their new tokens, too, by the former ones and kind.
    """
    document = incoming.document
    number = insert(
        connection,
        "INSERT INTO documents (id, content, source, given, story, added, text, fields, share, words) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(document.id, incoming.content, incoming.source, incoming.mentions is not None, story, now()),
            *(document.text, stored_fields(document), share, incoming.words),
        ),
    )
    waiting: defaultdict[tuple[str | None, str], list[MentionRow]] = defaultdict(list)
    for row in reversed(before):
        waiting[row.kind, row.words].append(row)
    former = []
    for mention in mentions:
        same = waiting[mention.kind, mention_text(mention, document)]
        former.append(same.pop()._replace(number=None) if same else None)
    _insert_mentions(connection, number, incoming, mentions, former)
    pairs = zip(former, mentions, strict=True)
    return number, {(row.tokens, row.kind): stored_tokens(mention.tokens) for row, mention in pairs if row is not None}


def update_document(
    connection: sqlite3.Connection,
    number: int,
    incoming: Incoming,
    mentions: Sequence[Mention],
    story: int,
    share: float,
) -> set[int]:
    """Store again a document that is there; mentions on the same tokens keep their numbers and clusters. Returns the
    clusters that may have lost mentions."""
    connection.execute(
        "UPDATE documents SET fields = ?, story = ?, share = ?, words = ? WHERE number = ?",
        (stored_fields(incoming.document), story, share, incoming.words, number),
    )
    former = _mentions_of(connection, number)
    connection.execute("DELETE FROM mentions WHERE document = ?", (number,))
    connection.execute("DELETE FROM left_out WHERE document = ?", (number,))
    known = {(row.tokens, row.kind): row for row in former}
    same = [known.get((stored_tokens(mention.tokens), mention.kind)) for mention in mentions]
    _insert_mentions(connection, number, incoming, mentions, same)
    return {row.cluster for row in former if row.cluster is not None}


def _insert_mentions(
    connection: sqlite3.Connection,
    number: int,
    incoming: Incoming,
    mentions: Sequence[Mention],
    former: Sequence[MentionRow | None],
) -> None:
    """Store the mentions of a document with their former numbers and clusters, and those left out for a rebuild."""
    rows = []
    for place, (mention, row) in enumerate(zip(mentions, former, strict=True)):
        kept = (None, None, None) if row is None else (row.number, row.cluster, row.origin)
        words = mention_text(mention, incoming.document)
        stated = mention.kind, words, mention.confidence, mention.confidence, mention.id, mention.tag
        rows.append((*kept, number, place, stored_tokens(mention.tokens), *stated))
    connection.executemany(
        "INSERT INTO mentions (number, cluster, origin, document, place, tokens, kind, words, found, confidence, "
        "source_id, tag) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        rows,
    )
    keys = {mention.key for mention in mentions}
    connection.executemany(
        "INSERT INTO left_out (document, tokens, kind, found, source_id, tag) VALUES (?, ?, ?, ?, ?, ?)",
        (
            (number, stored_tokens(mention.tokens), mention.kind, mention.confidence, mention.id, mention.tag)
            for mention in incoming.mentions or ()
            if mention.kind is not None and mention.key not in keys
        ),
    )


def store_stated_metadata(
    connection: sqlite3.Connection, incoming: Sequence[Incoming], known: Mapping[str, str]
) -> None:
    """Store what documents that are there already now state about themselves; `known` are their ids there."""
    for document in incoming:
        id = known.get(document.document.id)
        stated = {n: v for n, v in document.document.metadata.items() if n not in document.document.found}
        row = None
        if id is not None and stated:
            row = connection.execute("SELECT id, text, fields FROM documents WHERE id = ?", (id,)).fetchone()
        if row is None:
            continue
        stored = stored_document(*row)
        metadata = {**stored.metadata, **stated}
        if metadata != stored.metadata or stored.found & stated.keys():
            changed = replace(stored, metadata=metadata, found=stored.found - stated.keys())
            connection.execute("UPDATE documents SET fields = ? WHERE id = ?", (stored_fields(changed), id))


def stored_incoming(connection: sqlite3.Connection, lines: frozenset[bytes]) -> tuple[Sorted, frozenset[bytes]]:
    """All stored documents, as if each came again in its own place, and the keys of all lines that are boilerplate."""
    query = "SELECT number, id, text, fields, content, given FROM documents ORDER BY number"
    rows = connection.execute(query).fetchall()
    documents = {number: stored_document(*row) for number, *row, _, _ in rows}
    lines |= boilerplate_lines(tuple(documents.values()))
    mentions: dict[str, list[Mention]] = {}
    for table in ("mentions", "left_out"):
        query = (
            f"SELECT id, tokens, kind, NULL, source_id, tag, found FROM {table} "
            "JOIN documents ON documents.number = document WHERE given ORDER BY document"
        )
        for mention in (stored_mention(*row) for row in connection.execute(query)):
            mentions.setdefault(mention.document, []).append(mention)
    incoming = []
    for number, id, _, _, content, given in rows:
        document = replace(documents[number], parse=None)
        ordered = tuple(sorted(mentions.get(id, ()), key=lambda m: (m.start, m.end, m.tokens, m.kind or "")))
        read = document if given else without_boilerplate(document, lines)
        words = packed_words(words_of(document, lines))
        incoming.append(Incoming(read, ordered if given else None, content, None, words))
    return Sorted(tuple(incoming), {id: number for number, id, *_ in rows}, {}), lines
