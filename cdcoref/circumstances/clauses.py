"""Clauses of a sentence, without a parser: words in, ranges of words out, and which of them look elsewhere.

A clause ends at punctuation that separates, and where a conjunction or a relative pronoun begins another one. A clause
looks elsewhere if it is about another happening than what the sentence tells: "three days after a fire in Portugal",
"since 2017, when a blaze killed 66", "unlike last year's vote".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cdcoref.circumstances.times import quantity, unit_of_time

_BEGINNINGS_WORDS = """
after before since when while until because although though who which whose where following unlike whereas
"""
_BEGINNINGS = frozenset(_BEGINNINGS_WORDS.split())
_SEPARATORS = frozenset({";", ":", "--", "–", "—", "(", ")", "//n", "``", "''", '"', "“", "”"})
_LOOKING_ELSEWHERE = frozenset({"since", "unlike"})
_COMPARED = frozenset({"than", "compared", "like"})
_EARLIER = frozenset({"previous", "earlier", "past", "former", "similar", "another", "other"})


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence.

    Attributes
    ----------
    start, end
        Its words in the sentence, end exclusive.
    opening
        The word that opens it, in lower case; empty if none does.
    elsewhere
        Whether it looks at another happening than the sentence.
    days
        How many days later than the clause before it its happening was ("three days after": -3); None if not stated.
    """

    start: int
    end: int
    opening: str = ""
    elsewhere: bool = False
    days: int | None = None


def clauses_of(words: Sequence[str]) -> list[Clause]:
    """The clauses of a sentence, in order; together they cover its words."""
    lower = [word.casefold() for word in words]
    starts = [0]
    for place, word in enumerate(lower):
        if place and (word in _SEPARATORS or (word in _BEGINNINGS and not _is_within_phrase(lower, place))):
            starts.append(place)
    found: list[Clause] = []
    for start, end in zip(starts, [*starts[1:], len(words)], strict=True):
        opening = lower[start] if start < len(lower) and lower[start] in _BEGINNINGS else ""
        elsewhere = opening in _LOOKING_ELSEWHERE and not (opening == "since" and _is_cause(lower, start, end))
        days = None
        if opening in ("after", "before", "following") and (back := _distance(lower, start)) is not None:
            days = back if opening == "before" else -back
            elsewhere = elsewhere or abs(days) > 0
        if opening in ("when", "where", "which") and found and found[-1].elsewhere and lower[start - 1] == ",":
            elsewhere = True
        found.append(Clause(start, end, opening, elsewhere, days))
    return found


def _is_within_phrase(lower: Sequence[str], place: int) -> bool:
    """Whether a word opens no clause: "soon after", "the day before", "year after year"."""
    return place + 1 >= len(lower) or lower[place + 1] in (",", ".", ";") or lower[place] == "like"


def _distance(lower: Sequence[str], place: int) -> int | None:
    """The days of "three days" before "after"; None if there are none. "Hours after" is the same day."""
    if place >= 1 and lower[place - 1] == "day" and (place < 2 or quantity(lower, place - 2) is None):
        return 1
    if place < 2 or (unit := unit_of_time(lower[place - 1])) is None or unit > 7:
        return None
    count = quantity(lower, place - 2)
    return None if count is None else count * unit


def _is_cause(lower: Sequence[str], start: int, end: int) -> bool:
    """Whether "since" begins a clause with a subject ("since the road was closed"), and gives a reason."""
    return start + 1 < end and lower[start + 1] in ("he", "she", "it", "they", "we", "you", "i", "there")
