"""Progress of long work on standard error: a bar for each stage on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import TaskID

LINE_EVERY = 20.0
"""Seconds between two lines, where standard error is no terminal."""
Progress = Callable[[str, int, int], None]


@contextmanager
def counted_progress() -> Iterator[Progress]:
    """Show what is told of each stage: its name, how many are done, and of how many."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    tasks: dict[str, TaskID] = {}
    shown = time.monotonic()
    with Bars(*columns, console=console, transient=True, disable=not console.is_terminal) as bars:

        def progress(stage: str, done: int, total: int) -> None:
            nonlocal shown
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=total)
            bars.update(tasks[stage], completed=done)
            if bars.disable and time.monotonic() - shown >= LINE_EVERY:
                shown = time.monotonic()
                print(f"cdlm: {stage}: {done} of {total}", file=sys.stderr)

        yield progress
