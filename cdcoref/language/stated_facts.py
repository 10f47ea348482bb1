"""What keeps mentions apart: years, amounts, dates, countries and names of two mentions in, whether they conflict
out."""

from __future__ import annotations

from typing import NamedTuple

from cdcoref.language.proper_names import different_names


class StatedFacts(NamedTuple):
    """What a mention names that another mention of the same thing cannot contradict.

    `years`, `amounts`, `weekdays`, `months`: those that it names; amounts also directly before it.
    `countries`: those that it may be the name of.
    `gender`: ``man`` or ``woman``, where a title, a first name, a noun ("wife") or a pronoun states it.
    `sorts`: what a noun, the last word of a name or the parse states that it may be.
    `nationality`: of a person with a title or an office, its country ("the Finnish prime minister").
    `generation`: what tells apart two of one name: ``jr`` and the like, or a number where ages or jobs do.
    `initials`: those between the first and the last word of a person's name ("h w" of "George H. W. Hale").
    `full_name`: up to three capitalised words, in lower case, without titles before two or more words, middle initials,
        particles ("van der"), a generation and a company's legal form; empty if it is not the whole mention.
    """

    years: frozenset[str] = frozenset()
    amounts: frozenset[str] = frozenset()
    weekdays: frozenset[str] = frozenset()
    months: frozenset[str] = frozenset()
    countries: frozenset[str] = frozenset()
    gender: frozenset[str] = frozenset()
    sorts: frozenset[str] = frozenset()
    nationality: frozenset[str] = frozenset()
    generation: frozenset[str] = frozenset()
    initials: frozenset[str] = frozenset()
    full_name: tuple[str, ...] = ()

    @property
    def values(self) -> tuple[frozenset[str], ...]:
        """Everything but the name, sort by sort."""
        return self[:-1]


NO_FACTS = StatedFacts()
PERSON, ORGANISATION, CLUB, TOWN = "person", "organisation", "club", "town"
"""The sorts."""
NO_PERSON = frozenset((ORGANISATION, CLUB, TOWN))
"""What is none may be."""
GROUP = frozenset((ORGANISATION, CLUB))
PLAYERS = GROUP | {PERSON}
"""What wins or loses a game may be."""


def in_conflict(one: StatedFacts, other: StatedFacts) -> bool:
    """Whether two mentions cannot corefer: both name values of a sort and share none, or have different full names."""
    values = zip(one.values, other.values, strict=True)
    return any(mine and yours and not mine & yours for mine, yours in values) or different_names(
        one.full_name, other.full_name
    )
