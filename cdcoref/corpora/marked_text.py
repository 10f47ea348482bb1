"""Texts whose mentions are marked where they stand, as a person writes them: ``The ferry [sank](event:sinking).``"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from cdcoref.corpus import Document, Mention
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
