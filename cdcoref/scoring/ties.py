"""What ties mentions to each other: the words of two sets of mentions in, the strongest thing they share out.

Of a missing link it says what a system would have had to see, of a wrong one what misled it.
"""

from __future__ import annotations

from collections.abc import Iterable
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
    if {words.words for words in ours} & {words.words for words in theirs}:
        return "the same words"
    if {words.head for words in ours} & {words.head for words in theirs}:
        return "the same head"
    if _names(ours) & _names(theirs):
        return "a name"
    if _stems(ours) & _stems(theirs):
        return "the stem of the heads"
    if _lemmas(ours) & _lemmas(theirs):
        return "another word"
    named = {frozenset(bool(words.names) for words in side) for side in (ours, theirs)}
    return "a name and a noun" if named == {frozenset([True]), frozenset([False])} else "nothing in common"


def _names(mentions: Iterable[MentionWords]) -> frozenset[str]:
    return frozenset().union(*(words.names for words in mentions))


def _lemmas(mentions: Iterable[MentionWords]) -> frozenset[str]:
    return frozenset().union(*(words.lemmas for words in mentions))


def _stems(mentions: Iterable[MentionWords]) -> set[str]:
    return {words.head[:STEM] for words in mentions}
