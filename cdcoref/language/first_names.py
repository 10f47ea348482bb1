"""First names that say whether somebody is a man or a woman: a first name in, the gender out.

Only names that are nearly always of one gender in English texts are here; names of both ("Robin", "Andrea", "Kim") are
not, nor are names that are more often those of places ("Virginia").
"""

from __future__ import annotations

from cdcoref.word_tables import rows

_GENDER = {row["name"]: row["gender"] for row in rows("first_names.tsv")}
_SURNAMES = frozenset(row["name"] for row in rows("first_names.tsv") if row["surname"])


def gender_of_first_name(name: str, *, alone: bool = False) -> str:
    """``"man"`` or ``"woman"``; empty if the first name does not say it.

    Parameters
    ----------
    name
        In lower case, without accents.
    alone
        Whether it stands without a surname, and may be one itself.

    >>> gender_of_first_name("paula"), gender_of_first_name("robin"), gender_of_first_name("james", alone=True)
    ('woman', '', '')
    """
    return "" if alone and name in _SURNAMES else _GENDER.get(name, "")


def name_of_other_gender(name: str) -> str:
    """A first name for another person, of the other gender; empty if the name does not say its own.

    Parameters
    ----------
    name
        In lower case, without accents.

    >>> name_of_other_gender("paula"), name_of_other_gender("robin")
    ('ned', '')
    """
    gender = _GENDER.get(name)
    if gender is None:
        return ""
    own, others = ([name for name in _GENDER if (_GENDER[name] == gender) is same] for same in (True, False))
    return others[own.index(name) * len(others) // len(own)]
