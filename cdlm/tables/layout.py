"""What a table of the paper is made of: columns, rows with the published values, and where own values come from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

MISSING = "-"
"""A cell without a value."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """A run that fills some cells of a row.

    Attributes
    ----------
    file
        The name, in the folder of results, of the JSON that the last command prints.
    commands
        The commands that measure it, in order.
    columns
        How many cells it fills.
    values
        JSON in, the values of the cells out; None where the JSON has none.
    """

    file: str
    commands: tuple[str, ...]
    columns: int
    values: Callable[[Any], Sequence[float | None]]


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table.

    Attributes
    ----------
    name
        The system, or what is counted.
    paper
        The published values, as printed.
    measurements
        What fills the cells, from left to right. None for the systems of others and for counts.
    """

    name: str
    paper: tuple[str, ...]
    measurements: tuple[Measurement, ...] = ()


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the paper.

    Attributes
    ----------
    number, title
        As in the paper.
    columns
        Names of the columns, without that of the rows.
    rows
        See :class:`Row`.
    counts
        Whether it counts the contents of a corpus. Otherwise rows without measurements are systems of others.
    decimals
        Of measured values.
    with_differences
        Whether the last column is the difference between a row's first value and that of the first row.
    preparation
        Commands that make what the measurements need.
    """

    number: int
    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    counts: bool = False
    decimals: int = 1
    with_differences: bool = False
    preparation: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FilledTable:
    """A table with own values beside the published ones.

    Attributes
    ----------
    table
        The table of the paper.
    own
        By row, the own values as text, `MISSING` where there is none. Rows of the systems of others are absent.
    commands
        What is missing, and the commands that would measure it.
    notes
        Why something is missing, one sentence each.
    """

    table: Table
    own: Mapping[str, tuple[str, ...]]
    commands: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
