"""What is printed for the user of a terminal: text of any origin in, the same without what could control it out."""

from __future__ import annotations

import sys

_JOINERS_AND_MARKS = "\u200c\u200d\u200e\u200f"
"""Invisible characters that Persian, Hindi, emoji and right-to-left text need."""


def printable(text: str) -> str:
    """The text without characters that could control the terminal; each becomes a replacement character."""
    return "".join(c if c.isprintable() or c in _JOINERS_AND_MARKS else "\ufffd" for c in text)


def say(program: str, sentence: str) -> None:
    """Print a sentence on standard error, after the program's name; it may have several lines."""
    lines = "\n".join(map(printable, sentence.split("\n")))
    print(f"{program}: {lines}", file=sys.stderr)


def counted(number: int, singular: str, plural: str = "") -> str:
    """A number with what it counts.

    >>> counted(1, "story", "stories"), counted(2000, "story", "stories"), counted(0, "pair")
    ('1 story', '2,000 stories', '0 pairs')
    """
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"
