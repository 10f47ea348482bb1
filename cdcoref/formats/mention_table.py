"""The coreference of a file as columns, for scoring; words and names of documents as columns of CoNLL and back."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cdcoref.corpus import KINDS, Corpus, Document, Mention
from cdcoref.errors import InputError

_UNSAFE = re.compile(r"[\s\x00-\x1f\x7f-\x9f\ufeff\ud800-\udfff]|\\(?=u[0-9a-f]{4})|^\\(?=e$)")
_ESCAPED = re.compile(r"\\u([0-9a-f]{4})")


def escape(word: str) -> str:
    """The word as one column."""
    return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", word) if word else "\\e"


def unescape(column: str) -> str:
    """The word that a column represents."""
    if "\\" not in column:
        return column
    return "" if column == "\\e" else _ESCAPED.sub(lambda match: chr(int(match[1], 16)), column)


_WITH_PART = re.compile(r"(.+);(?: |\\u0020)part(?: |\\u0020)([0-9]{3,9})")
_PART = re.compile(r"[0-9]{1,9}")


class DocumentKey(NamedTuple):
    """What identifies a document: its name, and its part if it is split (CoNLL)."""

    name: str
    part: str = "0"

    def __str__(self) -> str:
        return self.name if self.part == "0" else f"{self.name}; part {self.part}"

    @classmethod
    def of(cls, id: str, part: str) -> DocumentKey:
        """The key of a document, whose id may contain the part again, to be unique."""
        return cls(id.removesuffix(_part_suffix(part)) if part != "0" else id, part)


def document_ids(keys: Iterable[DocumentKey], path: str) -> list[str]:
    """The ids of the documents of a file."""
    ids: dict[str, None] = {}
    for key in keys:
        id = key.name if key.name not in ids else key.name + _part_suffix(key.part)
        if id in ids:
            raise InputError(f"two documents of the file get the id {id!r}; rename one of them", path)
        ids[id] = None
    return list(ids)


def document_keys(documents: Iterable[Document]) -> Iterator[DocumentKey]:
    """The keys from which `document_ids` derives the ids of these documents."""
    seen: dict[str, set[str]] = {}
    for document in documents:
        if not _PART.fullmatch(document.part):
            raise InputError(
                f"document {document.id!r} has the part {document.part[:40]!r}; it must be a number in this format",
                document.path,
            )
        part = document.part.lstrip("0") or "0"
        name = document.id.removesuffix(_part_suffix(part))
        # Only further parts of a document in this corpus have the part in the id; any other id is kept as it is.
        if part in seen.get(name, {part}):
            name = document.id
        seen.setdefault(name, set()).add(part)
        yield DocumentKey(name, part)


def key_to_column(key: DocumentKey) -> str:
    """Name and part as one word without white space."""
    column = escape(key.name)
    if key.part != "0":
        return column + escape(_part_suffix(key.part))
    return column.replace(";", "\\u003b") if _WITH_PART.fullmatch(column) else column


def column_to_key(column: str) -> DocumentKey:
    """The inverse of `key_to_column`."""
    match = _WITH_PART.fullmatch(column)
    return DocumentKey(unescape(match[1]), match[2].lstrip("0") or "0") if match else DocumentKey(unescape(column))


def _part_suffix(part: str) -> str:
    return f"; part {part.zfill(3)}"


KIND_NUMBERS: dict[str | None, int] = {None: 0, **{kind: number for number, kind in enumerate(KINDS, 1)}}
"""The number of each kind in the column of kinds; 0 for none."""
Ints = NDArray[np.int64]

IdScope = Literal["local", "global"]
"""Whether a cluster id of a CoNLL file means a cluster of one document, or the same cluster in every document."""


def beginning(mention: Mention) -> tuple[int, bool, int, int]:
    """A key that sorts the mentions of a document by where they begin: of those that begin at one token, a mention of
    that token alone comes first, then the longest; an event comes before an entity.

    Which of two clusters with the same mention is the first, and so the one in which it counts, depends on this order.
    So all formats number clusters by it.
    """
    return mention.start, mention.end - mention.start > 1, -mention.end, KIND_NUMBERS[mention.kind]


class EmptyNode(NamedTuple):
    """A word that the text omits, as CorefUD has them: a dropped pronoun, for example."""

    token: int
    """Its token index in the document."""
    sentence: int
    """The number of its sentence in the document, from 0."""
    id: str
    """Its id in the sentence: ``"3.1"`` is the first behind the third word."""
    dependencies: tuple[str, ...] = ()
    """Its enhanced dependencies, such as ``"4:nsubj"``."""


@dataclass(slots=True)
class DocumentRow:
    """A document of a table."""

    topic: str | None = None
    subtopic: str | None = None
    tokens: int = 0
    line: int | None = None
    """The line on which it begins."""
    ids_of: int | None = None
    """The index of the first document of those with which it shares cluster ids; None if it shares them with all."""
    empty_nodes: list[EmptyNode] = field(default_factory=list)
    """Those of its tokens that the text omits, in order."""


@dataclass(slots=True)
class MentionTable:
    """The mentions of a file."""

    path: str
    local_clusters: bool = False
    """Whether no cluster spans several documents by definition: cluster names are local to a document, as in CorefUD
    and CoNLL-2012."""
    ids: IdScope | None = None
    """How the cluster ids of a CoNLL file with several documents were taken; None for other files."""
    documents: dict[DocumentKey, DocumentRow] = field(default_factory=dict)
    """The documents, in file order."""
    document: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    start: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    end: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    """The document index, first token and end token (exclusive) of each mention. *Shape:* (mentions,)"""
    cluster: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    """The cluster of each mention, as an index into `names`. *Shape:* (mentions,)"""
    order: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    """The order in which the mentions begin: in CoNLL as in the file, elsewhere that of `beginning`. *Shape:*
    (mentions,)"""
    kind: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    """The kind of each mention, as a number from `KIND_NUMBERS`. *Shape:* (mentions,)"""
    gaps: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """The tokens of discontinuous mentions, by mention index."""
    names: list[str] = field(default_factory=list)


class MentionTableBuilder:
    """Builds a `MentionTable` from documents and mentions, one at a time."""

    def __init__(self, path: str) -> None:
        self.table = MentionTable(path)
        self._document = -1
        self._values = array("q")
        self._numbers: dict[object, int] = {}

    def begin_document(self, key: DocumentKey, row: DocumentRow) -> None:
        """Begin the next document, to which the following mentions belong."""
        if key in self.table.documents:
            raise InputError(
                f"document {str(key)!r} begins a second time; the lines of a document must be contiguous",
                self.table.path,
                row.line,
            )
        self.table.documents[key] = row
        self._document += 1

    def cluster(self, name: object, shown: str) -> int:
        """The number of the cluster with that name."""
        number = self._numbers.setdefault(name, len(self._numbers))
        if number == len(self.table.names):
            self.table.names.append(shown)
        return number

    def add(self, start: int, end: int, cluster: int, order: int, kind: int = 0) -> None:
        """Add a mention of the current document, from token `start` to `end` (exclusive)."""
        self._values.extend((self._document, start, end, cluster, order, kind))

    def add_tokens(self, tokens: tuple[int, ...], cluster: int, order: int, kind: int = 0) -> None:
        """Add a mention of the current document, possibly discontinuous; `tokens` are ascending."""
        if tokens[-1] - tokens[0] + 1 != len(tokens):
            self.table.gaps[len(self._values) // 6] = tokens
        self.add(tokens[0], tokens[-1] + 1, cluster, order, kind)

    def finish(self, *, as_in_file: bool = False) -> MentionTable:
        """The table; mentions begin in the order of `beginning`, or `as_in_file` in that which they were added with."""
        columns = np.array(self._values, np.int64).reshape(-1, 6).T.copy()
        table = self.table
        table.document, table.start, table.end, table.cluster, table.order, table.kind = columns
        if not as_in_file:
            several = table.end - table.start > 1
            rank = np.lexsort((table.order, table.kind, -table.end, several, table.start, table.document))
            table.order = np.empty(len(rank), np.int64)
            table.order[rank] = np.arange(len(rank))
        return table


def table_of_corpus(corpus: Corpus, name: str) -> MentionTable:
    """The mention table of a corpus, in its order, as if read from a file with that name."""
    builder = MentionTableBuilder(name)
    numbers = corpus.mention_numbers()
    for document in corpus.documents:
        row = DocumentRow(document.topic, document.subtopic, len(document.tokens))
        builder.begin_document(DocumentKey.of(document.id, document.part), row)
        for number in numbers[document.id]:
            mention = corpus.mentions[number]
            if mention.kind not in KIND_NUMBERS:
                raise InputError(f"a mention of document {document.id!r} has the unknown kind {mention.kind!r}", name)
            key: object = object() if mention.cluster is None else (mention.kind, mention.cluster)
            cluster = builder.cluster(key, mention.cluster or "")
            builder.add_tokens(mention.tokens, cluster, number, KIND_NUMBERS[mention.kind])
    return builder.finish()
