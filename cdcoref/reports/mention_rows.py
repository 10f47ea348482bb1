"""Mentions as readers see them: where they are in the text, and as rows of a table."""

import json
import re
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from types import ModuleType
from typing import NamedTuple

from cdcoref.corpus import Document, Mention, character_parts, mention_text
from cdcoref.errors import InputError
from cdcoref.reports.cluster_circumstances import ClusterCircumstances, Stated
from cdlm.extras import install_command


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


class MentionRow(NamedTuple):
    """A mention as a row of a table: of a CSV file or a data frame.

    `cluster` is the cluster's name in the corpus, `cluster_name` what people call it. `confidence` is the mean
    probability that the mention corefers with the others of its cluster; for a detected singleton, that it is a mention
    at all; None if unknown. `start` and `end` are characters. `metadata` is what has no column of its own, as JSON.

    Of an event, `when` is ISO 8601, ``XXXX-08-06`` without a year, ``XXXX-WXX-5`` if no more than Friday is known;
    participants are separated by semicolons; and ``..._stated`` are the words that say so, each with its document and
    characters: ``Tuesday (a.txt:45-52); 5 March (b.txt:7-14)``. What is unknown is empty.
    """

    cluster: str | None
    cluster_name: str
    kind: str
    text: str
    document: str
    line: int
    start: int
    end: int
    confidence: float | None
    cluster_mentions: int
    cluster_documents: int
    story: int | None
    sentence: str
    title: str = ""
    date: str = ""
    source: str = ""
    author: str = ""
    url: str = ""
    metadata: str = ""
    when: str = ""
    where: str = ""
    participants: str = ""
    when_stated: str = ""
    where_stated: str = ""
    participants_stated: str = ""


def stated_text(stated: Iterable[Stated]) -> str:
    """The words that state something, each once, with its document and characters, in one line."""
    return "; ".join(dict.fromkeys(f"{one.text} ({one.document}:{one.start}-{one.end})" for one in stated))


METADATA_COLUMNS = ("title", "date", "source", "author", "url")


def circumstance_cells(known: ClusterCircumstances) -> tuple[str, ...]:
    """The last columns of a row."""
    return (
        *(str(value or "") for value in (known.when, known.where)),
        "; ".join(map(str, known.participants)),
        *(stated_text(() if value is None else value.stated) for value in (known.when, known.where)),
        stated_text(stated for participant in known.participants for stated in participant.stated),
    )


def metadata_cells(document: Document) -> tuple[str, ...]:
    """What is known about a document: the usual fields one by one, and the others as JSON."""
    known = document.metadata
    others = {name: value for name, value in known.items() if name not in METADATA_COLUMNS}
    shown = json.dumps(others, ensure_ascii=False) if others else ""
    return (*(metadata_text(known.get(name)) for name in METADATA_COLUMNS), shown)


def metadata_text(value: object) -> str:
    """A value of metadata for people: lists joined by commas, and nothing for one that is unknown."""
    if value is None:
        return ""
    if isinstance(value, list):
        return ", ".join(map(metadata_text, value))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def require_pandas() -> ModuleType:
    """The pandas package, which is imported only here."""
    try:
        import pandas
    except ImportError:
        raise InputError(f"pandas is not installed; install it with: {install_command('pandas')}") from None
    return pandas
