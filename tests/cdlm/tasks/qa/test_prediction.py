"""A model on questions: batches do not matter, official files go round."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from cdlm.tasks import (
    Prediction,
    QAModel,
    QASettings,
    Question,
    predict_answers,
    read_predictions,
    write_predictions,
)


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
