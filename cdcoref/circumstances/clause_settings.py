"""Clauses of a sentence, without a parser: words in, ranges of words out, and which of them look elsewhere.

A clause ends at punctuation that separates, and where a conjunction or a relative pronoun begins another one. A clause
looks elsewhere if it is about another happening than what the sentence tells: "three days after a fire in Portugal",
"since 2017, when a blaze killed 66", "unlike last year's vote", "follows a strike in Italy". A relative clause between
commas ends at the second, and one without commas where the verb of what it tells of follows ("the man who fled in May
was arrested").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cdcoref.facts import count_named, days_of_unit
from cdcoref.language import is_date, word_set

_BEGINNINGS = word_set("""
after before since when while until because although though who whom which whose where following unlike whereas
""")
_SEPARATORS = frozenset({";", ":", "--", "–", "—", "(", ")", "//n", "``", "''", '"', "“", "”"})
_AT_BEGINNING = 4
_AT_DISTANCE = frozenset({"after", "before", "following"})
_LOOKING_ELSEWHERE = frozenset({"since", "unlike"})
_RELATIVE = frozenset({"which", "who", "whom", "whose", "when", "where"})
_BEFORE_RELATIVE = frozenset({"in", "at", "from", "during", "of", "on", "for", "with", "by", "to", "under", "after"})
_MAIN_VERBS = word_set("was were is are has have had will would died resigned said")
"""What may be the verb of a sentence, behind a relative clause that has its own."""
_NO_SUBJECT_END = word_set("and or but that to not he she it they who which , said says told")
"""Words behind which no verb of a sentence stands that goes on behind a relative clause."""
_REPORTING = word_set("said says say told claimed claims believed believes thought alleged warned hoped knew reported")
_COMPARING = word_set("follows followed resembles resembled mirrors mirrored echoes echoed")
"""Verbs between two happenings; what follows one with an indefinite article is the other."""
_INDEFINITE = frozenset({"a", "an", "another", "similar"})
_OTHER = "other"
"""Stands for the word that opens a clause about another happening, where none does."""


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
    relative
        Whether it is a relative clause, which tells something of a word before it.
    days
        How many days later than the clause before it its happening was ("three days after": -3); None if not stated.
    """

    start: int
    end: int
    opening: str = ""
    elsewhere: bool = False
    days: int | None = None
    relative: bool = False


def clauses_of(words: Sequence[str]) -> list[Clause]:
    """The clauses of a sentence, in order; together they cover its words."""
    lower = [word.casefold() for word in words]
    found: list[Clause] = []
    start, opening = 0, lower[0] if lower and lower[0] in _BEGINNINGS else ""
    for place, word in enumerate(lower):
        following = None
        if place <= start:
            pass
        elif word in _SEPARATORS:
            following = ""
        elif word in _BEGINNINGS and not _is_within_phrase(lower, place):
            preposition = word in _RELATIVE and lower[place - 1] in _BEFORE_RELATIVE and place - 1 > start
            found.append(_clause(lower, start, place - preposition, opening, found))
            start, opening = place - preposition, word
        elif word in _MAIN_VERBS and opening in _RELATIVE and _ends_relative(lower, start, place):
            following = ""
        elif word in _INDEFINITE and lower[place - 1] in _COMPARING:
            following = _OTHER
        elif word == "," and not _in_date(words, place) and _ends_at_comma(lower, start, opening, found):
            place += 1
            following = ""
        if following is not None and place < len(words):
            found.append(_clause(lower, start, place, opening, found))
            start, opening = place, following
    found.append(_clause(lower, start, len(words), opening, found))
    return found


def _ends_at_comma(lower: Sequence[str], start: int, opening: str, found: Sequence[Clause]) -> bool:
    """Whether a comma ends a clause: "Since 2017, ...", "three days after the vote, ...", "the man, who fled, ..."."""
    if opening in _RELATIVE:
        return bool(start) and lower[start - 1] == "," and not found[-1].elsewhere
    initial = not found and opening != ""
    return initial or (opening in _AT_DISTANCE and _distance(lower, start) is not None)


def _ends_relative(lower: Sequence[str], start: int, place: int) -> bool:
    """Whether a verb behind the beginning of a relative clause is that of the sentence: it begins the next clause."""
    if not start or lower[start - 1] == "," or lower[place - 1] in _NO_SUBJECT_END:
        return False
    pronoun = next(word for word in range(start, place) if lower[word] in _RELATIVE)
    inside = lower[pronoun + 1 : place]
    if not _REPORTING.isdisjoint(inside):
        return False
    has_verb = any(word in _MAIN_VERBS or word.endswith("ed") for word in inside)
    return has_verb or (lower[pronoun] in ("who", "which") and len(inside) > 1)


def _clause(lower: Sequence[str], start: int, end: int, opening: str, before: Sequence[Clause]) -> Clause:
    """The clause of a range of words."""
    elsewhere = opening in _LOOKING_ELSEWHERE and not (opening == "since" and _is_cause(lower, start, end))
    days = None
    if opening in _AT_DISTANCE and (back := _distance(lower, start)) is not None:
        days = back if opening == "before" else -back
        elsewhere = elsewhere or days != 0
    if opening in ("when", "where", "which") and before and before[-1].elsewhere and lower[start - 1] == ",":
        elsewhere = True
    named = opening if opening != _OTHER else ""
    return Clause(start, end, named, elsewhere or opening == _OTHER, days, opening in _RELATIVE)


def _is_within_phrase(lower: Sequence[str], place: int) -> bool:
    """Whether a word opens no clause: "soon after", "the day before", "year after year"."""
    return place + 1 >= len(lower) or lower[place + 1] in (",", ".", ";") or lower[place] == "like"


def _distance(lower: Sequence[str], place: int) -> int | None:
    """The days of "three days" before "after"; None if there are none. "Hours after" is the same day.

    At the beginning of a sentence the clause holds both happenings ("The day before the vote a bomb went off").
    """
    if place >= _AT_BEGINNING and lower[place - 2 : place] == ["the", "day"]:
        return 1
    if place < _AT_BEGINNING or (unit := days_of_unit(lower[place - 1])) is None or unit > 7:
        return None
    count = count_named(lower[place - 2])
    return None if count is None else count * unit


def _in_date(words: Sequence[str], place: int) -> bool:
    """Whether a comma stands between a day and its year, or a weekday and its date."""
    following = words[place + 1] if place + 1 < len(words) else ""
    return is_date(following)


def _is_cause(lower: Sequence[str], start: int, end: int) -> bool:
    """Whether "since" begins a clause with a subject ("since the road was closed"), and gives a reason."""
    return start + 1 < end and lower[start + 1] in ("he", "she", "it", "they", "we", "you", "i", "there")
