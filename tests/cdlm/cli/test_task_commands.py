"""``cdlm convert``, ``match`` and ``qa``, as a user would type them."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from cdlm.tasks import BENCHMARKS
from tests.commands import Finished

WORDS = {1: ("the ferry sank", "a ferry sank"), 0: ("the ferry sank", "a painting was stolen")}
QUESTION = {
    "_id": "q1",
    "question": "Where was the captain born?",
    "answer": "Tresk",
    "supporting_facts": [["Maren", 0], ["Jonas Pell", 0]],
    "context": [["Maren", ["Her captain was Jonas Pell."]], ["Jonas Pell", ["Jonas Pell was born in Tresk."]]],
}


@pytest.fixture
def benchmark(tmp_path: Path) -> Path:
    """A folder with the files of the benchmark aan."""
    folder = tmp_path / "aan"
    folder.mkdir()
    for name in BENCHMARKS["aan"].values():
        with (folder / name).open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([label, *texts] for label, texts in WORDS.items())
    return folder


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    """A file with one question."""
    path = tmp_path / "questions.json"
    path.write_text(json.dumps([QUESTION]))
    return path


FAST = ("--set", "epochs=2", "--set", "max_length=100", "--set", "precision=fp32", "--device", "cpu")


def test_matching(cdlm: Callable[..., Finished], benchmark: Path, tiny_encoder: Path, tmp_path: Path) -> None:
    model, matches = tmp_path / "model", tmp_path / "matches.jsonl"
    trained = cdlm("match", "train", "--benchmark", f"aan:{benchmark}", "--encoder", tiny_encoder, "-o", model, *FAST)
    assert trained.code == 0, trained.err
    assert "dev F1" in trained.err
    again = cdlm(
        "match", "train", "--benchmark", f"aan:{benchmark}", "--encoder", tiny_encoder, "-o", model, *FAST, "--resume"
    )
    assert "all steps of this run are done" in again.err
    pairs = benchmark / "dev_cite.csv"
    assert cdlm("match", "predict", pairs, "--model", model, "-o", matches).code == 0
    lines = [json.loads(line) for line in matches.read_text().splitlines()]
    assert [line["id"] for line in lines] == ["1", "2"]
    shown = cdlm("match", "predict", pairs, "--model", model).out.splitlines()
    assert [line.split("\t")[0] for line in shown] == ["1", "2"]
    table = cdlm("match", "evaluate", pairs, "--model", model)
    assert table.out.startswith("in percent, number of pairs: 2\nF1 ")
    same = cdlm("match", "evaluate", "--benchmark", f"aan:{benchmark}", "--split", "test", "--model", model, "--json")
    assert set(json.loads(same.out)) == {"f1", "precision", "recall", "accuracy"}


def test_questions(cdlm: Callable[..., Finished], questions: Path, tiny_encoder: Path, tmp_path: Path) -> None:
    model, predictions = tmp_path / "model", tmp_path / "predictions.json"
    both = tmp_path / "both.json"
    both.write_text(json.dumps([QUESTION, {**QUESTION, "_id": "q2", "answer": "Oslo"}]))
    trained = cdlm("qa", "train", "--train", both, "--dev", questions, "--encoder", tiny_encoder, "-o", model, *FAST)
    assert trained.code == 0, trained.err
    assert f"cdlm: note: {both}: skipped 1 of 2 questions" in trained.err
    assert "joint F1" in trained.err
    assert "cdlm qa predict" in (model / "README.md").read_text()
    assert cdlm("qa", "predict", questions, "--model", model, "-o", predictions).code == 0
    values = json.loads(predictions.read_text())
    assert set(values["answer"]) == set(values["sp"]) == {"q1"}
    assert cdlm("qa", "predict", questions, "--model", model).out.startswith("q1\t")
    by_model = cdlm("qa", "evaluate", questions, "--model", model)
    by_file = cdlm("qa", "evaluate", questions, "--predictions", predictions)
    assert by_model.out == by_file.out
    assert by_file.out.startswith("in percent, number of questions: 1\n")
    assert "joint" in by_file.out
    scores = json.loads(cdlm("qa", "evaluate", questions, "--predictions", predictions, "--json").out)
    assert scores["sp_f1"] == 1.0  # there are only two sentences


def test_right_predictions_get_full_marks(cdlm: Callable[..., Finished], questions: Path, tmp_path: Path) -> None:
    path = tmp_path / "predictions.json"
    path.write_text(json.dumps({"answer": {"q1": "tresk."}, "sp": {"q1": QUESTION["supporting_facts"]}}))
    assert set(json.loads(cdlm("qa", "evaluate", questions, "--predictions", path, "--json").out).values()) == {1.0}
    path.write_text(json.dumps({"answer": {}, "sp": {}}))
    nothing = cdlm("qa", "evaluate", questions, "--predictions", path, "--json")
    assert set(json.loads(nothing.out).values()) == {0.0}
    assert nothing.err == "cdlm: note: no prediction for 1 of 1 questions, which count as wrong\n"


def test_wrong_input_is_said(
    cdlm: Callable[..., Finished], benchmark: Path, questions: Path, tiny_encoder: Path, tmp_path: Path
) -> None:
    bad = tmp_path / "bad.csv"
    bad.write_text("1,a,b\n5,a,b\n")
    broken = tmp_path / "broken.json"
    broken.write_text(json.dumps([{**QUESTION, "answer": "Oslo"}]))
    dev = benchmark / "dev_cite.csv"
    model = ("--model", tiny_encoder)
    output = ("-o", tmp_path / "model")
    cases: dict[tuple[object, ...], str] = {
        ("match", "train", "--train", bad, "--dev", dev, *output): f"{bad}, line 2: the label is '5'",
        ("match", "train", "--train", dev, *output): "give --train FILE and --dev FILE, or --benchmark",
        ("match", "train", "--train", dev, "--benchmark", "aan:x", *output): "give either --benchmark or",
        ("match", "train", "--benchmark", "aan", *output): "--benchmark takes NAME:DIR",
        ("match", "evaluate", *model): "give either a file of pairs or --benchmark",
        ("match", "evaluate", dev, "--split", "dev", *model): "only benchmarks have splits; leave out --split",
        ("match", "predict", dev, *model, "-o", tmp_path / "none" / "x"): "the folder of the output does not exist",
        ("qa", "predict", questions, *model, "-o", tmp_path / "none" / "x"): "the folder of the output does not exist",
        ("qa", "train", "--train", broken, "--dev", questions, *output): f"{broken}: all 1 questions were skipped",
        ("qa", "evaluate", questions): "give either --model or --predictions",
    }
    for arguments, message in cases.items():
        finished = cdlm(*arguments)
        assert finished.code == 2, arguments
        assert message in finished.err
        assert finished.err.startswith("cdlm: ")
        assert finished.err.count("\n") == 1
        assert not (tmp_path / "model").exists()
