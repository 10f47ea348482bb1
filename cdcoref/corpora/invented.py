"""The reader of Invented Texts: a folder of Markdown files, a topic each, in, a Corpus out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from cdcoref.corpora.splits import text_lines, together
from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.formats import tokenise_text

MARK = re.compile(r"\[([^\[\]]+)\]\((event|entity):(\w+)\)")
"""A marked mention: its words, its kind, and the name of its cluster."""


@dataclass(frozen=True, slots=True)
class Span:
    """A marked mention: its characters in the text without marks, and the line of the file in which it is marked."""

    start: int
    end: int
    kind: str
    cluster: str
    line: int


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A text without its marks, the mentions that they marked, and the file that it was read from."""

    text: str
    spans: tuple[Span, ...]
    path: Path

    @classmethod
    def of(cls, source: str, path: Path, first_line: int = 1) -> MarkedText:
        """Take the marks out of a text, which begins in the file at `first_line`."""
        text, position = "", 0
        spans: list[Span] = []
        for mark in MARK.finditer(source):
            text += source[position : mark.start()]
            line = first_line + source.count("\n", 0, mark.start())
            spans.append(Span(len(text), len(text) + len(mark[1]), mark[2], mark[3], line))
            text += mark[1]
            position = mark.end()
        text += source[position:]
        if stray := re.search(r"[\[\]]", text):
            line = first_line + text.count("\n", 0, stray.start())
            message = "a bracket is not part of a mark; write [words](event:name) or [words](entity:name)"
            raise InputError(message, path, line)
        return cls(text, tuple(spans), path)

    def tokenised(self, id: str, group: str) -> tuple[Document, list[Mention]]:
        """The text with the tokens of ``cdcoref predict``, and its mentions; `group` precedes the names of clusters."""
        document = tokenise_text(self.text, id)
        first = {start: number for number, (start, _) in enumerate(document.offsets)}
        last = {end: number for number, (_, end) in enumerate(document.offsets)}
        mentions = []
        for span in self.spans:
            if span.start not in first or span.end not in last:
                words = self.text[span.start : span.end]
                raise InputError(f"the mention {words!r} begins or ends within a token; move it", self.path, span.line)
            tokens = tuple(range(first[span.start], last[span.end] + 1))
            mentions.append(Mention(id, tokens, span.kind, f"{group}:{span.cluster}"))
        return document, mentions


_HEADING = re.compile(r"## +(\d+)([a-z])\s*")


def read_invented(root: Path, split: str, files: Sequence[Path]) -> Corpus:
    """Read a split; the file is the topic of its documents, the story their subtopic."""
    return together(document for path in files for document in _topic(path))


def _topic(path: Path) -> Iterator[Corpus]:
    topic = path.stem
    kinds: dict[str, str] = {}
    for story, letter, marked in _texts(path):
        for span in marked.spans:
            if kinds.setdefault(span.cluster, span.kind) != span.kind:
                message = f"the cluster {span.cluster!r} has events and entities; give it two names"
                raise InputError(message, path, span.line)
        document, mentions = marked.tokenised(f"{topic}_{story}{letter}", topic)
        placed = replace(document, topic=topic, subtopic=f"{topic}_{story}", path=str(path))
        yield Corpus((placed,), tuple(mentions))


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
