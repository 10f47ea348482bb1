"""The numbers of a mention: words in, the values of those that are no years out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from itertools import takewhile
from math import prod

from cdcoref.language.dates import YEAR, is_date
from cdcoref.word_tables import rows

NUMBER = re.compile(r"[-+$€£]?\d[\d,./:]*%?")
"""A number in figures."""
_UP_TO_THREE_DIGITS = re.compile(r"[-+$€£]?\d{1,3}")
_THREE_DIGITS = re.compile(r"\d{3}")
_DECIMAL_COMMA = re.compile(r"[-+$€£]?\d+,(\d{1,2}|\d{4,})%?")
_DECIMAL = re.compile(r"-?\d{1,30}(\.\d{1,30})?")
NUMERALS = {
    row["word"]: row["value"]
    for row in rows("numbers.tsv")
    if row["value"].isdecimal() and row["value"] != "1" and row["word"].isalpha()
}
"""Without "one", which is a pronoun as often."""
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
TENS = {word: 10 * number for number, word in enumerate(_TENS.split(), 2)}
_ONES = frozenset(word for word, number in NUMERALS.items() if len(number) == 1)
SCALES, SHORT_SCALES = (
    {row["word"]: int(row["value"]) for row in rows("scales.tsv") if use in row["uses"].split(", ")}
    for use in ("number", "money")
)
"""What multiplies the number before it, and an amount of money alone ("$40m")."""
_BEFORE_SEPARATOR = re.compile(r"[-+$€£]?(\d{1,3}(,\d{3})*|\d+)")
_AFTER_SEPARATOR = {",": re.compile(r"\d{3}%?"), ".": re.compile(r"\d+%?")}
"""What follows, by separator, in a number that was divided there."""
_SIGNS = frozenset({"$", "€", "£", "us$"})
HALVES_OF_DAY = frozenset({"am", "a.m.", "pm", "p.m."})


def number_named(word: str) -> int | None:
    """The number that a word in lower case names, up to ninety-nine.

    >>> number_named("two"), number_named("sixty-one"), number_named("one")
    (2, 61, None)
    """
    if word in NUMERALS:
        return int(NUMERALS[word])
    tens, dash, ones = word.partition("-")
    if tens not in TENS or (dash and ones != "one" and ones not in _ONES):
        return None
    return TENS[tens] + (1 if ones == "one" else int(NUMERALS.get(ones, 0)))


def amounts_in(words: Sequence[str], figures: re.Pattern[str] = NUMBER) -> frozenset[str]:
    """The values of the numbers in words in lower case, without years and times of day; "2 million" is "2,000,000".

    What is no plain decimal number ("3-1/2") is as it was written, times its scale. `figures` matches numbers in
    figures.
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
        if ":" in word or (place < len(words) and words[place] in HALVES_OF_DAY):
            continue
        number = plain_number(word.replace(",", ".") if _DECIMAL_COMMA.fullmatch(word) else word)
        scales = SCALES | SHORT_SCALES if words[max(0, place - 2)] in _SIGNS else SCALES
        scale = prod(scales[following] for following in takewhile(scales.__contains__, words[place:]))
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
        goes_on = rest and rest.fullmatch(word) and _BEFORE_SEPARATOR.fullmatch(found[-2])
        if goes_on and not any(map(is_date, found[-3:-1])):
            found[-2:] = [found[-2] + found[-1] + word]
        else:
            found.append(word)
    return found
