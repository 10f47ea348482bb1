"""A document in, the words that say what it is about out, and how much each weighs before its rarity is known.

Names (capitalised words) and numbers weigh more, and so do words of the first sentences: they tell two stories of one
kind apart, such as two earthquakes, which a repeated "quake" does not. Words count by their lemma, so that reports of
one strike need not all say "strikes". Bylines, dates above a report and boilerplate (see
:mod:`cdcoref.stories.boilerplate`) do not count: unrelated articles have them in common. Stop words are spaCy's.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache
from hashlib import blake2b

from cdcoref.corpus import Document
from cdcoref.language import HEADER_LINES, in_sentence_case, is_header_line, lemma

NAME_WEIGHT = 2.0
LEAD_WEIGHT = 2.0
LEAD_SENTENCES = 2

_WORD = re.compile(r"[^\W_]+(?:[.,:'’&-][^\W_]+)*")
_POSSESSIVE = re.compile(r"['’]s$", re.IGNORECASE)
_ENDING = re.compile(r"(?:n't|'s|'re|'ve|'ll|'d|'m)$")
_DIGITS = str.maketrans("123456789", "0" * 9)


def words_of(document: Document, boilerplate: Collection[bytes] = ()) -> dict[str, float]:
    """The words of a document's report.

    Parameters
    ----------
    document
        The document. Hidden sentences are ignored.
    boilerplate
        Keys of lines to ignore too (see :func:`line_key`).

    Returns
    -------
    dict
        How much each word weighs before its rarity is known.
    """
    names: set[str] = set()
    lead: set[str] = set()
    words: dict[str, float] = {}
    tokens = in_sentence_case(document).tokens
    for number, sentence in enumerate(_report(document, boilerplate)):
        start, end = document.sentences[sentence]
        for token in range(start, end):
            for word, capitalised in _words(tokens[token]):
                words[word] = 1.0
                if (capitalised and token > start) or word[0].isdigit():
                    names.add(word)
                if number < LEAD_SENTENCES:
                    lead.add(word)
    for word in names:
        words[word] *= NAME_WEIGHT
    for word in lead:
        words[word] *= LEAD_WEIGHT
    return words


def line_key(document: Document, sentence: int) -> bytes:
    """What the same line has in common in several documents: a hash of its words in lower case, with digits as 0."""
    start, end = document.sentences[sentence]
    text = " ".join(document.tokens[start:end]).casefold().translate(_DIGITS)
    return blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest()


def visible_sentences(document: Document, boilerplate: Collection[bytes] = ()) -> list[int]:
    """The numbers of the sentences that are neither hidden nor boilerplate."""
    numbers = [number for number in range(len(document.sentences)) if number not in document.hidden]
    return [number for number in numbers if line_key(document, number) not in boilerplate] if boilerplate else numbers


def _report(document: Document, boilerplate: Collection[bytes]) -> list[int]:
    """The numbers of the sentences that are part of the report."""
    return [
        number
        for place, number in enumerate(visible_sentences(document, boilerplate))
        if place >= HEADER_LINES or not is_header_line(" ".join(document.tokens[slice(*document.sentences[number])]))
    ]


@lru_cache(maxsize=1 << 18)
def _words(token: str) -> tuple[tuple[str, bool], ...]:
    """The lemmas of a token's content words, and whether the words were capitalised."""
    words = ((_POSSESSIVE.sub("", form.lower()), form[0].isupper()) for form in _WORD.findall(token))
    return tuple((lemma(word), upper) for word, upper in words if len(word) > 1 and not _is_stop_word(word))


def _is_stop_word(word: str) -> bool:
    """Whether a word, with or without its contraction, is a stop word."""
    word = word.replace("’", "'")
    return word in _stop_words() or _ENDING.sub("", word) in _stop_words()


@lru_cache(maxsize=1)
def _stop_words() -> frozenset[str]:
    from spacy.lang.en.stop_words import STOP_WORDS

    return frozenset(STOP_WORDS)
