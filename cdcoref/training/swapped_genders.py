"""Texts in which women are men and men are women, from which a scorer of antecedents does not learn that nurses are
women."""

from __future__ import annotations

from collections.abc import Sequence

from cdcoref.language import continues_phrase, gender_of_first_name, is_common_word
from cdcoref.word_tables import rows, words_in

_OTHER: dict[str, str] = {}
for _row in rows("gender_pairs.tsv"):
    _OTHER.setdefault(_row["man"], _row["woman"])
    _OTHER.setdefault(_row["woman"], _row["man"])
_OTHER["hers"] = "his"
_GENDERS = {row["name"]: row["gender"] for row in rows("first_names.tsv")}
_NOT_POSSESSED = words_in("function_words.tsv", "not possessed")


def with_genders_swapped(words: Sequence[str]) -> list[str]:
    """The words of a text with pronouns, nouns, titles and first names of the other gender, one for one.

    What states no gender stays: surnames, and first names of both genders.

    >>> " ".join(with_genders_swapped("Mr. Hale told her sister Paula that her car was his .".split()))
    'Ms. Hale told his brother Ned that his car was hers .'
    """
    return [_swapped(words, place) for place in range(len(words))]


def _swapped(words: Sequence[str], place: int) -> str:
    word = words[place]
    lower = word.casefold()
    following = words[place + 1] if place + 1 < len(words) else "."
    before_noun = continues_phrase(following) and following.casefold() not in _NOT_POSSESSED
    if lower == "her" and before_noun:
        return _like(word, "his")
    if lower == "his":
        return _like(word, "her" if before_noun else "hers")
    if lower in _OTHER:
        return _like(word, _OTHER[lower])
    is_surname = place > 0 and words[place - 1].istitle() and words[place - 1].casefold() not in _OTHER
    if not word.istitle() or is_surname or is_common_word(lower):
        return word
    states_gender = gender_of_first_name(lower, alone=not following.istitle())
    return _like(word, _name_of_other_gender(lower)) if states_gender else word


def _like(word: str, other: str) -> str:
    """The other word, with capitals as in the first."""
    if word.isupper() and len(word) > 1:
        return other.upper()
    return other[:1].upper() + other[1:] if word[:1].isupper() else other


def _name_of_other_gender(name: str) -> str:
    """A first name for another person, of the other gender: "ned" for "paula"."""
    own, others = (
        [other for other in _GENDERS if (_GENDERS[other] == _GENDERS[name]) is same] for same in (True, False)
    )
    return others[own.index(name) * len(others) // len(own)]
