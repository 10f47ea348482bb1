"""The tables of words in `facts/`: lines with columns separated by tabs, the first with their names.

A line that begins with # says where the words are from.
"""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path


def table_file(name: str) -> Path:
    """The file of a table."""
    return Path(__file__).parent / "facts" / name


@cache
def rows(name: str) -> tuple[dict[str, str], ...]:
    """The rows of a table, by the names of its columns."""
    with table_file(name).open(encoding="utf-8", newline="") as file:
        lines = (line for line in file if not line.startswith("#"))
        return tuple(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE, restval=""))


def words_in(name: str, kind: str = "") -> frozenset[str]:
    """The words in the first column of a table; with a kind, those that have it, perhaps with others, in the second."""
    values = (tuple(row.values()) for row in rows(name))
    return frozenset(word for word, *columns in values if not kind or kind in columns[0].split(", "))
