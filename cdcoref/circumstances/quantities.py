"""The numbers of a sentence, each with what is counted or measured: words in, quantities or counts out.

Quantities are what reports may contradict each other about: people, things, money, votes, shares, magnitudes and spans
of time ("31 people", "£84.3m", "311 votes to 202", "66 percent", "a nine-year sentence"). Counts keep events apart, so
their rules are stricter: an exact number with a noun that is neither a date, a time, an age nor a share ("five people",
"1,200 hectares").
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass
from decimal import Decimal

from cdcoref.language import (
    NUMERALS,
    SCALES,
    amounts_in,
    continues_phrase,
    date_name,
    lemma,
    number_named,
    whole_figures,
    word_set,
)

PEOPLE = "people"
MONEY = frozenset("$€£")
"""Units of money; a sum for each year or month has a longer one ("$ a year")."""
_SIGNS = {**{sign: sign for sign in MONEY}, "US$": "$", "us$": "$"}
_CURRENCIES = {"euro": "€", "pound": "£", "dollar": "$", "dlr": "$", "dlrs": "$", "stg": "£"}
_LETTERS = {"k": 10**3, **dict.fromkeys(("m", "m.", "mn", "mln"), 10**6)}
_LETTERS |= {**dict.fromkeys(("bn", "bln"), 10**9), "tn": 10**12}
_FIGURES = re.compile(r"(US\$|[$€£])?(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(k|mn?|bn|tn)?", re.IGNORECASE)
_YEAR = re.compile(r"(1[89]|20)\d\d")
_COMPOUND = re.compile(r"(\w[\w.]*)-(year|month|week|day|hour|minute|magnitude)", re.IGNORECASE)
_SPANS = {"year": ("month", 12), "month": ("month", 1), "week": ("day", 7), "day": ("day", 1)} | {
    "hour": ("minute", 60),
    "minute": ("minute", 1),
}
"""Units of time: as which unit they are compared, and how many of that they are."""
_DATES = word_set("old ago later earlier after before since from age")
"""What follows a span of time that only dates something."""
_DATED = word_set("age aged last past previous next every within in after first than over")
"""What precedes one."""
_PEOPLE_WORDS = "people person man woman victim life civilian resident"
_MEANT = {
    **dict.fromkeys(_PEOPLE_WORDS.split(), PEOPLE),
    **dict.fromkeys(("job", "post", "position"), "job"),
    **dict.fromkeys(("ha", "hectare"), "hectare"),
    **dict.fromkeys(("km", "kilometre", "kilometer"), "km"),
    **dict.fromkeys(("ton", "tonne"), "tonne"),
}
"""Units that count the same."""
_STATES = frozenset({"dead", "injured", "wounded", "hurt", "missing"})
_NO_UNITS = word_set("old p.m. a.m. pm am o'clock th st nd rd time degree point")
_NO_NOUNS = word_set("vs instead more fewer each apiece away alone together again later now")
_AUXILIARIES = frozenset({"were", "are", "have", "had", "was", "has"})
_VOTING_WORDS = "vote voted votes pass passed passes approve approved reject rejected back backed defeat defeated by"
_VOTING = frozenset(_VOTING_WORDS.split())
_TO = frozenset({"to", "-", "–"})
_ROUGH = word_set("about around some nearly almost roughly approximately over than least most many up under estimated")
_ROUGH_BEFORE = 2
_ROUGHLY_SAME = Decimal("0.1")
"""By how much, as a share of the larger, an approximate value may differ from another."""
_SMALLEST_ROUNDED = 100
_LONGEST_UNIT = 3
_VERSUS = frozenset({"vs", "vs."})
_EACH = frozenset({"a", "an", "per", "each", "every"})


@dataclass(frozen=True, slots=True)
class Quantity:
    """A quantity in a sentence.

    Attributes
    ----------
    start, end
        Its words in the sentence, end exclusive.
    value
        How many.
    unit
        Of what, in dictionary form; the sign of a currency; ``"people"``; ``"%"``; empty if only the number is stated.
    rough
        Whether it is an approximate value ("about 30", "more than 1,200").
    """

    start: int
    end: int
    value: Decimal
    unit: str
    rough: bool = False

    def differs(self, other: Quantity) -> bool:
        """Whether two quantities of one unit contradict each other.

        One that is the other rounded does not, nor does an approximate one that is near.
        """
        if self.unit != other.unit or self.value == other.value:
            return False
        low, high = sorted((self.value, other.value))
        if (self.rough or other.rough) and high - low <= _ROUGHLY_SAME * high:
            return False
        return not (_is_rounded(self.value, other.value) or _is_rounded(other.value, self.value))


def quantities_in(words: Sequence[str], events: Set[int], taken: Set[int] = frozenset()) -> list[Quantity]:
    """The quantities of a sentence, in order.

    Parameters
    ----------
    words
        The sentence.
    events
        The words of its event mentions, which are no units.
    taken
        Words that belong to dates and times.
    """
    lower = [word.casefold() for word in words]
    found: list[Quantity] = []
    place = 0
    while place < len(words):
        if place in taken:
            place += 1
            continue
        one = _compound(lower, place) or _quantity(words, lower, place, events, taken)
        if one is not None and one.unit != _NOTHING and not _is_compared(one, lower):
            rough = not _ROUGH.isdisjoint(lower[max(0, one.start - _ROUGH_BEFORE) : one.start])
            found.append(Quantity(one.start, one.end, one.value, one.unit, rough))
        place = place + 1 if one is None else max(place + 1, one.end)
    return found


def _is_compared(one: Quantity, lower: Sequence[str]) -> bool:
    """Whether a quantity stands in a table of results ("293,000 dlrs vs 407,000 dlrs")."""
    return bool(_VERSUS.intersection((*lower[max(0, one.start - 1) : one.start], *lower[one.end : one.end + 1])))


_NOTHING = "-"
"""The unit of a number that counts nothing."""


def _is_rounded(rounded: Decimal, exact: Decimal) -> bool:
    """Whether a value is another one rounded: "1,200" of 1,204, "2.1 billion" of 2.14 billion."""
    if rounded < _SMALLEST_ROUNDED or rounded != int(rounded):
        return False
    figures = str(int(rounded))
    zeros = len(figures) - len(figures.rstrip("0"))
    return zeros > 1 and abs(rounded - exact) <= Decimal(10) ** zeros / 2


def _compound(lower: Sequence[str], place: int) -> Quantity | None:
    """``nine-year``, ``6.1-magnitude``."""
    match = _COMPOUND.fullmatch(lower[place])
    value = None if match is None else _value(match[1])
    if match is None or value is None:
        return None
    if match[2] == "magnitude":
        return Quantity(place, place + 1, value, "magnitude")
    if place + 1 < len(lower) and lower[place + 1] in ("-", "old"):
        return Quantity(place, place + 1, value, _NOTHING)
    unit, each = _SPANS[match[2]]
    return Quantity(place, place + 1, value * each, unit)


def _value(word: str) -> Decimal | None:
    """The value of one word in lower case, without its scale."""
    if (named := number_named(word)) is not None:
        return Decimal(named)
    match = _FIGURES.fullmatch(word)
    return None if match is None else Decimal(match[2].replace(",", ""))


def _quantity(
    words: Sequence[str], lower: Sequence[str], place: int, events: Set[int], taken: Set[int]
) -> Quantity | None:
    start = place
    sign = _SIGNS.get(words[place], "")
    if sign:
        place += 1
    if place >= len(words) or (value := _value(lower[place])) is None:
        return None
    before = lower[start - 1] if start else ""
    match = _FIGURES.fullmatch(words[place])
    glued = match[3].casefold() if match and match[3] else ""
    if match and match[1]:
        sign = _SIGNS[match[1]]
    end = place + 1
    scale = _LETTERS.get(glued, 1)
    while end < len(words) and lower[end] in SCALES:
        scale *= SCALES[lower[end]]
        end += 1
    if scale == 1 and end < len(words) and lower[end] in _LETTERS and (sign or _currency(lower, end + 1)):
        scale = _LETTERS[lower[end]]
        end += 1
    value *= scale
    if not sign and scale == 1 and (_YEAR.fullmatch(words[place]) or _is_dated(words, lower, start, end)):
        return Quantity(start, end, value, _NOTHING)
    if sign:
        return Quantity(start, end, value, sign + _rate(lower, end))
    if (currency := _currency(lower, end)) is not None:
        return Quantity(start, end + 1, value, currency + _rate(lower, end + 1))
    if (other := _second(lower, end, before)) is not None:
        # Two numbers: the result of a vote, or a range that nothing contradicts.
        voted = lower[other] in ("vote", "votes") if other < len(lower) else False
        if voted or before in _VOTING or not _VOTING.isdisjoint(lower[max(0, start - 5) : start]):
            return Quantity(start, other + voted, value, "vote")
        return Quantity(start, other, value, _NOTHING)
    if before in ("magnitude", "magnitude-"):
        return Quantity(start, end, value, "magnitude")
    stop, unit = _unit(words, lower, start, end, events, taken)
    if unit in _SPANS:
        unit, each = _SPANS[unit]
        value *= each
    if unit == "vote" and _second(lower, stop, "") is not None:
        stop += 2
    return Quantity(start, stop, value, unit)


def _is_dated(words: Sequence[str], lower: Sequence[str], start: int, end: int) -> bool:
    """Whether a number is part of a date, a time of day, a list or a name."""
    before = words[start - 1] if start else ""
    after = words[end] if end < len(words) else ""
    named = before in ("-", "/", ":", "No.", "#") or (before[:1].isupper() and start > 1 and before.isalpha())
    return bool(named or date_name(before) or date_name(after) or after in (":", "/") or lower[end - 1] == "one")


def _currency(lower: Sequence[str], place: int) -> str | None:
    return _CURRENCIES.get(lemma(lower[place])) if place < len(lower) else None


def _rate(lower: Sequence[str], place: int) -> str:
    """`` a year`` where a sum of money is one for each year."""
    if place + 1 < len(lower) and lower[place] in _EACH:
        return f" a {lower[place + 1]}"
    return ""


def _second(lower: Sequence[str], place: int, before: str) -> int | None:
    """Where the second of two numbers ends: "311 to 202", "52-48", "between 30 and 40"."""
    if place + 1 >= len(lower) or _value(lower[place + 1]) is None:
        return None
    return place + 2 if lower[place] in _TO or (before, lower[place]) == ("between", "and") else None


def _unit(
    words: Sequence[str], lower: Sequence[str], start: int, end: int, events: Set[int], taken: Set[int]
) -> tuple[int, str]:
    """Where the noun behind a number ends, and what it counts."""
    after = lower[end] if end < len(words) else ""
    if after in _NO_UNITS:
        return end + 1, _NOTHING
    if after in ("vote", "votes"):
        return end + 1, "vote"
    if after in ("%", "percent", "pct"):
        return end + 1, "%"
    if after == "per" and end + 1 < len(words) and lower[end + 1] == "cent":
        return end + 2, "%"
    if after == "of":
        # "two of Orlo's nine plants": the noun is that of the whole.
        whole = next((n for n in range(end + 1, min(end + 5, len(words))) if _value(lower[n]) is not None), None)
        if whole is None or whole in taken:
            return end, _NOTHING
        stop, unit = _unit(words, lower, whole, whole + 1, events, taken)
        return stop, unit
    noun = None
    place = end
    while place < len(words) and place - end < _LONGEST_UNIT:
        if place in events or place in taken or lower[place] in _NO_NOUNS:
            break
        if not words[place].isalpha() or not continues_phrase(words[place]):
            break
        noun = place
        if lower[place] == "others":
            return place + 1, PEOPLE
        if (word := lemma(lower[place])) in _SPANS or word in _MEANT:
            break
        place += 1
    if noun is None or lower[end] in _AUXILIARIES or lower[end] in _STATES:
        return end, ""
    unit = lemma(lower[noun])
    if unit in _SPANS:
        follows = lower[noun + 1] if noun + 1 < len(words) else ""
        before = lower[start - 1] if start else ""
        if noun > end or follows in _DATES or before in _DATED:
            return noun + 1, _NOTHING
    if unit in _NO_UNITS or words[noun][:1].isupper():
        return end, _NOTHING
    return noun + 1, _MEANT.get(unit, unit)


_COUNT = re.compile(r"[$€£]?\d[\d,.]*")
_COUNTED = {
    **dict.fromkeys((*_PEOPLE_WORDS.split(), "other"), PEOPLE),
    **dict.fromkeys(("kilometre", "kilometer", "km"), "km"),
}
"""Units that count the same, of counts."""
_NOT_COUNTED = word_set("year month week day hour minute second old p.m. a.m. pm am o'clock percent % th")
_COUNTED_BEFORE = _AUXILIARIES - {"has"}
"""Verbs before which a number alone counts people."""


@dataclass(frozen=True, slots=True)
class Count:
    """An amount of something.

    Attributes
    ----------
    value
        The number, as a plain decimal.
    unit
        The dictionary form of what is counted; ``"people"`` if nothing is named.
    """

    value: str
    unit: str

    def differs(self, other: Count) -> bool:
        """Whether both count the same sort of thing, and not the same number."""
        return self.unit == other.unit and self.value != other.value

    def __str__(self) -> str:
        return f"{self.value} {self.unit}"


@dataclass(frozen=True, slots=True)
class StatedCount:
    """An amount in a sentence: its words, end exclusive, and what it means."""

    start: int
    end: int
    count: Count


def counts_in(words: Sequence[str], events: Sequence[tuple[int, int]]) -> list[StatedCount]:
    """The amounts of a sentence, without dates, times, ages and shares.

    Parameters
    ----------
    words
        The sentence.
    events
        The words of its event mentions, which are no units.
    """
    lower = [word.casefold() for word in words]
    happening = {place for start, end in events for place in range(start, end)}
    found: list[StatedCount] = []
    place = 0
    while place < len(words):
        if not _is_number(words, lower, place):
            place += 1
            continue
        end = place + 1
        while end < len(words) and (lower[end] in SCALES or (_joined(words, end) and end + 1 < len(words))):
            end += 2 if words[end] in (",", ".") else 1
        values = amounts_in(whole_figures(lower[place:end]))
        stop, unit = _counted(words, lower, place, end, happening)
        if len(values) == 1 and unit is not None:
            found.append(StatedCount(place, stop, Count(next(iter(values)), unit)))
        place = max(end, stop)
    return found


def _is_number(words: Sequence[str], lower: Sequence[str], place: int) -> bool:
    if lower[place] in NUMERALS:
        return True
    if not _COUNT.fullmatch(words[place]) or _YEAR.fullmatch(words[place]):
        return False
    return not place or not (date_name(words[place - 1]) or words[place - 1] in ("-", "/", ":", "No."))


def _joined(words: Sequence[str], place: int) -> bool:
    """Whether a comma or point between figures belongs to a number that a tokeniser divided."""
    return (
        words[place] in (",", ".")
        and place + 1 < len(words)
        and re.fullmatch(r"\d{3}" if words[place] == "," else r"\d+", words[place + 1]) is not None
        and re.fullmatch(r"[$€£]?\d+", words[place - 1]) is not None
    )


def _counted(
    words: Sequence[str], lower: Sequence[str], number: int, start: int, happening: set[int]
) -> tuple[int, str | None]:
    """Where the noun behind a number ends, and what it counts; None for dates, times, ages and shares.

    A number without a noun counts people beside an event ("killed five", "five die") or before an auxiliary verb.
    """
    noun = None
    place = start
    while place < len(words) and place - start < _LONGEST_UNIT:
        word = lower[place]
        if word == "of" and place == start:
            return start, None
        if place in happening or not word.isalpha() or not continues_phrase(words[place]):
            break
        noun = place
        place += 1
    if start < len(words) and (
        lower[start] in _NOT_COUNTED or words[start] in ("-", "/", ":") or date_name(words[start])
    ):
        return start, None
    if noun is None:
        following = lower[start] if start < len(words) else ""
        counted = start in happening or number - 1 in happening or following in _COUNTED_BEFORE
        return start, PEOPLE if counted else None
    unit = lemma(lower[noun])
    if unit in _NOT_COUNTED or lemma(lower[start]) in _NOT_COUNTED or words[noun][:1].isupper():
        return start, None
    return noun + 1, _COUNTED.get(unit, unit)
