"""The tables of the paper in, the same with own values out: from files of results, and from counts of corpora.

A result counts only if it is of the present code: a file that is older than the code is a dash, like one that does not
exist, and the commands that would write it are given.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable
from functools import cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

from cdlm.documents import READERS
from cdlm.errors import InputError
from cdlm.tables.counting import CorpusFolders, counted_table
from cdlm.tables.layout import MISSING, FilledTable, Measurement, Table
from cdlm.tables.published import BENCHMARKS, ECB, MULTI_NEWS, TABLES

RESULTS = "RESULTS"
"""Represents, in commands, the folder of results."""


def filled_tables(
    numbers: Iterable[int] = (), *, results: Path | None = None, folders: CorpusFolders | None = None
) -> list[FilledTable]:
    """Tables of the paper with own values.

    Parameters
    ----------
    numbers
        Which tables; none: all.
    results
        The folder of the files that the given commands write.
    folders
        Where corpora are.

    Raises
    ------
    InputError
        If there is no such table or folder, a file of results is not what its command prints, or a corpus cannot be
        read.
    """
    folders = folders or CorpusFolders()
    if results is not None and not results.is_dir():
        raise InputError(
            "there is no such folder; the commands that the tables give write their results to it", results
        )
    wanted = list(dict.fromkeys(numbers)) or [table.number for table in TABLES]
    by_number = {table.number: table for table in TABLES}
    for number in wanted:
        if number not in by_number:
            raise InputError(f"the paper has no table {number}; choose from 1 to {len(TABLES)}")
    return [_filled(by_number[number], results, folders) for number in wanted]


def _filled(table: Table, results: Path | None, folders: CorpusFolders) -> FilledTable:
    if table.counts:
        return _counts(table, folders)
    own: dict[str, tuple[str, ...]] = {}
    commands: dict[str, tuple[str, ...]] = {}
    notes: list[str] = []
    first: float | None = None
    for place, row in enumerate(row for row in table.rows if row.measurements):
        cells: list[float | None] = []
        for measurement in row.measurements:
            found = None if results is None else _result(results / measurement.file, measurement)
            cells += found or [None] * measurement.columns
            if found is None:
                several = len(row.measurements) > 1
                what = f"{row.name}, {table.columns[len(cells) - 1]}" if several else row.name
                commands[what] = _with_folders(measurement, results, folders)
                if results is not None and (results / measurement.file).is_file():
                    notes.append(f"{results / measurement.file} is older than the code, and not shown")
        if table.with_differences:
            first = cells[0] if place == 0 else first
            known = place > 0 and cells[0] is not None and first is not None
            cells.append(cells[0] - first if known else None)  # type: ignore[operator]
        own[row.name] = tuple(MISSING if cell is None else f"{cell:.{table.decimals}f}" for cell in cells)
    prepared = tuple(_replaced(command, folders) for command in table.preparation)
    needed = {word for steps in commands.values() for step in steps for word in step.replace("=", " ").split()}
    before = tuple(command for command in prepared if command.split()[-1] in needed)
    if before:
        commands = {"encoders of the ablations": before, **commands}
    return FilledTable(table, own, commands, tuple(notes))


def _counts(table: Table, folders: CorpusFolders) -> FilledTable:
    found, notes = counted_table(table.number, folders)
    nothing = (MISSING,) * len(table.columns)
    own = {row.name: found.get(row.name, nothing) for row in table.rows}
    if table.number in (7, 8):
        option = f"--multi-news {MULTI_NEWS}" if table.number == 7 else f"--ecb-root {ECB}"
        missing = {"the missing cells": (f"cdlm tables {table.number} {option}",)} if notes or not found else {}
    else:
        missing = {
            title: (f"cdlm tables {table.number} --matching {name}:{title}",)
            for name, title in BENCHMARKS.items()
            if title not in found
        }
    return FilledTable(table, own, missing, notes)


def _result(path: Path, measurement: Measurement) -> list[float | None] | None:
    """The values of a file of results; None if there is none of the present code."""
    if not path.is_file() or path.stat().st_mtime < _time_of_code():
        return None
    try:
        values = list(measurement.values(json.loads(path.read_text(encoding="utf-8"))))
        if all(value is None or isinstance(value, int | float) for value in values):
            return values
    except (ValueError, KeyError, IndexError, TypeError, AttributeError):
        pass
    raise InputError(f"the file is not what {shlex.quote(measurement.commands[-1])} prints; run that again", path)


@cache
def _time_of_code() -> float:
    """When the code that writes results was changed last: of this package, and of those that read annotated corpora."""
    names = {__name__.partition(".")[0], *(entry.module.partition(".")[0] for entry in entry_points(group=READERS))}
    places = [place for name in names if (spec := find_spec(name)) for place in spec.submodule_search_locations or ()]
    return max(file.stat().st_mtime for place in places for file in Path(place).rglob("*.py"))


def _with_folders(measurement: Measurement, results: Path | None, folders: CorpusFolders) -> tuple[str, ...]:
    """The commands of a measurement, with folders that are known; the last one writes its result to a file."""
    target = f"{RESULTS if results is None else shlex.quote(str(results))}/{measurement.file}"
    steps = [_replaced(command, folders) for command in measurement.commands]
    return (*steps[:-1], f"{steps[-1]} > {target}")


def _replaced(command: str, folders: CorpusFolders) -> str:
    """A command with the folders that are known in place of what represents them."""
    known = {ECB: folders.ecb, MULTI_NEWS: folders.multi_news}
    known |= {f"{name}:{title}": folders.benchmarks.get(name) for name, title in BENCHMARKS.items()}
    words = []
    for word in command.split():
        folder = known.get(word)
        prefix = word.partition(":")[0] + ":" if ":" in word else ""
        words.append(word if folder is None else prefix + shlex.quote(str(folder)))
    return " ".join(words)
