"""Models on the hub: a stand-in on this machine gives them out, the card with its header."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from huggingface_hub import ModelCard

import cdcoref
from cdcoref.model import DEFAULT_MODEL, CorefModel, KindScores, model_card
from cdcoref.training import TrainingConfig

if TYPE_CHECKING:
    from conftest import LocalHub

SCORES = {
    kind: KindScores(0.5 + number / 10, 0.02, 0.03, (0.8, 0.7, 0.75), (0.9, 0.8, 0.85))
    for number, kind in enumerate(("event", "entity"))
}


def same_weights(one: CorefModel, other: CorefModel) -> bool:
    there = other.state_dict()
    return all(torch.equal(tensor, there[name]) for name, tensor in one.state_dict().items())


def test_the_card_has_what_the_hub_asks_for(tiny_model: CorefModel) -> None:
    metadata = {"language": "en", "license": "apache-2.0", "datasets": ["ecb", "gum"], "base_model": "lab/encoder"}
    text = model_card(tiny_model, TrainingConfig().to_dict(), SCORES, 2, "Of two corpora.\n", metadata)
    data = ModelCard(text).data.to_dict()
    assert data["language"] == "en"
    assert data["license"] == "apache-2.0"
    assert data["library_name"] == "cdcoref"
    assert data["datasets"] == ["ecb", "gum"]
    assert data["base_model"] == "lab/encoder"
    assert "cross-document-coreference" in data["tags"]
    assert "\nOf two corpora.\n" in text
    assert "| entity | 60.0 | 80.0 / 70.0 / 75.0 | 90.0 / 80.0 / 85.0 | 0.020 (0.030) | 0.50 | 1.00 | 0.60 |" in text
    assert tomllib.loads(text.split("```toml\n")[1].split("```")[0])["run"]["epochs"] == TrainingConfig().run.epochs
    unknown = ModelCard(model_card(tiny_model, TrainingConfig().to_dict(), SCORES, 2)).data.to_dict()
    assert set(unknown) == {"library_name", "tags"}


def test_the_card_of_the_default_model_has_a_header() -> None:
    data = ModelCard.load(DEFAULT_MODEL / "README.md").data.to_dict()
    assert {"language", "license", "library_name", "tags", "datasets", "base_model"} <= set(data)


def test_a_model_on_the_hub_is_read_by_its_name(hub: LocalHub, tiny_model_folder: Path, tiny_model: CorefModel) -> None:
    hub.add("lab/tiny", tiny_model_folder)
    again = CorefModel.from_pretrained("lab/tiny")
    assert same_weights(again, tiny_model)
    assert again.settings == tiny_model.settings
    prediction = cdcoref.load("lab/tiny", device="cpu").predict(["A ferry sank.", "The ferry sank in a storm."])
    assert len(prediction.corpus.documents) == 2
