"""The model base, the default: it is read from its files, and links paraphrases and names."""

from __future__ import annotations

from pathlib import Path

import pytest

from cdcoref.predict import Predictor, load

MODEL = Path(__file__).resolve().parents[2] / "cdcoref" / "models" / "base"


@pytest.fixture(scope="module")
def predictor() -> Predictor:
    return load("base", device="cpu", precision="fp32")


def test_its_heads_are_in_a_file_of_their_own() -> None:
    assert sorted(path.name for path in MODEL.glob("*.safetensors")) == [
        f"model-{number:05}-of-00003.safetensors" for number in (1, 2, 3)
    ]


def test_documents_are_read_once(predictor: Predictor) -> None:
    assert predictor.model.pair_scorer is None


def test_two_reports_of_a_ferry(predictor: Predictor) -> None:
    texts = {
        "a": "A ferry sank off Tresk on Sunday, killing 19 people. Captain Maren Holt was arrested.",
        "b": "The ferry went down near Tresk. Police arrested Holt, its captain; 19 people were killed.",
    }
    clusters = [{mention.text for mention in cluster.mentions} for cluster in predictor.predict(texts).clusters()]
    for words in ({"killing", "killed"}, {"arrested"}, {"ferry"}, {"Tresk"}):
        assert any(words <= cluster for cluster in clusters), words
