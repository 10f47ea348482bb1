"""The date of a document: its id and the beginning of its text in, a day out, so that documents can stand in order.

Found are dates in ids (``2024-03-05``, ``2024/03/05/a.txt``, ``news_20240305.txt``), else the first date at the
beginning of the text: ``2024-03-05``, ``05.03.2024``, ``5 March 2024``, ``5th of March, 2024``, ``March 5, 2024``, with
the names of months in English, also shortened (``Mar. 5, 2024``). The day when a bond is due or a quarter ended is not
that of the report. A date that needs more than this is not guessed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from datetime import date

from cdcoref.language.dates import MONTHS
from cdcoref.word_tables import words_in

BEGINNING = 400
"""Characters of a text in which its date is looked for."""

BEFORE_OTHER_DAYS = words_in("before_other_days.tsv")
"""Words before a day that is not that of the report ("a bond due April 24, 1990", "the year ended March 31, 1987")."""
_WORD_BEFORE = re.compile(r"([A-Za-z]+)(?: on)?\s+\Z")
_YEARS = range(1500, 2200)
_SHORTENED = [month[:3] for month in MONTHS]
_MONTH = rf"(?P<month>{'|'.join(rf'{month[:3]}(?:{month[3:]})?' for month in MONTHS)}|sept)\.?"
_DAY = r"(?P<day>[0-3]?[0-9])(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>[0-9]{4})"
_SEPARATED = rf"(?<![0-9]){_YEAR}(?P<sign>[-_./])(?P<month>[0-1]?[0-9])(?P=sign){_DAY}(?![0-9])(?!(?<=/[0-9])-[a-z])"
_IN_ID = (
    re.compile(_SEPARATED),
    re.compile(rf"(?<![0-9]){_YEAR}(?P<month>[0-1][0-9])(?P<day>[0-3][0-9])(?![0-9])"),
)
_IN_TEXT = (
    re.compile(r"(?<![0-9-])(?P<year>[0-9]{4})-(?P<month>[0-1][0-9])-(?P<day>[0-3][0-9])(?![0-9-])"),
    re.compile(r"(?<![0-9.])(?P<day>[0-3]?[0-9])\.(?P<month>[0-1]?[0-9])\.(?P<year>[0-9]{4})(?![0-9.])"),
    re.compile(rf"\b{_DAY}\s+(?:of\s+)?{_MONTH},?\s+{_YEAR}\b", re.IGNORECASE),
    re.compile(rf"\b{_MONTH}\s+{_DAY},?\s+{_YEAR}\b", re.IGNORECASE),
)


def date_of(id: str, text: str) -> str | None:
    """The day of a document (ISO 8601), or None if none is known.

    >>> date_of("news/2024-03-05.txt", ""), date_of("a.txt", "TRESK, 5 March 2024. A ferry sank."), date_of("a", "b")
    ('2024-03-05', '2024-03-05', None)
    """
    return day_in_name(id) or next(_days(_IN_TEXT, text[:BEGINNING], BEFORE_OTHER_DAYS), None)


def day_in(text: str) -> str | None:
    """The first day (ISO 8601) that a text states in figures or with the name of a month; None if there is none.

    >>> day_in("2016-05-01T10:00:00Z"), day_in("Published: 5 March 2024"), day_in("2016/5/1"), day_in("in May")
    ('2016-05-01', '2024-03-05', '2016-05-01', None)
    """
    return next(_days((_IN_ID[0], *_IN_TEXT), text), None)


def day_in_name(id: str) -> str | None:
    """The day (ISO 8601) in the name of a file or document; None if there is none."""
    return next(_days(_IN_ID, id), None)


def _days(patterns: tuple[re.Pattern[str], ...], text: str, omitted: Collection[str] = ()) -> Iterator[str]:
    """The days that exist among what patterns find, in the order of the text, but for those after omitted words."""
    matches = [match for pattern in patterns for match in pattern.finditer(text)]
    for match in sorted(matches, key=lambda match: match.start()):
        before = _WORD_BEFORE.search(text, 0, match.start()) if omitted else None
        if before is not None and before[1].casefold() in omitted:
            continue
        month = match["month"].lower()
        number = int(month) if month.isdecimal() else _SHORTENED.index(month[:3]) + 1
        if int(match["year"]) not in _YEARS:
            continue
        try:
            yield date(int(match["year"]), number, int(match["day"])).isoformat()
        except ValueError:
            continue
