"""Tables of cases: columns separated by tabs, the first line with their names."""

from __future__ import annotations

import csv
from pathlib import Path


def rows_of(test: str, name: str) -> list[dict[str, str]]:
    """The rows of a table beside a test file."""
    with (Path(test).parent / name).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    assert len(rows) > 1
    return rows
