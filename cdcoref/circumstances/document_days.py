"""The day of a document: its metadata, its id and its first sentences in, a day out, with or without a year."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from cdcoref.corpus import Document
from cdcoref.facts import Period, is_short_month, times_in
from cdcoref.language import BEFORE_OTHER_DAYS, day_in, day_in_name
from cdcoref.word_tables import words_in

FIRST_SENTENCES = 5
"""Sentences of a document in which its day is looked for."""
_DATELINE = 12
"""Words of a sentence in which a dateline or a line with the date ends."""
_IN_PROSE = words_in("time_words.tsv", "prose")
_OF_PUBLICATION = re.compile(r"publish|pub_?date|posted", re.IGNORECASE)
"""In names of metadata: "date_publish", "datePublished", "published_at", "pubDate"."""
_DASHES = frozenset({"-", "--", "–", "—", "―", "(", ")", "|", ":"})


def day_of(document: Document) -> Period | None:
    """The day of a document; without a year if none is stated.

    That of its stated metadata, of its id or of its address on the web; or of the first line that is a date ("June 15 ,
    2014 - 07:07"), or of its dateline ("ATHENS, Aug. 6 (Meridian) -"); or else the first full date of its beginning.
    What a hidden sentence states does not count.
    """
    if (known := _stated_day(document) or day_in_name(document.id)) is not None:
        return Period.of_day(date.fromisoformat(known))
    if (known := _day_in_address(document)) is not None:
        return Period.of_day(date.fromisoformat(known))
    shown = [bounds for number, bounds in enumerate(document.sentences) if number not in document.hidden]
    full: Period | None = None
    without_year: Period | None = None
    for number, (start, end) in enumerate(shown[:FIRST_SENTENCES]):
        if number + 1 < len(shown) and _ends_in_short_month(document.tokens[start:end]):
            end = shown[number + 1][1]  # the full stop of "Feb. 5" ended a sentence
        words = document.tokens[start:end]
        for one in times_in(words, None):
            if one.period is None or one.period.days > 1:
                continue
            before = words[one.start - 1].casefold() if one.start else ""
            if before in BEFORE_OTHER_DAYS:
                continue
            if one.period.has_year and (before not in _IN_PROSE or len(words) <= _DATELINE):
                return one.period
            if one.period.has_year:
                full = full or one.period
            elif before not in _IN_PROSE and one.end < _DATELINE and _ends_dateline(words, one.end):
                without_year = without_year or one.period
    return without_year or full


def _stated_day(document: Document) -> str | None:
    """The day in a document's stated metadata: its date, or else when it was published."""
    names = [name for name in document.metadata if name not in document.found and _OF_PUBLICATION.search(name)]
    names = names if "date" in document.found else ["date", *names]
    return next((day for name in names if (day := day_in(str(document.metadata.get(name, ""))))), None)


def _day_in_address(document: Document) -> str | None:
    """The day in a document's address on the web: in its metadata, or its first line."""
    shown = document.sentences[:1] if 0 not in document.hidden else ()
    start, end = shown[0] if shown else (0, 0)
    line = "".join(document.tokens[start:end])
    addresses = (str(document.metadata.get("url", "")), line if line.startswith(("http:", "https:")) else "")
    return next((day for day in map(day_in_name, addresses) if day is not None), None)


def _ends_in_short_month(words: Sequence[str]) -> bool:
    """Whether a sentence ends with the shortened name of a month."""
    word, stop = words[-1:], 0
    if word and word[0] == ".":
        word, stop = words[-2:-1], 1
    short = [one.removesuffix(".").casefold() for one in word if stop or one.endswith(".")]
    return len(words) <= _DATELINE and any(map(is_short_month, short))


def _ends_dateline(words: Sequence[str], place: int) -> bool:
    """Whether a dash or bracket follows a date, or nothing does."""
    return place >= len(words) or words[place] in _DASHES
