"""The reader of Invented Texts, the corpus in ``data/invented``: a folder of Markdown files in, a Corpus out.

A file is a topic with stories of one kind, such as two train crashes. A heading ``## 1a`` begins a text: the number is
that of its story, the letter tells the texts of a story apart. Mentions are marked in the texts
(:mod:`cdcoref.corpora.marked_text`); the names of clusters are unique within a file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from cdcoref.corpora.marked_text import MarkedText
from cdcoref.corpora.splits import SPLITS, missing_split, split_files, text_lines
from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError

TITLE = "Invented Texts"
SUFFIX = ".md"
_HEADING = re.compile(r"## +(\d+)([a-z])\s*")


def invented_splits(root: Path) -> list[str]:
    """The splits with at least one topic in the folder."""
    return [split for split in SPLITS if split_files(root, split, SUFFIX)]


def read_invented(root: Path, split: str) -> Corpus:
    """Read one split; the file is the topic of its documents, the story their subtopic.

    Raises `InputError` if there is no such split, two texts have the same heading, a cluster has mentions of both
    kinds, or a mention does not begin and end where a token does.
    """
    files = split_files(root, split, SUFFIX)
    if not files:
        raise missing_split(TITLE, split, root, invented_splits(root), f"{split}/*{SUFFIX}")
    documents: list[Document] = []
    mentions: list[Mention] = []
    for path in files:
        for document, found in _topic(path):
            documents.append(document)
            mentions.extend(found)
    return Corpus(tuple(documents), tuple(mentions))


def _topic(path: Path) -> Iterator[tuple[Document, list[Mention]]]:
    """The documents of a file, each with its mentions."""
    topic = path.stem
    kinds: dict[str, str] = {}
    for story, letter, marked in _texts(path):
        for span in marked.spans:
            if kinds.setdefault(span.cluster, span.kind) != span.kind:
                message = f"the cluster {span.cluster!r} has events and entities; give it two names"
                raise InputError(message, path, span.line)
        document, mentions = marked.tokenised(f"{topic}_{story}{letter}", topic)
        yield replace(document, topic=topic, subtopic=f"{topic}_{story}", path=str(path)), mentions


def _texts(path: Path) -> Iterator[tuple[str, str, MarkedText]]:
    """The texts of a file: the number of the story, the letter, and the text."""
    begun: dict[tuple[str, str], tuple[int, list[str]]] = {}
    lines: list[str] | None = None
    for number, line in text_lines(path):
        if line.startswith("#"):
            heading = _HEADING.fullmatch(line)
            if heading is None:
                raise InputError("expected a heading like '## 1a', the number of a story and a letter", path, number)
            if (heading[1], heading[2]) in begun:
                raise InputError(f"there is another text with the heading '{line.strip()}'", path, number)
            lines = []
            begun[heading[1], heading[2]] = number + 1, lines
        elif lines is not None:
            lines.append(line)
        elif line.strip():
            raise InputError("there is text before the first heading, which looks like '## 1a'", path, number)
    for (story, letter), (first, of_text) in begun.items():
        yield story, letter, MarkedText.of("\n".join(of_text) + "\n", path, first)
