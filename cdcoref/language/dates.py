"""Which words are years, months ("Sept.", with a full stop, but no "Dec") or weekdays, and which day a name or the
beginning of a text states."""

from __future__ import annotations

import re
from calendar import day_name, month_name
from collections.abc import Collection, Iterator
from datetime import date

from cdcoref.word_tables import rows, words_in

YEAR = re.compile(r"(1[5-9]|20)\d\d([/-]\d\d(\d\d)?)?")
"""A year in figures, or several ("1986/87")."""
MONTHS = tuple(name.lower() for name in month_name[1:])
"""In their order."""
WEEKDAYS = frozenset(name.lower() for name in day_name)
_SHORTENED = {
    **{f"{name[:3].capitalize()}.": name for name in (*MONTHS, *WEEKDAYS) if name != "may"},
    **{"Sept.": "september", "Tues.": "tuesday", "Thur.": "thursday", "Thurs.": "thursday"},
}
_ALSO_WORDS = frozenset({"march", "may"})
BEGINNING = 400
"""Characters of a text in which its date is looked for."""

_SENTENCES = re.compile(r"(?:.*?[a-z]{2}[.!?]\s){0,2}(?:.*?[a-z]{2}[.!?]\s|.*)", re.DOTALL)
"""The first three of a text."""
BEFORE_OTHER_DAYS = words_in("before_other_days.tsv")
"""Words before a day that is not that of the report ("a bond due April 24, 1990", "the year ended March 31, 1987")."""
_WORD_BEFORE = re.compile(r"([A-Za-z]+)(?: on)?\s+\Z")
_YEARS = range(1500, 2200)
_FIRST_LETTERS = [month[:3] for month in MONTHS]
_MONTH = rf"(?P<month>{'|'.join(rf'{month[:3]}(?:{month[3:]})?' for month in MONTHS)}|sept)\.?"
_DAY = r"(?P<day>[0-3]?[0-9])(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>[0-9]{4})"
_SEPARATED = rf"(?<![0-9]){_YEAR}(?P<sign>[-_./])(?P<month>[0-1]?[0-9])(?P=sign){_DAY}(?![0-9])(?!(?<=/[0-9])-[a-z])"
_IN_ID = (re.compile(_SEPARATED), re.compile(rf"(?<![0-9]){_YEAR}(?P<month>[0-1][0-9])(?P<day>[0-3][0-9])(?![0-9])"))
_IN_TEXT = (
    re.compile(r"(?<![0-9-])(?P<year>[0-9]{4})-(?P<month>[0-1][0-9])-(?P<day>[0-3][0-9])(?![0-9-])"),
    re.compile(r"(?<![0-9.])(?P<day>[0-3]?[0-9])\.(?P<month>[0-1]?[0-9])\.(?P<year>[0-9]{4})(?![0-9.])"),
    re.compile(rf"\b{_DAY}[\s-]+(?:of\s+)?{_MONTH},?[\s-]+{_YEAR}\b", re.IGNORECASE),
    re.compile(rf"\b{_MONTH}\s+{_DAY},?\s+{_YEAR}\b", re.IGNORECASE),
)
_OTHER_NAMES = {row["name"]: _FIRST_LETTERS[int(row["month"]) - 1] for row in rows("month_names.tsv")}
_OTHER_MONTH = re.compile(
    rf"(?<=\d)(?:\.|er)?\s+(?:de\s+)?({'|'.join(_OTHER_NAMES)})\b\.?(?:\s+de)?(?=\s+\d{{4}})", re.IGNORECASE
)


def date_name(word: str) -> str | None:
    """The weekday or month that a word names, in lower case and in full; None for any other word.

    >>> date_name("Sept."), date_name("TUESDAY"), date_name("march"), date_name("Jan")
    ('september', 'tuesday', None, None)
    """
    if word in _SHORTENED:
        return _SHORTENED[word]
    name = word.casefold()
    return name if name in WEEKDAYS or (name in MONTHS and word not in _ALSO_WORDS) else None


def is_date_name(word: str) -> bool:
    """Whether a word is a weekday or a month, and no "march" or "may"."""
    return date_name(word) is not None


def is_date(word: str) -> bool:
    """Whether a word is a weekday, a month or a year."""
    return is_date_name(word) or YEAR.fullmatch(word) is not None


_WEB_ARCHIVE = re.compile(r"\.(?:warc|wet)\b", re.IGNORECASE)


def date_of(id: str, text: str) -> str | None:
    """The day of a document (ISO 8601), or None if none is known.

    >>> date_of("news/2024-03-05.txt", ""), date_of("a.txt", "TRESK, 5 March 2024. A ferry sank."), date_of("a", "b")
    ('2024-03-05', '2024-03-05', None)
    """
    beginning = _SENTENCES.match(text[:BEGINNING])
    return day_in_name(id) or next(_days(_IN_TEXT, beginning[0] if beginning else "", BEFORE_OTHER_DAYS), None)


def day_in(text: str) -> str | None:
    """The first day (ISO 8601) that a text states in figures or with the name of a month; None if there is none.

    >>> day_in("2016-05-01T10:00:00Z"), day_in("Published: 5 March 2024"), day_in("1. Mai 2016"), day_in("in May")
    ('2016-05-01', '2024-03-05', '2016-05-01', None)
    """
    text = _OTHER_MONTH.sub(lambda match: f" {_OTHER_NAMES[match[1].lower()]}", text)
    return next(_days((_IN_ID[0], *_IN_TEXT), text), None)


def day_in_name(id: str) -> str | None:
    """The day (ISO 8601) in the name of a file or document; None if there is none, as for a web archive, which is named
    after the day on which its pages were copied."""
    return None if _WEB_ARCHIVE.search(id) else next(_days(_IN_ID, id), None)


def _days(patterns: tuple[re.Pattern[str], ...], text: str, omitted: Collection[str] = ()) -> Iterator[str]:
    """The days that exist among what patterns find, in the order of the text, but for those after omitted words."""
    matches = [match for pattern in patterns for match in pattern.finditer(text)]
    for match in sorted(matches, key=lambda match: match.start()):
        before = _WORD_BEFORE.search(text, 0, match.start()) if omitted else None
        if before is not None and before[1].casefold() in omitted:
            continue
        month = match["month"].lower()
        number = int(month) if month.isdecimal() else _FIRST_LETTERS.index(month[:3]) + 1
        if int(match["year"]) not in _YEARS:
            continue
        try:
            yield date(int(match["year"]), number, int(match["day"])).isoformat()
        except ValueError:
            continue
