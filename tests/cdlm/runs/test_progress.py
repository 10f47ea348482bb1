"""How fast a run is, and how long it waits for its data."""

from __future__ import annotations

import re
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from torch import Tensor, nn

from cdlm.runs import Evaluation, Run, RunOptions
from cdlm.runs.progress import Speed


def test_speed(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    monkeypatch.setattr(time, "perf_counter", lambda: clock[0])
    speed = Speed()
    assert speed.summary() == ""
    clock[0] += 4
    speed.add(3000, 0.5)
    speed.add(5000, 0.5)
    assert speed.summary() == ", 2,000 tokens/s, 25.0 % waiting for data"


class Slow:
    """Batches of three tokens that take a while to make."""

    def __len__(self) -> int:
        return 2

    def __getitem__(self, number: int) -> SimpleNamespace:
        if not 0 <= number < 2:
            raise IndexError(number)
        time.sleep(0.3)
        return SimpleNamespace(x=torch.ones(1, 1), tokens=3)

    def set_epoch(self, epoch: int) -> None:
        pass


def test_a_run_says_how_long_it_waits(tmp_path: Path) -> None:
    def save(model: nn.Linear, folder: Path, evaluation: Evaluation[None], epoch: float) -> None:
        (folder / "model").touch()

    def loss(model: nn.Linear, batch: SimpleNamespace) -> Tensor:
        return model(batch.x).sum()

    lines: list[str] = []
    options = RunOptions(precision="fp32", log_steps=1)
    run = Run(tmp_path / "m", options, options, device="cpu", tracker="none", say=lines.append)
    evaluation = Evaluation(0.0, "none", {}, {}, None)
    run.train(nn.Linear(1, 1), Slow(), loss=loss, evaluate=lambda _: evaluation, save=save)
    found = [re.search(r"([\d,]+) tokens/s, ([\d.]+) % waiting for data$", line) for line in lines if "loss" in line]
    assert len(found) == 2
    # However slow the machine is: three tokens take 0.3 s at least.
    assert all(match and int(match[1]) <= 10 and float(match[2]) > 0 for match in found)
