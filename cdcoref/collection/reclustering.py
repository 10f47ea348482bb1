"""Stories that changed in, their clusters stored: from stored scores, under corrections, with numbers that last."""

import sqlite3
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from cdcoref import linking
from cdcoref.clustering import CannotLinks, PairScores, connected, merge_blocks, with_followers
from cdcoref.collection.cluster_numbers import MERGED, SPLIT, Assignment, Former, refresh_facts
from cdcoref.collection.corrections import holding, stored_tokens
from cdcoref.collection.database import rows_in
from cdcoref.collection.questions import Pair, UncertainDecision, uncertain_decisions
from cdcoref.collection.records import Report
from cdcoref.collection.settings import stored_settings
from cdcoref.collection.stored_readings import StoredStory, joined_by_subject, mention_key, story_clusters
from cdcoref.formats import cluster_id

Scores = Callable[[np.ndarray], np.ndarray]
"""Gives the symmetric scores (0 to 1) of some mentions. *Shapes:* (some,) to (some, some)"""


@dataclass(frozen=True, slots=True)
class Constraints:
    """The constraints of one correction: pairs of mentions, by their numbers."""

    must_links: tuple[Pair, ...] = ()
    cannot_links: tuple[Pair, ...] = ()


def constrained(
    labels: np.ndarray,
    constraints: Sequence[Constraints],
    scores: Scores,
    antecedents: Mapping[int, int] = MappingProxyType({}),
) -> np.ndarray:
    """The clusters that obey the constraints of every correction, in the order in which they were made. `labels` are
    the clusters of mentions. *Shape:* (mentions,), as the result. `antecedents` are those of pronouns that are in the
    clusters of their antecedents."""
    labels = labels.copy()
    must, cannot = _pairs(one.must_links for one in constraints), _pairs(one.cannot_links for one in constraints)
    ends = np.cumsum([(len(one.must_links), len(one.cannot_links)) for one in constraints], axis=0, dtype=np.int64)
    place = np.full(len(labels), -1, dtype=np.int64)
    for correction, (must_end, cannot_end) in zip(constraints, ends.tolist(), strict=True):
        before = labels.copy()
        for a, b in correction.must_links:
            if labels[a] != labels[b]:
                labels[labels == max(labels[a], labels[b])] = min(labels[a], labels[b])
        one, other = labels[cannot[:cannot_end]].T
        for label in np.unique(one[one == other]).tolist():
            members = np.flatnonzero(labels == label)
            place[:] = -1
            place[members] = np.arange(len(members))
            cannot_links = CannotLinks.of_pairs(len(members), _within(cannot[:cannot_end], place))
            blocks = connected(len(members), *_within(must[:must_end], place).T)
            links = _within(_pairs([[(n, antecedents[n]) for n in members.tolist() if n in antecedents]]), place)
            blocks = with_followers(blocks, cannot_links, links.tolist())
            counted = np.ones(len(members), dtype=bool)
            counted[links[:, 0]] = False
            matrix = scores(members)
            first, second = np.nonzero(np.triu(matrix, 1))
            stored = PairScores(len(matrix), first, second, matrix[first, second])
            parts = merge_blocks(blocks, cannot_links, stored, before[members], counted)
            labels[members] = np.where(parts == 0, label, parts + int(labels.max()))
    return labels


def stored_constraints(
    connection: sqlite3.Connection, contents: Iterable[bytes], keys: Mapping[str, int]
) -> list[Constraints]:
    """The constraints that hold between mentions of some documents, of every correction in turn."""
    found = []
    for correction in holding(connection, contents):
        together, apart = correction.constraints(keys)
        if together or apart:
            found.append(Constraints(*(tuple((keys[a], keys[b]) for a, b in pairs) for pairs in (together, apart))))
    return found


def mark_rejected(connection: sqlite3.Connection, story: int) -> list[int]:
    """Mark the mentions of a story that are none, and no others; returns their numbers."""
    own = "SELECT number FROM documents WHERE story = ?"
    connection.execute(f"UPDATE mentions SET rejected = 0 WHERE rejected AND document IN ({own})", (story,))
    contents = [content for (content,) in connection.execute("SELECT content FROM documents WHERE story = ?", (story,))]
    for correction in holding(connection, contents):
        if correction.action == "not-a-mention":
            connection.executemany(
                "UPDATE mentions SET rejected = 1 WHERE tokens = ? AND kind IS ? "
                "AND document IN (SELECT number FROM documents WHERE content = ? AND story = ?)",
                ((stored_tokens(m.tokens), m.kind, bytes.fromhex(m.content), story) for m in correction.mentions),
            )
    query = f"SELECT number FROM mentions WHERE rejected AND document IN ({own})"
    return [number for (number,) in connection.execute(query, (story,))]


def _pairs(parts: Iterable[Sequence[Pair]]) -> np.ndarray:
    return np.array([pair for part in parts for pair in part], dtype=np.int64).reshape(-1, 2)


def _within(pairs: np.ndarray, place: np.ndarray) -> np.ndarray:
    """The pairs whose mentions both have a place, by their places. *Shape:* (pairs, 2)"""
    there = place[pairs]
    return there[(there >= 0).all(axis=1)]


QUESTIONS_A_STORY = 50
SHARED = 1e-3
"""What the same name counts beside probabilities where people divide a cluster: what was compared counts more."""


def recluster(
    connection: sqlite3.Connection,
    stories: Iterable[int],
    left: Iterable[int] = (),
    *,
    former: Former | None = None,
    target: tuple[int, str] | None = None,
) -> Report:
    """Cluster stories again, and store what came of it."""
    bundle = tied(connection, stories)
    rejected = [number for story in bundle for number in mark_rejected(connection, story)]
    loaded = [StoredStory.load(connection, number) for number in bundle]
    config = stored_settings(connection).config
    parts = [story_clusters(story, config) for story in loaded]
    mentions = [mention for story in loaded for mention in story.corpus.mentions]
    numbers = np.concatenate([np.zeros(0, np.int64), *(story.numbers for story in loaded)])
    offsets = np.cumsum([0, *(len(story.numbers) for story in loaded)]).tolist()
    of_parts = [(links, offset) for (_, own), offset in zip(parts, offsets, strict=False) for links in own]
    links = linking.MentionLinks.joined([one for one, _ in of_parts], [offset for _, offset in of_parts], len(mentions))
    number_of: dict[Hashable, int] = {}
    named = [(place, name) for place, (names_of_story, _) in enumerate(parts) for name in names_of_story]
    within = np.array([number_of.setdefault(name, len(number_of)) for name in named], dtype=np.int64)
    query = "SELECT story, subject FROM subjects WHERE story IN ({})"
    subject_of = dict(rows_in(connection, query, bundle))
    story_of = np.concatenate([np.zeros(0, np.int64), *(np.full(len(s.numbers), s.number) for s in loaded)])
    before = joined_by_subject(loaded, subject_of, story_of, within)
    content_of = {id: content for story in loaded for id, content in story.contents.items()}
    keys = {mention_key(content_of[m.document], m.tokens, m.kind): number for number, m in enumerate(mentions)}
    constraints = stored_constraints(connection, content_of.values(), keys)

    def similarity(members: np.ndarray) -> np.ndarray:
        same, story = before[members][:, None] == before[members], story_of[members]
        if config is None:
            return same.astype(np.float64)
        return np.maximum(links.pair_matrix(members), SHARED * (same & (story[:, None] != story)))

    antecedents = {pronoun: antecedent for pronoun, (antecedent, _) in links.antecedents.items()}
    labels = constrained(before, constraints, similarity, antecedents)
    confirmed = connected(len(mentions), *_pairs(one.must_links for one in constraints).T)  # by people
    confidence = np.array([np.nan if m.confidence is None else m.confidence for m in mentions], dtype=np.float64)
    if config is not None:
        known = links.confidences(labels, within, confirmed)
        confidence = np.where(np.isnan(known), confidence, known)
    connection.executemany(
        "UPDATE mentions SET confidence = ?1 WHERE number = ?2 AND confidence IS NOT ?1",
        zip((None if np.isnan(c) else float(c) for c in confidence), numbers.tolist(), strict=True),
    )
    query = (
        "DELETE FROM checked WHERE mention IN (SELECT mentions.number FROM mentions "
        "JOIN documents ON documents.number = mentions.document WHERE documents.story = ?)"
    )
    connection.executemany(query, ((story,) for story in bundle))
    checked = numbers[np.bincount(confirmed, minlength=1)[confirmed] > 1]
    connection.executemany("INSERT INTO checked VALUES (?)", ((number,) for number in checked.tolist()))
    goal = None if target is None or target[1] not in keys else (target[0], int(numbers[keys[target[1]]]))
    groups: dict[int, list[int]] = {}
    for number, label in zip(numbers.tolist(), labels.tolist(), strict=True):
        groups.setdefault(label, []).append(number)
    changes = Assignment(connection, list(groups.values()), former, goal).store(rejected, left)
    refresh_facts(connection, bundle)
    decisions: list[UncertainDecision] = []
    if config is not None and mentions:
        above = np.array([1.0 - config.distance_threshold[mention.kind or ""] for mention in mentions])
        must_links = [pair for one in constraints for pair in one.must_links]
        cannot_links = [pair for one in constraints for pair in one.cannot_links]
        readings = [story.readings for story in loaded]
        decisions = uncertain_decisions(labels, links, known, above, must_links, cannot_links, readings)
    connection.executemany("DELETE FROM questions WHERE story = ?", ((story,) for story in bundle))
    kept = Counter[int]()
    for decision in decisions:
        story = int(story_of[decision.first])
        kept[story] += 1
        if kept[story] <= QUESTIONS_A_STORY:
            pair = int(numbers[decision.first]), int(numbers[decision.second])
            values = (story, *pair, decision.together, decision.probability, decision.doubt)
            connection.execute("INSERT INTO questions VALUES (?, ?, ?, ?, ?, ?)", values)
    pairs = [(change, cluster_id(one), cluster_id(other)) for one, change, other in changes]
    return Report(
        stories=sum(any(document.tokens for document in story.corpus.documents) for story in loaded),
        merged=tuple((other, one) for change, one, other in pairs if change == MERGED),
        split=tuple((one, other) for change, one, other in pairs if change == SPLIT),
    )


def tied(connection: sqlite3.Connection, stories: Iterable[int]) -> list[int]:
    """Stories, and all those that corrections tie to them or that are about the same subject."""
    reached: set[int] = set()
    waiting = set(stories)
    query = "SELECT other FROM ties WHERE story = ?"
    while waiting:
        story = waiting.pop()
        reached.add(story)
        waiting |= {other for (other,) in connection.execute(query, (story,))} - reached
    return sorted(reached)
