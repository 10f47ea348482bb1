"""Corrections of mentions and clusters, by their ids: checked, stored, and in effect immediately."""

from __future__ import annotations

import sqlite3
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from cdcoref.collection.chosen_rows import rows_in
from cdcoref.collection.cluster_numbers import Former, now
from cdcoref.collection.corrections import (
    ACTIONS,
    LONGEST_NAME,
    Action,
    CorrectedMention,
    Correction,
    refuse_contradiction,
    store_correction,
    stored_corrections,
)
from cdcoref.collection.database import Database
from cdcoref.collection.decisions import Decision, located
from cdcoref.collection.names import living_cluster, refresh_names
from cdcoref.collection.outcomes import clusters_in, improbable, moves, store_outcome, stored_former, titles_of
from cdcoref.collection.queries import number_of
from cdcoref.collection.reclustering import recluster, tied
from cdcoref.errors import InputError, check_text
from cdcoref.formats import stored_mention

_IN_CLUSTER = "cluster = ? ORDER BY document, place"
UNCHANGED = "no cluster changed"
"""The outcome of a correction that confirms the present clusters, or of an undoing while another one still holds."""


def store_and_obey(database: Database, decisions: Sequence[Decision]) -> list[Correction]:
    """Store corrections one after the other, each obeyed before the next; all of them or none."""
    made: list[Correction] = []
    with database.writing() as connection:
        for decision in decisions:
            try:
                made.append(_store_and_obey(connection, decision.action, decision.ids, decision.name))
            except InputError as error:
                raise located(error, decisions, [correction.number for correction in made]) from error
    return made


def _store_and_obey(connection: sqlite3.Connection, action: Action, ids: Sequence[str], name: str | None) -> Correction:
    if action not in ACTIONS:
        raise InputError(f"{action!r} is not a correction; choose {', '.join(ACTIONS[:-1])} or {ACTIONS[-1]}")
    notes: tuple[str, ...] = ()
    if action == "rename":
        number = _rename(connection, ids, name)
    else:
        mentions = [_find(connection, id) for id in dict.fromkeys(ids)]
        if action != "move":  # whose last mention stands for a cluster
            mentions = list({row.number: row for row in mentions}.values())
        apart: list[_Row] = []
        into = None
        if action == "split":
            apart = _rest_of_cluster(connection, mentions)
        elif action == "move":
            apart = _rest_of_others(connection, ids, mentions)
            into = mentions[-1].cluster
        else:
            _check(action, mentions)
        if action in ("same", "move"):
            one, *others = mentions if action == "same" else mentions[::-1]
            notes = improbable(connection, one.number, [row.number for row in others])
        number = store_correction(
            connection, action, [row.mention for row in mentions], [row.mention for row in apart], into
        )
    (correction,) = stored_corrections(connection, [number])
    return _obey(connection, correction, notes)


def undo_and_obey(database: Database, number: int | None) -> Correction:
    """Undo a correction, by default the one that holds and was made, or made again, last."""
    with database.writing() as connection:
        if number is None:
            number = _latest(connection, "undo", "undone IS NULL")
        found = stored_corrections(connection, [number])
        if not found:
            raise InputError(f"there is no correction {number}")
        if found[0].undone is not None:
            raise InputError(f"correction {number} has already been undone")
        connection.execute("UPDATE corrections SET undone = ? WHERE number = ?", (now(), number))
        connection.execute("INSERT INTO acts (correction) VALUES (?)", (number,))
        (correction,) = stored_corrections(connection, [number])
        return _obey(connection, correction)


def _latest(connection: sqlite3.Connection, what: str, condition: str) -> int:
    """The number of the correction that was made, undone or made again last, of those that meet a condition."""
    query = (
        "SELECT correction FROM acts JOIN corrections ON corrections.number = correction "
        f"WHERE {condition} ORDER BY acts.number DESC LIMIT 1"
    )
    row = connection.execute(query).fetchone()
    if row is None:
        raise InputError(f"there is no correction to {what}")
    return int(row[0])


def redo_and_obey(database: Database, number: int | None) -> Correction:
    """Make a correction hold again that was undone, by default the one that was undone last."""
    with database.writing() as connection:
        if number is None:
            number = _latest(connection, "redo", "undone IS NOT NULL")
        found = stored_corrections(connection, [number])
        if not found:
            raise InputError(f"there is no correction {number}")
        if found[0].undone is None:
            raise InputError(f"correction {number} has not been undone")
        connection.execute("UPDATE corrections SET undone = NULL WHERE number = ?", (number,))
        connection.execute("INSERT INTO acts (correction) VALUES (?)", (number,))
        refuse_contradiction(connection, number)
        (correction,) = stored_corrections(connection, [number])
        return _obey(connection, correction)


def _obey(connection: sqlite3.Connection, correction: Correction, notes: tuple[str, ...] = ()) -> Correction:
    """Cluster again what a correction is about that was made or undone; the correction with what became of clusters."""
    contents = {bytes.fromhex(mention.content) for mention in (*correction.mentions, *correction.apart)}
    query = "SELECT story FROM documents WHERE content IN ({})"
    stories = tied(connection, {story for (story,) in rows_in(connection, query, contents)})
    before = clusters_in(connection, stories)
    aliases = dict(connection.execute("SELECT number, merged_into FROM clusters WHERE merged_into IS NOT NULL"))
    titles = titles_of(connection, {cluster for cluster, _ in before.values() if cluster is not None})
    target = None
    if correction.action == "move" and correction.undone is None and correction.cluster is not None:
        into = living_cluster(connection, number_of(correction.cluster, "c", "cluster"))
        target = into, correction.mentions[-1].key
    recluster(connection, stories, former=stored_former(connection, correction.number), target=target)
    if correction.action == "rename" and correction.cluster is not None:
        _refresh_name(connection, number_of(correction.cluster, "c", "cluster"))
    after = clusters_in(connection, stories)
    moved = moves(connection, before, after, titles)
    if not moved and correction.action != "rename":
        notes = (*notes, UNCHANGED)
    changed = {number: clusters for number, clusters in before.items() if clusters != after[number]}
    clusters = {cluster for number in changed for cluster, _ in (before[number], after[number]) if cluster is not None}
    former = Former(changed, {cluster: aliases.get(cluster) for cluster in sorted(clusters)})
    return store_outcome(connection, correction, moved, notes, former)


class _Row(NamedTuple):
    """A stored mention, as corrections need it."""

    number: int
    mention: CorrectedMention
    rejected: bool
    cluster: int | None


def _rows(connection: sqlite3.Connection, condition: str, value: int) -> list[_Row]:
    """The stored mentions that meet a condition with a value, in the order of their documents."""
    query = (
        "SELECT mentions.number, documents.id, mentions.words, content, tokens, mentions.kind, rejected, cluster "
        f"FROM mentions JOIN documents ON documents.number = mentions.document WHERE {condition}"
    )
    return [
        _Row(
            number,
            CorrectedMention(id, words, content.hex(), stored_mention(id, tokens, kind, None).tokens, kind),
            bool(rejected),
            cluster,
        )
        for number, id, words, content, tokens, kind, rejected, cluster in connection.execute(query, (value,))
    ]


def _find(connection: sqlite3.Connection, id: str) -> _Row:
    """The mention of an id, or the first of the cluster of that id."""
    check_text("the id of a mention or cluster", id)
    if id.startswith("c"):
        number = living_cluster(connection, number_of(id, "c", "cluster"))
        found = _rows(connection, f"{_IN_CLUSTER} LIMIT 1", number)
        what = f"there is no cluster {id} in the collection, or it has no mentions left"
    else:
        found = _rows(connection, "mentions.number = ?", number_of(id, "m", "mention"))
        what = f"there is no mention {id} in the collection"
    if not found:
        raise InputError(what)
    return found[0]


def _check(action: Action, mentions: Sequence[_Row]) -> None:
    """Refuse what makes no sense."""
    if action == "not-a-mention":
        if not mentions:
            raise InputError("give the words that are not a mention")
        return
    if action == "not-same" and len(mentions) != 2:
        raise InputError("give two different mentions that are not the same")
    if len({row.number for row in mentions}) < 2:
        raise InputError("give two or more different mentions that are the same")
    if len({row.mention.kind for row in mentions}) > 1:
        raise InputError("an event and an entity are never the same; give mentions of one kind")
    rejected = [row for row in mentions if row.rejected]
    if rejected:
        raise InputError(f"{rejected[0].mention.words!r} was marked as not being a mention; undo that correction first")


def _rest_of_cluster(connection: sqlite3.Connection, mentions: Sequence[_Row]) -> list[_Row]:
    """The mentions of a cluster that are not split from it."""
    cluster = mentions[0].cluster if mentions else None
    if cluster is None or any(row.cluster != cluster for row in mentions):
        raise InputError("give mentions of one cluster, to split them from it")
    chosen = {row.number for row in mentions}
    rest = [row for row in _rows(connection, _IN_CLUSTER, cluster) if row.number not in chosen]
    if not rest:
        raise InputError("these are all mentions of the cluster; give only some of them, to split them from it")
    return rest


def _rest_of_others(connection: sqlite3.Connection, ids: Sequence[str], mentions: Sequence[_Row]) -> list[_Row]:
    """The mentions that stay in the clusters from which mentions are moved into that of the last one."""
    if len(mentions) < 2 or ids[-1] in ids[:-1] or not all(id.startswith("m") for id in ids[:-1]):
        raise InputError("give mentions, followed by the cluster to move them to")
    *moved, last = mentions
    _check("same", mentions)
    there = [row for row in moved if row.cluster == last.cluster]
    if there:
        raise InputError(f"{there[0].mention.words!r} is already in that cluster")
    chosen = {row.number for row in moved}
    clusters = dict.fromkeys(row.cluster for row in moved if row.cluster is not None)
    rest = [row for cluster in clusters for row in _rows(connection, _IN_CLUSTER, cluster)]
    return [row for row in rest if row.number not in chosen]


def _rename(connection: sqlite3.Connection, ids: Sequence[str], name: str | None) -> int:
    """Store the name of a cluster."""
    if name is not None:
        check_text("the name of a cluster", name)
    chosen = " ".join((name or "").split())
    if len(ids) != 1 or not str(ids[0]).startswith("c"):
        raise InputError("give the one cluster to rename")
    if not chosen or len(chosen) > LONGEST_NAME:
        raise InputError(f"a cluster's name has 1 to {LONGEST_NAME} characters")
    for character in chosen:
        if unicodedata.category(character) in ("Cc", "Cs"):
            raise InputError(f"U+{ord(character):04X} in the name is not a visible character; leave it out")
    number = living_cluster(connection, number_of(ids[0], "c", "cluster"))
    row = connection.execute("SELECT 1 FROM clusters WHERE number = ? AND mentions > 0", (number,)).fetchone()
    if row is None:
        raise InputError(f"there is no cluster {ids[0]} in the collection, or it has no mentions left")
    return store_correction(connection, "rename", (), (), number, chosen)


def _refresh_name(connection: sqlite3.Connection, cluster: int) -> None:
    query = "SELECT story FROM clusters WHERE number = ?"
    row = connection.execute(query, (living_cluster(connection, cluster),)).fetchone()
    if row is not None and row[0] is not None:
        refresh_names(connection, [row[0]])
