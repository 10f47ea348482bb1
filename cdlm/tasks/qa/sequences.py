"""A question and its paragraphs as one token sequence (paper, Appendix C.3, whose ``<s>`` is ``<sent>`` here): ``[CLS]
[q] question [/q] <doc-s> <t> title </t> <sent> sentence </sent> ... </doc-s> <doc-s> ...``"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cdlm.sequences import TokenSequence
from cdlm.tasks.qa.questions import NO, TITLE, YES, Question, is_yes_or_no, occurrences
from cdlm.tokens import SpecialPieces, Tokenizer

QUESTION_START, QUESTION_END = "[q]", "[/q]"
TITLE_START, TITLE_END = "<t>", "</t>"
SENTENCE_START, SENTENCE_END = "<sent>", "</sent>"
QA_TOKENS = (QUESTION_START, QUESTION_END, TITLE_START, TITLE_END, SENTENCE_START, SENTENCE_END)
SPAN_TYPE = 0
ANSWER_TYPES = ("span", YES, NO)

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class QASequence:
    """What the encoder reads for a question, and what its tokens represent."""

    tokens: TokenSequence
    titles: Integers
    """Position of every paragraph's ``<t>``; paragraphs that did not fit have none. *Shape:* (paragraphs,)"""
    ends: Integers
    end_paragraphs: Integers
    end_sentences: Integers
    """Position of every ``</sent>``, and the numbers of its paragraph and sentence. *Shape:* (sentences,)"""
    texts: Integers
    """Positions of the tokens of titles and sentences, without special tokens: answers consist of these. *Shape:* (text
    tokens,)"""
    text_places: Integers
    """For each of them, the numbers of paragraph and sentence (`TITLE` for a title), and the first and last (exclusive)
    character in it. *Shape:* (text tokens, 4)"""
    cut: bool
    """Whether the end of the paragraphs did not fit."""

    def __len__(self) -> int:
        return len(self.tokens)


@dataclass(frozen=True, slots=True)
class QALabels:
    """The labels of a sequence."""

    paragraphs: Integers
    sentences: Integers
    """1 for those that support the answer. *Shapes:* (paragraphs,), (sentences,)"""
    type: int
    """Position in `ANSWER_TYPES`."""
    starts: Integers
    ends: Integers
    """1 for the text tokens with which an answer may begin and end; all 0 if it is not a span or was cut off. *Shape:*
    (text tokens,)"""


class QuestionBuilder:
    """Builds the sequence of a question with a tokenizer that has `QA_TOKENS`, cut at the maximum length in tokens.

    ``[CLS]``, the question with its brackets, ``<t>``, ``<sent>`` and ``</sent>`` attend globally.
    """

    def __init__(self, tokenizer: Tokenizer, max_length: int) -> None:
        self.max_length = max_length
        self._tokenizer = tokenizer
        vocabulary = tokenizer.vocabulary()
        self._special = SpecialPieces.of(tokenizer)
        self._id = {token: vocabulary[token] for token in QA_TOKENS}

    def __call__(self, question: Question) -> QASequence:
        """Tokenise a question with its paragraphs."""
        texts = [question.text]
        for paragraph in question.paragraphs:
            texts += [paragraph.title, *paragraph.sentences]
        encoded = iter(self._encode(texts))
        writer = _Writer(self.max_length)
        # A question that leaves no room for its paragraphs is cut too.
        asked = next(encoded)[0][: self.max_length // 2]
        for token in (self._special.cls, self._id[QUESTION_START], *asked, self._id[QUESTION_END]):
            writer.special(token, is_global=True)
        for number, paragraph in enumerate(question.paragraphs):
            parts = [next(encoded) for _ in range(1 + len(paragraph.sentences))]
            self._paragraph(writer, number, parts)
        return writer.sequence()

    def _paragraph(self, writer: _Writer, number: int, parts: list[tuple[list[int], list[tuple[int, int]]]]) -> None:
        """Write one paragraph, or as much of it as fits, at least its title's first token."""
        (title, offsets), sentences = parts[0], parts[1:]
        # <doc-s> <t> ... </t> </doc-s>
        room = writer.room - 4
        if room < 1:
            writer.cut = True
            return
        writer.special(self._special.doc_start)
        writer.titles.append(len(writer.ids))
        writer.special(self._id[TITLE_START], is_global=True)
        writer.text(title[:room], offsets, number, TITLE)
        writer.cut |= len(title) > room
        writer.special(self._id[TITLE_END])
        for sentence, (pieces, offsets) in enumerate(sentences):
            # <sent> ... </sent> </doc-s>
            room = writer.room - 3
            if room < min(1, len(pieces)):
                writer.cut = True
                break
            writer.special(self._id[SENTENCE_START], is_global=True)
            writer.text(pieces[:room], offsets, number, sentence)
            writer.cut |= len(pieces) > room
            writer.sentence_ends.append((len(writer.ids), number, sentence))
            writer.special(self._id[SENTENCE_END], is_global=True)
        writer.special(self._special.doc_end)

    def _encode(self, texts: Sequence[str]) -> list[tuple[list[int], list[tuple[int, int]]]]:
        """Pieces of every text, and their character ranges in it; each text is encoded as if after a single space."""
        encoded = self._tokenizer.encode([" " + text.strip() for text in texts])
        texts_encoded = []
        for text, pieces in zip(texts, encoded, strict=True):
            shift = len(text) - len(text.lstrip()) - 1
            ranges = [_trimmed(text, start + shift, end + shift) for start, end in pieces.offsets]
            texts_encoded.append((pieces.ids, ranges))
        return texts_encoded


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """A piece's character range without the preceding space, which some tokenizers include."""
    start = max(start, 0)
    while start < end and text[start].isspace():
        start += 1
    return start, end


class _Writer:
    """A sequence being written."""

    def __init__(self, max_length: int) -> None:
        self._max_length = max_length
        self.ids: list[int] = []
        self.titles: list[int] = []
        self.sentence_ends: list[tuple[int, int, int]] = []
        self.cut = False
        self._global: list[int] = []
        self._texts: list[int] = []
        self._places: list[tuple[int, int, int, int]] = []

    @property
    def room(self) -> int:
        return self._max_length - len(self.ids)

    def special(self, token: int, is_global: bool = False) -> None:
        if is_global:
            self._global.append(len(self.ids))
        self.ids.append(token)

    def text(self, pieces: Sequence[int], offsets: Sequence[tuple[int, int]], paragraph: int, sentence: int) -> None:
        for piece, (start, end) in zip(pieces, offsets, strict=False):
            self._texts.append(len(self.ids))
            self._places.append((paragraph, sentence, start, end))
            self.ids.append(piece)

    def sequence(self) -> QASequence:
        ids = np.array(self.ids, dtype=np.int64)
        is_global = np.zeros(len(ids), dtype=np.bool_)
        is_global[self._global] = True
        ends = np.array(self.sentence_ends, dtype=np.int64).reshape(-1, 3)
        return QASequence(
            TokenSequence(ids, is_global),
            np.array(self.titles, dtype=np.int64),
            ends[:, 0],
            ends[:, 1],
            ends[:, 2],
            np.array(self._texts, dtype=np.int64),
            np.array(self._places, dtype=np.int64).reshape(-1, 4),
            self.cut,
        )


def label_sequence(question: Question, sequence: QASequence) -> QALabels:
    """The labels of the sequence of a question whose answer and supporting facts are known."""
    facts = set(question.facts or ())
    supporting = {title for title, _ in facts}
    titles = [paragraph.title for paragraph in question.paragraphs]
    paragraphs = np.array([titles[number] in supporting for number in range(len(sequence.titles))], dtype=np.int64)
    sentence_numbers = list(zip(sequence.end_paragraphs.tolist(), sequence.end_sentences.tolist(), strict=True))
    sentences = np.array([(titles[p], s) in facts for p, s in sentence_numbers], dtype=np.int64)
    answer = (question.answer or "").strip().lower()
    starts = np.zeros(len(sequence.texts), dtype=np.int64)
    ends = np.zeros(len(sequence.texts), dtype=np.int64)
    if is_yes_or_no(answer):
        kind = ANSWER_TYPES.index(answer)
    else:
        kind = SPAN_TYPE
        where = sequence.text_places
        for answer_at in occurrences(question):
            inside = (where[:, 0] == answer_at.paragraph) & (where[:, 1] == answer_at.sentence)
            covered = np.flatnonzero(inside & (where[:, 2] < answer_at.end) & (where[:, 3] > answer_at.start))
            if len(covered) and where[covered[-1], 3] >= answer_at.end:
                starts[covered[0]] = ends[covered[-1]] = 1
    return QALabels(paragraphs, sentences, kind, starts, ends)
