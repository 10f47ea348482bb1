"""What a file says about coreference, as columns: mentions, their clusters, and the documents they lie in.

This is what scoring reads: a million mentions are a few arrays here, where `Corpus` would hold millions of objects.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from cdcoref.corpus import KINDS, Corpus, Mention
from cdcoref.errors import InputError
from cdcoref.formats.document_names import DocumentKey

KIND_NUMBERS: dict[str | None, int] = {None: 0, **{kind: number for number, kind in enumerate(KINDS, 1)}}
"""What the column of kinds has for every kind: 0 for a kind that is not said."""

Ints = NDArray[np.int64]


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
        For every mention, the number of its kind in `KIND_NUMBERS`. *Shape:* (mentions,)
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

    def add_mention(self, tokens: tuple[int, ...], kind: str | None, name: str | None) -> None:
        """Add a mention of the current document whose cluster is its kind and the name.

        A mention without a name is a cluster of its own, which no other name can be equal to.
        """
        key: object = (kind, name) if name is not None else object()
        cluster = self._numbers.get(key)
        if cluster is None:
            cluster = self.cluster(key, name or "")
        row = len(self._values) // 6
        start, end = tokens[0], tokens[-1] + 1
        if end - start != len(tokens):
            self.table.gaps[row] = tokens
        self._values.extend((self._document, start, end, cluster, row, KIND_NUMBERS[kind]))

    def finish(self) -> MentionTable:
        """The table."""
        columns = np.array(self._values, np.int64).reshape(-1, 6).T.copy()
        table = self.table
        table.document, table.start, table.end, table.cluster, table.order, table.kind = columns
        return table


def table_of_corpus(corpus: Corpus, name: str) -> MentionTable:
    """The mention table of a corpus, as if it had been read from a file of that name.

    Documents have the order of the corpus, and the mentions of a document too, as in a file of JSON lines.

    Raises
    ------
    InputError
        If two documents of the corpus are the same part of the same document, or a kind is unknown.
    """
    builder = MentionTableBuilder(name)
    mentions: dict[str, list[Mention]] = {document.id: [] for document in corpus.documents}
    for mention in corpus.mentions:
        mentions[mention.document].append(mention)
    for document in corpus.documents:
        row = DocumentRow(document.topic, document.subtopic, len(document.tokens))
        builder.begin_document(DocumentKey.of(document.id, document.part), row)
        for mention in mentions[document.id]:
            if mention.kind not in KIND_NUMBERS:
                raise InputError(f"a mention of document {document.id!r} has the unknown kind {mention.kind!r}", name)
            builder.add_mention(mention.tokens, mention.kind, mention.cluster)
    return builder.finish()
