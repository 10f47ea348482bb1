"""``cdcoref correct``: what people say about mentions and clusters of a collection, one subcommand per correction."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from cdcoref import collection as stored
from cdcoref.cli.collections import FileArgument
from cdcoref.cli.messages import say
from cdcoref.errors import InputError
from cdlm.command_line import Group, add_command

EXAMPLES = {
    "correct": (
        "cdcoref correct news.cdcoref same m12 m40",
        "cdcoref correct news.cdcoref move m7 c3",
        "cdcoref correct news.cdcoref rename c3 'The sinking of the Maren'",
        "cdcoref correct news.cdcoref day c3 2024-03-05",
        "cdcoref correct news.cdcoref move-document tuesday.txt s2",
        "cdcoref correct news.cdcoref undo",
    )
}
HELP = """Correct mentions, clusters and stories of a collection.

Corrections take effect immediately and persist: later additions and rebuilds keep them, and each can be undone. The
resulting changes are printed. Mentions and clusters are named by the ids that `cdcoref show` prints, such as m12 and
c3; a cluster's id stands for its first mention.
"""


class Corrections(Group):
    """The kinds of corrections; the collection's file comes before the kind, or after it."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the kind of correction first."""
        file, *rest = args or [""]
        if file and file not in self.commands and not file.startswith("-"):
            if not rest and Path(file).exists():
                ctx.fail(f"Name a correction after the file: {', '.join(self.commands)}.")
            elif rest and rest[0] in ctx.help_option_names:
                args = rest[:1]
            elif rest and (rest[0] in self.commands or not Path(rest[0]).exists()):
                args = [rest[0], file, *rest[1:]]
        return list(super().parse_args(ctx, args))

    def get_usage(self, ctx: Any) -> str:
        """How it is called."""
        return f"Usage: {ctx.command_path} FILE CORRECTION ..."


app = typer.Typer(cls=Corrections, no_args_is_help=True)

NumberArgument = Annotated[
    str | None,
    typer.Argument(metavar="NUMBER", help="The correction's number, as `cdcoref correct FILE list` prints it."),
]

MENTIONS = ("MENTIONS", "Mentions, such as m12.")
EVENT = ("EVENT", "The cluster of the event, such as c3.")
Argument = tuple[str, str]
"""A name and a help text."""
STATED: dict[stored.Action, tuple[str, Argument] | tuple[str, Argument, Argument]] = {
    "same": ("State that two or more mentions corefer: their clusters become one.", MENTIONS),
    "not-same": ("State that two mentions do not corefer: they are never in one cluster.", MENTIONS),
    "split": ("Take mentions out of their cluster: they form a cluster of their own.", MENTIONS),
    "move": (
        "Move mentions from their cluster to another one.",
        ("IDS", "Mentions, such as m12, followed by the cluster to move them to, such as c3."),
    ),
    "not-a-mention": ("State that words are not a mention: they leave their cluster.", MENTIONS),
    "rename": (
        "Name a cluster or a story; lists, pages and exports show the name.",
        ("ID", "The cluster, such as c3, or the story, such as s2."),
        ("NAME", "Its new name."),
    ),
    "day": (
        "Set the day of an event; it replaces what documents state.",
        EVENT,
        ("DAY", "A day, month, year or range (2024-03-05, 2024-03, 2024, 2024-03-05/2024-03-08), or the word unknown."),
    ),
    "place": (
        "Set the place of an event; it replaces what documents state.",
        EVENT,
        ("PLACE", "Its place, such as 'Tresk, Norway'."),
    ),
    "join-stories": (
        "State that two or more stories are one.",
        ("STORIES", "Stories, such as s3 for story 3, or documents of them."),
    ),
    "split-story": (
        "Take documents out of their story: they form a story of their own.",
        ("DOCUMENTS", "Ids of documents of one story."),
    ),
    "move-document": (
        "Move documents from their story to another one.",
        ("IDS", "Documents, followed by the story to move them to, such as s3."),
    ),
}
"""What each correction states, and its arguments: ids, or one id and what is stated of it."""


def _statement(action: stored.Action) -> Callable[..., None]:
    """The command that makes a correction."""
    help, ids, *stated = STATED[action]

    def of_ids(file: Path, ids: list[str]) -> None:
        _do(file, lambda collection: collection.correct(action, ids))

    def of_cluster(file: Path, ids: str, stated: list[str]) -> None:
        _do(file, lambda collection: collection.correct(action, [ids], name=" ".join(stated)))

    command: Callable[..., None] = of_cluster if stated else of_ids
    kind = str if stated else list[str]
    command.__annotations__ = {"file": FileArgument, "ids": Annotated[kind, _argument(*ids)]}
    if stated:
        command.__annotations__["stated"] = Annotated[list[str], _argument(*stated[0])]
    command.__doc__ = help
    return command


def _argument(name: str, help: str) -> Any:
    return typer.Argument(metavar=name, help=help)


def undo(file: FileArgument, number: NumberArgument = None) -> None:
    """Undo a correction; without a number, the one that was made or redone last."""
    _do(file, lambda collection: collection.undo(_number(number)))


def redo(file: FileArgument, number: NumberArgument = None) -> None:
    """Redo a correction; without a number, the one undone last, if it was undone after the newest correction."""
    _do(file, lambda collection: collection.redo(_number(number)))


def _number(given: str | None) -> int | None:
    if given is not None and not re.fullmatch("[0-9]{1,18}", given):
        raise InputError("give the number of one correction, as cdcoref correct FILE list prints it")
    return None if given is None else int(given)


def list_corrections(file: FileArgument) -> None:
    """List all corrections with their numbers, including those that were undone."""
    with stored.Collection.open(file) as collection:
        for line in stored.correction_lines(collection.corrections()):
            print(line)


COMMANDS: dict[str, Callable[..., None]] = {
    **{action: _statement(action) for action in STATED},
    "undo": undo,
    "redo": redo,
    "list": list_corrections,
}
for _name, _command in COMMANDS.items():
    add_command(app, _command, _name)


def _do(file: Path, change: Callable[[stored.Collection], stored.Correction]) -> None:
    with stored.Collection.open(file) as collection:
        done = change(collection)
    say(*stored.correction_lines([done]), *stored.outcome_lines(done))
