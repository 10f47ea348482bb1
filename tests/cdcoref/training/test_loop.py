"""Training: what it writes and refuses, and that a run that was stopped ends with the weights of one left alone."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from cdcoref.corpus import Corpus
from cdcoref.errors import InputError
from cdcoref.formats import read_jsonl
from cdcoref.model import CONFIG_FILE, CorefModel
from cdcoref.training import PRESETS, TrainingConfig, train
from cdlm.checkpoints import WEIGHTS_FILE
from cdlm.encoder import CDLMModel
from cdlm.runs import RUN_FILE
from cdlm.settings import with_settings

pytestmark = pytest.mark.usefixtures("one_thread")

silent = str
"""Takes a line of progress and shows it to nobody, in another process too."""


@pytest.fixture(scope="module")
def corpora(sample: Path) -> tuple[Corpus, Corpus]:
    return read_jsonl(sample / "train_tiny.jsonl"), read_jsonl(sample / "dev_tiny.jsonl")


@pytest.fixture(scope="module")
def config(tiny_encoder: Path) -> TrainingConfig:
    """Two epochs of ten batches each, with dropout; checkpoints after steps 3, 6, 9, 10, 12, 15, 18 and 20."""
    settings = {
        "encoder": str(tiny_encoder), "teacher": "", "epochs": 2, "learning_rate": 1e-3, "step_tokens": 110,
        "bi_encoder.corpus_shares.own": 2.5, "precision": "fp32", "save_steps": 3, "log_steps": 1,
        "model.sequences.max_length": 128, "scorer_steps": 5, "vectors.antecedents.passes": 1, "detector.passes": 1,
        "attention_dropout": 0.1,
    }  # fmt: skip
    return with_settings(PRESETS["small"].for_corpora([]), settings)


@pytest.fixture(scope="module")
def reference(
    config: TrainingConfig, corpora: tuple[Corpus, Corpus], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, list[str]]:
    """The folder of a run that nothing interrupts, and the lines of its progress."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    lines: list[str] = []
    folder = tmp_path_factory.mktemp("trained") / "model"
    train(config, *corpora, folder, device="cpu", say=lines.append)
    torch.set_num_threads(before)
    return folder, lines


def check_same_model(folder: Path, reference: Path) -> None:
    """The same files, those of the model with the same bytes."""
    assert {path.name for path in folder.iterdir()} == {path.name for path in reference.iterdir()}
    for name in (WEIGHTS_FILE, CONFIG_FILE, RUN_FILE, "README.md"):
        assert (folder / name).read_bytes() == (reference / name).read_bytes()


def test_the_folder_holds_all_that_prediction_needs(reference: tuple[Path, list[str]], config: TrainingConfig) -> None:
    folder, lines = reference
    names = {path.name for path in folder.iterdir()}
    assert names == {
        CONFIG_FILE,
        WEIGHTS_FILE,
        "tokenizer.json",
        "tokenizer_config.json",
        "README.md",
        RUN_FILE,
        "logs",
    }
    assert any((folder / "logs").glob("events.out.tfevents.*"))
    model = CorefModel.from_pretrained(folder)
    run = json.loads((folder / RUN_FILE).read_text())
    assert with_settings(TrainingConfig(), run["configuration"]) == config
    assert run["best_epoch"] in (1, 2)
    assert set(run["dev"]) == {"event", "entity"}
    assert lines[0] == "10 batches an epoch; 0 layers are frozen"
    assert sum("loss" in line and "min left" in line for line in lines) == 20
    scores = [line for line in lines if " dev " in line]
    assert [line.split(":")[0] for line in scores] == ["epoch 1.00 of 2", "epoch 2.00 of 2"]
    card = (folder / "README.md").read_text()
    for kind, values in run["dev"].items():
        row = next(line for line in card.splitlines() if line.startswith(f"| {kind} |"))
        assert f"| {100 * values['conll_f1']:.1f} |" in row
        assert f"| {model.settings.distance_threshold[kind]:.2f} |" in row
    settings = tomllib.loads(card.split("```toml\n")[1].split("```")[0])
    assert with_settings(TrainingConfig(), settings) == config


def test_the_model_learns(reference: tuple[Path, list[str]], config: TrainingConfig, tiny_encoder: Path) -> None:
    trained = CorefModel.from_pretrained(reference[0])
    before = CDLMModel.from_pretrained(tiny_encoder).encoder.state_dict()
    changed = [name for name, weight in trained.encoder.encoder.state_dict().items() if not weight.equal(before[name])]
    assert len(changed) > 10
    assert {name.split(".")[0] for name in trained.state_dict()} == {
        "encoder", "detector", "vector_scorer", "antecedent_scorer",
    }  # fmt: skip
    steps = [line for line in reference[1] if ", step " in line]
    losses = [float(line.split("loss ")[1].split(",")[0]) for line in steps]
    assert sum(losses[-10:]) < sum(losses[:10])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"precision": "fp16"}, "fp16 precision needs a GPU"),
        ({"encoder": "not/a/name/of the/hub"}, "neither a folder nor the name of a model"),
        ({"kind": "event"}, "the dev corpus has no event mentions to tune thresholds on"),
        ({"vectors.antecedents.corpus_shares.gum": 0.5}, r"antecedents\.corpus_shares has a weight for 'gum', but"),
    ],
)
def test_a_run_that_cannot_begin_leaves_no_trace(
    config: TrainingConfig, corpora: tuple[Corpus, Corpus], tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    dev = corpora[1].of_kind("entity") if "kind" in changes else corpora[1]
    with pytest.raises(InputError, match=message):
        train(with_settings(config, changes), corpora[0], dev, tmp_path / "m", device="cpu", say=silent)
    assert not (tmp_path / "m").exists()


class Killed(BaseException):
    """Stops a run where it is, as a signal would, but for what is undone on the way out."""


def stopping_at(*parts: str) -> Callable[[str], None]:
    """Stops a run when it says a line that has these parts."""

    def say(line: str) -> None:
        if all(part in line for part in parts):
            raise Killed

    return say


def test_stopped_at_four_places(
    config: TrainingConfig,
    corpora: tuple[Corpus, Corpus],
    reference: tuple[Path, list[str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Before the first epoch was scored, while heads were fitted, and while these were put into place.

    The model is not read before its run has finished, at no file that is moved.
    """
    replace_file, folder, moved, left = Path.replace, tmp_path / "m", Counter[str](), 3

    def refused() -> None:
        with pytest.raises(InputError, match="m: the training run in this folder has not finished; run it again with"):
            CorefModel.from_pretrained(folder)

    def moving(self: Path, target: Path) -> Path:
        nonlocal left
        if self.parent.name in ("best-20", "replacement") and self.name != RUN_FILE:
            refused()
            left -= self.parent.name == "replacement"
            if left == -1:
                raise Killed
            moved[self.parent.name] += 1
        return replace_file(self, target)

    monkeypatch.setattr(Path, "replace", moving)
    for resume, stop in ((False, "epoch 1.00 of 2: evaluating"), (True, "fitting heads on the trained encoder")):
        with pytest.raises(Killed):
            train(config, *corpora, folder, resume=resume, device="cpu", say=stopping_at(stop))
        refused()
    with pytest.raises(Killed):
        train(config, *corpora, folder, resume=True, device="cpu", say=silent)
    assert (folder / "replacement").is_dir()
    with pytest.raises(InputError, match="this run was started with other data"):
        train(config, corpora[1], corpora[1], folder, resume=True, device="cpu", say=silent)
    lines: list[str] = []
    train(config, *corpora, folder, resume=True, device="cpu", say=lines.append)
    assert len(lines) == 1  # nothing is fitted again
    assert moved == {"best-20": 5, "replacement": 5}
    train(config, *corpora, folder, resume=True, device="cpu", say=lines.append)
    assert lines[1].startswith("all steps of this run are done")
    check_same_model(folder, reference[0])
