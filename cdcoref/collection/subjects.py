"""Which stories of a collection are about one subject: changed stories in, the subjects of those near them stored."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from scipy.sparse import csr_array

from cdcoref.collection.database import rows_in
from cdcoref.collection.settings import stored_settings
from cdcoref.collection.stored_words import StoredWords
from cdcoref.stories import subject_labels


def place_stories(connection: sqlite3.Connection, changed: Iterable[int], new: Iterable[int] = ()) -> set[int]:
    """Remove those of the `changed` stories that are empty, and find which stories are about one subject with the rest.

    `new` are the numbers of the documents that came. Returns the stories that are left of `changed`, and those whose
    subject has got or lost a story.
    """
    left = drop_empty_stories(connection, changed)
    if not stored_settings(connection).across_stories:
        return left
    words = StoredWords(connection)
    near = {int(words.stories[row]) for row in words.nearest(np.flatnonzero(np.isin(words.numbers, [*new])))}
    before = _with_subjects(connection, left | near)
    stories = sorted(before)
    rows = words.of_stories(stories)
    rows = rows[words.share[rows] > 0]
    first_id = dict(
        rows_in(connection, "SELECT story, min(id) FROM documents WHERE story IN ({}) GROUP BY story", stories)
    )
    story_of = np.searchsorted(stories, words.stories[rows])
    labels = subject_labels(csr_array(words.vectors[rows]), story_of, [first_id[story] for story in stories])
    store_subjects(connection, stories, labels)
    earlier, later = _groups(before), _groups(dict(zip(stories, labels, strict=True)))
    return left | {story for story in stories if earlier[story] != later[story]}


def drop_empty_stories(connection: sqlite3.Connection, stories: Iterable[int]) -> set[int]:
    """Remove those of some stories that have no documents.

    Returns the rest of them, and the other stories about the subjects of those removed.
    """
    left = set(stories)
    empty = {
        story
        for story in left
        if connection.execute("SELECT 1 FROM documents WHERE story = ? LIMIT 1", (story,)).fetchone() is None
    }
    for story in empty:
        connection.execute("DELETE FROM stories WHERE number = ?", (story,))
        connection.execute("DELETE FROM questions WHERE story = ?", (story,))
        query = "SELECT story FROM subjects WHERE subject = (SELECT subject FROM subjects WHERE story = ?)"
        left |= {other for (other,) in connection.execute(query, (story,))}
        connection.execute("DELETE FROM subjects WHERE story = ?", (story,))
    return left - empty


def store_subjects(connection: sqlite3.Connection, stories: Sequence[int], labels: Sequence[int]) -> None:
    """Store the subjects of all stories of some subjects: the same number for those with the same label."""
    number: dict[int, int] = {}
    for story, label in sorted(zip(stories, labels, strict=True)):
        number.setdefault(label, story)
    connection.executemany(
        "INSERT OR REPLACE INTO subjects VALUES (?, ?)",
        ((story, number[label]) for story, label in zip(stories, labels, strict=True)),
    )


def subjects_of(connection: sqlite3.Connection, stories: Iterable[int]) -> dict[int, int]:
    """The subjects of some stories, without those that have none."""
    return dict(rows_in(connection, "SELECT story, subject FROM subjects WHERE story IN ({})", stories))


def _with_subjects(connection: sqlite3.Connection, stories: Iterable[int]) -> dict[int, object]:
    """The subjects of some stories and of all others of those subjects; a story without one is a subject by itself."""
    subject_of: dict[int, object] = {story: (story,) for story in stories}
    query = "SELECT story, subject FROM subjects WHERE subject IN (SELECT subject FROM subjects WHERE story IN ({}))"
    subject_of.update(rows_in(connection, query, list(subject_of)))
    return subject_of


def _groups(label_of: Mapping[int, object]) -> dict[int, frozenset[int]]:
    """By story, all stories with its label."""
    members: defaultdict[object, set[int]] = defaultdict(set)
    for story, label in label_of.items():
        members[label].add(story)
    return {story: group for group in map(frozenset, members.values()) for story in group}
