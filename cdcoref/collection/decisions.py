"""A table of corrections (CSV) in, decisions that are made together or not at all out."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from cdcoref.collection.corrections import ACTIONS, FACTS, Action, ContradictionError
from cdcoref.errors import InputError, first_line
from cdcoref.formats import readable_twice, text_content

COLUMNS = ("action", "ids", "name")
_DELIMITERS = ",;\t"


@dataclass(frozen=True, slots=True)
class Decision:
    """A correction that is to be made, and where it was read, for messages."""

    action: Action
    ids: tuple[str, ...]
    name: str | None = None
    path: str | None = None
    line: int | None = None


def read_decisions(path: str | Path, *, standard_input: BinaryIO | None = None) -> list[Decision]:
    """Read decisions from CSV: ``action``, ``ids`` (separated by spaces), and a ``name`` (or a day or a place).

    Cells are separated by commas, semicolons or tabs; ``"-"`` is `standard_input`. An `InputError` names the line.
    """
    with readable_twice(path, standard_input) as file:
        text = text_content(file).decode()
    header = text.partition("\n")[0]
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=max(_DELIMITERS, key=header.count), strict=True)
    try:
        names = [name.strip().lower() for name in next(rows, [])]
        if not {"action", "ids"} <= set(names) <= set(COLUMNS) or len(names) > len(set(names)):
            raise InputError("the first line must name the columns: action,ids,name", path, 1)
        return [_decision(names, row, str(path), rows.line_num) for row in rows if any(row)]
    except csv.Error as error:
        raise InputError(f"the line cannot be read ({first_line(error)})", path, rows.line_num) from error


def _decision(names: Sequence[str], row: Sequence[str], path: str, line: int) -> Decision:
    cells = dict(zip(names, map(str.strip, row), strict=False))
    action, ids, name = cells.get("action", ""), tuple(cells.get("ids", "").split()), cells.get("name") or None
    if action not in ACTIONS:
        raise InputError(
            f"{action!r} is not a correction; choose {', '.join(ACTIONS[:-1])} or {ACTIONS[-1]}", path, line
        )
    if not ids:
        raise InputError("the row names no ids, such as m12 m40", path, line)
    if any(map(str.strip, row[len(names) :])) or (name is not None and action not in FACTS):
        raise InputError("the row has more cells than it needs; separate ids by spaces", path, line)
    return Decision(cast("Action", action), ids, name, path, line)


def located(error: InputError, decisions: Sequence[Decision], made: Sequence[int]) -> InputError:
    """An error that a decision causes, with where it was read, and with what became of the others."""
    place = len(made)
    decision = decisions[place]
    message = error.message
    if isinstance(error, ContradictionError) and (own := [made.index(n) for n in error.causes if n in made]):
        where = [str(decisions[one].line) if decision.path else str(one + 1) for one in own]
        what = "line" if decision.path else "correction"
        message = f"this contradicts {what}{'s' if error.every and len(own) > 1 else ''} {error.link.join(where)}"
    if len(decisions) > 1:
        message += "; none of the corrections was made"
    if decision.path is None and len(decisions) > 1:
        return InputError(f"correction {place + 1} cannot be made: {message}", error.path)
    return InputError(message, decision.path or error.path, decision.line)
