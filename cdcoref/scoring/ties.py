"""What ties mentions to each other: the words of two sets of mentions in, the strongest thing they share out.

Of a missing link it says what a system would have had to see, of a wrong one what misled it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal

from cdcoref.language import MentionWords

Tie = Literal[
    "the same words",
    "the same head",
    "a name",
    "the stem of the heads",
    "another word",
    "a pronoun",
    "a name and a noun",
    "nothing in common",
]
TIES: tuple[Tie, ...] = Tie.__args__  # type: ignore[attr-defined]
"""All ties, the strongest first."""
STEM = 4
"""The number of letters in which two heads agree whose stem is the same: "explode" and "explosion"."""


def strongest_tie(some: Iterable[MentionWords], others: Iterable[MentionWords]) -> Tie:
    """The strongest thing that any of some mentions shares with any of others.

    "A pronoun" is all that one side consists of; "a name and a noun": all mentions of one side have names, none of the
    other has.
    """
    ours, theirs = ([words for words in side if not words.pronoun] for side in (list(some), list(others)))
    if not ours or not theirs:
        return "a pronoun"
    for tie, feature in _FEATURES.items():
        shared, of_theirs = (frozenset[object]().union(*map(feature, side)) for side in (ours, theirs))
        if not shared.isdisjoint(of_theirs):
            return tie
    named = {frozenset(bool(words.names) for words in side) for side in (ours, theirs)}
    return "a name and a noun" if named == {frozenset([True]), frozenset([False])} else "nothing in common"


_FEATURES: dict[Tie, Callable[[MentionWords], Iterable[object]]] = {
    "the same words": lambda mention: [mention.words],
    "the same head": lambda mention: [mention.head],
    "a name": lambda mention: mention.names,
    "the stem of the heads": lambda mention: [mention.head[:STEM]],
    "another word": lambda mention: mention.lemmas,
}
"""What mentions may share, the strongest first."""
