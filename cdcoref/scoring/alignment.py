"""Two mention tables in, their alignment out: which mentions are the same, and their clusters at a scoring level, the
unit within which links are scored. A cluster that spans several units is a separate cluster in each of them.

CorefUD adds empty nodes for what the text omits, such as a dropped pronoun, and a response need not have the same ones
as its key. So words are matched by their numbers without empty nodes, and a mention with words is compared by its words
alone. A mention of empty nodes alone is compared by those: the same dependencies, or else the same heads, in the same
sentence. Source: the default of the CorefUD scorer, https://github.com/ufal/corefud-scorer, which also matches by some
of the dependencies.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from cdcoref.corpus import KINDS
from cdcoref.errors import InputError
from cdcoref.formats import DocumentKey, DocumentRow, EmptyNode, Ints, MentionTable
from cdcoref.scoring.overlap import ABSENT, Overlap
from cdlm.printing import counted


def same_words(key: DocumentRow, response: DocumentRow) -> bool:
    """Whether two documents have the same number of words, with the empty nodes of either or without them."""
    if key.tokens == response.tokens and not (key.empty_nodes and response.empty_nodes):
        return True
    return key.tokens - len(key.empty_nodes) == response.tokens - len(response.empty_nodes)


def without_empty_nodes(
    key: MentionTable, response: MentionTable, document_of: Ints
) -> tuple[MentionTable, MentionTable]:
    """Both tables, with the mentions of documents that have empty nodes on either side in the same numbering.

    There, words are counted without empty nodes, and the empty nodes behind them. `document_of` has the index in the
    key of each document of the response; negative if it is not there.
    """
    places: tuple[dict[int, Ints], dict[int, Ints]] = {}, {}
    words_of: tuple[dict[int, int], dict[int, int]] = {}, {}
    rows = list(key.documents.values())
    for number, row in enumerate(response.documents.values()):
        of_key = int(document_of[number])
        if of_key < 0 or not (row.empty_nodes or rows[of_key].empty_nodes):
            continue
        sides = rows[of_key].empty_nodes, row.empty_nodes
        if rows[of_key].tokens == row.tokens and not all(sides):
            sides = sides[0] or sides[1], sides[0] or sides[1]  # a format that has them as words
        words = row.tokens - len(sides[1])
        partner = _matched(*sides)
        numbers = [partner.get(place, len(sides[0]) + place) for place in range(len(sides[1]))]
        places[0][of_key] = _numbering(rows[of_key].tokens, sides[0], range(len(sides[0])))
        places[1][number] = _numbering(row.tokens, sides[1], numbers)
        words_of[0][of_key] = words_of[1][number] = words
    return _renumbered(key, places[0], words_of[0]), _renumbered(response, places[1], words_of[1])


def _numbering(tokens: int, nodes: Sequence[EmptyNode], numbers: Sequence[int]) -> Ints:
    place = np.arange(tokens)
    words = ~np.isin(place, [node.token for node in nodes])
    place[words] = np.arange(words.sum())
    place[~words] = words.sum() + np.array(numbers)
    return place


def _matched(key: Sequence[EmptyNode], response: Sequence[EmptyNode]) -> dict[int, int]:
    """For each empty node of the response that has one, its match in the key, both by their places in the lists."""
    partner: dict[int, int] = {}
    for name_of in (_dependencies, _heads):
        taken = set(partner.values())
        free: defaultdict[tuple[object, ...], deque[int]] = defaultdict(deque)
        for place, node in enumerate(key):
            if place not in taken:
                free[name_of(node)].append(place)
        for place, node in enumerate(response):
            if place not in partner and (places := free[name_of(node)]):
                partner[place] = places.popleft()
    return partner


def _dependencies(node: EmptyNode) -> tuple[object, ...]:
    return node.sentence, *sorted(node.dependencies or [node.id])


def _heads(node: EmptyNode) -> tuple[object, ...]:
    return node.sentence, *sorted({dependency.partition(":")[0] for dependency in node.dependencies} or [node.id])


def _renumbered(table: MentionTable, places: dict[int, Ints], words_of: dict[int, int]) -> MentionTable:
    """A copy in which the mentions of some documents have other token indices."""
    if not places:
        return table
    start, end, gaps = table.start.copy(), table.end.copy(), dict(table.gaps)
    for row in np.flatnonzero(np.isin(table.document, list(places))).tolist():
        document = int(table.document[row])
        tokens = gaps.pop(row, None) or range(int(start[row]), int(end[row]))
        new = sorted(places[document][list(tokens)].tolist())
        new = [token for token in new if token < words_of[document]] or new
        start[row], end[row] = new[0], new[-1] + 1
        if end[row] - start[row] != len(new):
            gaps[row] = tuple(new)
    return replace(table, start=start, end=end, gaps=gaps)


Level = Literal["corpus", "topic", "subtopic", "document", "block"]
"""A block is the default of a file whose cluster ids are local to its blocks."""


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """The mentions of the key or the response after alignment, without duplicates.

    *Shape* of the first four: (mentions,). `mention` is the index of each, the same on both sides for the same mention,
    `row` its row in the mention table, `document` the index of its document in the key, `cluster` its cluster at the
    scoring level, numbered from 0 in file order. `group` has the scoring unit of each cluster. *Shape:* (clusters,)
    """

    mention: Ints
    row: Ints
    document: Ints
    cluster: Ints
    group: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """A key and a response, aligned at one level: mentions of both sides, scoring units, notes for readers."""

    key: Side
    response: Side
    mentions: int
    groups: int
    notes: list[str] = field(default_factory=list)

    def labels(self) -> tuple[Ints, Ints]:
        """Each mention's cluster in the key and in the response, or `ABSENT`. *Shape:* (mentions,) both"""
        key, response = np.full((2, self.mentions), ABSENT)
        key[self.key.mention] = self.key.cluster
        response[self.response.mention] = self.response.cluster
        return key, response

    def overlap(self, *, remove_singletons: bool) -> Overlap:
        """The contingency table from which metrics are computed, with the scoring units as its groups."""
        return Overlap.from_labels(
            *self.labels(),
            groups_of=(self.key.group, self.response.group),
            groups=self.groups,
            remove_singletons=remove_singletons,
        )


def align(key: MentionTable, response: MentionTable, *, level: Level = "corpus", kind: str = "both") -> Alignment:
    """Match the mentions of a key and a response of one `kind` or of ``"both"``, and number their clusters.

    An `InputError` if the files share no document, a document differs in its number of tokens, or the key lacks the
    topics or kinds that are needed.
    """
    document_of, notes = _match_documents(key, response)
    group_of, groups = groups_of_documents(key, level)
    key, response = without_empty_nodes(key, response, document_of)
    sides = []
    for table, numbers in ((key, np.arange(len(key.documents))), (response, document_of)):
        rows = np.flatnonzero(numbers[table.document] >= 0)
        if kind != "both":
            if not table.kind.all():
                raise InputError(f"some mentions have no kind, so those of kind {kind} cannot be selected", table.path)
            rows = rows[table.kind[rows] == KINDS.index(kind) + 1]
        sides.append((table, rows, numbers[table.document[rows]]))
    kinds = bool(key.kind.all() and response.kind.all())
    notes += _notes_on_kinds(key, "key") + _notes_on_kinds(response, "response")
    mention, mentions = _same_mentions(sides, kinds)
    done = []
    for number, (table, rows, documents) in enumerate(sides):
        side = _side(table, rows, documents, mention[number], group_of)
        if repeated := len(rows) - len(side.mention):
            notes.append(
                f"{counted(repeated, 'duplicate mention')} of the {('key', 'response')[number]} ignored; a mention "
                "counts once, in the first of its clusters"
            )
        done.append(side)
    return Alignment(done[0], done[1], mentions, groups, notes)


def groups_of_documents(key: MentionTable, level: Level) -> tuple[Ints, int]:
    """The scoring unit of each document, and how many there are; `InputError` if a document lacks its topic."""
    if level == "corpus":
        return np.zeros(len(key.documents), np.int64), 1
    if level == "document":
        return np.arange(len(key.documents)), len(key.documents)
    if level == "block":
        blocks: dict[int | None, int] = {}
        block_of = [blocks.setdefault(row.ids_of, len(blocks)) for row in key.documents.values()]
        return np.array(block_of, np.int64), len(blocks)
    numbers: dict[str, int] = {}
    group_of = np.empty(len(key.documents), np.int64)
    for place, (document, row) in enumerate(key.documents.items()):
        name = row.topic if level == "topic" else row.subtopic
        if name is None:
            raise InputError(
                f"document {str(document)!r} has no {level}; score at the corpus or document level, or use a key in a "
                "format that includes topics (eight-column CoNLL, JSON lines)",
                key.path,
                row.line,
            )
        group_of[place] = numbers.setdefault(name, len(numbers))
    return group_of, len(numbers)


def _match_documents(key: MentionTable, response: MentionTable) -> tuple[Ints, list[str]]:
    """The index in the key of each document of the response, or `ABSENT`; and remarks."""
    number_of = {document: number for number, document in enumerate(key.documents)}
    found = np.array([number_of.get(document, ABSENT) for document in response.documents], np.int64)
    if len(key.documents) == len(response.documents) == 1 and not (
        all(document.name for document in (*key.documents, *response.documents))
    ):
        found[:] = 0  # a document without a name is the only one of the other file
    notes = []
    extra = int((found == ABSENT).sum())
    missed = len(key.documents) - (len(found) - extra)
    if len(found) == extra and extra and missed:
        raise InputError(
            f"none of its documents is in the key {key.path}: it has {_some(response.documents)}, "
            f"the key has {_some(key.documents)}; key and response must cover the same documents",
            response.path,
        )
    if missed:
        notes.append(
            f"{counted(missed, 'document')} of the key missing from the response; all mentions there count as missed"
        )
    if extra:
        notes.append(f"{counted(extra, 'document')} of the response missing from the key; ignored")
    rows = list(key.documents.values())
    for number, (document, row) in enumerate(response.documents.items()):
        of_key = int(found[number])
        if of_key != ABSENT and not same_words(rows[of_key], row):
            raise InputError(
                f"document {str(document)!r} has {counted(row.tokens, 'token')} here and {rows[of_key].tokens} in the "
                f"key {key.path}; mentions are matched by token index, so both files must have the same tokens",
                response.path,
                row.line,
            )
    return found, notes


def _some(documents: Iterable[DocumentKey]) -> str:
    names = [repr(str(document)) for document in documents]
    return ", ".join(names[:2]) + (f" and {len(names) - 2} more" if len(names) > 2 else "")


def _notes_on_kinds(table: MentionTable, name: str) -> list[str]:
    without = int((table.kind == 0).sum())
    if without in (0, len(table.kind)):
        return []
    return [f"{counted(without, 'mention')} of the {name} without a kind; kinds are not compared"]


def _same_mentions(sides: list[tuple[MentionTable, Ints, Ints]], kinds: bool) -> tuple[list[Ints], int]:
    """Indices of mentions, equal for equal documents, tokens and, with `kinds`, kinds; and how many there are."""
    gaps: dict[tuple[int, tuple[int, ...]], int] = {}
    columns = []
    for table, rows, documents in sides:
        end = table.end[rows]
        # A discontinuous mention differs from all others by an end of its own, which is not positive.
        for place in np.flatnonzero(np.isin(rows, list(table.gaps))).tolist():
            name = int(documents[place]), table.gaps[int(rows[place])]
            end[place] = -gaps.setdefault(name, len(gaps))
        columns.append(np.stack([documents, table.start[rows], end, table.kind[rows] * kinds]))
    places = np.concatenate(columns, axis=1)
    first = len(sides[0][1])
    order = np.lexsort(places[::-1])
    places = places[:, order]
    number = np.empty(len(order), np.int64)
    number[order] = np.cumsum(np.r_[False, (places[:, 1:] != places[:, :-1]).any(0)])
    return [number[:first], number[first:]], int(number.max(initial=-1)) + 1


def _side(table: MentionTable, rows: Ints, documents: Ints, mention: Ints, group_of: Ints) -> Side:
    """Clusters at the scoring level, and each mention once, in its first cluster."""
    group = group_of[documents]
    name = group * len(table.names) + table.cluster[rows]
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
