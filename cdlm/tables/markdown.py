"""Filled tables as Markdown, which is also readable in a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from cdlm.tables.filling import FilledTable
from cdlm.tables.published import ENCODERS


def markdown(tables: Iterable[FilledTable]) -> str:
    """The tables one after the other, each with the commands that measure what is missing."""
    return "\n\n".join(_section(table) for table in tables)


def _section(filled: FilledTable) -> str:
    table = filled.table
    rows: list[Sequence[str]] = [("", "", *table.columns), ("---", "---", *("---:" for _ in table.columns))]
    for row in table.rows:
        rows.append((row.name, "paper", *row.paper))
        if row.name in filled.own:
            rows.append(("", "ours", *filled.own[row.name]))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [f"## Table {table.number}: {table.title}", ""]
    lines += [f"| {' | '.join(_padded(row_cells, widths))} |" for row_cells in rows]
    if filled.notes:
        lines += ["", *(f"{note[0].upper()}{note[1:]}." for note in filled.notes)]
    if not filled.is_whole:
        lines += ["", "Missing values are measured with:", "", *(f"- `{command}`" for command in table.commands)]
        if any("CHECKPOINT" in command for command in table.commands):
            encoders = ", ".join(f"`{e.name} {e.checkpoint} {e.variant}`" for e in ENCODERS)
            lines += ["", f"NAME, CHECKPOINT and VARIANT are {encoders}."]
    return "\n".join(lines)


def _padded(cells: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    """The cells of a row, as wide as their columns; the first two columns are text, the others numbers."""
    for number, (cell, width) in enumerate(zip(cells, widths, strict=True)):
        if cell.startswith("---"):
            yield cell.rjust(width, "-")
        else:
            yield cell.ljust(width) if number < 2 else cell.rjust(width)
