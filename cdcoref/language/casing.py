"""Headlines and texts in capital letters: a document in, in sentence case out. A word takes the form that it mostly has
inside the other sentences of its document; else a common word of the dictionary becomes lower case."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from cdcoref.corpus import Document
from cdcoref.language.dates import is_date
from cdcoref.word_tables import words_in

FEWEST_CAPITALS = 4
"""With fewer capitalised words a sentence is no headline."""
_LOWER = words_in("function_words.tsv", "headline") | {"s", "'s", "’s", "n't"}
"""Words that a headline in title case may have in lower case."""


def in_sentence_case(document: Document) -> Document:
    """A document whose tokens are in sentence case in headlines, all of whose long words are capitalised."""
    headlines = [bounds for bounds in document.sentences if _is_headline(document.tokens[slice(*bounds)])]
    if not headlines:
        return document
    usual = _usual_forms(document, headlines)
    tokens = list(document.tokens)
    for start, end in headlines:
        capitals = not any(letter.islower() for word in tokens[start:end] for letter in word)
        tokens[start:end] = [_as_in_sentence(word, usual, capitals) for word in tokens[start:end]]
    return replace(document, tokens=tuple(tokens))


def _is_headline(words: Sequence[str]) -> bool:
    capitals = sum(word[:1].isupper() for word in words)
    return capitals >= FEWEST_CAPITALS and all(not word[:1].islower() or word in _LOWER for word in words)


def _usual_forms(document: Document, headlines: Sequence[tuple[int, int]]) -> dict[str, str]:
    """By word in lower case, how it is mostly written inside the sentences that are no headlines."""
    forms: defaultdict[str, Counter[str]] = defaultdict(Counter)
    left_out = {*headlines, *(document.sentences[number] for number in document.hidden)}
    for start, end in document.sentences:
        if (start, end) not in left_out:
            words = document.tokens[start:end]
            first = 0 if len(words) > 1 and words[1][:1].isupper() else 1
            for word in words[first:]:
                forms[word.casefold()][word] += 1
    return {word: found.most_common(1)[0][0] for word, found in forms.items()}


def _as_in_sentence(word: str, usual: Mapping[str, str], capitals: bool) -> str:
    """A word of a headline; `capitals`: all the headline is in upper case."""
    if not word[:1].isupper() or (word.isupper() and not capitals and len(word) > 1) or is_date(word):
        return word
    form = usual.get(word.casefold())
    if form is not None:
        return form
    return word.lower() if word.upper() != "US" and is_common_word(word.lower()) else word


@lru_cache(maxsize=1 << 16)
def is_common_word(word: str) -> bool:
    """Whether a dictionary knows a word in lower case, and not as a name."""
    from simplemma import is_known, lemmatize

    return is_known(word, lang="en") and lemmatize(word.capitalize(), lang="en").islower()
