"""Progress of long work on standard error: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import TaskID


LINE_EVERY = 20.0
"""Seconds between two lines, where standard error is no terminal."""


class StageProgress:
    """A bar a stage, made when the stage is first heard of; a context manager."""

    def __enter__(self) -> StageProgress:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        console = Console(stderr=True)
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self._bars = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
        self._tasks: dict[str, TaskID] = {}
        self._bars.start()
        self._shown = time.monotonic()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bars.stop()

    def update(self, stage: str, done: int, total: int) -> None:
        """Show how far a stage is."""
        if stage not in self._tasks:
            self._tasks[stage] = self._bars.add_task(stage, total=total)
        self._bars.update(self._tasks[stage], completed=done, total=total)
        if self._bars.disable and time.monotonic() - self._shown >= LINE_EVERY:
            self._shown = time.monotonic()
            print(f"cdcoref: {stage}: {done} of {total}", file=sys.stderr)


def duration(seconds: float) -> str:
    """A time as people say it.

    >>> duration(42), duration(600), duration(10_000)
    ('42 seconds', '10 minutes', '2.8 hours')
    """
    if seconds < 90:
        return f"{max(1, round(seconds))} seconds"
    return f"{seconds / 60:.0f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"
