"""The tables of words beside this file: lines with columns separated by tabs, the first with their names."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path


@cache
def rows(name: str) -> tuple[dict[str, str], ...]:
    """The rows of a table, by the names of its columns."""
    with (Path(__file__).parent / name).open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader((line for line in file if not line.startswith("#")), delimiter="\t"))
