"""The numbers of a mention: words in, the values of those that are no years out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from itertools import takewhile
from math import prod

from cdcoref.language.dates import YEAR, is_date

NUMBER = re.compile(r"[-+$€£]?\d[\d,./:]*%?")
"""A number in figures."""
_UP_TO_THREE_DIGITS = re.compile(r"[-+$€£]?\d{1,3}")
_THREE_DIGITS = re.compile(r"\d{3}")
_DECIMAL_COMMA = re.compile(r"[-+$€£]?\d+,(\d{1,2}|\d{4,})%?")
_DECIMAL = re.compile(r"-?\d{1,30}(\.\d{1,30})?")
NUMERALS = {
    "two": "2",
    "three": "3",
    "four": "4",
    "five": "5",
    "six": "6",
    "seven": "7",
    "eight": "8",
    "nine": "9",
    "ten": "10",
    "eleven": "11",
    "twelve": "12",
    "thirteen": "13",
    "fourteen": "14",
    "fifteen": "15",
    "sixteen": "16",
    "seventeen": "17",
    "eighteen": "18",
    "nineteen": "19",
    "twenty": "20",
}
"""Without "one", which is a pronoun as often."""
SCALES = {
    "dozen": 12,
    "hundred": 100,
    "thousand": 10**3,
    **dict.fromkeys(("million", "mln"), 10**6),
    **dict.fromkeys(("billion", "bln", "bn"), 10**9),
    "trillion": 10**12,
}
"""What multiplies the number before it."""
_BEFORE_SEPARATOR = re.compile(r"[-+$€£]?(\d{1,3}(,\d{3})*|\d+)")
_AFTER_SEPARATOR = {",": re.compile(r"\d{3}%?"), ".": re.compile(r"\d+%?")}
"""What follows, by separator, in a number that was divided there."""
_HALVES_OF_DAY = frozenset({"am", "a.m.", "pm", "p.m."})


def amounts_in(words: Sequence[str], figures: re.Pattern[str] = NUMBER) -> frozenset[str]:
    """The values of the numbers in words in lower case, without years and times of day.

    "2 million", "2,000,000" and "2 000 000" are the same, as are "1.5" and "1,5". What is no plain decimal number, such
    as "3-1/2", is as it was written, times its scale. `figures` matches what counts as a number in figures.
    """
    found: set[str] = set()
    place = 0
    while place < len(words):
        word = words[place]
        place += 1
        if not (figures.fullmatch(word) or word in NUMERALS) or YEAR.fullmatch(word):
            continue
        if _UP_TO_THREE_DIGITS.fullmatch(word):
            while place < len(words) and _THREE_DIGITS.fullmatch(words[place]):
                word += words[place]
                place += 1
        if ":" in word or (place < len(words) and words[place] in _HALVES_OF_DAY):
            continue
        number = plain_number(word.replace(",", ".") if _DECIMAL_COMMA.fullmatch(word) else word)
        scale = prod(SCALES[following] for following in takewhile(SCALES.__contains__, words[place:]))
        if _DECIMAL.fullmatch(number):
            found.add(f"{(Decimal(number) * scale).normalize():f}")
        else:
            found.add(number if scale == 1 else f"{number} * {scale}")
    return frozenset(found)


def plain_number(word: str) -> str:
    """A number in lower case, without signs and thousands separators; two to twenty in figures."""
    return NUMERALS.get(word) or word.replace(",", "").strip("$€£+%")


def whole_figures(words: Sequence[str]) -> list[str]:
    """Join numbers that a tokeniser divided at commas or at the decimal point.

    "$2 . 6 million" is "$2.6 million", and "20 , 000" is "20,000", but not "May 9 , 200 [people]".
    """
    found: list[str] = []
    for word in words:
        rest = _AFTER_SEPARATOR.get(found[-1]) if len(found) > 1 else None
        if rest and rest.fullmatch(word) and _may_go_on(found[:-1]):
            found[-2:] = [found[-2] + found[-1] + word]
        else:
            found.append(word)
    return found


def _may_go_on(words: Sequence[str]) -> bool:
    """Whether the last of some words may be the beginning of a number: neither a year nor a day after a month."""
    number = _BEFORE_SEPARATOR.fullmatch(words[-1])
    return bool(number) and not is_date(words[-1]) and not (len(words) > 1 and is_date(words[-2]))
