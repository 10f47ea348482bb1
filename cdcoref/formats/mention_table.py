"""What a file says about coreference, as columns: mentions, their clusters, and the documents they lie in.

This is what scoring reads: a million mentions are a few arrays here, where `Corpus` would hold millions of objects.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cdcoref.errors import InputError

Ints = NDArray[np.int64]


class DocumentKey(NamedTuple):
    """What makes two documents the same document: the name, and the CoNLL part where it is split."""

    name: str
    part: str = "0"

    def __str__(self) -> str:
        return self.name if self.part == "0" else f"{self.name}; part {self.part}"

    @classmethod
    def of(cls, id: str, part: str) -> DocumentKey:
        """The key of a document whose id may say the part a second time (ids are unique in a corpus)."""
        suffix = part_suffix(part)
        return cls(id.removesuffix(suffix) if part != "0" else id, part)


def part_suffix(part: str) -> str:
    """What follows the name of a document in its id where another part of it has the name alone."""
    return f"; part {part.zfill(3)}"


@dataclass(slots=True)
class DocumentRow:
    """One document of a table: its groups, its length in tokens, the line on which it begins."""

    topic: str | None = None
    subtopic: str | None = None
    tokens: int = 0
    line: int | None = None


@dataclass(slots=True)
class MentionTable:
    """The mentions of a file.

    Attributes
    ----------
    path
        The file.
    local_clusters
        Whether the format says that a cluster's name means something within one document only (CorefUD).
    documents
        The documents, in the order of the file.
    document, start, end
        For every mention: the number of its document, its first token, one past its last. *Shape:* (mentions,)
    cluster
        For every mention, the number of its cluster's name in this file. *Shape:* (mentions,)
    order
        For every mention, where in the file it begins; ascending numbers. *Shape:* (mentions,)
    kind
        For every mention, 0 for a kind that is not said, else one more than the place in `cdcoref.corpus.KINDS`.
    gaps
        The tokens of the mentions that are not one unbroken span, by the mention's number.
    names
        The clusters' names.
    """

    path: str
    local_clusters: bool = False
    documents: dict[DocumentKey, DocumentRow] = field(default_factory=dict)
    document: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    start: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    end: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    cluster: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    order: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    kind: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    gaps: dict[int, tuple[int, ...]] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)


class MentionTableBuilder:
    """Collects documents and mentions one at a time into a `MentionTable`."""

    def __init__(self, path: str) -> None:
        self.table = MentionTable(path)
        self._document = -1
        self._values = array("q")
        self._numbers: dict[object, int] = {}

    def begin_document(self, key: DocumentKey, row: DocumentRow) -> None:
        """Start the next document; the mentions that follow are in it.

        Raises
        ------
        InputError
            If the file has had a document of this name and part.
        """
        if key in self.table.documents:
            raise InputError(
                f"document {str(key)!r} begins a second time; all its lines must stand together",
                self.table.path,
                row.line,
            )
        self.table.documents[key] = row
        self._document += 1

    def cluster(self, name: object, shown: str) -> int:
        """The number of the cluster of that name."""
        number = self._numbers.setdefault(name, len(self._numbers))
        if number == len(self.table.names):
            self.table.names.append(shown)
        return number

    def add(self, start: int, end: int, cluster: int, order: int, kind: int = 0) -> None:
        """Add a mention of the current document: tokens from `start` to before `end`."""
        self._values.extend((self._document, start, end, cluster, order, kind))

    def add_tokens(self, tokens: tuple[int, ...], cluster: int, order: int, kind: int = 0) -> None:
        """Add a mention of the current document that may be discontinuous; `tokens` ascend."""
        if tokens[-1] - tokens[0] + 1 != len(tokens):
            self.table.gaps[len(self._values) // 6] = tokens
        self.add(tokens[0], tokens[-1] + 1, cluster, order, kind)

    def finish(self) -> MentionTable:
        """The table."""
        columns = np.array(self._values, np.int64).reshape(-1, 6).T.copy()
        table = self.table
        table.document, table.start, table.end, table.cluster, table.order, table.kind = columns
        return table
