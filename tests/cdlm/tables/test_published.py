"""The published values, against the paper's own source, and the commands, against the programs."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import typer.main

from cdcoref.cli import app as cdcoref
from cdlm.cli import app as cdlm
from cdlm.tables import TABLES

PROGRAMS = {"cdcoref": typer.main.get_command(cdcoref), "cdlm": typer.main.get_command(cdlm)}


def rows_of_source(source: str, number: int) -> list[list[str]]:
    """The cells of a table in LaTeX, as plain text; only rows with numbers."""
    bodies = re.findall(r"\\begin\{tabular\}.*?\\end\{tabular\}.*?\\label\{tab:\w+\}", source, flags=re.DOTALL)
    rows = []
    for line in re.split(r"\\\\", bodies[number - 1]):
        line = re.sub(r"\\multirow\{.*?\}\{\*\}\{.*\}\}|\\(mid|top|bottom)rule|\\cmidrule\{.*?\}|\\smallskip", "", line)
        line = re.sub(r"\\textbf\s*\{([^{}]*)\}", r"\1", line)
        cells = [cell.strip() for cell in line.split("&")]
        numbers = [re.sub(r"[{}$\s]", "", cell) for cell in cells]
        rows.append([n for n in numbers if re.fullmatch(r"-?[\d,.]+K?(/[\d,.]+)?|-", n)])
    return [row for row in rows if row]


@pytest.mark.parametrize("number", range(1, 11))
def test_values_are_the_papers(shared: Path, number: int) -> None:
    path = shared / "paper" / "cdlm.tex"
    if not path.exists():
        pytest.skip("no source of the paper")
    source = re.sub(r"(?<!\\)%.*", "", path.read_text(encoding="utf-8"))
    table = TABLES[number - 1]

    def plain(cell: str) -> str:
        return cell.replace(",", "").replace(" ", "")

    expected = [[plain(cell) for cell in row] for row in rows_of_source(source, number)]
    found = [[plain(cell) for cell in row.paper] for row in table.rows]
    if number == 3:
        found[0] = found[0][:1]
    if number == 7:  # the source has the number of documents in a column of numbers
        found = [[row.name, *own] if row.name != "total" else own for row, own in zip(table.rows, found, strict=True)]
    assert found == expected


def test_the_commands_exist_with_their_options() -> None:
    stands_for = {"CHECKPOINT=VARIANT": "models/x=local", "VARIANT": "local", "SPLIT": "dev", "KIND": "event"}
    for line in {command for table in TABLES for command in table.commands}:
        program, *words = shlex.split(line.partition(" > ")[0])
        command = PROGRAMS[program]
        while hasattr(command, "commands"):
            command = command.commands[words.pop(0)]
        with command.make_context(line, [stands_for.get(word, word) for word in words], resilient_parsing=False):
            pass


def test_every_result_is_written_by_a_command_of_its_table() -> None:
    for table in TABLES:
        targets = [command.partition(" > RESULTS/")[2] for command in table.commands]
        patterns = [re.sub("NAME|SPLIT|KIND|(?<=matching-)aan", r"\\w+", target) for target in targets if target]
        for measurement in (measurement for row in table.rows for measurement in row.measurements):
            assert any(re.fullmatch(pattern, measurement.file) for pattern in patterns), measurement.file
