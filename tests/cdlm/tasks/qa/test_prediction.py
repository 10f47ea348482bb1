"""A model on questions: batches do not matter, the first stage shortens, official files go round."""

from __future__ import annotations

import json
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
import torch

from cdlm.errors import InputError
from cdlm.tasks import (
    Prediction,
    QAModel,
    QASettings,
    Question,
    predict_answers,
    read_predictions,
    shorten,
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


def test_the_first_stage_leaves_the_best_paragraphs(model: QAModel, questions: tuple[Question, ...]) -> None:
    with torch.no_grad():
        model.paragraph_head[-1].bias.fill_(100.0)
    titles = [paragraph.title for paragraph in questions[0].paragraphs]
    assert [p.title for p in shorten(model, questions, 5, -3.0)[0].paragraphs] == titles
    two = [p.title for p in shorten(model, questions, 2, -3.0)[0].paragraphs]
    assert two == [title for title in titles if title in two]
    assert len(two) == 2
    # The two best are left, whatever their logits.
    assert [p.title for p in shorten(model, questions, 5, 1000.0)[0].paragraphs] == two


def test_the_first_stage_computes_as_the_second(
    tiny_encoder: Path, questions: tuple[Question, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    inference = QAModel.inference

    def watched(self: QAModel, precision: str) -> AbstractContextManager[None]:
        asked.append(precision)
        return inference(self, precision)

    model = QAModel.from_encoder(str(tiny_encoder), QASettings(keep_paragraphs=2)).eval()
    model.use_first_stage(QAModel.from_encoder(str(tiny_encoder), QASettings(max_length=200)).eval())
    monkeypatch.setattr(QAModel, "inference", watched)
    predict_answers(model, questions, batch_tokens=1, precision="fp32")
    assert asked == ["fp32"] * 2 * len(questions)


def test_a_model_with_a_first_stage_is_kept_in_one_folder(
    tiny_encoder: Path, questions: tuple[Question, ...], tmp_path: Path
) -> None:
    torch.manual_seed(1)
    model = QAModel.from_encoder(str(tiny_encoder), QASettings(keep_paragraphs=2)).eval()
    model.use_first_stage(QAModel.from_encoder(str(tiny_encoder), QASettings(max_length=200)).eval())
    model.save_pretrained(tmp_path / "model", "# card\n")
    again = QAModel.from_pretrained(tmp_path / "model")
    assert again.first_stage is not None
    assert again.first_stage.settings.max_length == 200
    assert not any("first_stage" in name for name in again.state_dict())
    expected = predict_answers(model, questions, precision="fp32")
    assert predict_answers(again, questions, precision="fp32") == expected
    again.use_first_stage(None)
    model.use_first_stage(None)
    assert predict_answers(again, questions, precision="fp32") == predict_answers(model, questions, precision="fp32")


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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "expected a JSON object"),
        ('{"answer": {}}', "an object with answer and sp"),
        ('{"answer": {"q": 1}, "sp": {}}', "the answer to question 'q' is 1, not text"),
        ('{"answer": {}, "sp": {"q": [["A"]]}}', r"the evidence for question 'q' has \['A'\], which is not"),
    ],
)
def test_other_files_are_refused(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "predictions.json"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_predictions(path)
    with pytest.raises(InputError, match="cannot be written"):
        write_predictions({}, tmp_path / "absent" / "predictions.json")
