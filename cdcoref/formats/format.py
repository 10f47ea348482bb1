"""A file format: its name, how its files are recognised, and the functions that read and write them."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from cdcoref.corpus import Corpus
from cdcoref.errors import InputError
from cdcoref.formats.mention_table import IdScope, MentionTable, table_of_corpus
from cdlm.printing import counted

_COREFERENCE = re.compile(r"coref|same|ident|relation$", re.IGNORECASE)
"""Relations that mean coreference, unless the user names others; Label Studio's have the name "relation" if none."""


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
    columns: Mapping[str, str] | None = None
    """The columns of tables, or fields of JSON, with the text and metadata, by the names used here (text, title, date,
    source, ...), where they have no usual names; None if all have."""
    relations: tuple[str, ...] = ()
    """The relations of brat and annotation tools that mean coreference; () for those whose name says so."""
    every_kind: bool = False
    """Whether a file is refused if a mention in it is neither an event nor an entity."""

    def joins(self, relation: str, remark: Callable[[str], None]) -> bool:
        """Whether a relation of a name means coreference; one that does not is remarked on."""
        chosen = {name.casefold() for name in self.relations}
        joins = relation.casefold() in chosen if chosen else _COREFERENCE.search(relation) is not None
        if not joins:
            remark(f"relation {relation!r} is not used; --relations names those that mean coreference")
        return joins


Read = Callable[[Path, ReadOptions], Corpus]
ReadTable = Callable[[Path, ReadOptions], MentionTable]
Write = Callable[[Corpus, Path, str | None], tuple[str, ...] | None]


def table_reader(read: Read) -> ReadTable:
    """Reads the mentions of files of a format that can only be read whole."""
    return lambda path, options: table_of_corpus(read(path, options), str(path))


def check_corpus(corpus: object) -> None:
    """Refuse with an `InputError` what is no corpus."""
    if not isinstance(corpus, Corpus):
        raise InputError(f"give a corpus, such as prediction.corpus, not {type(corpus).__name__}")


def lost_of_documents(corpus: Corpus, format: str) -> tuple[str, ...]:
    """A sentence for each thing of documents that a format lacks: which sentences were annotated, and their topics."""
    lost = {"topics": 0, "lists of annotated sentences": 0}
    for document in corpus.documents:
        lost["topics"] += (document.topic, document.subtopic) != (None, None)
        lost["lists of annotated sentences"] += document.annotated is not None
    return tuple(
        f"omitted: the {what} of {counted(number, 'document')}, since {format} has none"
        for what, number in lost.items()
        if number
    )


@dataclass(frozen=True, slots=True)
class Format:
    """A file format."""

    name: str
    """The name used in messages."""
    suffixes: tuple[str, ...]
    """File name suffixes, without ``.gz``, that decide if the content does not; files are written with the first."""
    read: Read
    recognise: Callable[[bytes], object] = lambda start: False
    """Whether a file is in this format, judged by its first bytes (decompressed), so that the answer is true or false.
    It must reject other formats. By default, the format is known by its name alone."""
    read_table: ReadTable | None = None
    """Reads only the mentions, for scoring; None for a format without coreference."""
    write: Write | None = None
    """Writes a corpus in the named layout; returns a sentence for each kind of information lost. None: read-only."""
    layouts: tuple[str, ...] = ()
    """The names of its layouts, default first, if it has several."""
    omits: tuple[str, ...] = ()
    """The fields of mentions that it lacks: ``kind``, ``confidence``."""
    names: bool = False
    """Whether it has the names that people gave to clusters."""
    metadata: bool = False
    """Whether it has the metadata of documents."""
    kept_metadata: frozenset[str] = frozenset()
    """The names of those that it keeps though it has no others."""
