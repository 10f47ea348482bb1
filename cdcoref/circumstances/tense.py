"""Whether a sentence looks ahead where it states a time, by its words."""

from __future__ import annotations

from collections.abc import Sequence

from cdcoref.language import word_set

_FUTURE = word_set("will would shall 'll due scheduled expected plans planned next upcoming tomorrow")
_PAST = word_set("""
was were had did been began broke came died fell found held hit killed left lost made met said shot struck took told
went won
""")
_UNPLANNED = word_set("""
accident attack attacks blast blaze bombing bombings clashes collision crash death deaths defeat disaster earthquake
explosion fire incident killing killings loss murder murders outage quake riot riots setback shooting shootings stabbing
victory win
""")
"""What is known only afterwards: "Friday's win" is past, though "who will miss the final after" stands before it."""
_LONGEST_MODIFIER = 4
"""Words between "Friday's" and the noun, at most ("Friday's 3-0 league cup win")."""
_ENDS_MODIFIER = word_set(", . ; ( ) after against and at before but by for from in of on or that to which who with")
_SHORTEST_VERB = 4


def looks_ahead(lower: Sequence[str], place: int) -> bool | None:
    """Whether what happens at a time is still to come; None if no verb says.

    The nearest verb before the time counts, or else the nearest after it: "He is due in court on Monday" looks ahead,
    "The strike that began on Monday will end" does not.
    """
    if _is_of_unplanned(lower, place + 1):
        return False
    for word in (*reversed(lower[:place]), *lower[place:]):
        if word in _FUTURE:
            return True
        if word in _PAST or (word.endswith("ed") and len(word) > _SHORTEST_VERB):
            return False
    return None


def _is_of_unplanned(lower: Sequence[str], place: int) -> bool:
    """Whether "'s" and a noun for something that nobody plans follow a day ("Friday's win")."""
    if place >= len(lower) or lower[place] not in ("'s", "’s"):
        return False
    for word in lower[place + 1 : place + 2 + _LONGEST_MODIFIER]:
        if word in _UNPLANNED or word in _ENDS_MODIFIER:
            return word in _UNPLANNED
    return False
