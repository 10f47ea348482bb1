"""`cdcoref train` as it is run: settings from everywhere, corpora, several processes, and what is said when wrong."""

from __future__ import annotations

import json
import os
import runpy
import tomllib
from collections.abc import Callable
from pathlib import Path
from socket import socket
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file

from cdcoref.training import PRESETS, TrainingConfig
from cdlm.settings import with_settings
from tests import commands
from tests.killing import training_processes

Run = Callable[..., Any]

TRAIN, DEV = (str(Path(__file__).parents[3] / "data" / "sample" / f"{split}_tiny.jsonl") for split in ("train", "dev"))
SETTINGS = """
precision = "fp32"
epochs = 5
save_steps = 4
run.log_steps = 1

[bi_encoder]
teacher = ""
step_tokens = 110
corpus_shares = { own = 2.5 }

[model.sequences]
max_length = 128

[vectors]
scorer_steps = 5
"""
SMALL = ("--preset", "small")


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    file = tmp_path / "run.toml"
    file.write_text(SETTINGS, encoding="utf-8")
    return file


@pytest.fixture
def corpora(sample: Path) -> list[object]:
    return ["--train", sample / "train_tiny.jsonl", "--dev", sample / "dev_tiny.jsonl"]


def test_a_trained_model(
    cdcoref: Run, tmp_path: Path, tiny_encoder: Path, sample: Path, settings: Path, corpora: list[object]
) -> None:
    model = tmp_path / "model"
    options = ["--config", settings, "--encoder", tiny_encoder, "--epochs", 1, "--set", "scorer_width=0"]
    done = cdcoref("train", *SMALL, *corpora, "-o", model, *options, "--set", "warmup=0.5", "--device", "cpu")
    assert done.code == 0, done.err
    assert done.out == ""
    assert "10 batches an epoch; 0 layers are frozen" in done.err
    after, heads, last = (done.err.rindex(text) for text in (" after ", "fitting heads on the", f"to {model} with "))
    assert after < heads < last
    configuration = json.loads((model / "training.json").read_text())["configuration"]
    expected = {
        "encoder": str(tiny_encoder), "epochs": 1, "scorer_width": 0, "warmup": 0.5,
    }  # fmt: skip
    assert with_settings(TrainingConfig(), configuration) == with_settings(
        PRESETS["small"].for_corpora([]), {**tomllib.loads(SETTINGS), **expected}
    )

    scored = cdcoref("evaluate", sample / "dev_tiny.jsonl", "--model", model, "--json", "--precision", "fp32")
    assert scored.code == 0, scored.err
    dev = json.loads((model / "training.json").read_text())["dev"]
    for kind in ("event", "entity"):
        f1 = json.loads(scored.out)[kind]["predicted"]["conll_f1"]
        assert f1 == pytest.approx(dev[kind]["conll_f1"], abs=1e-9)

    predicted = cdcoref("predict", "--model", model, sample / "dev_tiny.jsonl", "-o", tmp_path / "out.jsonl")
    assert predicted.code == 0, predicted.err
    assert "2 documents in 1 story" in predicted.err


def run_as_two(arguments: list[str], folder: Path) -> str:
    """Run a command in two processes, as accelerate's launcher starts them; the standard error of both."""
    with socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    together = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    errors = [folder / f"{rank}.txt" for rank in range(2)]
    with training_processes() as context:
        running = [
            context.Process(
                target=runpy.run_path,
                args=(
                    commands.__file__,
                    {"ARGUMENTS": (arguments, {**together, "RANK": str(rank), "LOCAL_RANK": str(rank)}, errors[rank])},
                    "__main__",
                ),
            )
            for rank in range(2)
        ]
        for process in running:
            process.start()
        for process in running:
            process.join(240)
    printed = "".join(path.read_text(encoding="utf-8") for path in errors)
    assert [process.exitcode for process in running] == [0, 0], printed
    return printed


def test_two_processes_are_one_with_twice_the_accumulation(
    cdcoref: Run, tmp_path: Path, tiny_encoder: Path, settings: Path, corpora: list[object]
) -> None:
    """Each takes every second batch, and the gradients are averaged; without dropout the weights are the same."""
    encoder = tmp_path / "encoder"
    encoder.mkdir()
    for file in tiny_encoder.iterdir():
        os.link(file, encoder / file.name)
    config = json.loads((tiny_encoder / "config.json").read_text())
    (encoder / "config.json").unlink()
    (encoder / "config.json").write_text(json.dumps({**config, "hidden_dropout_prob": 0.0}))
    arguments = ["train", *SMALL, *corpora, "--config", settings, "--encoder", encoder, "--epochs", 1]
    arguments += ["--device", "cpu"]
    command = [*map(str, arguments), "-o", str(tmp_path / "two")]
    printed = run_as_two(command, tmp_path)
    assert printed.count("10 batches an epoch") == 1
    assert "step 5 of 5:" in printed
    assert printed.count(": dev ") == 1
    one = cdcoref(*arguments, "-o", tmp_path / "one", "--set", "accumulation=2")
    assert one.code == 0, one.err
    weights = [load_file(tmp_path / name / "model.safetensors") for name in ("one", "two")]
    start = load_file(encoder / "model.safetensors")
    moved = 0.0
    assert weights[0].keys() == weights[1].keys()
    # What one process fits afterwards, with another number of threads, differs by more.
    trained = {name: tensor for name, tensor in weights[0].items() if name.startswith("encoder.")}
    for name, tensor in trained.items():
        np.testing.assert_allclose(tensor, weights[1][name], atol=5e-5)
        before = start.get(name.removeprefix("encoder."), tensor)
        moved = max(moved, float(np.abs(tensor - before).max()) if before.shape == tensor.shape else 0.0)
    assert moved > 1e-4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "give --corpus NAME:DIR, or --train FILE and --dev FILE of your own annotated corpus"),
        (
            ("--ecb-root", ".", "--dev", "a.jsonl"),
            "give either --corpus (or --ecb-root) or --train and --dev, not both",
        ),
        (("--train", "missing.jsonl", "--dev", "missing.jsonl"), "missing.jsonl: there is no such file or folder"),
        (("--set", "epochs=some"), "run.epochs is 'some' and should be a whole number"),
        (("--set", "context=-1"), "model.sequences.context is -1 and should be 'document' or 'sentence'"),
        (("--log", "abacus", "--train", TRAIN, "--dev", DEV), "the experiment tracker 'abacus' is unknown or not inst"),
        (
            ("--preset", "paper"),
            "the paper trains one model for each kind of mention; give --kind event or --kind entity",
        ),
        (
            ("--preset", "paper", "--kind", "event", "--set", "max_length=8"),
            "model.sequences.max_length is 8 and should be at least 32",
        ),
    ],
)
def test_wrong_arguments_are_one_sentence(
    cdcoref: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    done = cdcoref("train", "-o", "model", *arguments)
    assert done.code == 2
    assert done.out == ""
    assert done.err.startswith(f"cdcoref: {message}")
    assert done.err.count("\n") == 1
    assert not (tmp_path / "model").exists()


def test_interrupted_runs(cdcoref: Run, tmp_path: Path, corpora: list[object], monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("cdcoref.training.train", interrupted)
    done = cdcoref("train", *corpora, "-o", tmp_path / "model")
    assert (done.code, done.err) == (130, "cdcoref: interrupted; run the same command again; nothing had been saved\n")
    (tmp_path / "model" / "checkpoints").mkdir(parents=True)
    done = cdcoref("train", *corpora, "-o", tmp_path / "model", "--resume")
    assert (done.code, done.err) == (130, "cdcoref: interrupted; run the same command with --resume to resume\n")


def test_mentions_of_conll_files_need_a_kind(cdcoref: Run, tmp_path: Path, tiny_encoder: Path, sample: Path) -> None:
    gold = sample / "gold.conll"
    arguments = ["train", *SMALL, "--train", gold, "--dev", gold, "-o", tmp_path / "m", "--encoder", tiny_encoder]
    done = cdcoref(*arguments)
    assert done.code == 2
    *notes, problem = done.err.splitlines()
    assert problem == (
        "cdcoref: a mention of 'ferry_1.txt' has no kind; state the kind of each in the file, or that of all with "
        "--kind event or --kind entity"
    )
    assert len(notes) == 2
    assert all("cluster ids are global to the file" in note for note in notes)


def named(folder: Path, sample: Path, *splits: str, prefix: str = "") -> Path:
    """The tiny corpus as JSON lines of a known corpus, its documents named apart."""
    folder.mkdir()
    for split in splits:
        lines = [json.loads(line) for line in (sample / f"{split}_tiny.jsonl").read_text().splitlines()]
        for line in lines:
            line["id"] = prefix + line["id"]
        (folder / f"{split}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


def test_corpora_by_name(cdcoref: Run, tmp_path: Path, tiny_encoder: Path, sample: Path, settings: Path) -> None:
    first = named(tmp_path / "first", sample, "train", "dev")
    second = named(tmp_path / "second", sample, "train", prefix="m")
    model = tmp_path / "model"
    arguments = [*SMALL, "--corpus", f"ecb:{first}", "--corpus", f"meantime:{second}"]
    arguments += ["--config", settings, "--encoder", tiny_encoder]
    share = ("--set", "bi_encoder.corpus_shares={meantime=0.5}")
    done = cdcoref("train", *arguments, "-o", model, "--epochs", 1, *share, "--device", "cpu")
    assert done.code == 0, done.err
    assert f"cdcoref: MEANTIME has no dev split in {second}\n" in done.err
    assert "the preset small also uses gum, gum-heads, invented, litbank; without them" in done.err
    assert json.loads((model / "training.json").read_text())["configuration"]["bi_encoder"]["corpus_shares"] == {
        "meantime": 0.5
    }
    card = (model / "README.md").read_text()
    assert "Trained and tuned on: ECB+ (Cybulska and Vossen 2014), CC BY 3.0 (annotation); MEANTIME" in card
    unknown = cdcoref("train", *arguments, "-o", tmp_path / "other", "--set", "bi_encoder.corpus_shares={gum=0.5}")
    assert unknown.code == 2
    assert "bi_encoder.corpus_shares has a weight for 'gum', but the training corpora are ecb, meantime" in unknown.err


def test_a_full_disk_is_one_sentence_and_the_run_goes_on_when_there_is_room(
    cdcoref: Run, tmp_path: Path, tiny_encoder: Path, settings: Path, corpora: list[object], small_files: Run
) -> None:
    model = tmp_path / "model"
    arguments = ["train", *SMALL, *corpora, "-o", model, "--config", settings, "--encoder", tiny_encoder, "--epochs", 1]
    with small_files(20_000):
        done = cdcoref(*arguments)
    assert done.code == 2
    assert "cdcoref: " in done.err.splitlines()[-1]
    assert "the weights cannot be written" in done.err.splitlines()[-1]
    assert not (model / "model.safetensors").exists()
    done = cdcoref(*arguments, "--resume")
    assert done.code == 0, done.err
    assert (model / "model.safetensors").is_file()
