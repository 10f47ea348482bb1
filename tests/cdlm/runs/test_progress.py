"""How fast a run is, and how long it waits for its data."""

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from torch import Tensor, nn

from cdlm.runs import Evaluation, Run, RunOptions


def test_a_run_says_how_fast_it_is_and_how_long_it_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of four seconds a step, one is spent waiting; in the second step there are no tokens."""
    counts = [3000, 5000, 0, 0]
    expected = ["2,000 tokens/s, 25.0 % waiting for data", "1,000 tokens/s, 25.0 % waiting for data"]
    clock = [100.0]
    monkeypatch.setattr(time, "perf_counter", lambda: clock[0])

    class Slow:
        def __len__(self) -> int:
            return 4

        def __getitem__(self, number: int) -> SimpleNamespace:
            clock[0] += 0.5
            return SimpleNamespace(x=torch.ones(1, 1), tokens=counts[number])

        def set_epoch(self, epoch: int) -> None:
            pass

    def save(model: nn.Linear, folder: Path, evaluation: Evaluation[None], epoch: float) -> None:
        (folder / "model").touch()

    def loss(model: nn.Linear, batch: SimpleNamespace) -> Tensor:
        clock[0] += 1.5
        return model(batch.x).sum()

    lines: list[str] = []
    options = RunOptions(precision="fp32", log_steps=1, accumulation=2)
    run = Run(tmp_path / "m", options, options, device="cpu", tracker="none", say=lines.append)
    evaluation = Evaluation(0.0, "none", {}, {}, None)
    run.train(nn.Linear(1, 1), Slow(), loss=loss, evaluate=lambda _: evaluation, save=save)
    found = [line for line in lines if "loss" in line]
    assert len(found) == 2
    assert all(line.endswith(f", {end}") for line, end in zip(found, expected, strict=True))
