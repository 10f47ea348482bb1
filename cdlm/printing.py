"""What is printed for the user of a terminal: sentences without what could control it, and progress of long work."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import TaskID

_JOINERS_AND_MARKS = "\u200c\u200d\u200e\u200f"
"""Invisible characters that Persian, Hindi, emoji and right-to-left text need."""


def printable(text: str) -> str:
    """The text without characters that could control the terminal; each becomes a replacement character."""
    return "".join(c if c.isprintable() or c in _JOINERS_AND_MARKS else "\ufffd" for c in text)


_quiet = False


def be_quiet(quiet: bool) -> None:
    """Choose whether notes and progress are left out."""
    global _quiet
    _quiet = quiet


def say(program: str, sentence: str) -> None:
    """Print a note, as :func:`warn` does, unless the user wants none."""
    if not _quiet:
        warn(program, sentence)


def warn(program: str, sentence: str) -> None:
    """Print a sentence on standard error, after the program's name; it may have several lines."""
    lines = "\n".join(map(printable, sentence.split("\n")))
    print(f"{program}: {lines}", file=sys.stderr)


def counted(number: int, singular: str, plural: str = "") -> str:
    """A number with what it counts.

    >>> counted(1, "story", "stories"), counted(2000, "story", "stories"), counted(0, "pair")
    ('1 story', '2,000 stories', '0 pairs')
    """
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


LINE_EVERY = 20.0
"""Seconds between two lines if standard error is not a terminal."""


def as_lines(say: Callable[[str], None]) -> Callable[[str, int, int], None]:
    """Turn updates of stages, as :meth:`StageProgress.update` takes them, into one line every `LINE_EVERY` seconds."""
    latest = time.monotonic()

    def update(stage: str, done: int, total: int) -> None:
        nonlocal latest
        if time.monotonic() - latest >= LINE_EVERY:
            latest = time.monotonic()
            say(f"{stage}{f': {done} of {total}' if total else ''}")

    return update


class StageProgress:
    """One bar per stage, created on the stage's first update; a context manager. Lines begin with the program."""

    def __init__(self, program: str) -> None:
        self._say = as_lines(lambda line: say(program, line))

    def __enter__(self) -> StageProgress:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        console = Console(stderr=True)
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self._bars = Progress(*columns, console=console, transient=True, disable=_quiet or not console.is_terminal)
        self._tasks: dict[str, TaskID] = {}
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()

    def update(self, stage: str, done: int, total: int) -> None:
        """Show the progress of a stage; a total of 0 is unknown."""
        if stage not in self._tasks:
            self._tasks[stage] = self._bars.add_task(stage, total=total or None)
        self._bars.update(self._tasks[stage], completed=done, total=total or None)
        if self._bars.disable:
            self._say(stage, done, total)
