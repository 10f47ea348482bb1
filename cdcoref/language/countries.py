"""Which countries a name stands for: the words of a name in, countries out.

A name may stand for several countries of the list, as "Korea" and "Britain" do: then it contradicts none of them.
States that no longer exist stand for themselves and for those that succeeded them. Names that are as often those of
people or of parts of countries are left out ("Jordan", "Georgia", "Chad").
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from cdcoref.word_tables import rows

NONE: frozenset[str] = frozenset()


def countries_named(name: Sequence[str]) -> frozenset[str]:
    """The countries that a name may stand for.

    Parameters
    ----------
    name
        All its words, in lower case, without full stops at their ends: ``("south", "korea")``, ``("danes",)``.

    Returns
    -------
    frozenset
        In lower case; empty if it is the name of no country or people of the list. Two names whose countries have
        nothing in common cannot mean the same.
    """
    return _countries().get(tuple(name), NONE)


@lru_cache(maxsize=1)
def _countries() -> dict[tuple[str, ...], frozenset[str]]:
    found = {}
    for row in rows("countries.tsv"):
        names, people, means = (cell.lower().split(", ") if cell else [] for cell in row.values())
        found.update(dict.fromkeys((tuple(form.split()) for form in names + people), frozenset(means or names[:1])))
    return found
