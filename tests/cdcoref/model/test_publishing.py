"""Models on the hub: a stand-in on this machine takes them and gives them back, the card with its header."""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import torch
from huggingface_hub import ModelCard

import cdcoref
from cdcoref.errors import InputError
from cdcoref.model import DEFAULT_MODEL, CorefModel, CurvePoint, KindScores, Metadata, model_card, publish
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
    metadata = Metadata("en", "apache-2.0", ("ecb", "gum"), "lab/encoder")
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


def test_the_card_has_a_curve_of_precision_and_recall(tiny_model: CorefModel) -> None:
    curve = (CurvePoint(0.3, 0.5, 0.75, 0.6), CurvePoint(0.6, 0.9, 0.45, 0.6))
    scores = {kind: replace(of, curve=curve) for kind, of in SCORES.items()}
    text = model_card(tiny_model, TrainingConfig().to_dict(), scores, 2)
    assert "| threshold | event | entity |" in text
    assert "| 0.6 | 90.0 / 45.0 / 60.0 | 90.0 / 45.0 / 60.0 |" in text
    assert "--threshold" not in model_card(tiny_model, TrainingConfig().to_dict(), SCORES, 2)


def test_the_card_of_the_default_model_has_a_header() -> None:
    data = ModelCard.load(DEFAULT_MODEL / "README.md").data.to_dict()
    assert {"language", "license", "library_name", "tags", "datasets", "base_model"} <= set(data)


def test_a_published_model_is_read_by_its_name(hub: LocalHub, tiny_model: CorefModel, tmp_path: Path) -> None:
    tiny_model.save_pretrained(tmp_path / "model", "---\nlanguage: en\n---\n# A model\n")
    address = publish(tmp_path / "model", "lab/tiny")
    assert address == f"{hub.address}/lab/tiny"
    again = CorefModel.from_pretrained("lab/tiny")
    assert same_weights(again, tiny_model)
    assert again.settings == tiny_model.settings
    prediction = cdcoref.load("lab/tiny", device="cpu").predict(["A ferry sank.", "The ferry sank in a storm."])
    assert len(prediction.corpus.documents) == 2


def test_what_is_published_is_the_model_and_nothing_else(
    hub: LocalHub, tiny_model_folder: Path, tmp_path: Path, cdcoref: Callable[..., object]
) -> None:
    folder = tmp_path / "model"
    shutil.copytree(tiny_model_folder, folder)
    (folder / "checkpoints" / "best-1").mkdir(parents=True)
    (folder / "checkpoints" / "best-1" / "config.json").write_text("{}")
    (folder / "notes.txt").write_text("not for others")
    (folder / "training.json").write_text("{}")
    done = cdcoref("publish", folder, "lab/tiny", "--private")
    assert (done.code, done.out) == (0, f"{hub.address}/lab/tiny\n")  # type: ignore[attr-defined]
    expected = {path.name for path in tiny_model_folder.iterdir()} | {"training.json"}
    assert set(hub.models["lab/tiny"]) == expected
    card = hub.models["lab/tiny"]["README.md"].decode()
    # A card without a header gets one; the folder stays as it is.
    assert ModelCard(card).data.to_dict()["library_name"] == "cdcoref"
    assert card.endswith((folder / "README.md").read_text())
    assert not (folder / "README.md").read_text().startswith("---")
    publish(folder, "lab/again")
    assert hub.models["lab/again"] == hub.models["lab/tiny"]


def test_what_cannot_be_published(hub: LocalHub, tiny_model_folder: Path, tiny_encoder: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such folder"):
        publish(tmp_path / "nowhere", "lab/tiny")
    with pytest.raises(InputError, match="this is a file; name a folder with a saved model"):
        publish(tiny_model_folder / "config.json", "lab/tiny")
    with pytest.raises(InputError, match="an encoder but no coreference model"):
        publish(tiny_encoder, "lab/tiny")
    folder = tmp_path / "model"
    shutil.copytree(tiny_model_folder, folder)
    (folder / "README.md").unlink()
    with pytest.raises(InputError, match=r"README\.md: the model card, which the hub shows, is missing"):
        publish(folder, "lab/tiny")
    assert not hub.requests
    hub.close()
    with pytest.raises(InputError, match="lab/tiny: the model could not be uploaded"):
        publish(tiny_model_folder, "lab/tiny")
