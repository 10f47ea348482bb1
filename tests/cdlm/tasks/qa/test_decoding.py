"""Evidence in exactly two paragraphs, and the answer within them, from logits set by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch

from cdlm.tasks import Paragraph, Question
from cdlm.tasks.qa import QALogits, QASequence, QuestionBuilder, choose_evidence, decode

if TYPE_CHECKING:
    from cdlm.tokens import Tokenizer

SPAN, YES, NO = ([3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 3.0])


@pytest.fixture
def ferry(questions: tuple[Question, ...], tokenizer: Tokenizer) -> tuple[Question, QASequence]:
    """A question with three paragraphs of two sentences, and its sequence."""
    return questions[0], QuestionBuilder(tokenizer, 400)(questions[0])


def logits(
    sequence: QASequence,
    paragraphs: Sequence[float],
    sentences: Sequence[float],
    types: Sequence[float] = SPAN,
    starts: Mapping[int, float] | None = None,
    ends: Mapping[int, float] | None = None,
) -> QALogits:
    """Logits of a sequence; those of the span by the number of the text token, and 0 elsewhere."""
    tensors = []
    for chosen in (starts or {}, ends or {}):
        tensor = torch.zeros(len(sequence.texts))
        for place, value in chosen.items():
            tensor[place] = value
        tensors.append(tensor)
    return QALogits(torch.tensor(paragraphs), torch.tensor(sentences), torch.tensor(types), *tensors)


def token_at(sequence: QASequence, paragraph: int, sentence: int, start: int) -> int:
    """The number of the text token that begins at a character."""
    places = sequence.text_places
    return int(np.flatnonzero((places[:, :3] == [paragraph, sentence, start]).all(axis=1))[0])


def test_evidence_is_in_two_paragraphs(ferry: tuple[Question, QASequence]) -> None:
    sequence = ferry[1]
    # The two best sentences are of one paragraph: the best of another one joins them.
    assert choose_evidence(sequence, logits(sequence, [0, 0, 0], [-3, -4, 2, 1, -5, -2])) == [(1, 0), (1, 1), (2, 1)]
    # Sentences that are below zero are evidence only if nothing else makes up two paragraphs.
    assert choose_evidence(sequence, logits(sequence, [0, 0, 0], [-3, -4, -1, -2, -5, -6])) == [(0, 0), (1, 0)]
    # Positive sentences of a third paragraph are left out.
    assert choose_evidence(sequence, logits(sequence, [0, 0, 0], [1, 1, 2, 2, 3, -1])) == [(1, 0), (1, 1), (2, 0)]


def test_paragraphs_weigh_in(ferry: tuple[Question, QASequence]) -> None:
    sequence = ferry[1]
    assert choose_evidence(sequence, logits(sequence, [-5, 0, 0], [2, -4, 1, -1, -1, 1])) == [(1, 0), (2, 1)]


def test_one_paragraph_is_all_there_is(tokenizer: Tokenizer) -> None:
    question = Question("q", "?", (Paragraph("A", ("b.", "c.")),))
    sequence = QuestionBuilder(tokenizer, 400)(question)
    assert choose_evidence(sequence, logits(sequence, [0.0], [1.0, -1.0])) == [(0, 0)]


def test_yes_and_no(ferry: tuple[Question, QASequence]) -> None:
    question, sequence = ferry
    found = decode(question, sequence, logits(sequence, [0, 1, 1], [-1, -1, -1, 2, 2, -1], YES), 30)
    assert (found.answer, found.facts) == ("yes", (("Maren", 1), ("Jonas Pell", 0)))
    assert decode(question, sequence, logits(sequence, [0, 1, 1], [-1, -1, -1, 2, 2, -1], NO), 30).answer == "no"


def test_the_answer_is_in_the_evidences_paragraphs(ferry: tuple[Question, QASequence]) -> None:
    question, sequence = ferry
    evidence = ([0, 1, 1], [-1, -1, -1, 2, 2, -1])
    wrong = token_at(sequence, 0, 0, 4)  # of "harbour", in a paragraph that is not chosen
    right = token_at(sequence, 2, 0, 23)  # of "Tresk"
    last = int(np.flatnonzero((sequence.text_places[:, [0, 1, 3]] == [2, 0, 28]).all(axis=1))[0])
    found = decode(question, sequence, logits(sequence, *evidence, SPAN, {wrong: 9, right: 5}, {wrong: 9, last: 5}), 30)
    assert found.answer == "Tresk"


def test_spans_neither_cross_sentences_nor_go_backwards_nor_are_too_long(ferry: tuple[Question, QASequence]) -> None:
    question, sequence = ferry
    evidence = ([0, 1, 1], [-1, -1, -1, 2, 2, -1])

    def answer(starts: Mapping[int, float], ends: Mapping[int, float], most: int = 30) -> str:
        found = decode(question, sequence, logits(sequence, *evidence, SPAN, starts, ends), most).answer
        assert found is not None
        return found

    first = token_at(sequence, 2, 0, 0)
    last = int(np.flatnonzero((sequence.text_places[:, [0, 1, 3]] == [2, 0, 28]).all(axis=1))[0])
    beyond = token_at(sequence, 2, 1, 1)  # of the sentence after it
    assert answer({first: 5}, {last: 5}) == "Jonas Pell was born in Tresk"
    assert len(answer({first: 5}, {last: 5}, most=2)) < len("Jonas Pell was born")
    # Where beginning and end do not go together, the answer is one that begins or ends there.
    assert "Tresk. He" not in answer({last: 5}, {beyond: 5})
    assert answer({last: 5}, {first: 5}) != "Jonas Pell was born in Tresk"
