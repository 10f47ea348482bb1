"""Tables of cases: columns separated by tabs, the first line with their names."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any


def rows_of(test: str, name: str) -> list[dict[str, str]]:
    """The rows of a table beside a test file."""
    with (Path(test).parent / name).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    assert len(rows) > 1
    return rows


def cases(test: str, name: str, *values: str) -> list[Any]:
    """These rows as the parameters of a test; the columns named by `values` hold JSON."""
    rows = [
        [json.loads(cell) if column in values else cell for column, cell in row.items()] for row in rows_of(test, name)
    ]
    return rows if len(rows[0]) > 1 else [cell for (cell,) in rows]
