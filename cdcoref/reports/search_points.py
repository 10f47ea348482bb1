"""How well a cluster fits what people search for: words of a query and of a cluster in, points out. The one ranking;
`views/templates/search.js` does the same."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

TITLE, WORDING, SENTENCE = 6, 4, 2
"""Points for a word in the title, in the words of a mention, in its sentence."""
_WORD = re.compile(r"[^\W_]+")


def search_words(text: str) -> list[str]:
    """The words of a text, in lower case and without accents.

    >>> search_words("Olé, the Ferry's 2nd_trip")
    ['ole', 'the', 'ferry', 's', '2nd', 'trip']
    """
    if text.isascii():
        return _WORD.findall(text.lower())
    plain = "".join(c for c in unicodedata.normalize("NFKD", text) if unicodedata.category(c)[0] != "M")
    return _WORD.findall(plain.lower())


def searched(texts: Iterable[str]) -> str:
    """Texts as :func:`search_points` takes them: their words, each between spaces.

    >>> searched(["The ferry", "Maren."])
    ' the ferry maren '
    """
    return f" {' '.join(word for text in texts for word in search_words(text))} "


@lru_cache(maxsize=1 << 14)
def searched_title(title: str) -> str:
    """A title as :func:`search_points` takes it."""
    return searched([title])


def word_points(word: str, text: str, worth: int) -> int:
    """The points for a word in a text: `worth`, half of it for the beginning of a word, or 0."""
    if f" {word}" not in text:
        return 0
    return worth if f" {word} " in text else worth // 2


def search_points(query: Sequence[str], title: str, wordings: str, sentences: Iterable[str]) -> int:
    """The points of a cluster for the words of a query; 0 if it lacks one of them.

    `title`, `wordings` of all mentions and `sentences` are as :func:`searched` gives them; sentences are consulted only
    if a word is in neither of the others.

    >>> search_points(["greece", "fire"], " fire kalamata greece ", " fire blaze ", [])
    12
    >>> search_points(["fire"], " flight ", " fled ", [" they fled the fires "])
    1
    """
    total = 0
    known: list[str] | None = None
    for word in query:
        points = max(word_points(word, title, TITLE), word_points(word, wordings, WORDING))
        if not points:
            known = list(sentences) if known is None else known
            points = max((word_points(word, sentence, SENTENCE) for sentence in known), default=0)
        if not points:
            return 0
        total += points
    return total
