"""Evidence in exactly two paragraphs, and the answer within them, from logits set by hand; their scores."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch

from cdlm.tasks import (
    METRICS,
    Paragraph,
    Prediction,
    QAModel,
    QASettings,
    Question,
    predict_answers,
    qa_scores,
    read_predictions,
    write_predictions,
)
from cdlm.tasks.qa import QALogits, QASequence, QuestionBuilder, choose_evidence, decode
from tests.tables import cases

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


@pytest.fixture(scope="module")
def model(tiny_encoder: Path) -> QAModel:
    torch.manual_seed(0)
    return QAModel.from_encoder(str(tiny_encoder), QASettings(max_length=200)).eval()


def test_predictions_do_not_depend_on_the_batch(model: QAModel, questions: tuple[Question, ...]) -> None:
    told: list[tuple[str, int, int]] = []
    together = predict_answers(model, questions, precision="fp32", progress=lambda *one: told.append(one))
    alone = predict_answers(model, questions, batch_tokens=1, precision="fp32")
    assert together == alone
    assert told == [("questions", 2, 2)]
    for question in questions:
        prediction = together.predictions[question.id]
        assert prediction.facts is not None
        assert len({title for title, _ in prediction.facts}) == 2
        assert prediction.answer is not None


def test_cut_questions_are_counted(tiny_encoder: Path, questions: tuple[Question, ...]) -> None:
    model = QAModel.from_encoder(str(tiny_encoder), QASettings(max_length=60))
    assert predict_answers(model, questions).cut == 2


def test_official_files_go_round(tmp_path: Path) -> None:
    predictions = {
        "q1": Prediction("Tresk \u00e9", (("Maren", 1), ("Pell", 0))),
        "q2": Prediction("no", ()),
        "q3": Prediction(None, (("A", 0),)),
        "q4": Prediction("x", None),
    }
    path = tmp_path / "predictions.json"
    write_predictions(predictions, path)
    assert json.loads(path.read_text()) == {
        "answer": {"q1": "Tresk \u00e9", "q2": "no", "q4": "x"},
        "sp": {"q1": [["Maren", 1], ["Pell", 0]], "q2": [], "q3": [["A", 0]]},
    }
    assert read_predictions(path) == predictions


Facts = tuple[tuple[str, int], ...]


def scores(predicted: str | Facts, true: str | Facts) -> tuple[float, float, float, float]:
    """Exact match, F1, precision and recall of one answer, or of the evidence of one."""
    part = "" if isinstance(true, str) else "sp_"
    answer, facts = (true, ()) if isinstance(true, str) else ("", true)
    prediction = Prediction(predicted, None) if isinstance(predicted, str) else Prediction(None, predicted)
    found = qa_scores([question("q", answer, facts)], {"q": prediction})
    assert not any(found[name] for name in METRICS if name.startswith("joint_"))
    return tuple(found[part + name] for name in ("em", "f1", "prec", "recall"))  # type: ignore[return-value]


def question(name: str, answer: str | None, facts: Facts | None) -> Question:
    return Question(name, "?", (Paragraph("A", ("x",)),), answer, facts)


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("The Hague", "hague"),
        ("an  Apple, a Day!", "apple day"),
        ("U.S.A.", "usa"),
        ("Theatre", "theatre"),
        ("well-known", "wellknown"),
        ("1,000", "1000"),
        ("The", ""),
    ],
)
def test_answers_are_normalised(text: str, normal: str) -> None:
    assert scores(text, normal)[0] == scores(normal, text)[0] == 1


@pytest.mark.parametrize(
    ("predicted", "true", "em", "f1", "precision", "recall"),
    cases(__file__, "answers.tsv", "em", "f1", "precision", "recall"),
)
def test_answers(predicted: str, true: str, em: float, f1: float, precision: float, recall: float) -> None:
    assert scores(predicted, true) == pytest.approx((em, f1, precision, recall))


def test_evidence() -> None:
    true = (("A", 0), ("B", 2))
    assert scores((("B", 2), ("A", 0), ("A", 0)), true) == (1, 1, 1, 1)
    assert scores((("A", 0), ("A", 1), ("B", 1)), true) == pytest.approx((0, 0.4, 1 / 3, 1 / 2))
    assert scores((), true) == (0, 0, 0, 0)
    assert scores((), ())[0] == 1


def test_averages_by_hand() -> None:
    questions = [
        question("right", "Paris", (("A", 0), ("B", 0))),
        question("half", "New York", (("A", 0), ("B", 0))),
        question("no answer", "Rome", (("A", 0),)),
        question("absent", "yes", (("A", 0),)),
    ]
    predictions = {
        "right": Prediction("paris", (("A", 0), ("B", 0))),
        # Answer: precision 2/3, recall 1. Evidence: precision 1/2, recall 1/2.
        "half": Prediction("New York City", (("A", 0), ("B", 1))),
        "no answer": Prediction(None, (("A", 0),)),
        "of another file": Prediction("x", ()),
    }
    expected = {
        "em": 1 / 4, "prec": (1 + 2 / 3) / 4, "recall": 2 / 4, "f1": (1 + 0.8) / 4,
        "sp_em": 2 / 4, "sp_prec": (1 + 1 / 2 + 1) / 4, "sp_recall": (1 + 1 / 2 + 1) / 4, "sp_f1": (1 + 1 / 2 + 1) / 4,
        # Of half: precision 1/3, recall 1/2, so F1 is 2 * 1/6 / (5/6) = 0.4.
        "joint_em": 1 / 4, "joint_prec": (1 + 1 / 3) / 4, "joint_recall": (1 + 1 / 2) / 4, "joint_f1": (1 + 0.4) / 4,
    }  # fmt: skip
    found = qa_scores(questions, predictions)
    assert tuple(found) == METRICS
    assert found == pytest.approx(expected)


def test_questions_without_truth_cannot_be_scored() -> None:
    with pytest.raises(ValueError, match="'q' has no answer"):
        qa_scores([question("q", None, ())], {})
