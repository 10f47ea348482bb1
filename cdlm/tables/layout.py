"""What a table of the paper is made of: columns, rows with the published values, and where own values come from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

MISSING = "-"
"""A cell without a value."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """A run that fills some cells of a row."""

    file: str
    """The name, in the folder of results, of the JSON that the last command prints."""
    commands: tuple[str, ...]
    """The commands that measure it, in order."""
    columns: int
    """How many cells it fills."""
    values: Callable[[Any], Sequence[float | None]]
    """JSON in, the values of the cells out; None where the JSON has none."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table."""

    name: str
    """The system, or what is counted."""
    paper: tuple[str, ...]
    """The published values, as printed."""
    measurements: tuple[Measurement, ...] = ()
    """What fills the cells, from left to right. None for the systems of others and for counts."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the paper."""

    number: int
    title: str
    columns: tuple[str, ...]
    """Names of the columns, without that of the rows."""
    rows: tuple[Row, ...]
    counts: bool = False
    """Whether it counts the contents of a corpus. Otherwise rows without measurements are systems of others."""
    decimals: int = 1
    """Of measured values."""
    with_differences: bool = False
    """Whether the last column is the difference between a row's first value and that of the first row."""
    preparation: tuple[str, ...] = ()
    """Commands that make what the measurements need."""


@dataclass(frozen=True, slots=True)
class FilledTable:
    """A table with own values beside the published ones."""

    table: Table
    own: Mapping[str, tuple[str, ...]]
    """By row, the own values as text, `MISSING` where there is none. Rows of the systems of others are absent."""
    commands: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """What is missing, and the commands that would measure it."""
    notes: tuple[str, ...] = ()
    """Why something is missing, one sentence each."""
