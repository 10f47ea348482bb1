"""What a command that ran in this process did."""

from __future__ import annotations

from typing import NamedTuple


class Finished(NamedTuple):
    """Exit code, standard output and standard error."""

    code: int
    out: str
    err: str
