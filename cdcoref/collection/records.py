"""What a collection answers: clusters, mentions and documents as people look at them, and what a change did."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from cdcoref.collection.database import rows_in, stored_documents
from cdcoref.corpus import Document
from cdcoref.formats import cluster_id, day_of, stored_mention
from cdcoref.reports import LocatedMentions

SNIPPET = 160
"""Characters of the beginning of a document."""
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class ClusterSummary:
    """A cluster in a list.

    `id` lasts through every change (see :mod:`cdcoref.collection.cluster_numbers`). `title` is the `name` that
    somebody gave it, else its label. `confidence` is the mean of its mentions'; None where none has one. `story` is
    the number of the story in which it is mentioned first. `checked` is how many of its mentions people confirmed.
    """

    id: str
    kind: str | None
    title: str
    name: str | None
    mentions: int
    documents: int
    confidence: float | None
    story: int | None
    checked: int = 0


@dataclass(frozen=True, slots=True)
class StoredMention:
    """A mention and its place.

    `id` lasts as long as the document's content does. `start` and `end` are characters of the document's text, end
    exclusive; `line` (from 1) is where it begins. `before` and `after` are the rest of its sentence, with the space
    next to it. `cluster` is None if it was `rejected`: marked as not being a mention. `checked`: people confirmed that
    it is the same as another mention of its cluster.
    """

    id: str
    document: str
    kind: str | None
    cluster: str | None
    tokens: tuple[int, ...]
    start: int
    end: int
    line: int
    text: str
    before: str
    after: str
    confidence: float | None
    rejected: bool = False
    checked: bool = False


@dataclass(frozen=True, slots=True)
class Move:
    """Mentions that went from one cluster (`other`) into another when a correction was made or undone.

    ``"merged"``: `other` is no more. ``"split"``: `cluster` is new. ``"moved"``: both were there and are. ``"left"``:
    they are no mentions any more. ``"back"``: they are mentions again. Clusters are None where they are no mentions.
    `words` are those of the first of them, each once.
    """

    change: Literal["merged", "split", "moved", "left", "back"]
    cluster: str | None
    title: str | None
    other: str | None
    other_title: str | None
    mentions: int
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ClusterPage:
    """A cluster with its mentions and documents.

    `summary` is the cluster; if another was asked for, the one into which that was merged. `names` are the words of
    its mentions and how often each occurs, the most frequent first. `documents`, and `mentions` in them, are in the
    order of dates, those without one last; if a part of them was asked for, `offset` others come before it. `stories`
    are numbers.
    """

    summary: ClusterSummary
    names: tuple[tuple[str, int], ...]
    documents: tuple[DocumentSummary, ...]
    offset: int
    mentions: tuple[StoredMention, ...]
    stories: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class DocumentSummary:
    """A document in a list.

    `story` is the number of its story; None if it has no words. `added` is when it was added (ISO 8601, UTC), `date`
    its day: that of its metadata, or else the one that its id or the beginning of its text states; None if unknown.
    `snippet` is the beginning of its text, or where the words searched for are, between ``\\x02`` and ``\\x03``.
    """

    id: str
    story: int | None
    added: str
    date: str | None
    words: int
    mentions: int
    snippet: str
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DocumentPage:
    """A document with its mentions (rejected ones too), its clusters and related documents.

    `story` are other documents of its story, all or as many as were asked for; `related` the first documents of other
    stories about the same subject. `copies` are the ids of its near-duplicates, the original first.
    """

    summary: DocumentSummary
    document: Document
    mentions: tuple[StoredMention, ...]
    clusters: tuple[ClusterSummary, ...]
    story: tuple[DocumentSummary, ...]
    related: tuple[DocumentSummary, ...]
    copies: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The clusters and documents that a search finds, the best first (:func:`cdcoref.reports.ranking`)."""

    clusters: tuple[ClusterSummary, ...]
    documents: tuple[DocumentSummary, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """A decision that is worth checking (see :mod:`cdcoref.collection.questions`): are these two mentions the same?"""

    first: StoredMention
    second: StoredMention
    together: bool
    probability: float


@dataclass(frozen=True, slots=True)
class Counts:
    """Numbers of what there is: `across` are clusters in several documents; documents without words are no stories."""

    documents: int
    stories: int
    mentions: int
    clusters: int
    across: int
    singletons: int
    corrections: int


@dataclass(frozen=True, slots=True)
class Report:
    """The effects of a change to the collection.

    `known` are documents that were already there: by the id with which they came, the id that they have there. `pairs`
    of documents were read together, and `stories` clustered again. `merged` and `split` are pairs of clusters: the one
    that is no more (or is new) and the other. `notes` say what could not be taken into account.
    """

    added: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    known: dict[str, str] = field(default_factory=dict)
    pairs: int = 0
    stories: int = 0
    merged: tuple[tuple[str, str], ...] = ()
    split: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()


def summaries(connection: sqlite3.Connection, numbers: Sequence[int]) -> list[ClusterSummary]:
    """Clusters by their numbers, in that order."""
    query = "SELECT * FROM cluster_summaries WHERE number IN ({})"
    found = {row[0]: cluster_summary(row) for row in rows_in(connection, query, numbers)}
    return [found[number] for number in numbers if number in found]


def cluster_summary(row: Sequence[Any]) -> ClusterSummary:
    """A cluster from a row of ``cluster_summaries``."""
    number, kind, title, name, mentions, documents, confidence, story, checked = row
    if not isinstance(title, str) or not isinstance(name, str | None):
        raise sqlite3.DatabaseError(f"the name of cluster {cluster_id(number)} is damaged")
    if not isinstance(confidence, float | int | None):
        raise sqlite3.DatabaseError(f"the confidence of cluster {cluster_id(number)} is damaged")
    return ClusterSummary(cluster_id(number), kind, title, name, mentions, documents, confidence, story, checked)


def document_summary(row: Sequence[Any]) -> DocumentSummary:
    """A document from a row of ``document_summaries``, and the words around what was searched for, if there are any."""
    _, id, story, added, text, mentions, stored, *found = row
    words = len(text.split())
    snippet = " ".join((found[0] if found else text).split())
    if not found and len(snippet) > SNIPPET:
        snippet = f"{snippet[: SNIPPET + 1].rpartition(' ')[0] or snippet[:SNIPPET]} ..."
    metadata = stored_metadata(stored)
    day = day_of(id, text, metadata)
    return DocumentSummary(id, story if words else None, added, day, words, mentions, snippet, metadata)


def mentions_by_number(connection: sqlite3.Connection, numbers: Sequence[int]) -> dict[int, StoredMention]:
    """Mentions by their numbers; those that are not there are left out."""
    query = "SELECT * FROM mention_summaries WHERE number IN ({})"
    rows = list(rows_in(connection, query, dict.fromkeys(numbers)))
    return dict(zip((row[0] for row in rows), stored_mentions(connection, rows), strict=True))


def stored_mentions(connection: sqlite3.Connection, rows: Sequence[Sequence[Any]]) -> list[StoredMention]:
    """Mentions with their places in the texts."""
    ids = dict.fromkeys(row[7] for row in rows)
    documents = {document.id: document for document in stored_documents(connection, "id", ids)}
    places = LocatedMentions(documents.values())
    return [_mention(row, documents[row[7]], places) for row in rows]


def _mention(row: Sequence[Any], document: Document, places: LocatedMentions) -> StoredMention:
    number, cluster, rejected, checked, confidence, tokens, kind, id, *_ = row
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


def stored_metadata(stored: str | None) -> dict[str, Any]:
    """Metadata as they are stored; none where they are damaged."""
    known = json.loads(stored) if stored else {}
    return known if isinstance(known, dict) else {}
