"""Which words are years, months or weekdays.

A month or weekday may be shortened, with a capital and a full stop ("Sept.", "Tues."). Without the full stop, such a
word is too often something else ("Jan", "Sun", "Dec").
"""

from __future__ import annotations

import re
from calendar import day_name, month_name

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


def is_year(word: str) -> bool:
    """Whether a word is a year in figures, or several ("1986/87")."""
    return bool(YEAR.fullmatch(word))


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
    return is_date_name(word) or is_year(word)
