"""What a run reports: lines of progress for people, and numbers to an experiment tracker."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments
from transformers.integrations import get_available_reporting_integrations

from cdlm.errors import InputError
from cdlm.runs.options import RunOptions

Say = Callable[[str], None]


def say_on_stderr(line: str) -> None:
    """Print a line of progress on standard error."""
    print(line, file=sys.stderr, flush=True)


class Speed:
    """How many tokens per second were trained on, and how much of the time was spent waiting for them."""

    def __init__(self) -> None:
        self._started = time.perf_counter()
        self._tokens = 0
        self._waited = 0.0

    def add(self, tokens: int, waited: float) -> None:
        """Count the tokens of a step, and the seconds spent waiting for them."""
        self._tokens += tokens
        self._waited += waited

    def summary(self) -> str:
        """The counts, to be appended to a line; empty without tokens."""
        seconds = time.perf_counter() - self._started
        if not self._tokens:
            return ""
        return f", {self._tokens / seconds:,.0f} tokens/s, {100 * self._waited / seconds:.1f} % waiting for data"


class ProgressLines(TrainerCallback):
    """Reports the loss and the remaining time at regular steps."""

    def __init__(self, say: Say, options: RunOptions) -> None:
        self._say = say
        self._options = options
        self._started: tuple[float, int] | None = None
        self.speed = Speed()

    def on_train_begin(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        """Start the clock."""
        self._started = (time.monotonic(), state.global_step)
        self.speed = Speed()

    def on_log(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        logs: Mapping[str, float] | None = None,
        **_: Any,
    ) -> None:
        """Report the progress of training."""
        if logs and "loss" in logs and self._started is not None:
            clock, first = self._started
            done = state.global_step - first
            left = (time.monotonic() - clock) / done * (state.max_steps - state.global_step) if done else 0.0
            self._say(
                f"{self.place(state)}, step {state.global_step} of {state.max_steps}: loss {logs['loss']:.4f}, "
                f"{left / 60:.0f} min left{self.speed.summary()}"
            )

    def place(self, state: TrainerState) -> str:
        """The progress of training, in epochs."""
        epochs = "" if self._options.steps else f" of {self._options.epochs}"
        return f"epoch {state.epoch or 0:.2f}{epochs}"


def trackers(name: str | None, logs: Path) -> list[str]:
    """The experiment trackers to log to, as transformers' ``report_to`` accepts them.

    Parameters
    ----------
    name
        ``"tensorboard"``, ``"wandb"``, ``"mlflow"``, ...; ``"none"``; None: TensorBoard if it is installed.
    logs
        Folder for TensorBoard's files, which it takes from the environment, as other trackers take their settings.

    Raises
    ------
    InputError
        If that tracker is unknown or not installed.
    """
    installed = get_available_reporting_integrations()
    if name == "none" or (name is None and "tensorboard" not in installed):
        return []
    if name is not None and name not in installed:
        raise InputError(
            f"the experiment tracker {name!r} is unknown or not installed; installed: {', '.join(installed) or 'none'}"
        )
    os.environ["TENSORBOARD_LOGGING_DIR"] = str(logs)
    return [name or "tensorboard"]
