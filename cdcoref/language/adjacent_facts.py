"""What stands beside a mention and belongs to it: the words around it in, its amount or the rest of its date out.

Mentions are often heads alone ("700,000 [tonnes]", "[March 31] , 1996"): two of them may read the same, and yet mean
different amounts or days.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from cdcoref.language.amounts import NUMERALS, SCALES, amounts_in, plain_number, whole_figures
from cdcoref.language.dates import WEEKDAYS, date_name, is_date, is_year
from cdcoref.language.stated_facts import CLUB, GENERATIONS, NO_FACTS, ORGANISATION, PERSON, TOWN, TOWNS, StatedFacts
from cdcoref.language.words import continues_phrase, head_word, nationality

_MEASURE = re.compile(r"[-+$€£]?\d[\d,./:-]*%?")
"""Numbers that count or measure; also such as "3-1/2"."""
_DAY = re.compile(r"([1-9]|[12]\d|3[01])(st|nd|rd|th)?", re.IGNORECASE)
_WHERE = frozenset({"in", "near", "outside", "around", "across", "throughout", "downtown", "central"})
"""What stands before the names of towns, and not before those of clubs."""
_SCORE = re.compile(
    r"\b\d{1,3} ?[-–] ?\d{1,3}(?= ?(?:[.,;:)]|$)| (?:after|against|and|at|away|but|by|in|last|on|over|to|when|with)\b)"
)
"""The score of a match, but not a range such as "10-15 jobs"."""
_PLAY = frozenset({"beat", "beaten", "defeated", "drew", "lost", "thrashed", "trailed", "won"})
_OPPONENT = frozenset({"against", "at", "by", "over", "to", "with"})
_DEFEATED = frozenset({"beat", "defeated", "thrashed"})
"""Verbs after the name of a team, prepositions before the name of its opponent, and verbs before one that lost."""
_IS = frozenset({",", "is", "remains", "was", "--", "-", "–", "—"})
_ELDER = {"elder": "sr", "younger": "jr"}
_FARTHEST = 6
"""Words between a name and the score, or the noun, that says what it is."""
YEAR, DAY, WEEKDAY, MONTH = "year", "day", "weekday", "month"
"""The parts of a date. Days of months are amounts."""


def adjacent_facts(before: Sequence[str], words: Sequence[str], after: Sequence[str]) -> StatedFacts:
    """What the words directly beside a mention add to it.

    Parameters
    ----------
    before, words, after
        The words before the mention in its sentence, its own, and those after it.

    Returns
    -------
    StatedFacts
        For a weekday or a month, with or without a day: the parts of the date that the mention lacks. For a year:
        nothing. For anything else: the numbers at the end of `before` that count or measure it, unless one of them is a
        year or belongs to a date; whether a name of one word is a town; the country of a person with a title or an
        office; and whether a name is that of the father or the son ("Hale, Jr.", "the elder Hale").
    """
    head = head_word(words)
    if not is_date(head):
        return StatedFacts(
            amounts=_amounts(before),
            sorts=_sorts(before, after),
            nationality=nationality([*_modifiers(before), *words, *_complement(after)]),
            generation=_generation(before, words, after),
        )
    if is_year(head):
        return NO_FACTS
    rest = _rest_of_date(before, words, after)
    years, days, weekdays, months = (frozenset(rest.get(part, ())) for part in (YEAR, DAY, WEEKDAY, MONTH))
    return StatedFacts(years, days, weekdays, months)


def _sorts(before: Sequence[str], after: Sequence[str]) -> frozenset[str]:
    """What a name of one word can be: a town in "in Leeds" or "Leeds, a city", and none beside the score of a match."""
    before, after = [word.casefold() for word in before], [word.casefold() for word in after]
    last = before[-1] if before else ""
    apposition = after[1 : _FARTHEST + 1] if after and after[0] in _IS and after[1:2] in (["a"], ["the"]) else []
    noun = next((n for n, word in enumerate(apposition) if word in TOWNS), None)
    if last in _WHERE or (last == "of" and before[-2:-1] and before[-2] in TOWNS):
        return frozenset((TOWN,))
    if noun is not None and apposition[noun + 1 : noun + 2] not in (["'s"], ["council"], ["club"], ["side"], ["team"]):
        return frozenset((TOWN,))
    played = after[1 : _FARTHEST + 2] if after and after[0] in _PLAY else []
    played += before[-_FARTHEST - 1 :] if last in _OPPONENT else []
    played += after[:_FARTHEST] if last in _DEFEATED else []
    if _SCORE.search(" ".join(played)):
        return frozenset((CLUB, ORGANISATION, PERSON))
    return frozenset()


def _modifiers(before: Sequence[str]) -> Sequence[str]:
    """The words of a phrase directly before its mention, at most two."""
    start = len(before)
    while start and len(before) - start < 2 and continues_phrase(before[start - 1]):
        start -= 1
    return before[start:]


def _complement(after: Sequence[str]) -> Sequence[str]:
    """The name of one or two words that "of" ties to a mention directly before it."""
    return after[1:3] if after and after[0] == "of" else ()


def _generation(before: Sequence[str], words: Sequence[str], after: Sequence[str]) -> frozenset[str]:
    """What stands behind a name or before it that tells two of one name apart."""
    if not words[-1][:1].isupper():
        return frozenset()
    following = after[1:2] if after and after[0] == "," else after[:1]
    behind = [word.casefold().rstrip(".") for word in following if word[:1].isupper()]
    if GENERATIONS.issuperset(behind) and behind:
        return frozenset(behind)
    return frozenset(_ELDER[word] for word in before[-1:] if word in _ELDER)


def _amounts(before: Sequence[str]) -> frozenset[str]:
    before = whole_figures(before)
    start = len(before)
    while start and before[start - 1].casefold() in SCALES:
        start -= 1
    while start and (_MEASURE.fullmatch(before[start - 1]) or before[start - 1].casefold() in NUMERALS):
        start -= 1
    found = before[start:]
    if any(map(is_year, found)) or (start and is_date(before[start - 1])):
        return frozenset()
    return amounts_in([word.casefold() for word in found], _MEASURE)


def _rest_of_date(before: Sequence[str], words: Sequence[str], after: Sequence[str]) -> dict[str, list[str]]:
    """By part, its value."""
    own = {part for word in words if (part := _part_of_date(word))}
    rest: dict[str, list[str]] = {}
    for edge, beside in ((words[0], before[::-1]), (words[-1], after)):
        last = _part_of_date(edge)
        for place, word in enumerate(beside):
            if word == ",":
                continue
            part = _part_of_date(word)
            following = beside[place + 1] if place + 1 < len(beside) else ""
            if part is None or part in own or part in rest:
                break
            if part == DAY and last == MONTH and beside is after and continues_phrase(following):
                break  # "in March 12 ships sailed"
            if part == DAY and MONTH not in (last, _part_of_date(following)):
                break
            day = _DAY.fullmatch(word)
            rest[part] = [day[1] if day else date_name(word) or plain_number(word.casefold())]
            last = part
    return rest


def _part_of_date(word: str) -> str | None:
    if is_year(word):
        return YEAR
    if _DAY.fullmatch(word) or word.casefold() in NUMERALS:
        return DAY
    name = None if word.islower() else date_name(word)  # "may", "march"
    if name is None:
        return None
    return WEEKDAY if name in WEEKDAYS else MONTH
