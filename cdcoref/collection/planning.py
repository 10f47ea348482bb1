"""What becomes of stories when documents come: new documents in, the changed stories out; nothing is stored."""

import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.sparse import csr_array

from cdcoref.collection.database import numbers_of, rows_in, stored_documents, stories_of
from cdcoref.collection.documents import Sorted
from cdcoref.collection.settings import Settings
from cdcoref.collection.stored_readings import DocumentPair
from cdcoref.collection.stored_words import NO_STORY, StoredWords, find_copies
from cdcoref.collection.stories import bases, corrected_labels, corrected_stories
from cdcoref.corpus import Document
from cdcoref.predict import plan_stories
from cdcoref.stories import (
    DocumentVectors,
    Neighbourhood,
    Placement,
    divided,
    group_documents,
    near_duplicates,
    nearest_to,
    place_documents,
)

LIKE_A_TEMPLATE = 0.25
"""The similarity from which two documents may report different happenings in the same words."""
LARGEST_COMPARED = 100
"""Documents of the largest story whose mentions are all compared with those of a new document, by their vectors."""


@dataclass(frozen=True)
class StoryPlan:
    """The changes to a story: the stored one that it goes on from, and the ids of the documents that move or are new.
    `pairs` of documents are to be read together, `compared` ones by their vectors; `pairs` are among them. `known` is
    the former story of every stored document: those of one were compared with each other."""

    number: int | None
    moved: tuple[str, ...]
    new: tuple[str, ...]
    pairs: tuple[DocumentPair, ...]
    compared: tuple[DocumentPair, ...]
    known: Mapping[str, int]

    def todo(self, compared: Collection[DocumentPair]) -> list[DocumentPair]:
        """The pairs that are not among `compared`; a document with itself for each new one."""
        return [pair for pair in (*((id, id) for id in self.new), *self.compared) if pair not in compared]


@dataclass(frozen=True)
class Plan:
    """What is to be done with documents; `share` is for how much of a document each counts in how rare words are."""

    documents: Sorted
    original_of: Mapping[str, str]
    share: Mapping[str, float]
    stories: tuple[StoryPlan, ...]


def make_plan(connection: sqlite3.Connection, documents: Sorted, lines: Collection[bytes], settings: Settings) -> Plan:
    """Plan the addition of documents to a collection as it is; `lines` are keys of lines that are boilerplate."""
    (stored,) = connection.execute("SELECT count(*) FROM documents").fetchone()
    plan = _plan_all if stored == len(documents.replaced) else _plan_new
    return plan(connection, documents, lines, settings)


def _plan_all(connection: sqlite3.Connection, documents: Sorted, lines: Collection[bytes], settings: Settings) -> Plan:
    """Where all documents are new or replace others: stories are a prediction's, and go on from those replaced."""
    new = [incoming.document for incoming in documents.new]
    original_of = near_duplicates(new, boilerplate=lines)
    vectors = DocumentVectors(new, original_of, lines)
    content_of, ids = _contents(connection, documents), [document.id for document in new]
    group_of = {id: number for number, group in enumerate(group_documents(vectors)) for id in group}
    labels = np.array([group_of[id] for id in ids], dtype=np.int64)
    rows = csr_array(vectors.matrix[[vectors.row[id] for id in ids]])
    labels = corrected_labels(connection, labels, [content_of[id] for id in ids], rows)
    corrected: dict[int, list[str]] = {}
    for id, group_label in zip(ids, labels.tolist(), strict=True):
        corrected.setdefault(group_label, []).append(id)
    grouped, _ = plan_stories(vectors, corrected.values(), None if settings.lemma else settings.options.max_pairs)
    query = "SELECT number, story FROM documents WHERE number IN ({})"
    story_of = dict(rows_in(connection, query, documents.replaced.values()))
    former = [story_of.get(documents.replaced.get(id, -1), -1) for story in grouped for id in story.documents]
    label = np.repeat(np.arange(len(grouped)), [len(story.documents) for story in grouped])
    base_of = bases(np.array(former, dtype=np.int64), label)
    stories = []
    for number, story in enumerate(grouped):
        every = combinations(sorted(story.documents), 2) if story.pairs is None else story.pairs
        pairs = () if settings.lemma else tuple(_ordered(every))
        stories.append(StoryPlan(base_of[number], (), story.documents, pairs, pairs, {}))
    share = dict(zip(vectors.ids, vectors.share.tolist(), strict=True)) if new else {}
    return Plan(documents, original_of, _of_originals(share, original_of), tuple(stories))


def _plan_new(connection: sqlite3.Connection, documents: Sorted, lines: Collection[bytes], settings: Settings) -> Plan:
    """Where there are others, the stories near the new documents change."""
    if not documents.new:
        return Plan(documents, {}, {}, ())
    gone = frozenset(documents.replaced.values())
    new = {incoming.document.id: incoming.document for incoming in documents.new}
    words = StoredWords(connection, {one.document.id: one.words for one in documents.new}, gone)
    newcomers = words.of_stories([NO_STORY])
    near = {int(words.numbers[row]) for row in words.nearest(newcomers)}
    original_of = find_copies(connection, near, [*new.values()], gone, lines)
    near.update(numbers_of(connection, {id for pair in original_of.items() for id in pair} - new.keys()).values())
    content_of = _contents(connection, documents)
    stories = stories_of(connection, near) | corrected_stories(connection, content_of.values()) | {NO_STORY}
    rows = words.of_stories(stories)
    ids, story_of = [words.ids[row] for row in rows.tolist()], words.stories[rows]
    content_of |= rows_in(connection, "SELECT id, content FROM documents WHERE id IN ({})", ids)
    around = words.neighbourhood(rows, original_of)
    placed = place_documents(around)
    labels = _without_templates(connection, new, ids, around, placed, lines)
    labels = corrected_labels(connection, labels, [content_of[id] for id in ids], placed.vectors)
    plans = []
    for label, base in bases(story_of, labels).items():
        members = np.flatnonzero(labels == label)
        former = story_of[members]
        arriving = np.flatnonzero((former == NO_STORY) | (former != base))
        if not len(arriving) and len(members) == (story_of == base).sum():
            continue
        own = [ids[member] for member in members.tolist()]
        known = {id: int(story) for id, story in zip(own, former.tolist(), strict=True) if story != NO_STORY}
        pairs: list[DocumentPair] = []
        compared: list[DocumentPair] = []
        if not settings.lemma:
            max_pairs, vectors = settings.options.max_pairs, placed.vectors[members]
            pairs = _to_compare(connection, vectors, own, arriving, known.keys(), max_pairs)
            limit = None if len(own) <= LARGEST_COMPARED else max_pairs
            compared = _to_compare(connection, vectors, own, arriving, known.keys(), limit)
        moved = tuple(own[n] for n in arriving.tolist() if own[n] in known)
        arrived = tuple(own[n] for n in arriving.tolist() if own[n] not in known)
        plans.append(StoryPlan(base, moved, arrived, tuple(pairs), tuple(compared), known))
    share = dict(zip([words.ids[row] for row in newcomers.tolist()], placed.share.tolist(), strict=True))
    stored = dict(zip(words.ids, words.share.tolist(), strict=True))
    return Plan(documents, original_of, _of_originals({**stored, **share}, original_of), tuple(plans))


def _of_originals(share: Mapping[str, float], original_of: Mapping[str, str]) -> dict[str, float]:
    """For how much of a document each counts; a copy for as much as its original, once that is gone."""
    return {id: share.get(original_of.get(id, id), 0.0) for id in share}


def _without_templates(
    connection: sqlite3.Connection,
    new: Mapping[str, Document],
    ids: Sequence[str],
    around: Neighbourhood,
    placed: Placement,
    lines: Collection[bytes],
) -> np.ndarray:
    """The stories of documents, after those with reports of different happenings in the same words are divided."""
    vectors, labels = placed.vectors, placed.label.copy()
    row_of = {id: row for row, id in enumerate(ids)}

    def similarity(first: str, second: str) -> float:
        return float(vectors[[row_of[first]]].multiply(vectors[[row_of[second]]]).sum())

    for label in np.unique(labels[around.story == NO_STORY]).tolist():
        rows = np.flatnonzero((labels == label) & (around.original == np.arange(len(labels))))
        of_new = rows[around.story[rows] == NO_STORY]
        if len(of_new) == 0:
            continue
        likeness = (vectors[rows] @ vectors[of_new].T).toarray().max(axis=1)
        near = [ids[row] for row in rows[likeness >= LIKE_A_TEMPLATE].tolist()]
        stored = {d.id: d for d in stored_documents(connection, "id", [id for id in near if id not in new])}
        parts = divided([stored.get(id) or new[id] for id in near], similarity, lines)
        if len(parts) > 1:
            of_parts = [[row_of[document.id] for document in part] for part in parts]
            means = np.stack([np.asarray(vectors[part].sum(axis=0)).ravel() / len(part) for part in of_parts])
            best = np.argmax(vectors[rows] @ means.T, axis=1)
            fresh = labels.max()
            labels[rows] = np.where(best == 0, label, fresh + best)
            for number, part in enumerate(of_parts):
                labels[part] = label if number == 0 else fresh + number
    return labels[around.original]


def _contents(connection: sqlite3.Connection, documents: Sorted) -> dict[str, bytes]:
    """By which corrections know new documents, by id: the contents of those that they replace, or else their own."""
    query = "SELECT id, content FROM documents WHERE number IN ({})"
    replaced = dict(rows_in(connection, query, documents.replaced.values()))
    return {one.document.id: one.content for one in documents.new} | replaced


def _to_compare(
    connection: sqlite3.Connection,
    vectors: csr_array,
    ids: Sequence[str],
    newcomers: np.ndarray,
    stored: Collection[str],
    max_pairs: int | None,
) -> list[DocumentPair]:
    """The pairs of documents to compare: each that is new to a story with its nearest, unless that has been done."""
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
    # What is stored under the id of a new document is what it replaces.
    return [
        pair
        for pair in _ordered((ids[a], ids[b]) for a, b in near)
        if not all(id in stored for id in pair) or connection.execute(query, pair).fetchone() is None
    ]


def _ordered(pairs: Iterable[DocumentPair]) -> list[DocumentPair]:
    return sorted({(min(pair), max(pair)) for pair in pairs})
