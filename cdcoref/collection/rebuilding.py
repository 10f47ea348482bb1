"""A collection made anew: what `cdcoref.predict.predictor` gives for all documents at once, then corrections.

The stories are found over all documents, mentions are found and compared again, and clusters keep their numbers by the
mentions that they share with what was there. The mentions with which documents came are kept; those of the kind that
the collection does not link from now on are stored apart, for a later rebuild. The model works on the collection as it
is when it begins; if it was rebuilt, or documents were added or removed, in the meantime, it begins again with those.
Scores are held in memory until they are stored. What was kept of removed documents is erased.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from cdcoref.collection.chosen_rows import insert
from cdcoref.collection.copied_readings import Reading, Readings, copies_of, with_scores_of_copies
from cdcoref.collection.database import STORING, Database
from cdcoref.collection.documents import (
    REVISION,
    count_revision,
    delete_mentions,
    insert_mentions,
    left_out_mentions,
    store_left_out,
    store_scores,
    stored_part,
)
from cdcoref.collection.reader import Reader, StoryReading, compare_stories
from cdcoref.collection.reclustering import recluster
from cdcoref.collection.records import Report
from cdcoref.collection.removing import forget_removed
from cdcoref.collection.settings import store_settings, store_value, stored_value
from cdcoref.collection.stored_copies import store_copies
from cdcoref.collection.stored_logits import DocumentPair, DocumentScores
from cdcoref.collection.stored_vectors import store_vectors
from cdcoref.collection.subjects import drop_empty_stories, store_subjects
from cdcoref.collection.word_index import TOTAL_SHARE, index_words, store_boilerplate, stored_boilerplate
from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.formats import stored_fields
from cdcoref.predict import plan_stories
from cdcoref.reading import MentionVectors
from cdcoref.stories import DocumentVectors, boilerplate_lines, near_duplicates, subjects, without_boilerplate, words_of

if TYPE_CHECKING:
    from cdcoref.predict import Progress, Story

Contents = list[tuple[int, str, bytes, int]]
"""Number, id, hash of the content, and whether it came with mentions, of every document."""


def rebuild_collection(database: Database, reader: Reader, progress: Progress) -> Report:
    """Make a collection anew with the reader's model, which becomes the collection's.

    Raises
    ------
    InputError
        If a mention has no kind, or the file cannot be written.
    """
    while True:
        with database.reading() as connection:
            contents = _contents(connection)
            revision = stored_value(connection, REVISION, 0)
            stored = stored_part(connection, [id for _, id, _, _ in contents])
            left_out = left_out_mentions(connection)
            lines = stored_boilerplate(connection) | boilerplate_lines(stored.documents)
        found_in = {id for _, id, _, given in contents if not given}
        documents = {
            document.id: without_boilerplate(document, lines) if document.id in found_in else document
            for document in stored.documents
        }
        came = replace(stored, mentions=(*stored.mentions, *left_out)).subset(
            id for _, id, _, given in contents if given
        )
        given = came.by_document()
        original_of = near_duplicates(stored.documents, boilerplate=lines)
        to_find = [document for id, document in documents.items() if id not in given]
        readings = Readings()
        readings.read(reader, to_find, copies_of(to_find, original_of), {}, progress)
        mentions, read = {**reader.of_kind(came).by_document(), **readings.found}, readings.vectors
        if given and reader.has_vectors:
            marked = (mention for id in documents if id in given for mention in mentions[id])
            read |= reader.vectors(Corpus(tuple(documents[id] for id in documents if id in given), tuple(marked)))
        vectors = DocumentVectors(stored.documents, original_of, lines)
        unread = {id for id, copy in readings.copies.items() if copy.own is None}
        max_pairs = None if reader.settings.lemma else reader.settings.options.max_pairs
        stories, _ = plan_stories(vectors, "predicted", max_pairs, unread)
        to_read = [story.read(unread) for story in stories]
        parts = {**{id: Reading(documents[id], mentions[id], None) for id in documents}, **readings.parts}
        compared = {**read, **readings.compared_vectors}
        of_stories = (_reading(story, parts, compared) for story in to_read)
        scores, notes = compare_stories(reader, of_stories, sum(story.cost() for story in to_read), progress)
        pairs = 0 if reader.settings.lemma else sum(story.pair_count() for story in to_read)
        progress(STORING, 0, 0)
        with database.writing() as connection:
            scores_of_all = with_scores_of_copies(connection, scores, readings)
            if _contents(connection) == contents and stored_value(connection, REVISION, 0) == revision:
                for number, id, _, _ in contents:
                    store_left_out(connection, number, given.get(id, ()), mentions[id])
                    fields = stored_fields(documents[id])
                    connection.execute("UPDATE documents SET fields = ? WHERE number = ?", (fields, number))
                report = _store(connection, reader, contents, stored, mentions, stories, scores_of_all, vectors)
                store_vectors(connection, {id: number for number, id, _, _ in contents}, read)
                return replace(report, pairs=pairs, notes=tuple(dict.fromkeys(notes)))


def _reading(story: Story, parts: Mapping[str, Reading], vectors: Mapping[str, MentionVectors]) -> StoryReading:
    """A story that has not been compared yet; `parts` are what is read of its documents."""
    documents = tuple(parts[id].document for id in story.documents)
    mentions = tuple(mention for id in story.documents for mention in parts[id].mentions)
    return StoryReading(Corpus(documents, mentions), story.pairs, vectors, {})


def _contents(connection: sqlite3.Connection) -> Contents:
    return connection.execute("SELECT number, id, content, given FROM documents ORDER BY number").fetchall()


def _store(
    connection: sqlite3.Connection,
    reader: Reader,
    contents: Contents,
    stored: Corpus,
    present: Mapping[str, Sequence[Mention]],
    stories: Sequence[Story],
    scores: Mapping[DocumentPair, DocumentScores],
    vectors: DocumentVectors,
) -> Report:
    """Store everything anew."""
    store_settings(connection, reader.settings)
    count_revision(connection)
    forget_removed(connection)
    number_of = {id: number for number, id, _, _ in contents}
    shares = dict(zip(vectors.ids, vectors.share.tolist(), strict=True)) if contents else {}
    documents = {document.id: document for document in stored.documents}
    before = {id: [stored.mentions[number] for number in own] for id, own in stored.mention_numbers().items()}
    left: set[int] = set()
    for id, mentions in present.items():
        if [m.key for m in mentions] == [m.key for m in before[id]]:
            connection.executemany(
                "UPDATE mentions SET found = ? WHERE document = ? AND place = ?",
                ((mention.confidence, number_of[id], place) for place, mention in enumerate(mentions)),
            )
        else:
            left |= _replace_mentions(connection, number_of[id], documents[id], mentions)
    for table in ("scores", "vectors", "postings", "words"):
        connection.execute(f"DELETE FROM {table}")
    store_value(connection, TOTAL_SHARE, 0.0)
    store_boilerplate(connection, vectors.boilerplate)
    for id, number in number_of.items():
        index_words(connection, number, words_of(documents[id], vectors.boilerplate), shares[id])
    store_scores(connection, number_of, scores)
    connection.execute("DELETE FROM copies")
    store_copies(connection, vectors.original_of)
    numbers = _store_stories(connection, stories)
    connection.execute("DELETE FROM subjects")
    if reader.settings.across_stories:
        store_subjects(connection, numbers, subjects(vectors, [story.documents for story in stories]))
    return recluster(connection, numbers, left)


def _replace_mentions(
    connection: sqlite3.Connection, number: int, document: Document, mentions: Sequence[Mention]
) -> set[int]:
    """Store other mentions for a document; those on the same tokens keep their clusters.

    Returns
    -------
    set
        The clusters of the former mentions.
    """
    former = delete_mentions(connection, number)
    insert_mentions(connection, number, document, mentions)
    connection.executemany(
        "UPDATE mentions SET cluster = ?, origin = ? WHERE document = ? AND tokens = ? AND kind IS ?",
        ((mention.cluster, mention.origin, number, mention.tokens, mention.kind) for mention in former),
    )
    return {mention.cluster for mention in former if mention.cluster is not None}


def _store_stories(connection: sqlite3.Connection, stories: Sequence[Story]) -> list[int]:
    """Store which documents are together; a story keeps the number that most of its documents had."""
    before = dict(connection.execute("SELECT id, story FROM documents"))
    taken: set[int] = set()
    numbers = []
    for story in stories:
        counts = Counter(before[id] for id in story.documents)
        free = sorted((-count, number) for number, count in counts.items() if number not in taken)
        number = free[0][1] if free else insert(connection, "INSERT INTO stories DEFAULT VALUES")
        taken.add(number)
        numbers.append(number)
        connection.executemany("UPDATE documents SET story = ? WHERE id = ?", ((number, id) for id in story.documents))
    drop_empty_stories(connection, set(before.values()) - taken)
    return numbers
