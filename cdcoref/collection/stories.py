"""Stories that changed in, those that obey people out, and which of them are about one subject."""

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
from scipy.sparse import csr_array

from cdcoref.collection.corrections import MOVES, OF_STORIES, SPLITS, Correction, holding
from cdcoref.collection.database import insert, rows_in
from cdcoref.collection.reclustering import constrained, stored_constraints
from cdcoref.collection.settings import stored_settings
from cdcoref.collection.stored_readings import mention_key
from cdcoref.collection.stored_words import StoredWords
from cdcoref.stories import subject_labels


def corrected_labels(
    connection: sqlite3.Connection, labels: np.ndarray, contents: Sequence[bytes], vectors: csr_array
) -> np.ndarray:
    """The stories (`labels`) of documents with these contents and vectors after corrections. *Shape:* (documents,)"""
    keys = {mention_key(content, (), None): row for row, content in enumerate(contents)}
    constraints = stored_constraints(connection, contents, keys)

    def similarity(members: np.ndarray) -> np.ndarray:
        some = csr_array(vectors[members])
        return np.minimum(1.0, (some @ some.T).toarray())

    return constrained(labels, constraints, similarity) if constraints else labels


def corrected_stories(connection: sqlite3.Connection, contents: Collection[bytes]) -> set[int]:
    """The stories of documents that corrections of stories name, and those of all documents tied to them."""
    named = any(correction.action in OF_STORIES for correction in holding(connection, contents))
    return _tied(connection, contents) if named else set()


def _tied(connection: sqlite3.Connection, contents: Iterable[bytes]) -> set[int]:
    """The stories of documents, and of all those that corrections of stories tie to these or to others in them."""
    stories: set[int] = set()
    waiting = set(contents)
    looked: set[bytes] = set()
    while waiting:
        looked |= waiting
        query = "SELECT DISTINCT story FROM documents WHERE content IN ({})"
        stories |= {story for (story,) in rows_in(connection, query, waiting)}
        query = "SELECT content FROM documents WHERE story IN ({})"
        inside = {content for (content,) in rows_in(connection, query, stories)} | waiting
        of_stories = [one for one in holding(connection, inside) if one.action in OF_STORIES]
        named = {bytes.fromhex(m.content) for one in of_stories for m in (*one.mentions, *one.apart)}
        waiting = named - looked
    return stories


def obey_stories(connection: sqlite3.Connection, correction: Correction, former: Mapping[int, int]) -> dict[int, int]:
    """Put documents into the stories that a correction demands that was made, undone or redone. `former` has the
    stories of documents that it changed when it was made or undone last, by their numbers. Returns the stories that
    documents had before, of those that are in another one now."""
    named = [bytes.fromhex(mention.content) for mention in (*correction.mentions, *correction.apart)]
    stories = sorted(_tied(connection, named))
    query = "SELECT number, content, story FROM documents WHERE story IN ({}) ORDER BY number"
    rows = sorted(rows_in(connection, query, stories))
    words = StoredWords(connection)
    vectors = csr_array(words.vectors[words.of_stories(stories)])
    start = np.array([former.get(number, story) for number, _, story in rows], dtype=np.int64)
    labels = corrected_labels(connection, start, [content for _, content, _ in rows], vectors)
    kept = start.copy()
    if correction.undone is None and not former and correction.action in (*SPLITS, *MOVES):
        leaving = named[: len(correction.mentions) - (correction.action in MOVES)]
        kept[[content in leaving for _, content, _ in rows]] = -1  # the story goes on where they are not
    base = bases(kept, labels)
    changed = {}
    for (number, _, before), label in zip(rows, labels.tolist(), strict=True):
        if base[label] is None:
            base[label] = insert(connection, "INSERT INTO stories DEFAULT VALUES")
        if base[label] != before:
            connection.execute("INSERT OR IGNORE INTO stories (number) VALUES (?)", (base[label],))
            connection.execute("UPDATE documents SET story = ? WHERE number = ?", (base[label], number))
            changed[number] = before
    return changed


def bases(story: np.ndarray, label: np.ndarray) -> dict[int, int | None]:
    """By label the story that a group of documents goes on from: the one with which it shares the most documents.
    Documents with a story below 0 come from none."""
    shared = Counter((int(s), int(g)) for s, g in zip(story, label, strict=True) if s >= 0)
    found: dict[int, int | None] = dict.fromkeys(label.tolist())
    taken = set()
    for (number, group), _ in sorted(shared.items(), key=lambda entry: (-entry[1], entry[0])):
        if found[group] is None and number not in taken:
            found[group] = number
            taken.add(number)
    return found


def place_stories(connection: sqlite3.Connection, changed: Iterable[int], new: Iterable[int] = ()) -> set[int]:
    """Remove those of the `changed` stories that are empty, and find which stories are about one subject with the rest.
    `new` are the numbers of the documents that came. Returns the stories that are left of `changed`, and those whose
    subject has got or lost a story."""
    left = drop_empty_stories(connection, changed)
    if not stored_settings(connection).across_stories:
        return left
    words = StoredWords(connection)
    near = {int(words.stories[row]) for row in words.nearest(np.flatnonzero(np.isin(words.numbers, [*new])))}
    before: dict[int, object] = {story: (story,) for story in left | near}  # without a subject, one by itself
    query = "SELECT story, subject FROM subjects WHERE subject IN (SELECT subject FROM subjects WHERE story IN ({}))"
    before.update(rows_in(connection, query, list(before)))
    stories = sorted(before)
    rows = words.of_stories(stories)
    rows = rows[words.share[rows] > 0]
    first_id = dict(
        rows_in(connection, "SELECT story, min(id) FROM documents WHERE story IN ({}) GROUP BY story", stories)
    )
    story_of = np.searchsorted(stories, words.stories[rows])
    labels = subject_labels(csr_array(words.vectors[rows]), story_of, [first_id[story] for story in stories])
    number: dict[int, int] = {}
    for story, label in sorted(zip(stories, labels, strict=True)):
        number.setdefault(label, story)
    subjects = [(story, number[label]) for story, label in zip(stories, labels, strict=True)]
    connection.executemany("INSERT OR REPLACE INTO subjects VALUES (?, ?)", subjects)
    earlier, later = _groups(before), _groups(dict(zip(stories, labels, strict=True)))
    return left | {story for story in stories if earlier[story] != later[story]}


def drop_empty_stories(connection: sqlite3.Connection, stories: Iterable[int]) -> set[int]:
    """Remove those of some stories that are empty; returns the rest, and others about the subjects of those removed."""
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


def _groups(label_of: Mapping[int, object]) -> dict[int, frozenset[int]]:
    members: defaultdict[object, set[int]] = defaultdict(set)
    for story, label in label_of.items():
        members[label].add(story)
    return {story: group for group in map(frozenset, members.values()) for story in group}
