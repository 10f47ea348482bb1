"""What an uncased encoder cannot see of spans: how words are spelt, and syntactic features from a parse."""

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from cdcoref.corpus import Document
from cdcoref.facts import Parse, parse
from cdcoref.word_tables import rows

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
    for of_neighbour in (capital, name):
        features += [np.append(False, of_neighbour[:-1]), np.append(of_neighbour[1:], False)]
    features.append(share)
    table = np.stack(features, axis=1).astype(np.float32)
    if not any(letter.islower() for word in words for letter in word):
        table[:, OF_CAPITALS] = 0.0
    return table


Integers = NDArray[np.int64]
Rows = NDArray[np.int16]


def _labels(kind: str) -> dict[str, int]:
    labels = (row["label"] for row in rows("parse_labels.tsv") if kind in row["kind"].split(", "))
    return {label: number for number, label in enumerate(labels, start=1)}


RELATIONS, PARTS, ENTITIES = map(_labels, ("relation", "part", "entity"))
_NOMINAL = [PARTS[part] for part in ("NOUN", "PROPN", "PRON", "NUM", "SYM")]
_MOST_OUTSIDE = 4
_NO_ENTITY, _CROSSES, _INSIDE, _CONTAINS, _EXACT = range(5)
_NO_WORD, _NO_DEPENDENT, _DEPENDENT = range(3)
_SIZES = {
    "words with a head outside, and whether the span's head is its last word": 2 * _MOST_OUTSIDE,
    "relation of the head": len(RELATIONS) + 1,
    "part of speech of the head": len(PARTS) + 1,
    "whether the head's phrase begins with the span, and ends with it": 4,
    "named entity: none, crossed, around, inside, or of a type": _EXACT + len(ENTITIES) + 1,
    "the word before: none, not of the phrase, or its relation": _DEPENDENT + len(RELATIONS) + 1,
    "the word after": _DEPENDENT + len(RELATIONS) + 1,
    "relation of the first word": len(RELATIONS) + 1,
    "part of speech of the first word": len(PARTS) + 1,
    "relation of the last word": len(RELATIONS) + 1,
    "part of speech of the last word": len(PARTS) + 1,
}
SYNTAX_FEATURES = len(_SIZES)
"""How many features a span has."""
SYNTAX_VALUES = sum(_SIZES.values())
"""How many values all features have together."""
_FIRST_VALUES = np.cumsum([0, *_SIZES.values()])[:-1]


class SpanSyntax:
    """Syntactic features of the spans of a document, from its parse; without one, it is parsed."""

    def __init__(self, document: Document) -> None:
        known = next(parse([document])) if document.parse is None else Parse.unpacked(document.parse)
        self._relations = _codes(known.relations, RELATIONS)
        self._parts = _codes(known.parts, PARTS)
        self._heads = np.array(known.heads, dtype=np.int64)
        self._sentences = np.array(document.sentence_of_tokens(), dtype=np.int64)
        self._left, self._right = _phrases(self._heads)
        tokens = len(self._heads)
        # Of every token: the type of its named entity, and where that begins and ends; none begins and ends nowhere.
        self._types = np.zeros(tokens, dtype=np.int64)
        self._entity_starts, self._entity_ends = np.full(tokens, -1), np.full(tokens, -1)
        for (start, end, _), code in zip(known.entities, _codes([e[2] for e in known.entities], ENTITIES), strict=True):
            self._types[start:end], self._entity_starts[start:end], self._entity_ends[start:end] = code, start, end

    def __call__(self, starts: Integers, ends: Integers) -> Rows:
        """The rows of embeddings of spans, given their tokens, end exclusive. *Shape:* (spans, `SYNTAX_FEATURES`)"""
        found = np.zeros((len(starts), SYNTAX_FEATURES), dtype=np.int16)
        for length in np.unique(ends - starts):
            spans = np.flatnonzero(ends - starts == length)
            found[spans] = self._of_length(starts[spans], int(length)) + _FIRST_VALUES
        return found

    def _of_length(self, starts: Integers, length: int) -> Integers:
        tokens = starts[:, None] + np.arange(length)
        first, last = tokens[:, 0], tokens[:, -1]
        heads = self._heads[tokens]
        outside = (heads < first[:, None]) | (heads > last[:, None]) | (heads == tokens)
        nominal = outside & np.isin(self._parts[tokens], _NOMINAL)
        position = np.where(nominal.any(axis=1), nominal.argmax(axis=1), outside.argmax(axis=1))
        head = first + position
        features = [
            np.minimum(outside.sum(axis=1), _MOST_OUTSIDE) - 1 + _MOST_OUTSIDE * (head == last),
            self._relations[head],
            self._parts[head],
            (self._left[head] == first) + 2 * (self._right[head] == last),
            self._entity(first, last, tokens),
            self._beside(first - 1, first, last),
            self._beside(last + 1, first, last),
            *(table[word] for word in (first, last) for table in (self._relations, self._parts)),
        ]
        return np.stack(features, axis=1)

    def _entity(self, first: Integers, last: Integers, tokens: Integers) -> Integers:
        starts, ends = self._entity_starts, self._entity_ends - 1
        exact = (starts[first] == first) & (ends[first] == last)
        inside = (starts[first] >= 0) & (ends[first] >= last)
        before = (starts[first] >= 0) & (starts[first] < first)
        after = (starts[last] >= 0) & (ends[last] > last)
        some = (starts[tokens] >= 0).any(axis=1)
        return np.select(
            [exact, inside, before | after, some],
            [_EXACT + self._types[first], _INSIDE, _CROSSES, _CONTAINS],
            _NO_ENTITY,
        )

    def _beside(self, words: Integers, first: Integers, last: Integers) -> Integers:
        tokens = words.clip(0, len(self._heads) - 1)
        in_sentence = (tokens == words) & (self._sentences[tokens] == self._sentences[first])
        heads = self._heads[tokens]
        dependent = (heads >= first) & (heads <= last)
        return np.where(
            ~in_sentence, _NO_WORD, np.where(dependent, _DEPENDENT + self._relations[tokens], _NO_DEPENDENT)
        )


def _codes(labels: Iterable[str], numbers: Mapping[str, int]) -> Integers:
    return np.array([numbers.get(label, 0) for label in labels], dtype=np.int64)


def _phrases(heads: Integers) -> tuple[Integers, Integers]:
    """The first and the last token of what depends on each token, itself among it."""
    left, right = np.arange(len(heads)), np.arange(len(heads))
    while True:
        wider_left, wider_right = left.copy(), right.copy()
        np.minimum.at(wider_left, heads, left)
        np.maximum.at(wider_right, heads, right)
        if (wider_left == left).all() and (wider_right == right).all():
            return left, right
        left, right = wider_left, wider_right
