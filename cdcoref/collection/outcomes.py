"""What a correction did last: the clusters of mentions before and after in, what became of them out, stored with it."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Literal

import numpy as np

from cdcoref.collection.chosen_rows import rows_in
from cdcoref.collection.cluster_numbers import Former
from cdcoref.collection.corrections import Correction
from cdcoref.collection.records import Move
from cdcoref.collection.settings import stored_settings
from cdcoref.collection.stored_logits import DocumentScores
from cdcoref.corpus import KINDS
from cdcoref.formats import cluster_id

MOST_MOVES = 50
MOST_WORDS = 6
IMPROBABLE = 0.05
"""A pair that somebody calls the same is remarked on if its probability is below this."""
ORDER = ("merged", "split", "moved", "left", "back")

ClusterOf = Mapping[int, tuple[int | None, int | None]]
"""By the number of every mention those of its cluster and of its first one; None for what is no mention."""


def clusters_in(connection: sqlite3.Connection, stories: Iterable[int]) -> ClusterOf:
    """The clusters of the mentions of some stories."""
    query = (
        "SELECT mentions.number, mentions.cluster, origin FROM documents "
        "JOIN mentions ON mentions.document = documents.number WHERE documents.story = ?"
    )
    rows = (row for story in stories for row in connection.execute(query, (story,)))
    return {number: (cluster, origin) for number, cluster, origin in rows}


def moves(
    connection: sqlite3.Connection, before: ClusterOf, after: ClusterOf, former: Mapping[int, str]
) -> tuple[Move, ...]:
    """The changes of clusters, the largest of each sort first; `former` are the titles that clusters had before."""
    groups: dict[tuple[int | None, int | None], list[int]] = defaultdict(list)
    for mention, (cluster, _) in after.items():
        if before[mention][0] != cluster:
            groups[before[mention][0], cluster].append(mention)
    there, here = ({cluster for cluster, _ in some.values()} for some in (before, after))
    found = []
    for (other, cluster), mentions in groups.items():
        change: Literal["merged", "split", "moved", "left", "back"] = "moved"
        if cluster is None:
            change = "left"
        elif other is None:
            change = "back"
        elif cluster not in there:
            change = "split"
        elif other not in here:
            change = "merged"
        found.append((ORDER.index(change), -len(mentions), min(mentions), change, other, cluster, mentions))
    named = {cluster for *_, other, cluster, _ in found for cluster in (other, cluster) if cluster is not None}
    titles = {**titles_of(connection, named), **{number: former[number] for number in named if former.get(number)}}

    def shown(cluster: int | None) -> tuple[str | None, str | None]:
        return (None, None) if cluster is None else (cluster_id(cluster), titles[cluster])

    return tuple(
        Move(change, *shown(cluster), *shown(other), len(mentions), _words(connection, mentions))
        for _, _, _, change, other, cluster, mentions in sorted(found, key=lambda one: one[:3])[:MOST_MOVES]
    )


def titles_of(connection: sqlite3.Connection, clusters: Iterable[int]) -> dict[int, str]:
    """The names of clusters, or else their labels."""
    query = "SELECT number, coalesce(name, title) FROM clusters WHERE number IN ({})"
    return dict(rows_in(connection, query, clusters))


def _words(connection: sqlite3.Connection, mentions: Sequence[int]) -> tuple[str, ...]:
    """The words of the first of some mentions, each once."""
    words: dict[str, None] = {}
    query = "SELECT words FROM mentions WHERE number IN ({}) ORDER BY document, place"
    for (text,) in rows_in(connection, query, mentions):
        words[text] = None
        if len(words) == MOST_WORDS:
            break
    return tuple(words)


def improbable(connection: sqlite3.Connection, first: int, others: Iterable[int]) -> tuple[str, ...]:
    """A sentence on the least probable pair of a mention with others, by their numbers, if it is improbable."""
    known = [(value, other) for other in others if (value := _probability(connection, first, other)) is not None]
    value, other = min(known, default=(1.0, first))
    if value >= IMPROBABLE:
        return ()
    words = dict(connection.execute("SELECT number, words FROM mentions WHERE number IN (?, ?)", (first, other)))
    shown = f"{value:.1g}" if value >= 0.001 else "less than 0.001"
    return (f"the model gives {words[first]!r} and {words[other]!r} a probability of {shown} to be the same",)


def _probability(connection: sqlite3.Connection, first: int, second: int) -> float | None:
    """The probability that two mentions corefer; None if they were not compared."""
    from cdcoref.linking import PairLogits

    config = stored_settings(connection).config
    query = "SELECT document, place, kind FROM mentions WHERE number IN (?, ?) ORDER BY document, place"
    (one, place, kind), (other, other_place, _) = connection.execute(query, (first, second)).fetchall()
    query = "SELECT logits FROM scores WHERE first = ? AND second = ?"
    row = connection.execute(query, (one, other)).fetchone()
    if row is None or config is None:
        return None
    scores = DocumentScores.unpacked(row[0])
    found = (scores.first == place) & (scores.second == other_place)
    if one == other:
        found |= (scores.first == other_place) & (scores.second == place)
    if not found.any():
        return None
    nobody = np.zeros(1, dtype=np.int64)
    pair = PairLogits(2, nobody, nobody + 1, nobody + KINDS.index(kind), scores.logits[found][:1])
    return float(pair.probabilities(config.temperature)[0])


def store_outcome(
    connection: sqlite3.Connection,
    correction: Correction,
    moved: tuple[Move, ...],
    notes: tuple[str, ...],
    former: Former,
) -> Correction:
    """Store what a correction, or undoing it, did; returns the correction with it."""
    changed = [[number, *clusters] for number, clusters in former.mentions.items()]
    connection.execute(
        "INSERT OR REPLACE INTO outcomes VALUES (?, ?, ?, ?)",
        (
            correction.number,
            json.dumps([asdict(move) for move in moved]),
            json.dumps(notes),
            json.dumps([changed, list(former.aliases.items()), list(former.stories.items())]),
        ),
    )
    return replace(correction, moves=moved, notes=notes)


def stored_former(connection: sqlite3.Connection, number: int) -> Former | None:
    """What was before a correction was made or undone last; None if that is not known."""
    row = connection.execute("SELECT former FROM outcomes WHERE correction = ?", (number,)).fetchone()
    if row is None or row[0] is None:
        return None
    try:
        changed, aliases, *stories = json.loads(row[0])
        return Former(
            {mention: (cluster, origin) for mention, cluster, origin in changed}, dict(aliases), dict(*stories)
        )
    except (ValueError, TypeError) as error:
        raise sqlite3.DatabaseError(f"the outcome of correction {number} is damaged") from error


def with_outcomes(connection: sqlite3.Connection, corrections: Sequence[Correction]) -> list[Correction]:
    """The corrections with what they did."""
    stored = {}
    for number, moved, notes in connection.execute("SELECT correction, moves, notes FROM outcomes"):
        try:
            found = tuple(Move(**{**one, "words": tuple(one["words"])}) for one in json.loads(moved))
            stored[number] = found, tuple(json.loads(notes))
        except (ValueError, TypeError, KeyError) as error:
            raise sqlite3.DatabaseError(f"the outcome of correction {number} is damaged") from error
    known = ((correction, *stored.get(correction.number, ((), ()))) for correction in corrections)
    return [replace(correction, moves=moved, notes=notes) for correction, moved, notes in known]
