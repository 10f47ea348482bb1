"""Ages of people, and full names in plain roles: the words of a sentence in, ages and names out.

An age is stated by "aged 34", "34-year-old" or a number between commas or in brackets behind a name. A role is plain
if a name stands beside the word of an event ("was charged", "charged Marek Dolny", "arrest of Marek Dolny", "lost to
Halden"), but for an apposition between commas; or behind or before an office that one person holds at a time ("Mayor
Ida Rohm", "Ida Rohm, the mayor of Lunde").
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cdcoref.circumstances.places import capitalised
from cdcoref.language import TITLES, is_common_word, is_date, word_set

OLDEST = 115
YOUNGEST = 1
SUBJECT, OBJECT = "subject", "object"
_COMPOUND = re.compile(r"(\d{1,3})-years?-olds?", re.IGNORECASE)
_AGE = re.compile(r"\d{1,3}")
_LONGEST_APPOSITION = 12
_LONGEST_PHRASE = 5
"""The most words between an age and the noun or name of the person."""
_BE = frozenset({"was", "is", "were", "are", "been", "being", "be"})
_AUXILIARIES = frozenset({"has", "have", "had", "will", "would", "later", "then", "also", "formally", "not"}) | _BE
_SIDES = frozenset({"against", "to", "by", "of", "with", "from"})
_DETERMINERS = frozenset({"the", "a", "an", "his", "her", "their", "its"})
_ENDS_PHRASE = word_set("""
in on at of from to for with by after before when that who which and or but as over about against into was were is are
said says has had have , ; : . ( ) '' " “ ” -- - – —
""")
_OFFICES = word_set("mayor president premier chancellor governor chairman chairwoman chief minister coach captain")
"""What one person is at a time, of one town, country or team."""
_FORMER = word_set("""
former ex-mayor deputy vice assistant acting then-mayor outgoing incoming next future late old previous designate
""")
_SHORTEST_NAME, _LONGEST_NAME = 2, 3


@dataclass(frozen=True, slots=True)
class StatedAge:
    """An age in a sentence.

    Attributes
    ----------
    start, end
        Its words, end exclusive.
    age
        In years.
    holders
        Words that may belong to the person's mention; the most likely one is first.
    """

    start: int
    end: int
    age: int
    holders: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class NamedRole:
    """A full name in a plain role of an event, or in an office.

    Attributes
    ----------
    start, end
        The words of the name, end exclusive.
    role
        ``"subject"``, ``"object"``, a preposition, or an office.
    """

    start: int
    end: int
    role: str


def ages_in(words: Sequence[str]) -> Iterator[StatedAge]:
    """The ages in a sentence, in order; those of several people at once are left out."""
    lower = [word.casefold() for word in words]
    for place, word in enumerate(lower):
        if found := _COMPOUND.fullmatch(word):
            yield from _age(place, place + 1, found[1], _behind(place + 1, words))
        elif not _AGE.fullmatch(word):
            continue
        elif lower[place + 1 : place + 3] in (["years", "old"], ["year", "old"]):
            yield from _age(place, place + 3, word, _before_verb(place, lower))
        elif lower[place + 1 : place + 5] == ["-", "year", "-", "old"]:
            yield from _age(place, place + 5, word, _behind(place + 5, words))
        elif lower[place - 1 : place] == ["aged"]:
            if lower[place + 1 : place + 2] not in (["and"], ["or"], ["to"], ["-"], ["–"]):
                before = place - 2 if lower[place - 2 : place - 1] != [","] else place - 3
                yield from _age(place - 1, place + 1, word, (before,) if before >= 0 else ())
        elif _is_between(place, words) and place >= 2 and _is_name(words[place - 2]):
            yield from _age(place, place + 1, word, (place - 2,))


def _age(start: int, end: int, figure: str, holders: Sequence[int]) -> Iterator[StatedAge]:
    if YOUNGEST <= int(figure) <= OLDEST and holders:
        yield StatedAge(start, end, int(figure), tuple(holders))


def _is_between(place: int, words: Sequence[str]) -> bool:
    """Whether a word stands between commas or in brackets, and no list of numbers goes on behind it."""
    around = (words[place - 1], words[place + 1]) if 0 < place < len(words) - 1 else ("", "")
    goes_on = place + 2 < len(words) and words[place + 2][:1].isdigit()
    return around in ((",", ","), ("(", ")")) and not goes_on


def _is_name(word: str) -> bool:
    return word[:1].isupper() and word[-1:].isalpha() and not is_date(word)


def _behind(end: int, words: Sequence[str]) -> list[int]:
    """The words of the phrase behind an age: those of a name first, then the last noun."""
    stop = end
    while stop < min(end + _LONGEST_PHRASE, len(words)) and words[stop].casefold() not in _ENDS_PHRASE:
        stop += 1
    names = [place for place in range(end, stop) if words[place][:1].isupper()]
    return [*names[:1], *range(end, stop)] or [end - 1]


def _before_verb(place: int, lower: Sequence[str]) -> list[int]:
    """Who "is 34 years old"."""
    return [place - 2] if place >= 2 and lower[place - 1] in _BE else []


def full_names(words: Sequence[str], shortest: int = _SHORTEST_NAME) -> list[tuple[int, int]]:
    """Runs of two or three capitalised words, some of them no common words, without dates and titles, in order."""
    found = []
    for start, stop in capitalised(words):
        end = next((place for place in range(start, stop) if words[place] == "of"), stop)
        while start < end and words[start].casefold().rstrip(".") in TITLES:
            start += 1
        name = words[start:end]
        if shortest <= len(name) <= _LONGEST_NAME and all(map(_is_of_name, name)) and not all(map(_is_common, name)):
            found.append((start, end))
    return found


def _is_of_name(word: str) -> bool:
    return word.replace("-", "").replace("'", "").isalpha() and not word.isupper()


def _is_common(word: str) -> bool:
    return is_common_word(word.lower())


def roles_of(event: tuple[int, int], words: Sequence[str], shortest: int = _SHORTEST_NAME) -> list[NamedRole]:
    """The names in plain roles of an event: full ones, and shorter ones directly behind a preposition ("lost to Moss").

    Parameters
    ----------
    event
        Its words in the sentence, end exclusive.
    words
        The sentence, in sentence case.
    shortest
        The fewest words of a name elsewhere than behind a preposition.
    """
    lower = [word.casefold() for word in words]
    found = []
    for start, end in full_names(words, 1):
        if end - start < shortest and not (start == event[1] + 1 and lower[event[1]] in _SIDES):
            continue
        if end <= event[0]:
            role = _role_before(end, event, lower)
        elif start >= event[1]:
            role = _role_behind(start, event, lower)
        else:
            continue
        if role is not None:
            found.append(NamedRole(start, end, role))
    return found


def _role_before(end: int, event: tuple[int, int], lower: Sequence[str]) -> str | None:
    """The role of a name that ends before an event."""
    place = end
    if lower[place : place + 1] == [","]:  # "Marek Dolny, 34, was charged"
        rest = range(place + 1, min(place + 1 + _LONGEST_APPOSITION, event[0]))
        place = next((one + 1 for one in rest if lower[one] == ","), place)
    elif lower[place : place + 1] == ["("]:
        place = lower.index(")", place) + 1 if ")" in lower[place : event[0]] else place
    between = lower[place : event[0]]
    if any(word not in _AUXILIARIES and not word.endswith("ly") for word in between):
        return None
    passive = bool(_BE.intersection(between)) and lower[event[1] - 1].endswith(("ed", "en", "ld", "ght", "ot"))
    return OBJECT if passive else SUBJECT if lower[event[1] - 1].endswith(("ed", "s", "on", "at")) else None


def _role_behind(start: int, event: tuple[int, int], lower: Sequence[str]) -> str | None:
    """The role of a name that begins behind an event."""
    between = list(lower[event[1] : start])
    while between and (between[-1].rstrip(".") in TITLES or _COMPOUND.fullmatch(between[-1])):
        between.pop()
    if between and between[-1] in _DETERMINERS:
        between.pop()
    if not between:
        noun = event[0] > 0 and lower[event[0] - 1] in _DETERMINERS
        return None if noun else OBJECT
    if between[0] in _SIDES and len(between) == 1:
        noun = event[0] > 0 and lower[event[0] - 1] in _DETERMINERS
        return OBJECT if noun and between[0] == "of" else between[0]
    plain = len(between) <= _LONGEST_PHRASE and _ENDS_PHRASE.isdisjoint(between)
    return OBJECT if plain and lower[event[1] - 1].endswith("ed") else None


def offices_in(words: Sequence[str]) -> Iterator[NamedRole]:
    """The full names beside offices that one person holds at a time; former and deputy ones are left out."""
    lower = [word.casefold() for word in words]
    for start, end in full_names(words):
        title = start - 1
        if title >= 0 and lower[title] in _OFFICES and _FORMER.isdisjoint(lower[max(0, title - 3) : title]):
            yield NamedRole(start, end, lower[title])
        elif lower[end : end + 1] == [","]:
            behind = lower[end + 1 : end + 3]
            if behind[:1] == ["the"]:
                behind = behind[1:]
            if behind and behind[0] in _OFFICES:
                yield NamedRole(start, end, behind[0])
