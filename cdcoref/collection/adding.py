"""Documents added to a collection: they are read once, find their story, and are compared with the nearest of it.

What it costs is proportional to what is new. The story of a new document is found among those of the documents that
share rare words with it (`cdcoref.stories.growing`). Documents are read together only where one of the two is new to
its story, each such with at most `max_pairs` others, the nearest, and where they have not been read together before.
The stories that got or lost a document are clustered again from stored scores; no other is touched.

The model works on the collection as it is when it begins; what it found is stored in one short transaction. If another
program changed the collection in between so that other pairs of documents matter, those are read too, and it is tried
again; nothing is read twice.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

from cdcoref.collection.corrections import move_corrections
from cdcoref.collection.database import Database
from cdcoref.collection.documents import (
    Incoming,
    Sorted,
    delete_document,
    inherit_clusters,
    insert_document,
    mentions_of,
    same_mentions,
    sort_documents,
    store_scores,
    stored_part,
)
from cdcoref.collection.reader import Reader
from cdcoref.collection.reclustering import recluster
from cdcoref.collection.records import Report
from cdcoref.collection.reports import changes_since, last_change
from cdcoref.collection.scores import DocumentPair, DocumentScores
from cdcoref.collection.settings import Settings, store_settings, store_value, stored_settings, stored_value
from cdcoref.collection.word_index import surroundings
from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.prediction import plan_stories
from cdcoref.stories import DocumentVectors, nearest_to, place_documents

if TYPE_CHECKING:
    from cdcoref.engines import Progress

REVISION = "revision"
"""Counts the rebuilds, after which the mentions of documents may be others."""


@dataclass(frozen=True)
class StoryPlan:
    """What becomes of a story.

    Attributes
    ----------
    number
        The stored story that it goes on from; None for a new one.
    moved
        Ids of the stored documents that come from other stories.
    new
        Ids of the documents that are new in the collection.
    pairs
        Ids of the pairs of documents to be read together, the id that comes first first.
    """

    number: int | None
    moved: tuple[str, ...]
    new: tuple[str, ...]
    pairs: tuple[DocumentPair, ...]


@dataclass(frozen=True)
class Plan:
    """What is to be done with documents: which are new, for how much of a document each counts, their stories."""

    documents: Sorted
    share: dict[str, float]
    stories: tuple[StoryPlan, ...]
    revision: int


def add_documents(database: Database, reader: Reader, incoming: Sequence[Incoming], progress: Progress) -> Report:
    """Add documents, all of them or none.

    Raises
    ------
    InputError
        If the model is not the collection's, a mention has no kind, or the file cannot be written.
    """
    found: dict[str, list[Mention]] = {}
    scores: dict[DocumentPair, DocumentScores] = {}
    read: set[DocumentPair] = set()
    notes: list[str] = []
    revision: int | None = None
    while True:
        with database.reading() as connection:
            version = _data_version(connection)
            plan = make_plan(connection, reader, incoming)
            if plan.revision != revision:
                scores, read, revision = {}, set(), plan.revision
            wanted = _pairs(plan) - read
            near = stored_part(connection, sorted(_others(plan, wanted)))
        todo = [i.document for i in plan.documents.new if i.mentions is None and i.document.id not in found]
        found |= reader.mentions(todo, progress)
        if wanted:
            part = _joined(plan, near, found, reader, wanted)
            own, sentences = reader.scores(part, sorted(pair for pair in wanted if pair[0] != pair[1]), progress)
            scores = own | scores
            notes += sentences
            read |= wanted
        with database.writing() as connection:
            if _data_version(connection) != version:
                plan = make_plan(connection, reader, incoming)
            if plan.revision == revision and _pairs(plan) <= read and _complete(plan, found):
                return _apply(connection, reader, plan, found, scores, notes)


def make_plan(connection: sqlite3.Connection, reader: Reader, incoming: Sequence[Incoming]) -> Plan:
    """What adding documents to the collection as it is takes; nothing is changed."""
    documents = sort_documents(connection, incoming)
    revision = stored_value(connection, REVISION, 0)
    max_pairs = reader.settings.options.max_pairs
    gone = frozenset(documents.replaced.values())
    (stored,) = connection.execute("SELECT count(*) FROM documents").fetchone()
    if stored == len(gone):
        vectors = DocumentVectors([incoming.document for incoming in documents.new])
        grouped, _ = plan_stories(vectors, "predicted", None if reader.settings.lemma else max_pairs)
        share = dict(zip(vectors.ids, vectors.share.tolist(), strict=True)) if documents.new else {}
        stories = []
        for story in grouped:
            all_pairs = list(combinations(sorted(story.documents), 2))
            chosen = all_pairs if story.pairs is None else story.pairs
            stories.append(StoryPlan(None, (), story.documents, tuple(_ordered(chosen))))
        return Plan(documents, share, tuple(stories), revision)
    if not documents.new:
        return Plan(documents, {}, (), revision)
    around = surroundings(connection, [i.weights for i in documents.new], gone)
    placed = place_documents(around.near)
    ids = _ids(connection, around.documents) + [i.document.id for i in documents.new]
    share = {i.document.id: float(s) for i, s in zip(documents.new, placed.share, strict=True)}
    stories = []
    for label, base in _bases(around.near.story, placed.label).items():
        rows = np.flatnonzero(placed.label == label)
        story_of = around.near.story[rows]
        newcomers = np.flatnonzero((story_of < 0) | (story_of != base))
        if not len(newcomers) and len(rows) == (around.near.story == base).sum():
            continue
        names = [ids[row] for row in rows.tolist()]
        pairs = [] if reader.settings.lemma else _to_read(connection, placed.vectors[rows], names, newcomers, max_pairs)
        stories.append(
            StoryPlan(
                None if base is None else around.stories[base],
                tuple(names[n] for n in newcomers.tolist() if story_of[n] >= 0),
                tuple(names[n] for n in newcomers.tolist() if story_of[n] < 0),
                tuple(pairs),
            )
        )
    return Plan(documents, share, tuple(stories), revision)


def _bases(story: np.ndarray, label: np.ndarray) -> dict[int, int | None]:
    """By label the story that a group of documents goes on from: the one with which it shares the most documents."""
    shared = Counter((int(s), int(g)) for s, g in zip(story, label, strict=True) if s >= 0)
    bases: dict[int, int | None] = dict.fromkeys(label.tolist())
    taken = set()
    for (number, group), _ in sorted(shared.items(), key=lambda entry: (-entry[1], entry[0])):
        if bases[group] is None and number not in taken:
            bases[group] = number
            taken.add(number)
    return bases


def _to_read(
    connection: sqlite3.Connection,
    vectors: csr_array,
    ids: Sequence[str],
    newcomers: np.ndarray,
    max_pairs: int | None,
) -> list[DocumentPair]:
    """The pairs of documents of a story to be read together: of those that are new to it and the nearest to each."""
    limit = len(ids) if max_pairs is None else max_pairs
    if len(ids) <= limit + 1:
        near = [(a, b) for a in newcomers.tolist() for b in range(len(ids)) if a != b]
    else:
        near = nearest_to(vectors, newcomers, limit)
    query = (
        "SELECT 1 FROM documents AS one JOIN documents AS other JOIN scores "
        "ON scores.first = min(one.number, other.number) AND scores.second = max(one.number, other.number) "
        "WHERE one.id = ? AND other.id = ?"
    )
    pairs = _ordered((ids[a], ids[b]) for a, b in near)
    return [pair for pair in pairs if connection.execute(query, pair).fetchone() is None]


def _data_version(connection: sqlite3.Connection) -> int:
    """A number that is another one after another connection has changed the file."""
    (version,) = connection.execute("PRAGMA data_version").fetchone()
    return int(version)


def _ordered(pairs: Iterable[DocumentPair]) -> list[DocumentPair]:
    return sorted({(min(pair), max(pair)) for pair in pairs})


def _ids(connection: sqlite3.Connection, numbers: Sequence[int]) -> list[str]:
    query = "SELECT id FROM documents WHERE number = ?"
    return [connection.execute(query, (number,)).fetchone()[0] for number in numbers]


def _pairs(plan: Plan) -> set[DocumentPair]:
    """The pairs of documents to be read, each new document with itself among them."""
    pairs = {pair for story in plan.stories for pair in story.pairs}
    return pairs | {(incoming.document.id, incoming.document.id) for incoming in plan.documents.new}


def _others(plan: Plan, pairs: set[DocumentPair]) -> set[str]:
    """The stored documents among those to be read."""
    return {id for pair in pairs for id in pair} - {incoming.document.id for incoming in plan.documents.new}


def _complete(plan: Plan, found: dict[str, list[Mention]]) -> bool:
    return all(i.mentions is not None or i.document.id in found for i in plan.documents.new)


def _mentions(incoming: Incoming, found: dict[str, list[Mention]], reader: Reader) -> list[Mention]:
    """The mentions of a new document, in the order of their places."""
    if incoming.mentions is None:
        return found[incoming.document.id]
    return list(reader.of_kind(Corpus((incoming.document,), incoming.mentions)).mentions)


def _joined(
    plan: Plan, near: Corpus, found: dict[str, list[Mention]], reader: Reader, pairs: set[DocumentPair]
) -> Corpus:
    """The documents to be read, new and stored."""
    wanted = {id for pair in pairs for id in pair}
    new = [incoming for incoming in plan.documents.new if incoming.document.id in wanted]
    documents: list[Document] = [*near.documents, *(incoming.document for incoming in new)]
    mentions = [*near.mentions, *(m for incoming in new for m in _mentions(incoming, found, reader))]
    return Corpus(tuple(documents), tuple(mentions))


def _apply(
    connection: sqlite3.Connection,
    reader: Reader,
    plan: Plan,
    found: dict[str, list[Mention]],
    scores: dict[DocumentPair, DocumentScores],
    notes: list[str],
) -> Report:
    """Store what was planned and read."""
    last = last_change(connection)
    _check_settings(stored_settings(connection), reader.settings)
    store_settings(connection, reader.settings)
    before = {id: delete_document(connection, number) for id, number in plan.documents.replaced.items()}
    left = {deleted.story for deleted in before.values()}
    by_id = {incoming.document.id: incoming for incoming in plan.documents.new}
    touched: set[int] = set()
    numbers: dict[str, int] = {}
    story_of: dict[str, int] = {}
    for story in plan.stories:
        number = story.number
        if number is None:
            done = connection.execute("INSERT INTO stories DEFAULT VALUES")
            assert done.lastrowid is not None
            number = done.lastrowid
        touched.add(number)
        for id in story.moved:
            (former,) = connection.execute("SELECT story FROM documents WHERE id = ?", (id,)).fetchone()
            left.add(former)
            connection.execute("UPDATE documents SET story = ? WHERE id = ?", (number, id))
        story_of.update(dict.fromkeys(story.new, number))
    for id, incoming in by_id.items():
        mentions = _mentions(incoming, found, reader)
        numbers[id] = insert_document(connection, incoming, mentions, story_of[id], plan.share[id])
        if id in before:
            same = same_mentions(before[id].mentions, mentions_of(connection, numbers[id]))
            inherit_clusters(connection, same)
            tokens = {(one.tokens, one.kind): other.tokens for one, other in same}
            move_corrections(connection, before[id].content, incoming.content, tokens)
    for id in {id for pair in scores for id in pair} - numbers.keys():
        row = connection.execute("SELECT number FROM documents WHERE id = ?", (id,)).fetchone()
        if row is not None:
            numbers[id] = row[0]
    # A model that reads many documents at once has compared more than was asked for.
    there = {pair: found for pair, found in scores.items() if pair[0] in numbers and pair[1] in numbers}
    store_scores(connection, numbers, there)
    touched |= drop_empty_stories(connection, left)
    emptied = {m.cluster for deleted in before.values() for m in deleted.mentions if m.cluster is not None}
    clustered = recluster(connection, touched, emptied)
    merged, split = changes_since(connection, last)
    return Report(
        added=tuple(id for id in by_id if id not in plan.documents.replaced),
        replaced=tuple(plan.documents.replaced),
        known=dict(plan.documents.known),
        pairs=0 if reader.settings.lemma else sum(one != other for one, other in _pairs(plan)),
        stories=len(clustered),
        merged=merged,
        split=split,
        notes=tuple(dict.fromkeys(notes)),
    )


def _check_settings(stored: Settings | None, used: Settings) -> None:
    """Refuse to store what was read with other settings than the collection's."""
    same = stored is not None and (stored.model, stored.options) == (used.model, used.options)
    if stored is None or not same or stored.fingerprint not in (None, used.fingerprint):
        raise InputError("the collection was rebuilt with another model or other options meanwhile; add again")


def drop_empty_stories(connection: sqlite3.Connection, stories: Iterable[int]) -> set[int]:
    """Remove those of some stories that have no documents; returns the others."""
    kept = set()
    for story in stories:
        if connection.execute("SELECT 1 FROM documents WHERE story = ? LIMIT 1", (story,)).fetchone():
            kept.add(story)
        else:
            connection.execute("DELETE FROM stories WHERE number = ?", (story,))
            connection.execute("DELETE FROM questions WHERE story = ?", (story,))
    return kept


def count_revision(connection: sqlite3.Connection) -> None:
    """Note that the mentions of documents may be others than before."""
    store_value(connection, REVISION, stored_value(connection, REVISION, 0) + 1)
