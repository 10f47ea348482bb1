"""Training on pairs: it learns, it is resumed, and what the folder holds."""

from __future__ import annotations

import json
import tomllib
from dataclasses import asdict, replace
from pathlib import Path

from cdlm.settings import as_toml, with_settings
from cdlm.tasks import MATCH_PRESETS, MatchModel, MatchTraining, TextPair, predict_pairs, train_matcher


def config(encoder: Path, **values: object) -> MatchTraining:
    given = {"encoder": str(encoder), "epochs": 2, "batch_size": 9, "max_length": 100, "precision": "fp32", **values}
    return with_settings(MatchTraining(), given)


def test_it_learns_and_leaves_a_model(tiny_encoder: Path, text_pairs: list[TextPair], tmp_path: Path) -> None:
    said: list[str] = []
    settings = config(tiny_encoder, epochs=10, learning_rate=3e-3, head_learning_rate=3e-3)
    # What so small an encoder can learn in a moment: whether the first text is about the ferry.
    pairs = [replace(pair, label=int("ferry" in pair.first)) for pair in text_pairs]
    model = train_matcher(settings, pairs, pairs, tmp_path / "m", device="cpu", say=said.append)
    run = json.loads((tmp_path / "m" / "training.json").read_text())
    assert run["dev"]["accuracy"] > 0.9
    card = (tmp_path / "m" / "README.md").read_text()
    assert f"f1 {100 * run['dev']['f1']:.1f}" in card
    assert "cdlm match predict" in card
    assert f"Training started from\n{tiny_encoder}." in card
    again = MatchModel.from_pretrained(tmp_path / "m")
    assert predict_pairs(again, text_pairs) == predict_pairs(model, text_pairs)
    train_matcher(settings, pairs, pairs, tmp_path / "m", resume=True, device="cpu", say=said.append)
    assert said[-1].startswith("all steps of this run are done")


def test_the_papers_preset() -> None:
    paper = MATCH_PRESETS["paper"]
    assert with_settings(MATCH_PRESETS["small"], tomllib.loads(as_toml(asdict(paper)))) == paper
    assert paper.batch_size * paper.run.accumulation == 32
    assert (paper.run.epochs, paper.run.learning_rate, paper.run.precision) == (8, 2e-5, "fp16")
    assert paper.model.max_length == 4096
