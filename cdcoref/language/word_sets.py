"""Lists of words as they are written in the code: a text in, the set of its words out."""

from __future__ import annotations


def word_set(text: str) -> frozenset[str]:
    """The words of a text, which white space separates."""
    return frozenset(text.split())
