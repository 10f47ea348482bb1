"""What a run reports: its speed for people, and numbers to an experiment tracker."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

from accelerate.tracking import get_available_trackers

from cdlm.errors import InputError

Say = Callable[[str], None]
TENSORBOARD = "tensorboard"
PROJECT = "cdlm"
"""The project under which trackers other than TensorBoard list a run, unless their own settings name another."""


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


def find_tracker(name: str | None) -> str | None:
    """The experiment tracker to log to, None for none: by its name, ``"none"``, or None for TensorBoard if installed.

    Raises `InputError` if that tracker is unknown or not installed.
    """
    installed = sorted(str(tracker) for tracker in get_available_trackers())
    if name == "none" or (name is None and TENSORBOARD not in installed):
        return None
    if name is not None and name not in installed:
        raise InputError(
            f"the experiment tracker {name!r} is unknown or not installed; installed: {', '.join(installed) or 'none'}"
        )
    return name or TENSORBOARD


def by_path(configuration: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """A nested configuration as trackers list one: ``{"run.seed": 0}``; lists as text."""
    found: dict[str, Any] = {}
    for name, value in configuration.items():
        if isinstance(value, Mapping):
            found |= by_path(value, f"{prefix}{name}.")
        else:
            found[prefix + name] = value if isinstance(value, bool | int | float | None) else str(value)
    return found
