"""``cdcoref correct``: what people say about mentions and clusters of a collection."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Literal, cast

import typer

from cdcoref.cli.collection_options import FileArgument, say
from cdcoref.errors import InputError

if TYPE_CHECKING:
    from cdcoref.collection import Action


def correct(
    file: FileArgument,
    action: Annotated[
        Literal["same", "not-same", "not-a-mention", "split", "move", "rename", "undo", "list", "from"],
        typer.Argument(
            help="same, not-same, not-a-mention or split, followed by mentions; move, followed by mentions and a "
            "cluster; rename, followed by a cluster and its name; undo, followed by a correction's number (default: "
            "the latest); list; from, followed by a CSV file with the columns action, ids and name, or - for standard "
            "input.",
            show_default=False,
        ),
    ],
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[ID]...",
            help="Ids as cdcoref show prints them: m12 is a mention, c3 a cluster (its first mention).",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Correct clusters: corrections are obeyed at once, by every later add and rebuild, and can be undone.

    same: the mentions are the same, and their clusters become one. not-same: the two mentions are not the same. split:
    the mentions leave their cluster, for one of their own. move: they leave it for the cluster that is named last.
    not-a-mention: they are left out. from: many corrections in one transaction, all of them or none. What becomes of
    clusters is printed.
    """
    from cdcoref.collection import Collection, read_decisions
    from cdcoref.views import correction_lines, outcome_lines

    ids = words or []
    done = []
    with Collection.open(file) as collection:
        if action == "list":
            for line in correction_lines(collection.corrections()):
                print(line)
        elif action == "undo":
            if len(ids) > 1 or not all(re.fullmatch("[0-9]{1,18}", id) for id in ids):
                raise InputError("give the number of one correction to undo, as cdcoref correct FILE list prints it")
            done = [collection.undo(int(ids[0]) if ids else None)]
        elif action == "from":
            if len(ids) != 1:
                raise InputError(f"give one table of corrections: cdcoref correct {file} from FILE.csv, or - for input")
            decisions = read_decisions(ids[0])
            if not decisions:
                raise InputError("there are no corrections in the table", ids[0])
            done = collection.correct_all(decisions)
        elif action == "rename":
            if len(ids) < 2:
                cluster = ids[0] if ids else "c3"
                raise InputError(f"give the name: cdcoref correct {file} rename {cluster} 'NEW NAME'")
            done = [collection.correct("rename", ids[:1], name=" ".join(ids[1:]))]
        else:
            done = [collection.correct(cast("Action", action), ids)]
    for correction in done:
        say([*correction_lines([correction]), *outcome_lines(correction)])
