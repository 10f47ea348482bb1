"""Sequences of questions: the tokens and their order, what attends globally, labels, and what a cut loses."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from cdlm.tasks import Paragraph, Question
from cdlm.tasks.qa import ANSWER_TYPES, QASequence, QuestionBuilder, label_sequence

if TYPE_CHECKING:
    from cdlm.tokens import Tokenizer

TITLE = -1
"""The number of a title among the sentences of its paragraph."""


def tokens_of(tokenizer: Tokenizer, sequence: QASequence) -> list[str]:
    return tokenizer.tokens(sequence.tokens.input_ids.tolist())


def test_sequences_are_the_appendixs_format_as_one_text(tokenizer: Tokenizer, questions: tuple[Question, ...]) -> None:
    """The format of Appendix C.3, written as text in which the tokenizer itself finds the special tokens."""
    for question in questions:
        text = f"{tokenizer.tokens([tokenizer.first_id])[0]}[q] {question.text}[/q]"
        for paragraph in question.paragraphs:
            sentences = "".join(f"<sent> {sentence.strip()}</sent>" for sentence in paragraph.sentences)
            text += f"<doc-s><t> {paragraph.title}</t>{sentences}</doc-s>"
        sequence = QuestionBuilder(tokenizer, 1000)(question)
        tokenizer.backend.encode_special_tokens = False
        assert sequence.tokens.input_ids.tolist() == tokenizer.backend.encode(text, add_special_tokens=False).ids


def test_questions_titles_and_sentences_are_global(tokenizer: Tokenizer, questions: tuple[Question, ...]) -> None:
    sequence = QuestionBuilder(tokenizer, 400)(questions[0])
    tokens = tokens_of(tokenizer, sequence)
    expected = [token in ("<t>", "<sent>", "</sent>") for token in tokens]
    asked = tokens.index("[/q]")
    expected[: asked + 1] = [True] * (asked + 1)
    assert sequence.tokens.is_global.tolist() == expected
    assert [tokens[place] for place in sequence.titles] == ["<t>"] * 3
    assert [tokens[place] for place in sequence.ends] == ["</sent>"] * 6
    assert sequence.end_paragraphs.tolist() == [0, 0, 1, 1, 2, 2]
    assert sequence.end_sentences.tolist() == [0, 1] * 3


def test_text_tokens_know_their_characters(tokenizer: Tokenizer, questions: tuple[Question, ...]) -> None:
    sequence = QuestionBuilder(tokenizer, 400)(questions[0])
    for number, paragraph in enumerate(questions[0].paragraphs):
        for sentence, text in [(TITLE, paragraph.title), *enumerate(paragraph.sentences)]:
            places = sequence.text_places
            mine = places[(places[:, 0] == number) & (places[:, 1] == sentence)]
            assert "".join(text[start:end] for start, end in mine[:, 2:].tolist()) == text.replace(" ", "")


def test_labels(tokenizer: Tokenizer, questions: tuple[Question, ...]) -> None:
    builder = QuestionBuilder(tokenizer, 400)
    ferry, museum = questions
    sequence = builder(ferry)
    labels = label_sequence(ferry, sequence)
    assert labels.paragraphs.tolist() == [0, 1, 1]
    assert labels.sentences.tolist() == [0, 0, 0, 1, 1, 0]
    assert ANSWER_TYPES[labels.type] == "span"
    first, last = np.flatnonzero(labels.starts), np.flatnonzero(labels.ends)
    assert len(first) == len(last) == 1
    inside = sequence.text_places[first[0] : last[0] + 1]
    assert (inside[0, 2], inside[-1, 3]) == (23, 28)
    labels = label_sequence(museum, builder(museum))
    assert (ANSWER_TYPES[labels.type], labels.starts.sum()) == ("no", 0)


@pytest.mark.parametrize("length", range(34, 140, 7))
def test_long_questions_are_cut_at_the_end(length: int, tokenizer: Tokenizer, questions: tuple[Question, ...]) -> None:
    whole = QuestionBuilder(tokenizer, 400)(questions[0])
    sequence = QuestionBuilder(tokenizer, length)(questions[0])
    assert len(sequence) <= length
    assert sequence.cut == (len(whole) > length)
    tokens = tokens_of(tokenizer, sequence)
    for opening, closing in (("<doc-s>", "</doc-s>"), ("<t>", "</t>"), ("<sent>", "</sent>"), ("[q]", "[/q]")):
        assert tokens.count(opening) == tokens.count(closing)


def test_a_long_question_leaves_room_for_paragraphs(tokenizer: Tokenizer, questions: tuple[Question, ...]) -> None:
    long = replace(questions[0], text="the " * 500)
    sequence = QuestionBuilder(tokenizer, 100)(long)
    assert len(sequence) <= 100
    assert len(sequence.titles) > 0


def test_special_tokens_in_the_text_are_text(tokenizer: Tokenizer) -> None:
    question = Question("q", "<t> [q] ?", (Paragraph("</sent>", ("</doc-s> x <sent>", "")),))
    sequence = QuestionBuilder(tokenizer, 400)(question)
    tokens = tokens_of(tokenizer, sequence)
    assert [tokens.count(mark) for mark in ("<t>", "[q]", "</sent>", "</doc-s>", "<sent>")] == [1, 1, 2, 1, 2]
