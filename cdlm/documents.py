"""Annotated documents as plain values: what the language model is told of a corpus that others read.

The language model reads no corpus format with mentions in it and imports no package that does. A package that has
such a reader announces it under the entry point group ``cdlm.corpora``; here a corpus' name, its folder and a split go
in, and documents with mention spans come out.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path

from cdlm.errors import InputError

KINDS = ("event", "entity")
"""Kinds of mention."""
READERS = "cdlm.corpora"
"""Entry point group of functions: a corpus' name, its folder and a split in, a list of `AnnotatedDocument` out."""


@dataclass(frozen=True, slots=True)
class MentionSpan:
    """A mention of something.

    Attributes
    ----------
    words
        Indices of its words in the document, ascending; not necessarily contiguous.
    kind
        One of `KINDS`.
    cluster
        Two mentions of one kind corefer if and only if their clusters have the same name; None for a singleton.
    """

    words: tuple[int, ...]
    kind: str
    cluster: str | None


@dataclass(frozen=True, slots=True)
class AnnotatedDocument:
    """One document, split into words, with the mentions in it.

    Attributes
    ----------
    id
        Unique in its corpus.
    group
        Name of the set of related documents that it belongs to.
    words
        What an encoder may see of it.
    """

    id: str
    group: str
    words: tuple[str, ...]
    mentions: tuple[MentionSpan, ...] = ()


def annotated_documents(corpus: str, folder: str | Path, split: str) -> list[AnnotatedDocument]:
    """Read a split of an annotated corpus with the readers that an installed package announces.

    Raises
    ------
    InputError
        If no installed package announces readers, or they do not know the corpus or cannot use the folder.
    """
    for entry in entry_points(group=READERS):
        return entry.load()(corpus, folder, split)
    raise InputError(
        f"no installed package announces readers of annotated corpora (entry point group {READERS}); cdcoref does: "
        "install it, or install it anew, with `pip install .`",
        folder,
    )
