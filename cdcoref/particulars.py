"""What keeps mentions apart: years, amounts, weekdays, months and names of two mentions in, whether they conflict out.

Few pairs with a conflict corefer all the same; ``scripts/count_conflicts.py --annotated`` counts them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Particulars(NamedTuple):
    """What a mention names that another mention of the same thing cannot contradict.

    Attributes
    ----------
    years, amounts, weekdays, months
        Those that it names; amounts also directly before it.
    full_name
        Two or three capitalised words, in lower case, without a company's legal form; empty for none.
    """

    years: frozenset[str] = frozenset()
    amounts: frozenset[str] = frozenset()
    weekdays: frozenset[str] = frozenset()
    months: frozenset[str] = frozenset()
    full_name: tuple[str, ...] = ()


NOTHING = Particulars()


def in_conflict(one: Particulars, other: Particulars) -> bool:
    """Whether two mentions cannot corefer: both name values of a sort and share none, or have different full names."""
    values = zip(one[:4], other[:4], strict=True)
    return any(mine and yours and not mine & yours for mine, yours in values) or different_names(
        one.full_name, other.full_name
    )


def different_names(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two full names have nothing in common: no word, and neither has the initials of the other ("GM Corp").

    Last words of which one begins with the other count as one word ("Africa", "African").
    """
    if not one or not other or not set(one).isdisjoint(other) or _initials(one) in other or _initials(other) in one:
        return False
    return not one[-1].startswith(other[-1]) and not other[-1].startswith(one[-1])


def _initials(name: Sequence[str]) -> str:
    return "".join(word[0] for word in name)
