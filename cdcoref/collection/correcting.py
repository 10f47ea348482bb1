"""Corrections of mentions and clusters, by their ids: checked, stored, and in effect immediately."""

import json
import re
import sqlite3
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Literal, NamedTuple

from cdcoref.collection import corrections
from cdcoref.collection.cluster_numbers import Former, living_cluster, now, refresh_facts
from cdcoref.collection.corrections import Action, CorrectedMention, Correction, stored_corrections
from cdcoref.collection.database import Database, no_document, number_of, rows_in, stories_of
from cdcoref.collection.reclustering import recluster, tied
from cdcoref.collection.records import Move
from cdcoref.collection.settings import stored_settings
from cdcoref.collection.stories import obey_stories, place_stories
from cdcoref.corpus import EVENT
from cdcoref.errors import InputError, check_text, check_whole
from cdcoref.facts import Period
from cdcoref.formats import UNKNOWN, checked_day, cluster_id, stored_mention
from cdlm.printing import counted

MOST_MOVES = 50
MOST_WORDS = 6
ORDER = ("merged", "split", "moved", "left", "back")

_LAST_MADE = "SELECT max(first) FROM (SELECT min(number) AS first FROM acts GROUP BY correction)"
ClusterOf = Mapping[int, tuple[int | None, int | None]]
"""By the number of every mention those of its cluster and of its first one; None for what is no mention."""
NO_CHANGE = Former({}, {})
UNCHANGED = "no cluster changed"
"""The outcome of a correction that confirms the present clusters, or of an undoing while another one still holds."""


class _Row(NamedTuple):
    """A mention, or a document without tokens, as corrections need it: with its cluster, or its story."""

    number: int
    mention: CorrectedMention
    rejected: bool
    group: int | None


class _Sort(NamedTuple):
    """What is corrected, members of groups: the words for them, and the view that has them."""

    member: str
    group: str
    view: str


_MENTIONS = _Sort("mention", "cluster", "mentions_to_correct")
_DOCUMENTS = _Sort("document", "story", "documents_to_correct")


def store_and_obey(database: Database, action: Action, ids: Sequence[str], name: str | None) -> Correction:
    if action not in corrections.ACTIONS:
        raise InputError(
            f"{action!r} is not a correction; choose {', '.join(corrections.ACTIONS[:-1])} or {corrections.ACTIONS[-1]}"
        )
    if action == "rename" and len(ids) == 1 and re.fullmatch("s?[1-9][0-9]*", ids[0]):
        action = "rename-story"
    with database.writing() as connection:
        if action == "rename-story":
            if len(ids) != 1:
                raise InputError("give the one story to rename, such as s3")
            (first, *_) = _find(connection, _DOCUMENTS, ids[0], all_of_group=False)
            number = corrections.store_correction(connection, action, [first.mention], name=_value(action, name))
        elif action in corrections.FACTS:
            cluster = _cluster(connection, ids, action)
            number = corrections.store_correction(connection, action, (), (), cluster, _value(action, name))
        else:
            sort = _DOCUMENTS if action in corrections.OF_STORIES else _MENTIONS
            rows = [
                row
                for id in dict.fromkeys(ids)
                for row in _find(connection, sort, id, all_of_group=action in corrections.SPLITS)
            ]
            if action not in corrections.MOVES:  # whose last member stands for a group
                rows = list({row.number: row for row in rows}.values())
            rest: list[_Row] = []
            if action in corrections.SPLITS:
                rest = _rest_of_group(connection, sort, rows)
            elif action in corrections.MOVES:
                rest = _rest_of_others(connection, sort, ids, rows)
            elif action != "join-stories":
                _check(action, rows)
            elif len({row.group for row in rows}) < 2:
                raise InputError("give two or more different stories, such as s3, to join them")
            into = rows[-1].group if action == "move" else None
            named, others = [row.mention for row in rows], [row.mention for row in rest]
            number = corrections.store_correction(connection, action, named, others, into)
        (correction,) = stored_corrections(connection, [number])
        return _obey(connection, correction)


def turn_and_obey(database: Database, number: int | None, *, undo: bool) -> Correction:
    """Undo or redo a correction. By default, undo takes the last that was made or redone; redo takes the last that was
    undone, if it was undone after the last new correction."""
    if number is not None:
        check_whole("the number of a correction", number)
    with database.writing() as connection:
        if number is None:
            chosen = "undone IS NULL" if undo else f"undone IS NOT NULL AND acts.number > ({_LAST_MADE})"
            query = (
                "SELECT correction FROM acts JOIN corrections ON corrections.number = correction "
                f"WHERE {chosen} ORDER BY acts.number DESC LIMIT 1"
            )
            row = connection.execute(query).fetchone()
            if row is None:
                raise InputError(f"there is no correction to {'undo' if undo else 'redo without its number'}")
            number = int(row[0])
        found = stored_corrections(connection, [number])
        if not found:
            raise InputError(f"there is no correction {number}")
        if (found[0].undone is None) != undo:
            raise InputError(f"correction {number} has {'already' if undo else 'not'} been undone")
        connection.execute("UPDATE corrections SET undone = ? WHERE number = ?", (now() if undo else None, number))
        connection.execute("INSERT INTO acts (correction) VALUES (?)", (number,))
        if not undo:
            corrections.refuse_contradiction(connection, number)
        (correction,) = stored_corrections(connection, [number])
        return _obey(connection, correction)


def _obey(connection: sqlite3.Connection, correction: Correction) -> Correction:
    """Cluster again what a correction is about that was made or undone; the correction with what became of clusters."""
    contents = {bytes.fromhex(mention.content) for mention in (*correction.mentions, *correction.apart)}
    query = "SELECT story FROM documents WHERE content IN ({})"
    stories = {story for (story,) in rows_in(connection, query, contents)}
    former = stored_former(connection, correction.number)
    notes: list[str] = []
    moved_documents: dict[int, int] = {}
    if correction.action == "rename-story":
        return store_outcome(connection, correction)
    if correction.action in corrections.OF_STORIES:
        moved_documents = obey_stories(connection, correction, former.stories if former else {})
        stories |= stories_of(connection, moved_documents)
        stories = place_stories(connection, stories | set(moved_documents.values()))
        notes += _notes_on_stories(connection, moved_documents)
        new = correction.undone is None and correction.action not in corrections.SPLITS
        if new and moved_documents and stored_settings(connection).config is not None:
            notes.append("a rebuild compares mentions of documents that were in different stories until now")
    elif correction.action in corrections.FACTS and correction.cluster is not None:
        row = connection.execute(
            "SELECT story FROM clusters WHERE number = ?",
            (living_cluster(connection, number_of(correction.cluster, "c", "cluster")),),
        ).fetchone()
        refresh_facts(connection, [story for story in row or () if story is not None])
        return store_outcome(connection, correction)
    stories_now = tied(connection, stories)
    before = clusters_in(connection, stories_now)
    aliases = dict(connection.execute("SELECT number, merged_into FROM clusters WHERE merged_into IS NOT NULL"))
    titles = titles_of(connection, {cluster for cluster, _ in before.values() if cluster is not None})
    target = None
    if correction.action == "move" and correction.undone is None and correction.cluster is not None:
        into = living_cluster(connection, number_of(correction.cluster, "c", "cluster"))
        target = into, correction.mentions[-1].key
    recluster(connection, stories_now, former=former, target=target)
    after = clusters_in(connection, stories_now)
    moved = moves(connection, before, after, titles)
    if not moved and not moved_documents:
        notes.append(UNCHANGED)
    changed = {number: clusters for number, clusters in before.items() if clusters != after[number]}
    clusters = {cluster for number in changed for cluster, _ in (before[number], after[number]) if cluster is not None}
    aliases = {cluster: aliases.get(cluster) for cluster in sorted(clusters)}
    return store_outcome(connection, correction, moved, tuple(notes), Former(changed, aliases, moved_documents))


def _notes_on_stories(connection: sqlite3.Connection, moved: Iterable[int]) -> Iterator[str]:
    query = "SELECT story, count(*), min(id) FROM documents WHERE number IN ({}) GROUP BY story ORDER BY story"
    rows = list(rows_in(connection, query, moved))
    if not rows:
        yield "no story changed"
    for story, count, first in rows:
        more = f" and {counted(count - 1, 'more document')}" if count > 1 else ""
        yield f"story {story} has {first}{more} now"


def _rows(connection: sqlite3.Connection, sort: _Sort, column: str, value: object) -> list[_Row]:
    found = []
    query = f"SELECT * FROM {sort.view} WHERE {column} = ?"
    for number, id, words, content, tokens, kind, rejected, group in connection.execute(query, (value,)):
        places = stored_mention(id, tokens, kind, None).tokens if tokens else ()
        found.append(_Row(number, CorrectedMention(id, words, content.hex(), places, kind), bool(rejected), group))
    return found


def _find(connection: sqlite3.Connection, sort: _Sort, id: str, *, all_of_group: bool) -> list[_Row]:
    """A mention by its id or its cluster's, a document, or one or all of a story, which other numbers mean."""
    check_text(f"the id of a {sort.member} or {sort.group}", id)
    if sort is _DOCUMENTS:
        found = _rows(connection, sort, "id", id)
        if not found and (story := re.fullmatch("s?([1-9][0-9]{0,17})", id)):
            found = _rows(connection, sort, "whole", int(story[1]))[: None if all_of_group else 1]
        if not found and re.fullmatch("s[1-9][0-9]*", id):
            raise InputError(f"there is no story {id} in the collection; `cdcoref show FILE --stories` lists them")
        if not found:
            raise no_document(connection, id)
        return found
    if id.startswith("c"):
        number = living_cluster(connection, number_of(id, "c", "cluster"))
        found = _rows(connection, sort, "whole", number)[:1]
        what = f"there is no cluster {id} in the collection, or it has no mentions left"
    else:
        found = _rows(connection, sort, "number", number_of(id, "m", "mention"))
        what = f"there is no mention {id} in the collection"
    if not found:
        raise InputError(what)
    return found


def _check(action: Action, mentions: Sequence[_Row]) -> None:
    if action == "not-a-mention":
        if not mentions:
            raise InputError("give the words that are not a mention")
        return
    if action == "not-same" and len(mentions) != 2:
        raise InputError("give exactly two mentions that are not the same")
    if len({row.number for row in mentions}) < 2:
        raise InputError("give two or more different mentions that are the same")
    if len({row.mention.kind for row in mentions}) > 1:
        raise InputError("an event and an entity are never the same; give mentions of one kind")
    rejected = [row for row in mentions if row.rejected]
    if rejected:
        raise InputError(f"{rejected[0].mention.words!r} was marked as not being a mention; undo that correction first")


def _rest_of_group(connection: sqlite3.Connection, sort: _Sort, members: Sequence[_Row]) -> list[_Row]:
    group = members[0].group if members else None
    if group is None or any(row.group != group for row in members):
        raise InputError(f"give {sort.member}s of one {sort.group}, to split them from it")
    chosen = {row.number for row in members}
    rest = [row for row in _rows(connection, sort, "whole", group) if row.number not in chosen]
    if not rest:
        raise InputError(
            f"these are all {sort.member}s of the {sort.group}; give only some of them, to split them from it"
        )
    return rest


def _rest_of_others(
    connection: sqlite3.Connection, sort: _Sort, ids: Sequence[str], members: Sequence[_Row]
) -> list[_Row]:
    """The members that stay in the clusters or stories from which others are moved into that of the last one."""
    of_groups = sort is _MENTIONS and not all(id.startswith("m") for id in ids[:-1])
    if len(members) < 2 or ids[-1] in ids[:-1] or of_groups:
        raise InputError(f"give {sort.member}s, followed by the {sort.group} to move them to")
    *moved, last = members
    if sort is _MENTIONS:
        _check("same", members)
    there = [row for row in moved if row.group == last.group]
    if there:
        raise InputError(f"{there[0].mention.words!r} is already in that {sort.group}")
    chosen = {row.number for row in moved}
    groups = dict.fromkeys(row.group for row in moved if row.group is not None)
    rest = [row for group in groups for row in _rows(connection, sort, "whole", group)]
    return [row for row in rest if row.number not in chosen]


def _cluster(connection: sqlite3.Connection, ids: Sequence[str], action: Action) -> int:
    """The one cluster that something is stated of; only an event has a day or a place."""
    if len(ids) != 1 or not str(ids[0]).startswith("c"):
        what = "cluster or story to rename" if action == "rename" else f"event that has this {action}"
        raise InputError(f"give one {what}, such as c3{' or s2' if action == 'rename' else ''}")
    number = living_cluster(connection, number_of(ids[0], "c", "cluster"))
    row = connection.execute("SELECT kind FROM clusters WHERE number = ? AND mentions > 0", (number,)).fetchone()
    if row is None:
        raise InputError(f"there is no cluster {ids[0]} in the collection, or it has no mentions left")
    if action != "rename" and row[0] != EVENT:
        raise InputError(f"{ids[0]} is not an event; only an event has a {action}")
    return number


def _value(action: Action, given: str | None) -> str:
    what = {"rename": "a cluster's name", "rename-story": "a story's title"}.get(action, f"the {action} of an event")
    if given is not None:
        check_text(what, given)
    value = " ".join((given or "").split())
    if not value or len(value) > corrections.LONGEST_NAME:
        raise InputError(f"{what} must have 1 to {corrections.LONGEST_NAME} characters")
    for character in value:
        if unicodedata.category(character) in ("Cc", "Cs"):
            raise InputError(f"U+{ord(character):04X} in the name is not a visible character; leave it out")
    if action == "day" and re.search(r"\d{4}-\d\d-\d\d\W*\S", value) and Period.of_iso(value) is None:
        raise InputError(f"{value!r} is no range of days; give it as 2024-03-05/2024-03-08")
    return value if action != "day" or value == UNKNOWN or Period.of_iso(value) is not None else checked_day(value)


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
    query = "SELECT words FROM mentions WHERE number IN ({}) ORDER BY document, place"
    return tuple(dict.fromkeys(words for (words,) in rows_in(connection, query, mentions)))[:MOST_WORDS]


def store_outcome(
    connection: sqlite3.Connection,
    correction: Correction,
    moved: tuple[Move, ...] = (),
    notes: tuple[str, ...] = (),
    former: Former = NO_CHANGE,
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


def with_outcomes(connection: sqlite3.Connection, made: Sequence[Correction]) -> list[Correction]:
    """The corrections with what they did."""
    stored = {}
    for number, moved, notes in connection.execute("SELECT correction, moves, notes FROM outcomes"):
        try:
            found = tuple(Move(**{**one, "words": tuple(one["words"])}) for one in json.loads(moved))
            stored[number] = found, tuple(json.loads(notes))
        except (ValueError, TypeError, KeyError) as error:
            raise sqlite3.DatabaseError(f"the outcome of correction {number} is damaged") from error
    known = ((correction, *stored.get(correction.number, ((), ()))) for correction in made)
    return [replace(correction, moves=moved, notes=notes) for correction, moved, notes in known]
