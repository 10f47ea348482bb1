"""How words are spelt, which an uncased encoder cannot see: a document in, a row of numbers for every word out. A
sentence in capitals alone is presented as if it were in lower case."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cdcoref.corpus import Document

SPELLING = (
    "capital",
    "capitals",
    "digit",
    "sign",
    "begins_sentence",
    "name",
    "after_capital",
    "before_capital",
    "after_name",
    "before_name",
    "share_of_capitals",
)
"""The features of a word, each from 0 to 1: whether it begins with a capital, has several letters, all in upper case,
has a digit, has neither letter nor digit, begins its sentence; whether it is likely a name, a capital that neither the
beginning of the sentence nor a headline explains; the first and the sixth of these of the words beside it in the
sentence; and the share of the other words of its sentence, but for the first, that begin with a capital."""
OF_CAPITALS = tuple(name not in ("digit", "sign", "begins_sentence") for name in SPELLING)
"""Which of these are 0 in a text without capitals."""
HEADLINE = 0.5
"""The share of the words of a sentence that begin with a capital above which it is taken for a headline."""


def spelling_of(document: Document) -> NDArray[np.float32]:
    """How the words of a document are spelt. *Shape:* (tokens, `SPELLING`)"""
    table = np.zeros((len(document.tokens), len(SPELLING)), dtype=np.float32)
    for start, end in document.sentences:
        if start < end:
            table[start:end] = _sentence(document.tokens[start:end])
    return table


def _sentence(words: tuple[str, ...]) -> NDArray[np.float32]:
    letters = np.array([any(map(str.isalpha, word)) for word in words])
    capital = np.array([word[:1].isupper() for word in words])
    capitals = np.array([word.isupper() and sum(map(str.isalpha, word)) > 1 for word in words])
    digit = np.array([any(map(str.isdigit, word)) for word in words])
    begins = np.arange(len(words)) == 0
    inside = letters & ~begins
    share = ((capital & inside).sum() - (capital & inside)) / np.maximum(1, inside.sum() - inside)
    name = capital & ~begins & (share <= HEADLINE)
    features = [capital, capitals, digit, ~letters & ~digit, begins, name]
    features += [_before(capital), _after(capital), _before(name), _after(name), share]
    table = np.stack(features, axis=1).astype(np.float32)
    if not any(letter.islower() for word in words for letter in word):
        table[:, OF_CAPITALS] = 0.0
    return table


def _before(values: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Of every word the value of the one before it."""
    return np.concatenate([[False], values[:-1]])


def _after(values: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Of every word the value of the one after it."""
    return np.concatenate([values[1:], [False]])
