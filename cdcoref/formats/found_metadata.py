"""The beginning of a news text and the name of its file in, its headline, byline, dateline and date out.

Only what is plain is taken: a line at the beginning, or after a date there, that is no sentence, "By NAME" on a line of
its own, a date on a line of its own, in the dateline or in the file's name, and the agency and the place of a dateline
("TRESK, 5 March 2024 (Reuters) - A ferry sank"). Nothing is guessed from running text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from itertools import islice
from typing import Any

from cdcoref.corpus import Document
from cdcoref.language import day_in, day_in_name

HEADER_LINES = 8
"""Lines with text, from the beginning, in which a byline, a dateline and a date are looked for."""
LONGEST_HEADLINE = 160
"""In characters."""
_LONGEST_BYLINE = 100
_LONGEST_DATE_LINE = 60
_BEGINNING = 4000
"""Characters of the text that are looked at."""

_PARTICLES = r"(?:al|bin|da|de|del|della|der|di|la|le|van|von)"
_NO_NAME = r"(?!(?:A|An|The|Staff|Senior|Special|Associated|Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)(?:day)?\b)"
_NAME = rf"{_NO_NAME}[A-Z][\w.'’-]*(?:\s+(?:{_PARTICLES}\s+)*[A-Z][\w.'’-]*){{1,3}}"
_BYLINE = re.compile(rf"(?:By|BY)\s+(?P<author>{_NAME}(?:(?:,|\s+and|\s*&)\s+{_NAME})*)\s*(?:[,|/–—-]\s*.*)?")
_REGION = r",\s(?:[A-Z][a-z]+\.?|[A-Z][A-Z.]+)(?:\s[A-Z][a-z]+)?(?![\w ]*[0-9])"
_DATELINE = re.compile(
    rf"(?P<place>[A-Z][A-Z.'’-]+(?:\s[A-Z][A-Z.'’-]+)*(?:{_REGION})?)"
    r"(?:,\s+(?P<date>[^()—–\n]{3,24}?))?\s*(?:\((?P<source>[A-Z][\w&. ]{1,30})\))?"
    r"\s*(?:[—–]|--?|(?<=[0-9])\.)\s+\S"
)
_DATE_WORDS = re.compile(
    r"\b(?:published|updated|posted|date|on|at|mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun|(?:mon|tues|wednes|"
    r"thurs|fri|satur|sun)day|jan\w*|feb\w*|mar\w*|apr\w*|may|june?|july?|aug\w*|sep\w*|oct\w*|nov\w*|dec\w*|of|st|nd|rd|"
    r"th|t|z|[ap]\.?m|gmt|utc|[bcempw][de]?s?t)\b",
    re.IGNORECASE,
)
_ENDS = tuple(".,:;")
_CLOSING = "\"'”’)"


def found_metadata(text: str, id: str) -> dict[str, str]:
    """What the beginning of a text and its name plainly state.

    Parameters
    ----------
    text, id
        Of the document; the id is usually the name of its file.

    Returns
    -------
    dict
        ``"title"``, ``"author"``, ``"date"`` (ISO 8601), ``"source"`` and ``"place"``, those that were found.

    >>> found_metadata("Ferry sinks\\n\\nBy Ann Lee\\n\\nTRESK, 5 March 2024 (Reuters) - A ferry sank.", "a.txt")
    {'title': 'Ferry sinks', 'author': 'Ann Lee', 'place': 'TRESK', 'source': 'Reuters', 'date': '2024-03-05'}
    """
    lines = [line.strip() for line in text[:_BEGINNING].splitlines() if line.strip()]
    found: dict[str, str] = {}
    headline = lines[1:] if lines and _is_date(lines[0]) else lines
    if len(headline) > 1 and _is_headline(headline[0]):
        found["title"] = " ".join(headline[0].split())
    dates = [day_in_name(id)]
    for line in islice(lines, HEADER_LINES):
        if len(line) <= _LONGEST_BYLINE and (byline := _BYLINE.fullmatch(line)):
            found.setdefault("author", " ".join(byline["author"].split()))
            dates.append(day_in(line))
        elif dateline := _DATELINE.match(line):
            found.setdefault("place", dateline["place"])
            if dateline["source"]:
                found.setdefault("source", dateline["source"])
            dates.append(day_in(dateline["date"] or ""))
        elif _is_date(line):
            dates.append(day_in(line))
    day = next(filter(None, dates), None)
    if day is not None:
        found["date"] = day
    return found


def with_stated(document: Document, stated: Mapping[str, Any]) -> Document:
    """The document with metadata that its source states, which take precedence over what was found."""
    return replace(document, metadata={**document.metadata, **stated}, found=frozenset(document.found - stated.keys()))


def plain_value(value: Any) -> Any:
    """A value as JSON has it; None for one that it does not have, and for a number that is none."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, list):
        return [plain for entry in value if (plain := plain_value(entry)) is not None] or None
    if isinstance(value, dict):
        return {str(name): plain_value(entry) for name, entry in value.items()} or None
    return value if isinstance(value, str | int | float | bool) else None


def _is_date(line: str) -> bool:
    """Whether a line has a date and nothing else."""
    plain = len(line) <= _LONGEST_DATE_LINE and not re.search("[^\\W\\d_]", _DATE_WORDS.sub("", line))
    return plain and day_in(line) is not None


def _is_headline(line: str) -> bool:
    """Whether a line is no sentence, no byline, no dateline and no date, but words."""
    ended = line.rstrip(_CLOSING).endswith(_ENDS)
    words = line.split()
    plain = _BYLINE.fullmatch(line) is None and _DATELINE.match(line) is None
    letters = re.search("[^\\W\\d_]", _DATE_WORDS.sub("", line)) is not None
    return (
        plain and letters and not ended and len(words) > 1 and len(line) <= LONGEST_HEADLINE and not line[0].islower()
    )
