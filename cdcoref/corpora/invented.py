"""The reader of Invented Texts: a folder of Markdown files, a topic each, in, a Corpus out.

A heading ``## 1a`` begins a text: the number is that of its story, the letter tells the texts of a story apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from cdcoref.corpora.marked_text import MarkedText
from cdcoref.corpora.splits import text_lines
from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError

_HEADING = re.compile(r"## +(\d+)([a-z])\s*")


def read_invented(root: Path, split: str, files: Sequence[Path]) -> Corpus:
    """Read a split; the file is the topic of its documents, the story their subtopic."""
    read = [document for path in files for document in _topic(path)]
    return Corpus(tuple(document for document, _ in read), tuple(m for _, mentions in read for m in mentions))


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
