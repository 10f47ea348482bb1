"""Annotated documents as plain values. A package that reads corpora with mentions registers its reader under the entry
point group ``cdlm.corpora``."""

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
    """A mention."""

    words: tuple[int, ...]
    """Indices of its words in the document, ascending; not necessarily contiguous."""
    kind: str
    """One of `KINDS`."""
    cluster: str | None
    """Two mentions of one kind corefer if and only if their clusters have the same name; None for a singleton."""


@dataclass(frozen=True, slots=True)
class AnnotatedDocument:
    """One document, split into words, with the mentions in it."""

    id: str
    """Unique in its corpus."""
    group: str
    """Name of the set of related documents that it belongs to."""
    words: tuple[str, ...]
    """The words that an encoder may see."""
    mentions: tuple[MentionSpan, ...] = ()
    topic: str | None = None
    """The annotated topic, which may have several groups; None if there is none."""


def annotated_documents(corpus: str, folder: str | Path, split: str) -> list[AnnotatedDocument]:
    """Read a split of an annotated corpus with the readers that an installed package registers."""
    for entry in entry_points(group=READERS):
        return entry.load()(corpus, folder, split)
    raise InputError(
        f"no installed package registers readers of annotated corpora (entry point group {READERS}); cdcoref does: "
        "install or reinstall it with `pip install .`",
        folder,
    )
