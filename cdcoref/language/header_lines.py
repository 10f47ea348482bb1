"""Lines at the beginning of a text that are not part of the report: who wrote it, and when it was published."""

from __future__ import annotations

import re

from cdcoref.language.dates import MONTHS, WEEKDAYS
from cdcoref.word_tables import words_in

HEADER_LINES = 8
"""Lines with text, from the beginning, that may be bylines, datelines and dates."""
_LONGEST_BYLINE = 100
"""In characters."""
_LONGEST_DATE_LINE = 80

_PARTICLES = rf"(?:{'|'.join(sorted(words_in('before_names.tsv', 'particle')))})"
_NO_NAME = r"(?!(?:A|An|The|Staff|Senior|Special|Associated|Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)(?:day)?\b)"
_NAME = rf"{_NO_NAME}[A-Z][\w.'’-]*(?:\s+(?:{_PARTICLES}\s+)*[A-Z][\w.'’-]*){{1,3}}"
_BYLINE = re.compile(rf"(?:By|BY)\s+(?P<author>{_NAME}(?:(?:\s*,|\s+and|\s*&)\s+{_NAME})*)\s*(?:[,|/–—-]\s*.*)?")
_BY_OTHERS = re.compile(
    r"(?:By|BY)\s+(?:[A-Z][\w.'’-]+|(?:[\w'’-]+\s+){0,4}(?:desk|staff|newsroom|agencies|correspondents?|reporters?|writers?))"
)
"""A byline without a full name ("By Tremorbot", "By our foreign desk")."""
_DATE_WORDS = words_in("date_line_words.tsv")
_NAMES = (*MONTHS, *WEEKDAYS)
"""Of days and months, which may be shortened."""


def byline_author(line: str) -> str | None:
    """The names in a byline, or None if the line is something else.

    >>> byline_author("By Ann Lee, science editor"), byline_author("By noon the ferry had sunk")
    ('Ann Lee', None)
    """
    found = _BYLINE.fullmatch(line) if len(line) <= _LONGEST_BYLINE else None
    return None if found is None else " ".join(found["author"].split())


def is_date_line(line: str) -> bool:
    """Whether a line states when a text was published, and nothing else.

    >>> is_date_line("Updated 5:30 p.m. EST, Tuesday, November 8, 2016"), is_date_line("Ferry sinks on 5 May")
    (True, False)
    """
    if len(line) > _LONGEST_DATE_LINE or line[:1] == "|" or re.search(r"\d", line) is None:  # not a row of a table
        return False
    found = re.findall(r"[^\W\d_]+", re.sub(r"\b([ap])\.m\b", r"\1m", line.casefold()))
    return all(word in _DATE_WORDS or any(name.startswith(word) for name in _NAMES if word[2:]) for word in found)


def is_header_line(line: str) -> bool:
    """Whether a line is a byline or states when a text was published, and nothing else.

    >>> is_header_line("By our foreign desk"), is_header_line("By Friday"), is_header_line("By the river")
    (True, False, False)
    >>> is_header_line("By Ann Lee · The Courier · Last updated: 9 May 2021"), is_header_line("Mill sold | 9 May")
    (True, False)
    """
    if is_date_line(line) or byline_author(line) is not None:
        return True
    parts = [part.strip() for part in re.split("[·•|]", line)] if len(line) < 2 * _LONGEST_BYLINE else []
    if len(parts) > 1 and any(map(byline_author, parts)):  # "By Ann Lee · The Courier · 5 May 2024"
        return any(map(is_date_line, parts)) and all(is_header_line(p) or not re.search(r"\b[a-z]", p) for p in parts)
    return _BY_OTHERS.fullmatch(line) is not None and line.split()[-1] not in {name.title() for name in _NAMES}
