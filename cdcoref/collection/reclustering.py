"""Stories that changed in, their clusters stored: from stored scores, under corrections, with numbers that last.

Stories between which people said that mentions are the same are clustered with each other. No other story is touched.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable

import numpy as np

from cdcoref.collection.clusters import assign_clusters
from cdcoref.collection.constraints import Constraints, constrained
from cdcoref.collection.corrections import mark_rejected, stored_constraints
from cdcoref.collection.names import refresh_names
from cdcoref.collection.questions import QUESTIONS_A_STORY, least_sure
from cdcoref.collection.settings import stored_settings
from cdcoref.collection.story import Scores, StoredStory, StoryClusterer, confidences
from cdcoref.corpus import Mention


def recluster(connection: sqlite3.Connection, stories: Iterable[int], left: Iterable[int] = ()) -> list[int]:
    """Cluster stories again, and store what came of it.

    Parameters
    ----------
    stories
        Their numbers.
    left
        Numbers of clusters of which mentions are gone.

    Returns
    -------
    list
        Numbers of the stories that were clustered: those asked for, and those tied to them by corrections.
    """
    bundle = _tied(connection, stories)
    rejected = [number for story in bundle for number in mark_rejected(connection, story)]
    loaded = [StoredStory.load(connection, number) for number in bundle]
    settings = stored_settings(connection)
    assert settings is not None
    clusterer = StoryClusterer(settings)
    parts = [clusterer(story) for story in loaded]
    mentions = [mention for story in loaded for mention in story.corpus.mentions]
    numbers = np.concatenate([np.zeros(0, np.int64), *(story.numbers for story in loaded)])
    scores = Scores.joined([part.scores for part in parts])
    before = _numbered([part.labels for part in parts])
    keys = {key: number for number, key in enumerate(key for story in loaded for key in story.mention_keys())}
    contents = {content for story in loaded for content in story.contents.values()}
    constraints = stored_constraints(connection, contents, keys)

    def same_label(members: np.ndarray) -> np.ndarray:
        return (before[members][:, None] == before[members][None, :]).astype(np.float64)

    labels = constrained(before, constraints, scores.among if clusterer.merge_above else same_label)
    confidence = np.concatenate([np.zeros(0), *(part.confidence for part in parts)])
    changed = _changed(before, labels)
    if changed.any():
        found = np.concatenate([confidences(story.corpus) for story in loaded])
        confidence[changed] = _confidence(labels, scores, found, constraints)[changed]
    connection.executemany(
        "UPDATE mentions SET confidence = ?1 WHERE number = ?2 AND confidence IS NOT ?1",
        zip((None if np.isnan(c) else float(c) for c in confidence), numbers.tolist(), strict=True),
    )
    groups: dict[int, list[int]] = {}
    for number, label in zip(numbers.tolist(), labels.tolist(), strict=True):
        groups.setdefault(label, []).append(number)
    assign_clusters(connection, list(groups.values()), rejected, left)
    refresh_names(connection, bundle)
    _store_questions(connection, bundle, loaded, mentions, labels, numbers, scores, clusterer, constraints)
    return bundle


def _tied(connection: sqlite3.Connection, stories: Iterable[int]) -> list[int]:
    """Stories, and all those that corrections tie to them."""
    reached: set[int] = set()
    waiting = set(stories)
    query = (
        "SELECT DISTINCT theirs.story FROM documents AS own "
        "JOIN corrected AS one ON one.content = own.content "
        "JOIN corrections ON corrections.number = one.correction AND corrections.undone IS NULL "
        "AND corrections.action IN ('same', 'split') "
        "JOIN corrected AS other ON other.correction = one.correction "
        "JOIN documents AS theirs ON theirs.content = other.content WHERE own.story = ?"
    )
    while waiting:
        story = waiting.pop()
        reached.add(story)
        waiting |= {other for (other,) in connection.execute(query, (story,))} - reached
    return sorted(reached)


def _numbered(parts: list[np.ndarray]) -> np.ndarray:
    """Labels of several stories, none in common."""
    following = 0
    numbered = [np.zeros(0, np.int64)]
    for labels in parts:
        numbered.append(labels + following)
        following += int(labels.max(initial=-1)) + 1
    return np.concatenate(numbered)


def _changed(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Which mentions are in a cluster that holds others than before. *Shape:* (mentions,)"""
    members: dict[int, list[int]] = defaultdict(list)
    for number, label in enumerate(after.tolist()):
        members[label].append(number)
    sizes = np.bincount(before, minlength=1)
    changed = np.zeros(len(after), dtype=bool)
    for group in members.values():
        own = before[group]
        if (own != own[0]).any() or sizes[own[0]] != len(group):
            changed[group] = True
    return changed


def _confidence(labels: np.ndarray, scores: Scores, found: np.ndarray, constraints: Constraints) -> np.ndarray:
    """The mean probability of every mention with the others of its cluster; what people said has probability 1."""
    said = sorted({(min(a, b), max(a, b)) for a, b in constraints.together if a != b})
    codes = {a * scores.size + b for a, b in said}
    pairs = (scores.first * scores.size + scores.second).tolist()
    overruled = np.array([code in codes for code in pairs], dtype=bool) if codes else np.zeros(len(pairs), dtype=bool)
    first = np.concatenate([scores.first, np.array([a for a, _ in said], dtype=np.int64)])
    second = np.concatenate([scores.second, np.array([b for _, b in said], dtype=np.int64)])
    values = np.concatenate([np.where(overruled, 0.0, scores.probability), np.ones(len(said))])
    together = labels[first] == labels[second]
    sums = np.zeros(len(labels))
    for side in (first, second):
        np.add.at(sums, side[together], values[together])
    size = np.bincount(labels, minlength=1)[labels]
    if not len(scores.first):
        return found
    return np.where(size > 1, sums / np.maximum(size - 1, 1), found)


def _store_questions(
    connection: sqlite3.Connection,
    bundle: list[int],
    loaded: list[StoredStory],
    mentions: list[Mention],
    labels: np.ndarray,
    numbers: np.ndarray,
    scores: Scores,
    clusterer: StoryClusterer,
    constraints: Constraints,
) -> None:
    """Store which decisions of each story are the least sure."""
    connection.executemany("DELETE FROM questions WHERE story = ?", ((story,) for story in bundle))
    if not clusterer.merge_above or not mentions:
        return
    above = np.array([clusterer.merge_above.get(mention.kind or "", 1.0) for mention in mentions])
    story_of = np.concatenate([np.full(len(story.numbers), story.number) for story in loaded])
    kept: dict[int, int] = defaultdict(int)
    for question in least_sure(labels, scores, above, constraints):
        story = int(story_of[question.first])
        kept[story] += 1
        if kept[story] <= QUESTIONS_A_STORY:
            connection.execute(
                "INSERT INTO questions VALUES (?, ?, ?, ?, ?, ?)",
                (
                    story,
                    int(numbers[question.first]),
                    int(numbers[question.second]),
                    question.together,
                    question.probability,
                    question.doubt,
                ),
            )
