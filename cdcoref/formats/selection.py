"""Documents in, those of a day or later or of a source out, by their metadata."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from cdcoref.corpus import Corpus
from cdcoref.errors import InputError
from cdcoref.language import date_of, day_in
from cdlm.printing import counted


def day_of(id: str, text: str, metadata: Mapping[str, Any]) -> str | None:
    """The day of a document (ISO 8601): of its date, if it has one, else of its id or the beginning of its text.

    >>> day_of("2024-03-05.txt", "", {}), day_of("a", "", {"date": "6 March 2024"}), day_of("a", "", {})
    ('2024-03-05', '2024-03-06', None)
    """
    stated = metadata.get("date")
    return (day_in(stated) if isinstance(stated, str) else None) or date_of(id, text)


def checked_day(since: str) -> str:
    """A day that a user named, as ISO 8601; an `InputError` if it is none."""
    day = day_in(since)
    if day is None:
        raise InputError(f"{since!r} is not a day; give it as 2024-03-05")
    return day


def select_documents(corpus: Corpus, since: str | None = None, source: str | None = None) -> Corpus:
    """The documents of a corpus that are of a day or later, and of a source; a note counts those without a known date.

    `since` is a day such as ``"2024-03-05"``; `source` is what the metadata name, whatever its capitals.

    Raises `InputError` if `since` is no day.
    """
    if since is None and source is None:
        return corpus
    first = None if since is None else checked_day(since)
    chosen = []
    undated = 0
    for document in corpus.documents:
        of = document.metadata.get("source")
        if source is not None and not (isinstance(of, str) and of.strip().casefold() == source.strip().casefold()):
            continue
        if first is not None:
            day = day_of(document.id, document.text, document.metadata)
            undated += day is None
            if day is None or day < first:
                continue
        chosen.append(document.id)
    notes = [f"{counted(len(chosen), 'document')} of {len(corpus.documents):,} chosen"]
    if undated:
        notes.append(f"{counted(undated, 'document')} without a known date left out by --since")
    return replace(corpus.subset(chosen), notes=(*corpus.notes, *notes))
