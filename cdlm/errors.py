"""What a user can get wrong: one exception type, printed by the command line as one sentence with exit code 2."""

from __future__ import annotations

from pathlib import Path


class InputError(Exception):
    """Input that cannot be used, said in one sentence that names the place and what to do.

    Parameters
    ----------
    message
        One sentence: what is wrong, and what to do about it.
    path, line
        The file, and the line (from 1) in it, where that is known; they are put in front of the message.
    """

    def __init__(self, message: str, path: str | Path | None = None, line: int | None = None) -> None:
        self.message = message
        self.path = None if path is None else str(path)
        self.line = line
        place = "" if path is None else f"{path}: " if line is None else f"{path}, line {line}: "
        super().__init__(place + message)


def first_line(error: Exception) -> str:
    """What a library says of an error, on one line."""
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
