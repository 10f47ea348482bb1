"""What commands print on standard error: sentences and progress, which `--quiet` leaves out, and what is wrong."""

import sys
from collections.abc import Sequence
from functools import partial

from cdlm import printing
from cdlm.printing import counted


def say(*sentences: str) -> None:
    """Print sentences."""
    for sentence in sentences:
        printing.say("cdcoref", sentence)


def say_problems(problems: Sequence[str]) -> None:
    """Print what is wrong with each input that cannot be used."""
    for problem in problems:
        printing.warn("cdcoref", problem)


def exit_if_skipped(problems: Sequence[str]) -> None:
    """End with exit code 2 if inputs were left out."""
    if problems:
        printing.warn("cdcoref", f"{counted(len(problems), 'unusable input')} skipped; see above")
        sys.exit(2)


StageProgress = partial(printing.StageProgress, "cdcoref")
