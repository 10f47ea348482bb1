"""The default model, on six invented articles that contradict each other about names and ages of people, and a team."""

from __future__ import annotations

from pathlib import Path

from cdcoref.formats import read_corpus
from cdcoref.predict import Predictor

ARTICLES = Path(__file__).parent / "contradictions"
CONTRADICTIONS = {
    ("name", frozenset({"Marek Dolny", "Pawel Dolny"})),
    ("age", frozenset({"34", "36"})),
    ("name", frozenset({"Tornes", "Tarnvik"})),
    ("age", frozenset({"29", "27"})),
    ("name", frozenset({"Ingrid Moe", "Inger Moe"})),
}


def test_contradictions_about_people(default_model: Predictor) -> None:
    prediction = default_model.predict(read_corpus([ARTICLES]).corpus)
    assert len(prediction.stories) == len({path.name.partition("_")[0] for path in ARTICLES.glob("*.md")})
    found = {
        (one.about, frozenset(statement.value for statement in one.statements))
        for story in prediction.stories
        for one in story.disagreements
    }
    assert found == CONTRADICTIONS
