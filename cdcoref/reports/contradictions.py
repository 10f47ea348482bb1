"""What contradictions between the documents of a story consist of, whatever they are about."""

from __future__ import annotations

from dataclasses import dataclass

from cdcoref.corpus import Mention

SHARED_EVENTS = 2
"""Events that two documents share, at least, if they are about one happening."""


@dataclass(frozen=True, slots=True)
class StatedValue:
    """A value that a document states: where it is, and what readers see of it."""

    document: str
    token: int
    value: str


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Different values of one thing, each stated by some documents.

    Attributes
    ----------
    about
        What differs: ``"number"``, ``"day"``, ``"place"``, ``"age"`` or ``"name"``.
    members
        The mentions of the event or person; empty if it is no mention.
    label
        What it is called where it is no mention: an office, or a sort of relation; otherwise empty.
    stated
        Each value once, in the order of the story.
    """

    about: str
    members: tuple[Mention, ...]
    label: str
    stated: tuple[StatedValue, ...]
