"""Two mention tables side by side: which mentions are the same, and which clusters they form at a scoring level.

The level says how documents are joined before scoring. A cluster that crosses the border of a group (a topic, a
document) is one cluster in each group, since links across it are not scored.

Two mentions are the same if document, tokens and kind are equal (`cdcoref.corpus.Mention.key`). Kinds are compared only
where every mention of both sides has one: CoNLL says no kinds, and its files can be scored against those that do.

What the reference scorer does with the odd cases is done here: a mention that several clusters of one side have stays
in the first of them; a document that only the key has counts as missed; one that only the response has is left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from cdcoref.corpus import KINDS
from cdcoref.errors import InputError
from cdcoref.formats import DocumentKey, Ints, MentionTable
from cdcoref.scoring.overlap import ABSENT, Overlap
from cdcoref.wording import counted

Level = Literal["corpus", "topic", "subtopic", "document"]
LEVELS: tuple[Level, ...] = ("corpus", "topic", "subtopic", "document")


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """The mentions of the key or of the response after alignment, without repetition.

    Attributes
    ----------
    mention
        The number of every mention, the same on both sides. *Shape:* (mentions,)
    row
        Its row in the mention table. *Shape:* (mentions,)
    document
        The number of its document in the key. *Shape:* (mentions,)
    cluster
        Its cluster at the scoring level, numbered from 0 in the order of the file. *Shape:* (mentions,)
    group
        The group that every cluster lies in. *Shape:* (clusters,)
    """

    mention: Ints
    row: Ints
    document: Ints
    cluster: Ints
    group: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """Key and response at one level.

    Attributes
    ----------
    key, response
        The two sides.
    mentions
        How many different mentions there are on both sides together.
    groups
        Names of the groups of documents that are scored apart.
    notes
        What a reader of the scores should know, one sentence each.
    """

    key: Side
    response: Side
    mentions: int
    groups: list[str]
    notes: list[str] = field(default_factory=list)

    def labels(self) -> tuple[Ints, Ints]:
        """The cluster of every mention in the key and in the response, or `ABSENT`. *Shape:* (mentions,) both"""
        key, response = np.full((2, self.mentions), ABSENT)
        key[self.key.mention] = self.key.cluster
        response[self.response.mention] = self.response.cluster
        return key, response

    def overlap(self, *, remove_singletons: bool = False) -> Overlap:
        """The table that metrics are computed from, its groups those of the level."""
        return Overlap.from_labels(
            *self.labels(),
            groups_of=(self.key.group, self.response.group),
            groups=len(self.groups),
            remove_singletons=remove_singletons,
        )


def align(
    key: MentionTable,
    response: MentionTable,
    *,
    level: Level = "corpus",
    kind: str = "both",
    remove_nested: bool = False,
) -> Alignment:
    """Find which mentions of key and response are the same, and their clusters.

    Parameters
    ----------
    key, response
        The mentions of two files.
    level
        Which documents are scored together.
    kind
        ``"event"`` or ``"entity"`` keeps the mentions of that kind, on both sides; ``"both"`` keeps all.
    remove_nested
        Leave out mentions that lie within another mention of the same cluster, on both sides.

    Raises
    ------
    InputError
        If the files are not about the same documents, a document has another number of tokens, the level needs topics
        that the key does not say, or a kind is asked for that a file does not say.
    """
    document_of, notes = _match_documents(key, response)
    group_of, groups = groups_of_documents(key, level)
    sides = []
    for table, numbers in ((key, np.arange(len(key.documents))), (response, document_of)):
        rows = np.flatnonzero(numbers[table.document] >= 0)
        if kind != "both":
            rows = rows[_of_kind(table, kind)[rows]]
        if remove_nested:
            rows = rows[~_nested(table, rows)]
        sides.append((table, rows, numbers[table.document[rows]]))
    kinds = bool(key.kind.all() and response.kind.all())
    notes += _notes_on_kinds(key, "key") + _notes_on_kinds(response, "response")
    mention, mentions = _same_mentions(sides, kinds)
    done = []
    for (table, rows, documents), numbers, name in zip(sides, mention, ("key", "response"), strict=True):
        side = _side(table, rows, documents, numbers, group_of)
        if repeated := len(rows) - len(side.mention):
            notes.append(
                f"{counted(repeated, 'mention')} of the {name} that {'repeats' if repeated == 1 else 'repeat'} another "
                "left out; a mention counts once, in the first of its clusters"
            )
        done.append(side)
    return Alignment(done[0], done[1], mentions, groups, notes)


def groups_of_documents(key: MentionTable, level: Level) -> tuple[Ints, list[str]]:
    """The group of every document at a level, and the groups' names.

    Raises
    ------
    InputError
        If a document has no topic, or no subtopic, and the level needs it.
    """
    if level == "corpus":
        return np.zeros(len(key.documents), np.int64), ["corpus"]
    if level == "document":
        return np.arange(len(key.documents)), [str(document) for document in key.documents]
    numbers: dict[str, int] = {}
    group_of = np.empty(len(key.documents), np.int64)
    for place, (document, row) in enumerate(key.documents.items()):
        name = row.topic if level == "topic" else row.subtopic
        if name is None:
            raise InputError(
                f"document {str(document)!r} has no {level}; score at the level corpus or document, or give the key "
                "in a format that says it (eight-column CoNLL, JSON lines)",
                key.path,
                row.line,
            )
        group_of[place] = numbers.setdefault(name, len(numbers))
    return group_of, list(numbers)


def _match_documents(key: MentionTable, response: MentionTable) -> tuple[Ints, list[str]]:
    """The key's number of every document of the response, or `ABSENT`; and remarks."""
    number_of = {document: number for number, document in enumerate(key.documents)}
    found = np.array([number_of.get(document, ABSENT) for document in response.documents], np.int64)
    notes = []
    extra = int((found == ABSENT).sum())
    missed = len(key.documents) - (len(found) - extra)
    if len(found) == extra and extra and missed:
        raise InputError(
            f"none of its documents is in the key {key.path}: it has {_some(response.documents)}, "
            f"the key has {_some(key.documents)}; score a response to the same documents",
            response.path,
        )
    if missed:
        notes.append(
            f"{counted(missed, 'document')} of the key not in the response: all mentions there count as missed"
        )
    if extra:
        notes.append(f"{counted(extra, 'document')} of the response not in the key: left out")
    for document, row in response.documents.items():
        if (of_key := key.documents.get(document)) is not None and of_key.tokens != row.tokens:
            raise InputError(
                f"document {str(document)!r} has {row.tokens} tokens here and {of_key.tokens} in the key {key.path}; "
                "mentions are compared by token number, so both files must have the same tokens",
                response.path,
                row.line,
            )
    return found, notes


def _some(documents: Iterable[DocumentKey]) -> str:
    names = [repr(str(document)) for document in documents]
    return ", ".join(names[:2]) + (f" and {len(names) - 2} more" if len(names) > 2 else "")


def _of_kind(table: MentionTable, kind: str) -> NDArray[np.bool_]:
    if len(table.kind) and not table.kind.all():
        raise InputError(f"not every mention has a kind here, so those of kind {kind} are not known", table.path)
    return table.kind == KINDS.index(kind) + 1


def _nested(table: MentionTable, rows: Ints) -> NDArray[np.bool_]:
    """Which of the mentions lie within another of the same cluster and document, by first and last token."""
    start, end = table.start[rows], table.end[rows]
    order = np.lexsort((-end, start, table.cluster[rows], table.document[rows]))
    pair = np.stack([table.document[rows][order], table.cluster[rows][order]])
    run = np.cumsum(np.r_[False, (pair[:, 1:] != pair[:, :-1]).any(0)])
    # Ends are lifted above those of all earlier runs, so that the running maximum starts anew with every run.
    lifted = end[order] + run * (int(end.max(initial=0)) + 1)
    furthest = np.maximum.accumulate(lifted)
    inside = np.r_[False, (lifted[1:] <= furthest[:-1]) & (run[1:] == run[:-1])]
    same = np.r_[False, (lifted[1:] == lifted[:-1]) & (start[order][1:] == start[order][:-1])]
    span = np.cumsum(~same) - 1
    nested = np.empty(len(rows), bool)
    nested[order] = inside[~same][span]  # a repetition is nested if the first of its kind is
    return nested


def _notes_on_kinds(table: MentionTable, name: str) -> list[str]:
    without = int((table.kind == 0).sum())
    if without in (0, len(table.kind)):
        return []
    return [f"{counted(without, 'mention')} of the {name} without a kind: kinds are not compared"]


def _same_mentions(sides: list[tuple[MentionTable, Ints, Ints]], kinds: bool) -> tuple[list[Ints], int]:
    """Numbers of the mentions of both sides, equal where they are the same, and how many there are.

    The same are those of one document and of the same tokens and, if `kinds` are compared, of one kind.
    """
    gaps: dict[tuple[int, tuple[int, ...]], int] = {}
    columns = []
    for table, rows, documents in sides:
        length = table.end[rows] - table.start[rows]
        if table.gaps:
            # A discontinuous mention is told from others of its extent by a negative length of its own.
            for place in np.flatnonzero(np.isin(rows, np.fromiter(table.gaps, np.int64))).tolist():
                name = int(documents[place]), table.gaps[int(rows[place])]
                length[place] = -1 - gaps.setdefault(name, len(gaps))
        columns.append((documents, table.start[rows], length, table.kind[rows] * kinds))
    document, start, length, kind = (np.concatenate(column) for column in zip(*columns, strict=True))
    first = len(sides[0][1])
    order = np.lexsort((kind, length, start, document))
    places = np.stack([document, start, length, kind])[:, order]
    number = np.empty(len(order), np.int64)
    number[order] = np.cumsum(np.r_[False, (places[:, 1:] != places[:, :-1]).any(0)])
    return [number[:first], number[first:]], int(number.max(initial=-1)) + 1


def _side(table: MentionTable, rows: Ints, documents: Ints, mention: Ints, group_of: Ints) -> Side:
    """Clusters at the level, and every mention once, in the first cluster that has it."""
    group = group_of[documents]
    name = group * (len(table.names) + 1) + table.cluster[rows]
    _, first, cluster = np.unique(name, return_index=True, return_inverse=True)
    begins = np.full(len(first), np.iinfo(np.int64).max)
    np.minimum.at(begins, cluster, table.order[rows])
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(begins)] = np.arange(len(first))
    cluster = rank[cluster]
    cluster_group = np.empty(len(first), np.int64)
    cluster_group[rank] = group[first]
    order = np.lexsort((cluster, mention))
    once = order[np.r_[True, mention[order][1:] != mention[order][:-1]]] if len(order) else order
    left, renumbered = np.unique(cluster[once], return_inverse=True)  # a cluster of repetitions only has vanished
    return Side(mention[once], rows[once], documents[once], renumbered, cluster_group[left])
