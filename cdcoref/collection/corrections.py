"""Corrections by people: stored with their time, obeyed by every later clustering, undoable. A correction knows its
mentions by the content of their document, their tokens and their kind, and is obeyed wherever those are: after a
rebuild with another model, or after a document was removed and added again."""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Literal, get_args

from cdcoref.clustering import contradict
from cdcoref.collection.cluster_numbers import now
from cdcoref.collection.database import insert, rows_in
from cdcoref.collection.records import Move
from cdcoref.collection.stored_readings import mention_key
from cdcoref.errors import InputError

OfMentions = Literal["same", "not-same", "not-a-mention", "split", "move", "rename", "day", "place"]
OfStories = Literal["join-stories", "split-story", "move-document", "rename-story"]
Action = Literal[OfMentions, OfStories]
ACTIONS: tuple[str, ...] = get_args(Action)
SPLITS = ("split", "split-story")
MOVES = ("move", "move-document")
TIES = ("same", "join-stories", *SPLITS, *MOVES)
"""Those by which mentions, or documents, are in one cluster, or story."""
OF_STORIES: tuple[str, ...] = get_args(OfStories)
"""Those of stories: what they name are documents, as mentions without tokens."""
FACTS = ("rename", "day", "place")
"""Those that state something of a cluster: its name, and the day and the place of an event."""
LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class CorrectedMention:
    """A mention by its document's content, tokens and kind; `document` and `words` are for people who read it."""

    document: str
    words: str
    content: str
    tokens: tuple[int, ...]
    kind: str | None

    @property
    def key(self) -> str:
        """The key by which the mention is found."""
        return mention_key(bytes.fromhex(self.content), self.tokens, self.kind)


@dataclass(frozen=True, slots=True)
class Correction:
    """One correction.

    `number`: By which it is undone. `time`: When it was made (ISO 8601, UTC). `action`: ``"same"``, ``"not-same"``:
    the mentions are (not) the same. ``"not-a-mention"``: they are none. ``"split"``: they are one cluster, and not in
    that of the mentions `apart`. ``"move"``: the same, and the last of them is one of the cluster that the others were
    moved into. ``"join-stories"``, ``"split-story"``, ``"move-document"``: the same of documents and stories.
    ``"rename-story"``: the story of a document has a title.
    ``"rename"``, ``"day"``, ``"place"``: the cluster has a name, the event a day or a place. `mentions`,
    `apart`: The mentions, or documents. `cluster`, `name`: The id of the cluster that mentions were moved into, or that
    something is stated of, and what that is. `undone`: When it was undone; None while it holds. `moves`, `notes`: What
    became of clusters when it was made or, later, undone, and a sentence for what is remarkable about it.
    """

    number: int
    time: str
    action: Action
    mentions: tuple[CorrectedMention, ...]
    apart: tuple[CorrectedMention, ...]
    cluster: str | None = None
    name: str | None = None
    undone: str | None = None
    moves: tuple[Move, ...] = ()
    notes: tuple[str, ...] = ()

    def constraints(self, there: Container[str] | None = None) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
        """Pairs of keys of mentions that are the same, and of mentions that are not; of those that are `there`."""
        keys, apart = ([m.key for m in some if there is None or m.key in there] for some in (self.mentions, self.apart))
        if self.action == "not-same":
            return [], [(keys[0], key) for key in keys[1:]]
        if self.action not in TIES:
            return [], []
        own = self.mentions[:-1] if self.action in MOVES else self.mentions
        if not any(mention.key in keys for mention in own):
            apart = []
        # Where the first of several is not there, the others are tied to each other all the same.
        return [(keys[0], key) for key in keys[1:]], [(keys[0], key) for key in apart]


_COLUMNS = "number, time, action, mentions, apart, cluster, name, undone"


def stored_corrections(connection: sqlite3.Connection, numbers: Iterable[int] | None = None) -> list[Correction]:
    """Corrections by number, in the order in which they were made; all of them by default."""
    if numbers is None:
        return [_correction(row) for row in connection.execute(f"SELECT {_COLUMNS} FROM corrections ORDER BY number")]
    query = f"SELECT {_COLUMNS} FROM corrections WHERE number IN ({{}}) ORDER BY number"
    return [_correction(row) for row in rows_in(connection, query, sorted(set(numbers)))]


def _correction(row: Sequence[object]) -> Correction:
    number, time, action, mentions, apart, cluster, name, undone = row
    try:
        lists = [
            tuple(CorrectedMention(**{**entry, "tokens": tuple(entry["tokens"])}) for entry in json.loads(str(text)))
            for text in (mentions, apart)
        ]
    except (ValueError, TypeError, KeyError) as error:
        raise sqlite3.DatabaseError(f"correction {number} is damaged") from error
    renamed = None if cluster is None else f"c{cluster}"
    return Correction(number, time, action, lists[0], lists[1], renamed, name, undone)  # type: ignore[arg-type]


def store_correction(
    connection: sqlite3.Connection,
    action: Action,
    mentions: Sequence[CorrectedMention],
    apart: Sequence[CorrectedMention] = (),
    cluster: int | None = None,
    name: str | None = None,
) -> int:
    """Store a correction; returns its number."""
    number = insert(
        connection,
        "INSERT INTO corrections (time, action, mentions, apart, cluster, name) VALUES (?, ?, ?, ?, ?, ?)",
        (now(), action, _as_json(mentions), _as_json(apart), cluster, name),
    )
    connection.execute("INSERT INTO acts (correction) VALUES (?)", (number,))
    _store_contents(connection, number, (*mentions, *apart))
    refuse_contradiction(connection, number)
    return number


def _as_json(mentions: Sequence[CorrectedMention]) -> str:
    return json.dumps([asdict(mention) for mention in mentions])


def _store_contents(connection: sqlite3.Connection, number: int, mentions: Iterable[CorrectedMention]) -> None:
    contents = sorted({bytes.fromhex(mention.content) for mention in mentions})
    connection.executemany("INSERT INTO corrected VALUES (?, ?)", ((content, number) for content in contents))


def refuse_contradiction(connection: sqlite3.Connection, number: int) -> None:
    """Refuse a correction that was just made, or made again, if it contradicts others."""

    def contradicted(corrections: Iterable[Correction]) -> bool:
        pairs = [correction.constraints() for correction in corrections]
        return contradict([p for must, _ in pairs for p in must], [p for _, cannot in pairs for p in cannot])

    tied = _tied(connection, number)
    if not contradicted(tied):
        return
    others = [c for c in tied if c.number != number]
    if causes := [c for c in others if not contradicted(other for other in tied if other is not c)]:
        raise _contradiction("an earlier correction; undo correction", causes, " or ")
    kept = [c for c in tied if c.number == number]
    for correction in others:
        (causes if contradicted([*kept, correction]) else kept).append(correction)
    raise _contradiction("earlier corrections; undo corrections", causes, " and ")


def _contradiction(what: str, causes: Iterable[Correction], link: str) -> InputError:
    return InputError(f"this contradicts {what} {link.join(str(cause.number) for cause in causes)} first")


def _tied(connection: sqlite3.Connection, number: int) -> list[Correction]:
    """The corrections that mentions tie to one, by its number, directly or through others: only they contradict it."""
    tied: dict[int, Correction] = {}
    naming: defaultdict[str, list[Correction]] = defaultdict(list)
    looked: set[bytes] = set()
    waiting = stored_corrections(connection, [number])
    while waiting:
        correction = waiting.pop()
        if correction.number in tied:
            continue
        tied[correction.number] = correction
        contents = {bytes.fromhex(m.content) for m in (*correction.mentions, *correction.apart)} - looked
        looked |= contents
        for other in holding(connection, contents):
            for key in _keys(other):
                naming[key].append(other)
        for key in _keys(correction):
            waiting += naming.pop(key, ())
    return [tied[number] for number in sorted(tied)]


def _keys(correction: Correction) -> set[str]:
    return {key for pairs in correction.constraints() for pair in pairs for key in pair}


def move_corrections(
    connection: sqlite3.Connection, before: bytes, after: bytes, tokens: Mapping[tuple[str, str | None], str]
) -> None:
    """Let corrections of a document's mentions be about those of its changed self."""

    def moved(mention: CorrectedMention) -> CorrectedMention:
        there = tokens.get((stored_tokens(mention.tokens), mention.kind)) if mention.tokens else "[]"
        if mention.content != before.hex() or there is None:
            return mention
        return replace(mention, content=after.hex(), tokens=tuple(json.loads(there)))

    numbers = [n for (n,) in connection.execute("SELECT correction FROM corrected WHERE content = ?", (before,))]
    for correction in stored_corrections(connection, numbers):
        mentions, apart = [tuple(map(moved, some)) for some in (correction.mentions, correction.apart)]
        connection.execute(
            "UPDATE corrections SET mentions = ?, apart = ? WHERE number = ?",
            (_as_json(mentions), _as_json(apart), correction.number),
        )
        connection.execute("DELETE FROM corrected WHERE correction = ?", (correction.number,))
        _store_contents(connection, correction.number, (*mentions, *apart))


def stored_tokens(tokens: Sequence[int]) -> str:
    """The tokens of a mention as they are stored."""
    return json.dumps(list(tokens), separators=(",", ":"))


def holding(connection: sqlite3.Connection, contents: Iterable[bytes]) -> list[Correction]:
    """The corrections that hold and name a mention of one of the documents."""
    query = "SELECT DISTINCT correction FROM corrected WHERE content IN ({})"
    numbers = {number for (number,) in rows_in(connection, query, contents)}
    return [correction for correction in stored_corrections(connection, numbers) if correction.undone is None]
