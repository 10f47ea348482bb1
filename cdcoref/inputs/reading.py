"""The unmarked text in which mentions are detected: a document in, sequences with their candidate spans out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cdcoref.corpus import Document
from cdcoref.inputs.pair_sequences import Integers
from cdcoref.inputs.spelling import spelling_of
from cdcoref.inputs.windows import DocumentPieces, lay_out
from cdlm.tokens import SpecialPieces, Tokenizer, WordPieces

OVERHEAD = 3
"""[CLS] and one pair of document separators."""
LONGEST_OVERHEAD = 5
"""A sentence of more than half of what the encoder reads at once, without [CLS] and two pairs of separators, is
divided."""


@dataclass(frozen=True, slots=True)
class ReadingSequence:
    """What the encoder reads of one document, and the spans of words that may be mentions."""

    document: Document
    input_ids: Integers
    """Word pieces: ``[CLS] <doc-s> ... </doc-s>``. *Shape:* (length,)"""
    is_global: NDArray[np.bool_]
    """Global attention: ``[CLS]`` alone. *Shape:* (length,)"""
    words: Integers
    word_places: Integers
    """Token indices in the document, and the position of each word's first piece. *Shape:* (words,)"""
    starts: Integers
    ends: Integers
    """First word of every candidate span, and one past its last, as positions in `words`. *Shape:* (spans,)"""
    begins: NDArray[np.bool_]
    """Whether each word begins a sentence, or what the sequence has of one. *Shape:* (words,)"""
    spelling: NDArray[np.float32]
    """How each word is spelt (see :mod:`cdcoref.inputs.spelling`). *Shape:* (words, `SPELLING`)"""

    def __len__(self) -> int:
        return len(self.input_ids)


class ReadingBuilder:
    """Builds the sequences in which mentions are detected.

    A sequence has at most `max_length` word pieces; only a single longer sentence exceeds it, up to the `longest` that
    the encoder can read at once. `max_words` are those of the longest candidate span.
    """

    def __init__(self, tokenizer: Tokenizer, max_length: int, longest: int, max_words: int) -> None:
        self._max_length = max_length
        self._longest = longest
        self._max_words = max_words
        self._word_pieces = WordPieces(tokenizer)
        self._special = SpecialPieces.of(tokenizer)

    def __call__(self, document: Document) -> Iterator[ReadingSequence]:
        """The sequences of a document: whole sentences, without the hidden ones."""
        laid_out, _ = lay_out(document, self._word_pieces(document.tokens), (self._longest - LONGEST_OVERHEAD) // 2)
        sentences = np.array(document.sentence_of_tokens(), dtype=np.int64)
        spelling = spelling_of(document)
        chunk: list[int] = []
        length = 0
        for unit, cost in enumerate(laid_out.lengths):
            if unit in laid_out.hidden:
                continue
            if chunk and length + cost > self._max_length - OVERHEAD:
                yield from self._sequence(laid_out, chunk, sentences, spelling)
                chunk, length = [], 0
            chunk.append(unit)
            length += cost
        yield from self._sequence(laid_out, chunk, sentences, spelling)

    def _sequence(
        self, document: DocumentPieces, units: list[int], sentences: Integers, spelling: NDArray[np.float32]
    ) -> Iterator[ReadingSequence]:
        """One sequence, or none if its units hold no word."""
        ids = [self._special.cls, self._special.doc_start]
        places: list[int] = []
        tokens: list[int] = []
        for unit in units:
            for token in range(*document.units[unit]):
                places.append(len(ids))
                tokens.append(token)
                ids += document.pieces[token]
        if not tokens:
            return
        ids.append(self._special.doc_end)
        is_global = np.zeros(len(ids), dtype=bool)
        is_global[0] = True
        words = np.array(tokens, dtype=np.int64)
        starts, ends = _candidates(words, sentences[words], self._max_words)
        yield ReadingSequence(
            document.document,
            np.array(ids, dtype=np.int64),
            is_global,
            words,
            np.array(places),
            starts,
            ends,
            np.diff(sentences[words], prepend=-1) != 0,
            spelling[words],
        )


def _candidates(words: Integers, sentences: Integers, max_words: int) -> tuple[Integers, Integers]:
    """Every span of up to `max_words` consecutive words of one sentence, as positions in `words`."""
    starts, ends = [], []
    for count in range(1, min(max_words, len(words)) + 1):
        first = np.arange(len(words) - count + 1)
        last = first + count - 1
        whole = (sentences[first] == sentences[last]) & (words[last] - words[first] < count)
        starts.append(first[whole])
        ends.append(first[whole] + count)
    return np.concatenate(starts), np.concatenate(ends)
