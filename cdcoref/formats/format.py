"""A file format: its name, how its files are recognised, and the functions that read and write them.

A new format is one module that defines a `Format`, and an entry in `registry`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.formats.mention_table import IdScope, MentionTable, table_of_corpus
from cdlm.printing import counted


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """Choices that some formats leave to the reader."""

    id: str | None = None
    """The document id, if a file is a single document without an id (plain text); the file name by default."""
    kind: str | None = None
    """The kind of all mentions, if the format has no kinds (CoNLL, CorefUD)."""
    ids: IdScope | None = None
    """Whether cluster ids in CoNLL are ``"local"`` to a document or ``"global"`` to all files read together; None to
    take them as the file has them (see `conll_parsing`)."""
    several: bool = False
    """Whether the file is one of several that are read together. Cluster ids in CoNLL are then local to the file unless
    `ids` is ``"global"``."""
    with_clusters: bool = True
    """Whether the clusters of the file are used, so that how their names were taken is worth a note."""
    pipeline: str | None = None
    """Name or folder of a spaCy pipeline that splits untokenised text into sentences; None for rules."""
    encoding: str | None = None
    """The encoding of plain text that is neither UTF-8 nor has a byte order mark; None to reject such text."""
    text_column: str | None = None
    """The column of a table (CSV, Parquet) with the texts; None for one with a usual name."""
    every_kind: bool = False
    """Whether a file is refused if a mention in it is neither an event nor an entity."""


Read = Callable[[Path, ReadOptions], Corpus]
ReadTable = Callable[[Path, ReadOptions], MentionTable]
Write = Callable[[Corpus, Path, str | None], tuple[str, ...]]


def table_reader(read: Read) -> ReadTable:
    """Reads the mentions of files of a format that can only be read whole."""
    return lambda path, options: table_of_corpus(read(path, options), str(path))


def check_corpus(corpus: object) -> None:
    """Refuse with an `InputError` what is no corpus."""
    if not isinstance(corpus, Corpus):
        raise InputError(f"give a corpus, such as prediction.corpus, not {type(corpus).__name__}")


def lost_of_documents(corpus: Corpus, format: str, *, topics: bool = True) -> tuple[str, ...]:
    """A sentence for each thing of documents that a format lacks: which sentences were annotated, and their topics."""
    lost = {"topics": 0, "lists of annotated sentences": 0}
    for document in corpus.documents:
        lost["topics"] += topics and (document.topic, document.subtopic) != (None, None)
        lost["lists of annotated sentences"] += document.annotated is not None
    return tuple(
        f"omitted: the {what} of {counted(number, 'document')}, since {format} has none"
        for what, number in lost.items()
        if number
    )


class WriteDocument(Protocol):
    """Writes a document and its mentions."""

    def __call__(
        self, document: Document, mentions: Sequence[Mention], clusters: Sequence[Mapping[str, Any]] = (), /
    ) -> None:
        """Write them, with what else is known of clusters: objects with ``cluster`` and ``kind``."""


Writer = Callable[[Path], AbstractContextManager[WriteDocument]]


@dataclass(frozen=True, slots=True)
class Format:
    """A file format.

    Attributes
    ----------
    name
        The name used in messages.
    suffixes
        File name suffixes, without ``.gz``, that decide if the content does not (an empty file). Files are written with
        the first.
    recognise
        Whether a file is in this format, judged by its first bytes (decompressed). It must reject other formats.
    read
        Reads a file into a corpus.
    read_table
        Reads only the mentions, for scoring; None for a format without coreference.
    write
        Writes a corpus in the named layout (None for the default) and returns a sentence for each kind of information
        lost; None for a read-only format.
    writer
        Writes a file document by document; None if the format needs the whole corpus.
    layouts
        The names of its layouts, default first, if it has several.
    omits
        The fields of mentions that it lacks: ``kind``, ``confidence``.
    names
        Whether it has the names that people gave to clusters.
    metadata
        Whether it has the metadata of documents.
    kept_metadata
        The names of those that it keeps though it has no others.
    """

    name: str
    suffixes: tuple[str, ...]
    recognise: Callable[[bytes], bool]
    read: Read
    read_table: ReadTable | None = None
    write: Write | None = None
    writer: Writer | None = None
    layouts: tuple[str, ...] = ()
    omits: tuple[str, ...] = ()
    names: bool = False
    metadata: bool = False
    kept_metadata: frozenset[str] = frozenset()
