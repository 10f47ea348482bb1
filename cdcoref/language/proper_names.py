"""What a name may mean: its words in; countries, the gender of a first name, and whether two names conflict out. Names
that are as often something else are left out ("Jordan", "Georgia"), and so are first names of both genders."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import TYPE_CHECKING

from cdcoref.language.casing import is_common_word
from cdcoref.word_tables import rows, words_in

if TYPE_CHECKING:
    from nicknames import NickNamer

TOWNS = words_in("name_endings.tsv", "town")
"""Nouns for towns."""
MEN_AND_WOMEN = {row["word"]: row["gender"] for row in rows("titles.tsv") if row["gender"]}
"""Titles that say which of the two somebody is, without accents, as names are."""
GENDER_OF_NOUNS = {row["noun"]: row["gender"] for row in rows("people_nouns.tsv") if row["gender"]}
"""Nouns for persons that say which of the two somebody is."""
_GENERATION_OF = {"elder": "sr", "younger": "jr"}
RELATIVES = {row["noun"]: _GENERATION_OF.get(row["age"], "") for row in rows("people_nouns.tsv") if row["age"]}
"""Nouns for somebody's relatives, with the generation that they are of if both have one name, or nothing."""
TITLES = words_in("titles.tsv", "title")
"""Titles and ranks, which stand before different parts of one name ("Miss Amelia", "Miss Sedley")."""
OFFICES = words_in("titles.tsv", "office")
"""Offices that end a description of whoever holds them ("U.S. President", "Chrysler Chief Executive")."""
_ADJECTIVES = words_in("before_names.tsv", "adjective")
_DIRECTIONS = words_in("before_names.tsv", "direction")
PARTICLES = words_in("before_names.tsv", "particle")
"""Words within surnames ("van der Berg", "Le Pen"), which only the first of them may begin with a capital."""
JOBS = {row["noun"]: row["field"] for row in rows("jobs.tsv")}
"""Nouns for what people do for a living, and its field; hardly anybody has jobs of two fields at a time."""
GENERATIONS = words_in("name_endings.tsv", "generation")
"""What may follow a name, and tells father and son apart."""
NO_FIRST_NAMES = TITLES | PARTICLES | _ADJECTIVES
"""Words that stand before a name and may be left out: titles, ranks, particles and adjectives."""
INSTITUTIONS = words_in("name_endings.tsv", "institution")
"""Kinds of institutions and places that are the last word of their names."""
LIKE_SPELLING = 0.6
"""The likeness (of difflib) from which two first names may be two spellings of one."""
_GENDER_OF_FIRST_NAMES = {row["name"]: row["gender"] for row in rows("first_names.tsv")}
_JOINED_INITIALS = re.compile(r"(?:[a-z]\.)+[a-z]\.?")
"""Initials as in "K.P. Nair"; the last full stop may be missing."""
_SURNAMES = frozenset(row["name"] for row in rows("first_names.tsv") if row["surname"])


def countries_named(name: Sequence[str]) -> frozenset[str]:
    """The countries that a name, in lower case, may stand for: ``("south", "korea")``, ``("danes",)``."""
    return _countries().get(tuple(name), frozenset())


@lru_cache(maxsize=1)
def _countries() -> dict[tuple[str, ...], frozenset[str]]:
    found = {}
    for row in rows("countries.tsv"):
        names, people, means = (cell.lower().split(", ") if cell else [] for cell in row.values())
        found.update(dict.fromkeys((tuple(form.split()) for form in names + people), frozenset(means or names[:1])))
    return found


def gender_of_first_name(name: str, *, alone: bool = False) -> str:
    """``"man"`` or ``"woman"``; empty if a first name, in lower case without accents, does not say it.

    `alone` says that it stands without a surname, and may be one itself.

    >>> gender_of_first_name("paula"), gender_of_first_name("robin"), gender_of_first_name("james", alone=True)
    ('woman', '', '')
    """
    return "" if alone and name in _SURNAMES else _GENDER_OF_FIRST_NAMES.get(name, "")


def different_names(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two full names cannot mean the same.

    No word in common, nor initials ("GM Corp") nor a beginning of the last ("Africa", "African"); unlike first
    names before one last ("Robert Hale", "Margaret Anne Hale", not "R.", "Bob" or "Mayor Hale"); unlike last words
    behind one first ("New York", "New Jersey"); the last of one first in the other ("Ronald Li", "Li Ka-shing"); or
    institutions of one kind with nothing else in common ("Mercy Medical Center", "Lake Medical Center").
    """
    if not one or not other or one == other:
        return False
    common = set(one) & set(other)
    if not common:
        initials = _initials(one) in other or _initials(other) in one
        return not initials and not _one_word(one[-1], other[-1])
    if len(one) == len(other) == 3 and (one[0], one[2]) == (other[0], other[2]):
        return unlike_first_names(one[1], other[1])
    if not len(one) == len(other) == 2:
        if one[-1] == other[-1] in INSTITUTIONS:
            return _unlike_before_the_end(one, other)
        one_is_person = _is_first_name(one[0]) or _is_first_name(other[0])
        is_surname = one[-1] == other[-1] and one[0] not in other and other[0] not in one and one_is_person
        return is_surname and different_names((one[0], one[-1]), (other[0], other[-1]))
    first, second = one[0], other[0]
    if common == {one[1]} == {other[1]}:
        if {first, second} <= MEN_AND_WOMEN.keys():
            return MEN_AND_WOMEN[first] != MEN_AND_WOMEN[second]
        return NO_FIRST_NAMES.isdisjoint((first, second)) and unlike_first_names(first, second)
    if common == {first} == {second}:
        return first not in TITLES and not _one_word(one[1], other[1])
    return _follows(one, other) or _follows(other, one)


def unlike_first_names(one: str, other: str) -> bool:
    """Whether two first or middle names, or initials, are not of one person.

    Those with one initial may be two spellings, unless both are usual names and unlike, or differ behind a hyphen.
    """
    joined = [name for name in (one, other) if _JOINED_INITIALS.fullmatch(name)]
    if len(joined) > 1:
        return not _one_word(one, other)
    if joined:
        return (other if joined[0] == one else one)[0] not in joined[0]
    if one[0] != other[0]:
        return not are_forms_of_one_name(one, other)
    if "-" in one and "-" in other:
        return any(map(unlike_first_names, *(filter(None, name.split("-")) for name in (one, other))))
    genders = {gender_of_first_name(one), gender_of_first_name(other)} - {""}
    if len(genders) == 1 and not (_is_first_name(one) and _is_first_name(other)):
        return False
    alike = SequenceMatcher(None, one, other, autojunk=False).ratio() >= LIKE_SPELLING
    return bool(genders) and (len(genders) > 1 or not alike) and not are_forms_of_one_name(one, other)


def _unlike_before_the_end(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two names have different words before those with which both end, and each has some."""
    same = 1
    while same < min(len(one), len(other)) and one[-1 - same] == other[-1 - same]:
        same += 1
    mine, theirs = one[:-same], other[:-same]
    return bool(mine and theirs) and set(mine).isdisjoint(theirs)


def may_be_surname(name: Sequence[str]) -> bool:
    """Whether the last word of a full name may stand for it: not in "South Africa" or "White House"."""
    if not name or name[0] in _DIRECTIONS:
        return False
    return not is_common_word(name[-1]) or _is_first_name(name[0])


def names_a_person(name: Sequence[str]) -> bool:
    """Whether a full name begins with a common first name."""
    return len(name) > 1 and _is_first_name(name[0])


@lru_cache(maxsize=1 << 16)
def _is_first_name(word: str) -> bool:
    names = _names()
    return bool(gender_of_first_name(word) or names.nicknames_of(word) or names.canonicals_of(word))


def _follows(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether the last of two words is the first of two of another name, and the others differ."""
    return one[1] == other[0] and one[0] not in NO_FIRST_NAMES and not _one_word(one[0], other[1])


@lru_cache(maxsize=1 << 16)
def are_forms_of_one_name(one: str, other: str) -> bool:
    """Whether one first name is short for the other ("Bill", "William"), or both for a third ("Bob", "Robbie")."""
    names = _names()
    return (
        other in names.nicknames_of(one)
        or one in names.nicknames_of(other)
        or not names.canonicals_of(one).isdisjoint(names.canonicals_of(other))
    )


@lru_cache(maxsize=1)
def _names() -> NickNamer:
    from nicknames import NickNamer

    return NickNamer()


def _one_word(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)


def _initials(name: Sequence[str]) -> str:
    return "".join(word[0] for word in name)
