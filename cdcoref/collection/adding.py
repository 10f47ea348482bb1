"""Documents added to a collection, or removed: what is new is read, and the stories that changed are linked again. The
model works on the collection as it is when it begins, and what it found is stored in one short transaction; if another
program changed the collection in the meantime, it is planned again, and what is not known yet is read."""

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import replace

from cdcoref.collection import documents
from cdcoref.collection.corrections import move_corrections
from cdcoref.collection.database import STORING, Database, insert, no_document, numbers_of, stories_of
from cdcoref.collection.planning import Plan, StoryPlan, make_plan
from cdcoref.collection.reader import Reader
from cdcoref.collection.reclustering import recluster, tied
from cdcoref.collection.records import Report
from cdcoref.collection.settings import store_settings, store_value, stored_settings, stored_value
from cdcoref.collection.stored_readings import (
    DocumentPair,
    DocumentScores,
    store_scores,
    store_vectors,
    stored_readings,
)
from cdcoref.collection.stored_words import store_copies
from cdcoref.collection.stories import drop_empty_stories, place_stories
from cdcoref.errors import InputError
from cdcoref.language import remarks_on_language
from cdcoref.predict import Progress, note_on_unannotated
from cdcoref.reading import Reading

Scores = dict[DocumentPair, DocumentScores]


def add_documents(
    database: Database,
    reader: Reader,
    incoming: Sequence[documents.Incoming] | None,
    lines: frozenset[bytes],
    progress: Progress,
) -> Report:
    """Add documents, all of them or none; `lines` are those that were found among them to be boilerplate. None: every
    stored document is added again with the reader's model, which becomes the collection's."""
    readings: dict[str, Reading] = {}
    scores: Scores = {}
    compared: set[DocumentPair] = set()
    notes: list[str] = []
    revision = -1
    while True:
        with database.reading() as connection:
            version = _data_version(connection)
            if stored_value(connection, documents.REVISION, 0) != revision:
                revision, scores, compared = stored_value(connection, documents.REVISION, 0), {}, set()
            lines |= documents.stored_boilerplate(connection)
            if incoming is None:
                to_add, lines = documents.stored_incoming(connection, lines)
            else:
                to_add = documents.sort_documents(connection, incoming)
            plan = make_plan(connection, to_add, lines, reader.settings)
        read = {one.document.id: readings.get(one.document.id) for one in to_add.new}
        waiting = [one for one in to_add.new if (r := read[one.document.id]) is None or r.document != one.document]
        readings |= reader.read(waiting, progress)
        left = [(story, todo) for story in plan.stories if (todo := story.todo(compared))]
        if not reader.settings.lemma:
            found, sentences = _compare(database, reader, left, readings, revision, progress)
            scores, notes = scores | found, notes + sentences
            compared.update(pair for _, todo in left for pair in todo)
        progress(STORING, 0, 0)
        with database.writing() as connection:
            if _data_version(connection) != version:
                continue  # somebody changed the collection meanwhile
            if incoming is None:
                for table in ("scores", "vectors", "copies", "subjects"):
                    connection.execute(f"DELETE FROM {table}")
                documents.count_revision(connection)
            else:
                stored, used = stored_settings(connection), reader.settings
                same = (stored.model, stored.options) == (used.model, used.options)
                if not same or stored.fingerprint not in (None, used.fingerprint):
                    raise InputError(
                        "the collection was rebuilt with another model or other options in the meantime; add the "
                        "documents again"
                    )
                documents.store_stated_metadata(connection, incoming, to_add.known)
                without = note_on_unannotated([one.document.id for one in to_add.new if one.mentions == ()])
                notes = [*remarks_on_language(one.document for one in to_add.new), *without, *notes]
            store_value(connection, documents.BOILERPLATE, sorted(key.hex() for key in lines))
            report = _store(connection, reader, plan, readings, scores, again=incoming is None)
            return replace(report, notes=tuple(dict.fromkeys(notes)))


def _compare(
    database: Database,
    reader: Reader,
    stories: Sequence[tuple[StoryPlan, list[DocumentPair]]],
    readings: Mapping[str, Reading],
    revision: int,
    progress: Progress,
) -> tuple[Scores, list[str]]:
    """The scores of pairs of documents, and a sentence for whatever was left out; few stories are held in memory."""
    scores: Scores = {}
    notes: list[str] = []
    work = sum(len({id for pair in todo for id in pair}) + len(story.pairs) for story, todo in stories)
    before, done = 0, 0.0

    def advance(share: float) -> None:
        nonlocal done
        done += share
        progress("comparing", int(done), work)

    for story, todo in stories:
        pairs = sorted(set(story.pairs).intersection(todo))
        read = todo if reader.has_vectors else [*pairs, *((id, id) for id in story.new)]
        wanted = {id for pair in read for id in pair}
        with database.reading() as connection:
            if stored_value(connection, documents.REVISION, 0) != revision:
                break  # what was planned cannot be stored; it is begun again
            near = stored_readings(connection, sorted(wanted - readings.keys()), vectors=reader.has_vectors)
        new = [readings[id] for id in story.new if id in wanted]
        found, sentences = reader.compare([*near, *new], pairs, story.known, advance)
        scores |= found
        notes += sentences
        before += len(near) + len(new) + len(pairs)
        done = before
    return scores, notes


def _data_version(connection: sqlite3.Connection) -> int:
    """A number that is another one after another connection has changed the file."""
    (version,) = connection.execute("PRAGMA data_version").fetchone()
    return int(version)


def _store(
    connection: sqlite3.Connection,
    reader: Reader,
    plan: Plan,
    readings: Mapping[str, Reading],
    scores: Scores,
    *,
    again: bool,
) -> Report:
    """Store what was planned and read: new documents, or (`again`) those that are there."""
    store_settings(connection, reader.settings)
    replaced = plan.documents.replaced
    tied_before = set(tied(connection, stories_of(connection, replaced.values())))
    before: dict[str, documents.Deleted] = {}
    if not again:
        before = {id: documents.delete_document(connection, number) for id, number in replaced.items()}
    story_of, left = _store_stories(connection, plan.stories)
    left |= {deleted.story for deleted in before.values()}
    emptied = {m.cluster for deleted in before.values() for m in deleted.mentions if m.cluster is not None}
    numbers: dict[str, int] = {}
    for incoming in plan.documents.new:
        id = incoming.document.id
        incoming = replace(incoming, document=readings[id].document)  # with its parse
        what = incoming, readings[id].mentions, story_of[id], plan.share[id]
        if again:
            numbers[id] = replaced[id]
            emptied |= documents.update_document(connection, replaced[id], *what)
        elif id in before:
            numbers[id], tokens = documents.insert_document(connection, *what, before[id].mentions)
            move_corrections(connection, before[id].content, incoming.content, tokens)
        else:
            numbers[id], _ = documents.insert_document(connection, *what)
    store_copies(connection, plan.original_of)
    number_of = numbers | numbers_of(connection, {id for pair in scores for id in pair} - numbers.keys())
    # A model that reads many documents at once has compared more than was asked for.
    there = {pair: found for pair, found in scores.items() if pair[0] in number_of and pair[1] in number_of}
    store_scores(connection, number_of, there)
    store_vectors(connection, {numbers[id]: v for id in numbers if (v := readings[id].vectors) is not None})
    stories = place_stories(connection, left | set(story_of.values()), () if again else numbers.values())
    stories |= drop_empty_stories(connection, tied_before)
    return replace(
        recluster(connection, stories, emptied),
        added=() if again else tuple(id for id in numbers if id not in replaced),
        replaced=tuple(before),
        known=dict(plan.documents.known),
        pairs=sum(len(story.pairs) for story in plan.stories),
    )


def _store_stories(connection: sqlite3.Connection, plans: Sequence[StoryPlan]) -> tuple[dict[str, int], set[int]]:
    """Store new stories, and which documents move; returns the stories of new documents, and those moved from."""
    story_of: dict[str, int] = {}
    left: set[int] = set()
    for plan in plans:
        number = plan.number or insert(connection, "INSERT INTO stories DEFAULT VALUES")
        for id in plan.moved:
            (former,) = connection.execute("SELECT story FROM documents WHERE id = ?", (id,)).fetchone()
            left.add(former)
            connection.execute("UPDATE documents SET story = ? WHERE id = ?", (number, id))
        story_of.update(dict.fromkeys(plan.new, number))
    return story_of, left


def remove_documents(database: Database, ids: Sequence[str]) -> Report:
    """Remove documents by id, all of them or none."""
    with database.writing() as connection:
        found = numbers_of(connection, ids)
        for id in ids:
            if id not in found:
                raise no_document(connection, id)
        numbers = [found[id] for id in dict.fromkeys(ids)]
        tied_before = tied(connection, stories_of(connection, numbers))
        removed = [documents.delete_document(connection, number) for number in numbers]
        stories = place_stories(connection, {deleted.story for deleted in removed})
        stories |= drop_empty_stories(connection, tied_before)
        former = {m.cluster for deleted in removed for m in deleted.mentions if m.cluster is not None}
        return replace(recluster(connection, stories, former), removed=tuple(dict.fromkeys(ids)))
