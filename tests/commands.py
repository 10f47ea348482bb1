"""Commands that tests run: what one did, and how one runs in a process of its own."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple


class Finished(NamedTuple):
    """Exit code, standard output and standard error."""

    code: int
    out: str
    err: str


def run_in_this_process(arguments: Sequence[str], environment: Mapping[str, str], errors: Path) -> None:
    """Run `cdcoref` with variables of the environment; what it prints on standard error goes to a file."""
    from cdcoref.cli import main

    os.environ.update(environment)
    sys.argv = ["cdcoref", *arguments]
    with errors.open("w", encoding="utf-8", buffering=1) as sys.stderr:
        main()


if __name__ == "__main__":
    run_in_this_process(*globals()["ARGUMENTS"])
