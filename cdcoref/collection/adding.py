"""Documents added to a collection: they are read alone once, find their story, and are compared with it.

What it costs is proportional to what is new. The story of a new document is found among those of the documents that
share rare words with it (`cdcoref.stories.growing`). Its mentions are compared with those of the story by vectors that
are stored, so that no other document is read alone again. Documents are read together only where one of the two is new
to its story, each such with at most `max_pairs` others, the nearest, and where they have not been read together before.
In a story of more than `LARGEST_COMPARED` documents, the nearest are the only ones with which a new one is compared.
The stories that got or lost a document are clustered again from stored scores, and with them the others about the same
subject, whose entities are linked by name; no other is touched.

The model works on the collection as it is when it begins; what it found is stored in one short transaction. If another
program changed the collection in between so that other pairs of documents matter, those are read too, and it is tried
again; nothing is read twice, unless documents were removed or replaced.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

from cdcoref.collection.chosen_rows import insert, numbers_of, rows_in
from cdcoref.collection.copied_readings import (
    Copy,
    Reading,
    Readings,
    copies_of,
    stored_sources,
    stored_texts,
    with_scores_of_copies,
)
from cdcoref.collection.corrections import move_corrections
from cdcoref.collection.database import STORING, Database
from cdcoref.collection.documents import (
    REVISION,
    Incoming,
    Sorted,
    delete_document,
    inherit_clusters,
    insert_document,
    sort_documents,
    store_scores,
    store_stated_metadata,
    stored_part,
)
from cdcoref.collection.reader import Reader, StoryReading, compare_stories
from cdcoref.collection.reclustering import recluster, tied_to_documents
from cdcoref.collection.records import Report
from cdcoref.collection.settings import Settings, store_settings, stored_settings, stored_value
from cdcoref.collection.stored_copies import find_copies, store_copies
from cdcoref.collection.stored_logits import DocumentPair, DocumentScores
from cdcoref.collection.stored_vectors import store_vectors, stored_vectors
from cdcoref.collection.subjects import drop_empty_stories, place_stories
from cdcoref.collection.word_index import store_boilerplate, stored_boilerplate, surroundings
from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.language import remarks_on_language
from cdcoref.predict import plan_stories
from cdcoref.stories import DocumentVectors, near_duplicates, nearest_to, place_documents

if TYPE_CHECKING:
    from cdcoref.predict import Progress

LARGEST_COMPARED = 100
"""Documents of the largest story whose mentions are all compared with those of a new document, by their vectors."""


@dataclass(frozen=True)
class StoryPlan:
    """The changes to a story.

    Attributes
    ----------
    number
        The stored story that it goes on from; None for a new one.
    moved
        Ids of the stored documents that come from other stories.
    new
        Ids of the documents that are new in the collection.
    read
        Those that are read, at least in part: what is left of copies without what other texts have.
    pairs
        Ids of the pairs of documents to be read together, the id that comes first first.
    compared
        Those to be compared by their vectors; `pairs` are among them.
    known
        The former story of every stored document, as numbers from 0: those of one were compared with each other.
    """

    number: int | None
    moved: tuple[str, ...]
    new: tuple[str, ...]
    read: tuple[str, ...]
    pairs: tuple[DocumentPair, ...]
    compared: tuple[DocumentPair, ...]
    known: Mapping[str, int]

    def todo(self, compared: Collection[DocumentPair]) -> list[DocumentPair]:
        """The pairs that are not among `compared`; a document with itself for each new one."""
        every = (*((id, id) for id in self.read), *self.compared)
        return [pair for pair in every if pair not in compared]


@dataclass(frozen=True)
class Plan:
    """What is to be done with documents: which are new, which of those are copies and what is read of those, for how
    much of a document each counts, their stories."""

    documents: Sorted
    original_of: Mapping[str, str]
    copies: Mapping[str, Copy]
    share: dict[str, float]
    stories: tuple[StoryPlan, ...]
    revision: int


def add_documents(
    database: Database, reader: Reader, incoming: Sequence[Incoming], lines: Collection[bytes], progress: Progress
) -> Report:
    """Add documents, all of them or none.

    `lines` are those stored and found among the documents that are boilerplate; they are stored too.

    Raises
    ------
    InputError
        If the model is not the collection's, a mention has no kind, or the file cannot be written.
    """
    readings = Readings()
    scores: dict[DocumentPair, DocumentScores] = {}
    compared: set[DocumentPair] = set()
    notes: list[str] = []
    revision: int | None = None
    while True:
        with database.reading() as connection:
            version = _data_version(connection)
            if stored_value(connection, REVISION, 0) != revision:
                scores, compared = {}, set()
                readings.forget_copies()
            plan = make_plan(connection, reader, incoming, lines, readings)
            sources = stored_sources(connection, plan.copies, not reader.settings.lemma)
        if revision is None:
            notes += remarks_on_language(one.document for one in plan.documents.new)
        revision = plan.revision
        _read_new(reader, plan, readings, sources, progress)
        if not reader.settings.lemma:
            left = [(story, todo) for story in plan.stories if (todo := story.todo(compared))]
            stories = (_story(database, reader, plan, entry, readings) for entry in left)
            work = sum(len({id for pair in todo for id in pair}) + len(story.pairs) for story, todo in left)
            own, sentences = compare_stories(reader, stories, work, progress)
            scores = own | scores
            notes += sentences
            compared |= {pair for _, todo in left for pair in todo}
        progress(STORING, 0, 0)
        with database.writing() as connection:
            if _data_version(connection) != version:
                plan = make_plan(connection, reader, incoming, lines, readings)
            complete = reader.settings.lemma or not any(story.todo(compared) for story in plan.stories)
            if plan.revision == revision and complete and _complete(plan, readings):
                store_stated_metadata(connection, incoming, plan.documents.known)
                store_boilerplate(connection, stored_boilerplate(connection) | frozenset(lines))
                return _apply(connection, reader, plan, readings, scores, notes)


def _read_new(
    reader: Reader, plan: Plan, readings: Readings, sources: Mapping[str, Reading], progress: Progress
) -> None:
    """Read the new documents that have not been read yet, each alone, for their mentions and vectors.

    `sources` are the stored documents that some of them copy.
    """
    readings.read(reader, _to_find(plan.documents), plan.copies, sources, progress)
    given = [i for i in plan.documents.new if i.mentions is not None and i.document.id not in readings.vectors]
    if given and reader.has_vectors:
        marked = (mention for incoming in given for mention in _mentions(incoming, readings.found, reader))
        readings.vectors |= reader.vectors(Corpus(tuple(i.document for i in given), tuple(marked)))


def _story(
    database: Database,
    reader: Reader,
    plan: Plan,
    entry: tuple[StoryPlan, list[DocumentPair]],
    readings: Readings,
) -> StoryReading:
    """What is to be compared of a story."""
    story, todo = entry
    pairs = sorted(set(story.pairs).intersection(todo))
    read = todo if reader.has_vectors else [*pairs, *((id, id) for id in story.read)]
    wanted = {id for pair in read for id in pair}
    new = [i for i in plan.documents.new if i.document.id in wanted]
    with database.reading() as connection:
        if stored_value(connection, REVISION, 0) != plan.revision:
            return StoryReading(Corpus(()), [], {}, {})  # what was planned cannot be stored; it is begun again
        others = sorted(wanted - {incoming.document.id for incoming in new})
        near = stored_part(connection, others)
        known = stored_vectors(connection, others) if reader.has_vectors else {}
    parts = [
        readings.parts.get(i.document.id) or Reading(i.document, _mentions(i, readings.found, reader), None)
        for i in new
    ]
    corpus = Corpus(
        (*near.documents, *(part.document for part in parts)),
        (*near.mentions, *(mention for part in parts for mention in part.mentions)),
    )
    return StoryReading(corpus, pairs, {**known, **readings.compared_vectors}, story.known)


def make_plan(
    connection: sqlite3.Connection,
    reader: Reader,
    incoming: Sequence[Incoming],
    lines: Collection[bytes],
    readings: Readings,
) -> Plan:
    """Plan the addition of documents to the collection in its present state; change nothing.

    `readings` is what was read of them so far: what is read of a copy stays the same.
    """
    documents = sort_documents(connection, incoming)
    revision = stored_value(connection, REVISION, 0)
    max_pairs = reader.settings.options.max_pairs
    gone = frozenset(documents.replaced.values())
    (stored,) = connection.execute("SELECT count(*) FROM documents").fetchone()
    if stored == len(gone):
        new = [incoming.document for incoming in documents.new]
        original_of = near_duplicates(new, boilerplate=lines)
        vectors = DocumentVectors(new, original_of, lines)
        copies = readings.copies if readings.found else copies_of(_to_find(documents), original_of)
        unread = {id for id, copy in copies.items() if copy.own is None}
        grouped, _ = plan_stories(vectors, "predicted", None if reader.settings.lemma else max_pairs, unread)
        share = dict(zip(vectors.ids, vectors.share.tolist(), strict=True)) if documents.new else {}
        stories = []
        for story in grouped:
            read = tuple(id for id in story.documents if id not in unread)
            all_pairs = list(combinations(sorted(read), 2))
            chosen = tuple(_ordered(all_pairs if story.pairs is None else story.pairs))
            stories.append(StoryPlan(None, (), story.documents, read, chosen, chosen, {}))
        return Plan(documents, original_of, copies, share, tuple(stories), revision)
    if not documents.new:
        return Plan(documents, {}, {}, {}, (), revision)
    original_of = find_copies(connection, [(i.document, i.weights) for i in documents.new], gone, lines)
    copies = readings.copies
    if not readings.found:
        new_ids = {i.document.id for i in documents.new}
        texts, originals = stored_texts(connection, new_ids, original_of, not reader.settings.lemma)
        copies = copies_of(_to_find(documents), originals, texts)
    unread = {id for id, copy in copies.items() if copy.own is None}
    number_of = numbers_of(connection, {id for pair in original_of.items() for id in pair})
    number_of |= {i.document.id: -1 - place for place, i in enumerate(documents.new)}
    numbers_of_copies = {number_of[copy]: number_of[original] for copy, original in original_of.items()}
    around = surroundings(connection, [i.weights for i in documents.new], gone, numbers_of_copies)
    placed = place_documents(around.near)
    query = "SELECT number, id FROM documents WHERE number IN ({})"
    id_of = dict(rows_in(connection, query, around.documents))
    ids = [id_of[number] for number in around.documents] + [i.document.id for i in documents.new]
    share = {i.document.id: float(s) for i, s in zip(documents.new, placed.share, strict=True)}
    stories = []
    for label, base in _bases(around.near.story, placed.label).items():
        rows = np.flatnonzero(placed.label == label)
        story_of = around.near.story[rows]
        newcomers = np.flatnonzero((story_of < 0) | (story_of != base))
        if not len(newcomers) and len(rows) == (around.near.story == base).sum():
            continue
        names = [ids[row] for row in rows.tolist()]
        known = {name: int(story) for name, story in zip(names, story_of.tolist(), strict=True) if story >= 0}
        pairs, compared = [], []
        if not reader.settings.lemma:
            places = np.array([n for n, name in enumerate(names) if name not in unread], dtype=np.int64)
            weights, of_read = placed.vectors[rows[places]], [names[n] for n in places.tolist()]
            new_among = np.flatnonzero(np.isin(places, newcomers))
            pairs = _to_read(connection, weights, of_read, new_among, known.keys(), max_pairs)
            limit = None if len(of_read) <= LARGEST_COMPARED else max_pairs
            compared = _to_read(connection, weights, of_read, new_among, known.keys(), limit)
        fresh = [names[n] for n in newcomers.tolist() if story_of[n] < 0]
        stories.append(
            StoryPlan(
                None if base is None else around.stories[base],
                tuple(names[n] for n in newcomers.tolist() if story_of[n] >= 0),
                tuple(fresh),
                tuple(id for id in fresh if id not in unread),
                tuple(pairs),
                tuple(compared),
                known,
            )
        )
    return Plan(documents, original_of, copies, share, tuple(stories), revision)


def _to_find(documents: Sorted) -> list[Document]:
    """The new documents that came without mentions."""
    return [incoming.document for incoming in documents.new if incoming.mentions is None]


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
    stored: Collection[str],
    max_pairs: int | None,
) -> list[DocumentPair]:
    """The pairs of documents of a story to be compared: of those that are new to it and the nearest to each.

    Those of two documents that were stored before are left out if they have been compared.
    """
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
    # What is stored under the id of a new document is what it replaces.
    return [
        pair
        for pair in pairs
        if not all(id in stored for id in pair) or connection.execute(query, pair).fetchone() is None
    ]


def _data_version(connection: sqlite3.Connection) -> int:
    """A number that is another one after another connection has changed the file."""
    (version,) = connection.execute("PRAGMA data_version").fetchone()
    return int(version)


def _ordered(pairs: Iterable[DocumentPair]) -> list[DocumentPair]:
    return sorted({(min(pair), max(pair)) for pair in pairs})


def _complete(plan: Plan, readings: Readings) -> bool:
    return all(i.mentions is not None or i.document.id in readings.found for i in plan.documents.new)


def _mentions(incoming: Incoming, found: dict[str, list[Mention]], reader: Reader) -> list[Mention]:
    """The mentions of a new document, in the order of their places."""
    if incoming.mentions is None:
        return found[incoming.document.id]
    return list(reader.of_kind(Corpus((incoming.document,), incoming.mentions)).mentions)


def _apply(
    connection: sqlite3.Connection,
    reader: Reader,
    plan: Plan,
    readings: Readings,
    scores: Mapping[DocumentPair, DocumentScores],
    notes: list[str],
) -> Report:
    """Store what was planned and read."""
    _check_settings(stored_settings(connection), reader.settings)
    store_settings(connection, reader.settings)
    tied_before = tied_to_documents(connection, plan.documents.replaced.values())
    before = {id: delete_document(connection, number) for id, number in plan.documents.replaced.items()}
    left = {deleted.story for deleted in before.values()}
    by_id = {incoming.document.id: incoming for incoming in plan.documents.new}
    touched: set[int] = set()
    numbers: dict[str, int] = {}
    story_of: dict[str, int] = {}
    for story in plan.stories:
        number = story.number
        if number is None:
            number = insert(connection, "INSERT INTO stories DEFAULT VALUES")
        touched.add(number)
        for id in story.moved:
            (former,) = connection.execute("SELECT story FROM documents WHERE id = ?", (id,)).fetchone()
            left.add(former)
            connection.execute("UPDATE documents SET story = ? WHERE id = ?", (number, id))
        story_of.update(dict.fromkeys(story.new, number))
    for id, incoming in by_id.items():
        mentions = _mentions(incoming, readings.found, reader)
        numbers[id] = insert_document(connection, incoming, mentions, story_of[id], plan.share[id])
        if id in before:
            tokens = inherit_clusters(connection, before[id].mentions, numbers[id])
            move_corrections(connection, before[id].content, incoming.content, tokens)
    store_copies(connection, plan.original_of)
    scores = with_scores_of_copies(connection, scores, readings)
    number_of = numbers | numbers_of(connection, {id for pair in scores for id in pair} - numbers.keys())
    # A model that reads many documents at once has compared more than was asked for.
    there = {pair: found for pair, found in scores.items() if pair[0] in number_of and pair[1] in number_of}
    store_scores(connection, number_of, there)
    store_vectors(connection, numbers, {id: own for id, own in readings.vectors.items() if id in numbers})
    stories = place_stories(connection, touched | left, {numbers[id]: one.weights for id, one in by_id.items()})
    stories |= drop_empty_stories(connection, tied_before)
    emptied = {m.cluster for deleted in before.values() for m in deleted.mentions if m.cluster is not None}
    return replace(
        recluster(connection, stories, emptied),
        added=tuple(id for id in by_id if id not in plan.documents.replaced),
        replaced=tuple(plan.documents.replaced),
        known=dict(plan.documents.known),
        pairs=sum(len(story.pairs) for story in plan.stories),
        notes=tuple(dict.fromkeys(notes)),
    )


def _check_settings(stored: Settings, used: Settings) -> None:
    """Refuse to store what was read with other settings than the collection's."""
    same = (stored.model, stored.options) == (used.model, used.options)
    if not same or stored.fingerprint not in (None, used.fingerprint):
        raise InputError(
            "the collection was rebuilt with another model or other options in the meantime; add the documents again"
        )
