"""What a format is: its name, how a file of it is recognised, and the functions that read and write it.

A new format is a module beside this one that ends in a `Format`, and its line in `registry`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from cdcoref.corpus import Corpus
from cdcoref.formats.mention_table import MentionTable


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What files of some formats leave open.

    Attributes
    ----------
    id
        The document's id, where a file is one document without an id (plain text); its name by default.
    kind
        The kind of the mentions, where the format does not say kinds (CoNLL, CorefUD).
    clusters
        Where a cluster's name means the same cluster, if the format leaves it open (CoNLL): in all files that are read
        together, or in one document only.
    pipeline
        Name or folder of a spaCy pipeline that finds the sentences of untokenised text; None for rules.
    """

    id: str | None = None
    kind: str | None = None
    clusters: Literal["corpus", "document"] = "corpus"
    pipeline: str | None = None


Read = Callable[[Path, ReadOptions], Corpus]
ReadTable = Callable[[Path], MentionTable]
Write = Callable[[Corpus, Path, str | None], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Format:
    """A format of files.

    Attributes
    ----------
    name
        As it is called in messages.
    suffixes
        Endings of file names that speak for it where the content does not (an empty file); ``.gz`` is taken off
        before. Files that are written must have the first.
    recognise
        Whether the beginning of a file (its first bytes, decompressed) shows this format. It may not be right of the
        files of another format.
    read
        A file to a corpus.
    read_table
        A file to its mentions alone, for scoring; None for a format that says no coreference.
    write
        Writes a corpus in the layout of that name (None: the default one) and returns one sentence for whatever the
        corpus says and the file does not; None for a format that is only read.
    layouts
        Names of its layouts, the default one first, if it has several.
    """

    name: str
    suffixes: tuple[str, ...]
    recognise: Callable[[bytes], bool]
    read: Read
    read_table: ReadTable | None = None
    write: Write | None = None
    layouts: tuple[str, ...] = ()
