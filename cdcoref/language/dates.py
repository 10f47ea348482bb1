"""Which words are years, months or weekdays."""

from __future__ import annotations

import re

YEAR = re.compile(r"(1[5-9]|20)\d\d([/-]\d\d(\d\d)?)?")
"""A year in figures, or several ("1986/87")."""
WEEKDAYS = frozenset({"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"})
_MONTH = re.compile(
    r"january|february|march|april|may|june|july|august|september|october|november|december", re.IGNORECASE
)
_ALSO_WORDS = frozenset({"march", "may"})


def is_year(word: str) -> bool:
    """Whether a word is a year in figures, or several ("1986/87")."""
    return bool(YEAR.fullmatch(word))


def is_date_name(word: str) -> bool:
    """Whether a word is a weekday or a month, and no "march" or "may"."""
    return word.casefold() in WEEKDAYS or (bool(_MONTH.fullmatch(word)) and word not in _ALSO_WORDS)


def is_date(word: str) -> bool:
    """Whether a word is a weekday, a month or a year."""
    return is_date_name(word) or is_year(word)
