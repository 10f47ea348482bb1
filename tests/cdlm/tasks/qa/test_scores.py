"""HotpotQA's official metrics, on cases computed by hand."""

from __future__ import annotations

import pytest

from cdlm.tasks import METRICS, Paragraph, Prediction, Question, qa_scores
from tests.tables import cases

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
