"""Runs of a tiny task that is not coreference: what is written and refused, and that a killed run ends as a whole one.

The task is a line through points, fitted by a network with dropout and with tied weights, as language models have.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
import torch
from safetensors.torch import load_model, save_model
from torch import Tensor, nn

from cdlm.errors import InputError
from cdlm.runs import RUN_FILE, Evaluation, Run, RunOptions, digest

pytestmark = pytest.mark.usefixtures("one_thread")

WEIGHTS_FILE = "model.safetensors"
OPTIONS = RunOptions(epochs=2, learning_rate=0.05, precision="fp32", save_steps=3, log_steps=1)
"""Two epochs of ten batches each; checkpoints after steps 3, 6, 9, 10, 12, 15, 18 and 20."""
SLOPE = 3.0
BATCHES = 10


class Line(nn.Module):
    """Predicts y from x; its last matrix is its first one, as a language model's output is its embedding."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Linear(1, 8)
        self.dropout = nn.Dropout(0.2)
        self.head = nn.Linear(8, 1)
        self.tied = nn.Linear(1, 8, bias=False)
        self.tied.weight = self.encoder.weight

    def forward(self, x: Tensor, y: Tensor | None = None, seen: list[bool] | None = None) -> Tensor:
        if seen is not None:
            seen.append(torch.is_autocast_enabled("cpu"))
        predicted = self.head(self.dropout(self.encoder(x) + self.tied(x)))
        return predicted if y is None else nn.functional.mse_loss(predicted, y)


class Points:
    """Batches of points that follow from seed, epoch and number."""

    def __init__(self, seed: int, batches: int = BATCHES) -> None:
        self._seed = seed
        self._batches = batches
        self._epoch = 0

    def __len__(self) -> int:
        return self._batches

    def __getitem__(self, number: int) -> dict[str, Tensor]:
        if not 0 <= number < self._batches:
            raise IndexError(number)
        rng = np.random.default_rng((self._seed, self._epoch, number))
        x = torch.from_numpy(rng.normal(size=(4, 1)).astype(np.float32))
        return {"x": x, "y": SLOPE * x}

    def set_epoch(self, epoch: int) -> None:
        self._epoch = epoch


def loss(model: Line, batch: dict[str, Tensor]) -> Tensor:
    result: Tensor = model(**batch)
    return result


def evaluate(model: Line) -> Evaluation[float]:
    """The score is minus the error of one point; dropout is off and no gradient is kept."""
    assert not model.training
    with torch.inference_mode():
        error = float((model(torch.ones(1, 1)) - SLOPE).abs())
    return Evaluation(-error, f"error {error:.3f}", {"error": error}, {"error": error}, error)


def save(model: Line, folder: Path, evaluation: Evaluation[float], epoch: float) -> None:
    assert not list(folder.iterdir())
    save_model(model, str(folder / "model.safetensors"))
    (folder / "config.json").write_text(json.dumps({"error": evaluation.chosen, "epoch": epoch}))


@dataclass(frozen=True)
class Configuration:
    run: RunOptions
    task: Literal["line", "plane"] = "line"


def fit(
    options: RunOptions,
    output: Path,
    *,
    batches: int = BATCHES,
    scores: Callable[[Line], Evaluation[float]] = evaluate,
    write: Callable[[Line, Path, Evaluation[float], float], None] = save,
    **where: Any,
) -> Run:
    """A whole run, as any task has one."""
    run = Run(output, options, Configuration(options), device="cpu", **where)
    if not run.finished:
        run.train(Line(), Points(options.seed, batches), loss=loss, evaluate=scores, save=write)
    return run


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """The folder of a run that nothing interrupts, and the lines of its progress."""
    torch.set_num_threads(1)
    lines: list[str] = []
    folder = tmp_path_factory.mktemp("fitted") / "line"
    fit(OPTIONS, folder, say=lines.append)
    return folder, lines


def weights(folder: Path) -> bytes:
    return (folder / WEIGHTS_FILE).read_bytes()


def run_file(folder: Path) -> dict[str, Any]:
    values: dict[str, Any] = json.loads((folder / RUN_FILE).read_text())
    return values


# -- what is written -------------------------------------------------------------------------------------------------


def test_the_folder_holds_the_best_model_and_how_it_was_made(reference: tuple[Path, list[str]]) -> None:
    folder, lines = reference
    assert {path.name for path in folder.iterdir()} == {WEIGHTS_FILE, "config.json", RUN_FILE, "logs"}
    assert any((folder / "logs").glob("events.out.tfevents.*"))
    record = run_file(folder)
    assert record["configuration"] == {"task": "line", "run": asdict(OPTIONS)}
    assert record["precision"] == "fp32"
    saved = json.loads((folder / "config.json").read_text())
    assert record["dev"] == {"error": saved["error"]}
    assert record["best_epoch"] == saved["epoch"]
    assert saved["error"] < 2.0  # of 3 at the start
    assert sum("loss" in line and "min left" in line for line in lines) == 20
    scores = [line for line in lines if " dev " in line]
    assert [line.split(":")[0] for line in scores] == ["epoch 1.00 of 2", "epoch 2.00 of 2"]
    assert all("dev error " in line for line in scores)
    announced = [line.split(":")[0] for line in lines if line.endswith(": evaluating")]
    assert announced == [line.split(":")[0] for line in scores]
    assert lines[-1].startswith(f"written to {folder} after 0.")


def scripted(*scores: float) -> tuple[Callable[[Line], Evaluation[float]], list[dict[str, Tensor]]]:
    """An evaluation with given scores, and the weights that were evaluated."""
    seen: list[dict[str, Tensor]] = []

    def evaluate(model: Line) -> Evaluation[float]:
        score = scores[len(seen)]
        seen.append({name: tensor.clone() for name, tensor in model.state_dict().items()})
        return Evaluation(score, "", {}, {"evaluation": len(seen)}, score)

    return evaluate, seen


def test_the_first_of_the_best_epochs_is_kept(tmp_path: Path) -> None:
    evaluate, seen = scripted(0.5, 0.6, 0.6)
    fit(replace(OPTIONS, epochs=3), tmp_path / "m", scores=evaluate, say=str)
    assert len(seen) == 3
    kept = Line()
    load_model(kept, tmp_path / "m" / WEIGHTS_FILE)
    assert all(torch.equal(tensor, seen[1][name]) for name, tensor in kept.state_dict().items())
    record = run_file(tmp_path / "m")
    assert (record["best_epoch"], record["dev"]) == (2, {"evaluation": 2})


def test_steps_instead_of_epochs_and_evaluations_between(tmp_path: Path) -> None:
    """25 steps of two batches each over epochs of 11 batches, the last of which makes a step alone."""
    lines: list[str] = []
    evaluate, seen = scripted(0.1, 0.4, 0.3)
    options = replace(OPTIONS, steps=25, evaluate_steps=10, accumulation=2)
    fit(options, tmp_path / "m", batches=11, scores=evaluate, say=lines.append)
    assert len(seen) == 3
    assert sum("loss" in line for line in lines) == 25
    assert [line.split(":")[0] for line in lines if " dev " in line] == ["epoch 1.73", "epoch 3.36", "epoch 4.18"]
    assert run_file(tmp_path / "m")["best_epoch"] == 3.36


@pytest.mark.parametrize(
    ("changes", "encoder", "head"),
    [
        # A tenth of the steps up, then the power of what is left; the head has its own rate.
        (
            {"learning_rate": 0.01, "head_learning_rate": 0.5, "decay_power": 3.0},
            *([rate * (s / 2 if s < 2 else ((20 - s) / 18) ** 3) for s in range(20)] for rate in (0.01, 0.5)),
        ),
        # A warmup that is longer than the run leaves its last step.
        ({"learning_rate": 0.1, "steps": 1, "warmup": 9}, [0.1], [0.1]),
        ({"learning_rate": 0.1, "steps": 4, "warmup": 9}, *([0, 0.1 / 3, 0.2 / 3, 0.1],) * 2),
    ],
)
def test_learning_rates_warm_up_and_decay(
    changes: dict[str, Any], encoder: list[float], head: list[float], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rates: list[list[float]] = []
    step = torch.optim.AdamW.step

    def recorded(self: torch.optim.AdamW, *arguments: Any) -> Any:
        rates.append(sorted({group["lr"] for group in self.param_groups}))
        decays = {group["params"][0].ndim: group["weight_decay"] for group in self.param_groups}
        assert decays == {1: 0.0, 2: 0.01}
        return step(self, *arguments)

    monkeypatch.setattr(torch.optim.AdamW, "step", recorded)
    fit(replace(OPTIONS, **changes), tmp_path / "m", say=str)
    assert [made[0] for made in rates] == pytest.approx(encoder)
    assert [made[-1] for made in rates] == pytest.approx(head)


def test_mixed_precision_outlasts_checkpoints_and_evaluations(tmp_path: Path) -> None:
    mixed: list[bool] = []

    def watched(model: Line, batch: dict[str, Tensor]) -> Tensor:
        return loss(model, {**batch, "seen": mixed})

    run = Run(tmp_path / "m", replace(OPTIONS, precision="bf16"), Configuration(OPTIONS), device="cpu", say=str)
    run.train(Line(), Points(0), loss=watched, evaluate=evaluate, save=save)
    assert mixed == [True] * 20


def test_auto_precision_is_resolved_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A resumed run goes on in the precision that it was started in, whatever the processor is now."""
    options = replace(OPTIONS, precision="auto")
    for name, capabilities in (("bf16", {"amx_bf16": True}), ("fp32", {})):
        monkeypatch.setattr(torch.cpu, "get_capabilities", lambda found=capabilities: found)
        with monkeypatch.context() as patched:
            stop(patched, Path, "rename", "whole.json.tmp", 2)
            with pytest.raises(Killed):
                fit(options, tmp_path / name, say=str)
        assert run_file(tmp_path / name / "checkpoints")["precision"] == name
        monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {"avx512_bf16": True})
        assert fit(options, tmp_path / name, resume=True, say=str).precision == name
        record = run_file(tmp_path / name)
        assert (record["precision"], record["configuration"]["run"]["precision"]) == (name, "auto")


# -- what is refused -------------------------------------------------------------------------------------------------


def test_a_folder_that_is_in_use_is_refused(reference: tuple[Path, list[str]], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").write_text("")
    for folder, message in (
        (reference[0], "this folder is not empty; choose a new one, or resume"),
        (tmp_path / "full", "this folder is not empty"),
        (tmp_path / "file", "this is a file"),
        (tmp_path / "file" / "model", "cannot be written here"),
    ):
        with pytest.raises(InputError, match=message):
            fit(OPTIONS, folder, say=str)
    assert (tmp_path / "full" / "thesis.tex").exists()


def test_nothing_to_resume(tmp_path: Path, reference: tuple[Path, list[str]]) -> None:
    for folder in (tmp_path, tmp_path / "missing"):
        with pytest.raises(InputError, match="there is no run to resume in this folder; start a new one"):
            fit(OPTIONS, folder, resume=True, say=str)
    # A run that has finished says so, and stays as it is; with another configuration it would be another run.
    before = weights(reference[0])
    lines: list[str] = []
    assert fit(OPTIONS, reference[0], resume=True, say=lines.append).finished
    assert lines == [f"all steps of this run are done: the model is in {reference[0]}"]
    assert weights(reference[0]) == before
    with pytest.raises(InputError, match="started with a different configuration"):
        fit(replace(OPTIONS, epochs=3), reference[0], resume=True, say=str)


@pytest.mark.parametrize(
    ("change", "same"),
    [
        (lambda known: known.pop("task"), True),  # recorded before there was this setting
        (lambda known: known.update(task="plane"), False),
        (lambda known: known.update(angle=1), False),
        (lambda known: known["run"].pop("steps"), True),
        (lambda known: known["run"].update(steps="many"), False),
        (lambda known: known.clear(), False),
    ],
)
def test_settings_that_were_not_recorded_are_defaults(
    reference: tuple[Path, list[str]], tmp_path: Path, change: Callable[[dict[str, Any]], object], same: bool
) -> None:
    folder = shutil.copytree(reference[0], tmp_path / "m")
    record = json.loads((folder / RUN_FILE).read_text())
    assert set(record["configuration"]) == {"run", "task"}
    change(record["configuration"])
    (folder / RUN_FILE).write_text(json.dumps(record))
    if same:
        assert fit(OPTIONS, folder, resume=True, say=str).finished
    else:
        with pytest.raises(InputError, match="started with a different configuration"):
            fit(OPTIONS, folder, resume=True, say=str)


def test_the_precision_and_the_tracker_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="fp16 precision needs a GPU; choose bf16 or fp32"):
        fit(replace(OPTIONS, precision="fp16"), tmp_path / "m", say=str)
    with pytest.raises(InputError, match="the experiment tracker 'abacus' is unknown or not installed; installed: "):
        fit(OPTIONS, tmp_path / "m", tracker="abacus", say=str)
    assert not (tmp_path / "m").exists()
    fit(replace(OPTIONS, epochs=1), tmp_path / "m", tracker="none", say=str)
    assert not (tmp_path / "m" / "logs").exists()


def test_the_best_model_must_be_there_to_resume(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        MOMENTS["after the last epoch was scored"](patched)
        with pytest.raises(Killed):
            fit(OPTIONS, tmp_path / "m", say=str)
    (best,) = (tmp_path / "m" / "checkpoints").glob("best-10")
    shutil.rmtree(best)
    with pytest.raises(InputError, match="the best model so far is missing") as raised:
        fit(OPTIONS, tmp_path / "m", resume=True, say=str)
    assert raised.value.path == str(best)


# -- resuming --------------------------------------------------------------------------------------------------------


class Killed(BaseException):
    """Stops a run where it is, as a signal would, but for what is undone on the way out."""


def stop(patch: pytest.MonkeyPatch, owner: Any, name: str, path: str, calls: int) -> None:
    """Stop before a function is called with such a path for the given time, counted from 1."""
    function, count = getattr(owner, name), 0

    def counted(*arguments: Any, **options: Any) -> Any:
        nonlocal count
        count += any(re.search(path, str(argument)) for argument in arguments if isinstance(argument, str | Path))
        if count == calls:
            raise Killed
        return function(*arguments, **options)

    patch.setattr(owner, name, counted)


def stop_evaluating(patch: pytest.MonkeyPatch) -> None:
    def stopped(self: Line) -> Line:
        raise Killed

    patch.setattr(Line, "eval", stopped)


def stop_removing(patch: pytest.MonkeyPatch) -> None:
    rmtree = shutil.rmtree

    def half(folder: Path, *arguments: Any, **options: Any) -> None:
        if Path(folder).name == "checkpoints":
            (folder / RUN_FILE).unlink()
            raise Killed
        rmtree(folder, *arguments, **options)

    patch.setattr(shutil, "rmtree", half)


MOMENTS: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "before the first checkpoint": lambda m: stop(m, Path, "mkdir", r"/checkpoint-\d+$", 1),
    "a checkpoint without its optimiser": lambda m: stop(m, torch, "save", "/optimizer", 3),
    "a checkpoint without its random state": lambda m: stop(m, torch, "save", "/random_states", 2),
    "a checkpoint without its list of files": lambda m: stop(m, Path, "rename", "whole.json.tmp", 5),
    "before the first epoch was scored": stop_evaluating,
    "before the best model was described": lambda m: stop(m, Path, "write_text", rf"/\.best-.*/{RUN_FILE}", 1),
    "before the best model was put into place": lambda m: stop(m, Path, "rename", r"/\.best-", 1),
    "after the last epoch was scored": lambda m: stop(m, Path, "rename", "whole.json.tmp", 8),
    "before the model was published": lambda m: stop(m, Path, "replace", "/best-", 1),
    "while the model was published": lambda m: stop(m, Path, "replace", f"/best-.*/{RUN_FILE}", 1),
    "while checkpoints were removed": stop_removing,
}


@pytest.fixture(
    scope="module", params=[{}, {"steps": 15, "evaluate_steps": 7, "save_steps": 2}], ids=["epochs", "steps"]
)
def uninterrupted(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[RunOptions, Path]:
    options, folder = replace(OPTIONS, **request.param), tmp_path_factory.mktemp("uninterrupted") / "line"
    fit(options, folder, say=str)
    return options, folder


@pytest.mark.parametrize("moment", MOMENTS)
def test_resumed(
    moment: str, uninterrupted: tuple[RunOptions, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (options, whole), folder = uninterrupted, tmp_path / "m"
    with monkeypatch.context() as patched:
        MOMENTS[moment](patched)
        with pytest.raises(Killed):
            fit(options, folder, say=str)
    finished = (folder / RUN_FILE).is_file()
    checkpoints = list((folder / "checkpoints").glob("checkpoint-*"))
    assert len(checkpoints) <= 3
    lines: list[str] = []
    fit(options, folder, resume=True, say=lines.append)
    assert weights(folder) == weights(whole)
    for name in (RUN_FILE, "config.json"):
        assert (folder / name).read_bytes() == (whole / name).read_bytes()
    assert {p.name for p in folder.iterdir()} == {p.name for p in whole.iterdir()}
    expected = "resuming from" if checkpoints else "no complete checkpoint yet"
    assert lines[0].startswith("all steps of this run are done" if finished else expected)
    assert not checkpoints or sum(" loss " in line for line in lines) < (options.steps or 20)


def test_resuming_needs_the_same_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = digest([("a", 1), None]), digest([("a", 2), None])
    assert one == digest([("a", 1), None]) != other
    with monkeypatch.context() as patched:
        MOMENTS["a checkpoint without its list of files"](patched)
        with pytest.raises(Killed):
            fit(OPTIONS, tmp_path / "m", data=one, say=str)
    for _ in range(2):  # interrupted, then finished
        with pytest.raises(InputError, match="started with other data; use the same training and dev data"):
            fit(OPTIONS, tmp_path / "m", data=other, resume=True, say=str)
        fit(OPTIONS, tmp_path / "m", data=one, resume=True, say=str)
    assert run_file(tmp_path / "m")["data"] == one
    # A run that does not know its data fits any.
    fit(OPTIONS, tmp_path / "n", say=str)
    assert fit(OPTIONS, tmp_path / "n", data=one, resume=True, say=str).finished
