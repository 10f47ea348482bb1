"""How many: the amounts of a sentence, each with what is counted or measured ("five people", "1,200 hectares")."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from cdcoref.language import NUMERALS, SCALES, amounts_in, continues_phrase, date_name, lemma, whole_figures

_FIGURES = re.compile(r"[$€£]?\d[\d,.]*")
_YEAR = re.compile(r"(1[89]|20)\d\d")
_MEANT = {
    **dict.fromkeys(("people", "person", "man", "woman", "victim", "other", "life", "civilian", "resident"), "people"),
    **dict.fromkeys(("kilometre", "kilometer", "km"), "km"),
}
"""Units that count the same; the empty unit, of numbers without a noun ("Five die"), is people."""
_NO_UNITS_WORDS = """
year month week day hour minute second old p.m. a.m. pm am o'clock percent % th
"""
_NO_UNITS = frozenset(_NO_UNITS_WORDS.split())
_AUXILIARIES = frozenset({"were", "are", "have", "had", "was"})
_LONGEST_UNIT = 3
PEOPLE = "people"


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
        stop, unit = _unit(words, lower, place, end, happening)
        if len(values) == 1 and unit is not None:
            found.append(StatedCount(place, stop, Count(next(iter(values)), unit)))
        place = max(end, stop)
    return found


def _is_number(words: Sequence[str], lower: Sequence[str], place: int) -> bool:
    if lower[place] in NUMERALS:
        return True
    if not _FIGURES.fullmatch(words[place]) or _YEAR.fullmatch(words[place]):
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


def _unit(
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
    if start < len(words) and (lower[start] in _NO_UNITS or words[start] in ("-", "/", ":") or date_name(words[start])):
        return start, None
    if noun is None:
        following = lower[start] if start < len(words) else ""
        counted = start in happening or number - 1 in happening or following in _AUXILIARIES
        return start, PEOPLE if counted else None
    unit = lemma(lower[noun])
    if unit in _NO_UNITS or lemma(lower[start]) in _NO_UNITS or words[noun][:1].isupper():
        return start, None
    return noun + 1, _MEANT.get(unit, unit)
