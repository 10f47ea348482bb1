"""Mentions as readers see them: their words, and where these are in the text."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass

from cdcoref.corpus import Document, Mention, character_parts, mention_text


@dataclass(frozen=True, slots=True)
class PredictedMention:
    """A mention, located in the text for a reader.

    `start`, `end`: characters of the document's text, end exclusive. `line`: where it begins, from 1. `text`: its words
    there; the parts of a discontinuous mention are joined by ``" ... "``.
    """

    document: str
    kind: str
    start: int
    end: int
    line: int
    text: str
    confidence: float | None


class LocatedMentions:
    """Finds the mentions of documents in their texts; the ends of lines are found once per document, on demand."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self._documents = {document.id: document for document in documents}
        self._line_ends: dict[str, list[int]] = {}

    def shown(self, mention: Mention) -> PredictedMention:
        """The mention with its character range, line and words."""
        document = self._documents[mention.document]
        parts = character_parts(mention, document)
        start, end = parts[0][0], parts[-1][1]
        return PredictedMention(
            document.id,
            mention.kind or "",
            start,
            end,
            self._line(document, start),
            mention_text(mention, document),
            mention.confidence,
        )

    def sentence(self, mention: Mention) -> str:
        """The words of the sentence in which the mention begins."""
        return self._documents[mention.document].sentence_text(mention.start)

    def _line(self, document: Document, character: int) -> int:
        if document.id not in self._line_ends:
            self._line_ends[document.id] = [m.start() for m in re.finditer("\n", document.text)]
        return bisect_left(self._line_ends[document.id], character) + 1
