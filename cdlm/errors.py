"""What a user can get wrong: one exception type, printed by the command line as one sentence with exit code 2."""

from __future__ import annotations

from pathlib import Path

LONGEST_SHOWN = 300
"""Characters of a path that are shown."""


class InputError(Exception):
    """Input that cannot be used: a sentence on what is wrong and what to do, after the file and the line (from 1)."""

    def __init__(self, message: str, path: str | Path | None = None, line: int | None = None) -> None:
        self.message = message
        self.path = None if path is None else str(path)
        self.line = line
        shown = "" if path is None else shown_path(str(path))
        location = "" if path is None else f"{shown}: " if line is None else f"{shown}, line {line}: "
        super().__init__(location + message)


def first_line(error: Exception) -> str:
    """The first line of a library's error message."""
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


def shown_path(path: str) -> str:
    """A path as messages name it: no longer than `LONGEST_SHOWN` characters, and ``-`` by what it stands for."""
    if path == "-":
        return "standard input"
    return f"{path[:LONGEST_SHOWN]}..." if len(path) > LONGEST_SHOWN else path
