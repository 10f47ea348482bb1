"""``cdcoref correct``: what people say about mentions and clusters of a collection, one subcommand per correction."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cdcoref.cli.collection_options import FileArgument
from cdcoref.cli.messages import say
from cdcoref.errors import InputError
from cdlm.command_line import Command, Group, add_command

if TYPE_CHECKING:
    from cdcoref.collection import Action, Collection, Correction

HELP = """Correct mentions, clusters and stories of a collection.

Corrections take effect immediately and persist: later additions and rebuilds keep them, and each can be undone. The
resulting changes are printed. Mentions and clusters are named by the ids that `cdcoref show` prints, such as m12 and
c3; a cluster's id stands for its first mention.
"""
EXAMPLES = (
    "cdcoref correct news.cdcoref same m12 m40",
    "cdcoref correct news.cdcoref move m7 c3",
    "cdcoref correct news.cdcoref rename c3 'The sinking of the Maren'",
    "cdcoref correct news.cdcoref day c3 2024-03-05",
    "cdcoref correct news.cdcoref move-document tuesday.txt s2",
    "cdcoref correct news.cdcoref undo",
    "cdcoref correct news.cdcoref from corrections.csv",
)


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


class CorrectionCommand(Command):
    """One kind of correction."""

    def get_usage(self, ctx: Any) -> str:
        """How it is called, with the collection's file before the kind of correction."""
        usage = str(super().get_usage(ctx))
        return re.sub(rf" {re.escape(str(ctx.info_name))} \[OPTIONS\] (\S+)", rf" \1 {ctx.info_name} [OPTIONS]", usage)


app = typer.Typer(cls=Corrections, no_args_is_help=True)

MentionsArgument = Annotated[list[str], typer.Argument(metavar="MENTIONS", help="Mentions, such as m12.")]
NumberArgument = Annotated[
    str | None,
    typer.Argument(metavar="NUMBER", help="The correction's number, as `cdcoref correct FILE list` prints it."),
]


def same(file: FileArgument, mentions: MentionsArgument) -> None:
    """State that two or more mentions corefer: their clusters become one."""
    _correct(file, "same", mentions)


def not_same(file: FileArgument, mentions: MentionsArgument) -> None:
    """State that two mentions do not corefer: they are never in one cluster."""
    _correct(file, "not-same", mentions)


def split(file: FileArgument, mentions: MentionsArgument) -> None:
    """Take mentions out of their cluster: they form a cluster of their own."""
    _correct(file, "split", mentions)


def move(
    file: FileArgument,
    ids: Annotated[
        list[str],
        typer.Argument(
            metavar="IDS",
            help="Mentions, such as m12, followed by the cluster to move them to, such as c3.",
        ),
    ],
) -> None:
    """Move mentions from their cluster to another one."""
    _correct(file, "move", ids)


def not_a_mention(file: FileArgument, mentions: MentionsArgument) -> None:
    """State that words are not a mention: they leave their cluster."""
    _correct(file, "not-a-mention", mentions)


def rename(
    file: FileArgument,
    cluster: Annotated[str, typer.Argument(metavar="CLUSTER", help="The cluster, such as c3.")],
    name: Annotated[list[str], typer.Argument(metavar="NAME", help="Its new name.")],
) -> None:
    """Name a cluster; lists, pages and exports show the name."""
    _correct(file, "rename", [cluster], " ".join(name))


StoriesArgument = Annotated[
    list[str], typer.Argument(metavar="STORIES", help="Stories, such as s3 for story 3, or documents of them.")
]
DocumentsArgument = Annotated[list[str], typer.Argument(metavar="DOCUMENTS", help="Ids of documents of one story.")]
EventArgument = Annotated[str, typer.Argument(metavar="EVENT", help="The cluster of the event, such as c3.")]


def join_stories(file: FileArgument, stories: StoriesArgument) -> None:
    """State that two or more stories are one."""
    _correct(file, "join-stories", stories)


def split_story(file: FileArgument, documents: DocumentsArgument) -> None:
    """Take documents out of their story: they are a story of their own."""
    _correct(file, "split-story", documents)


def move_document(
    file: FileArgument,
    ids: Annotated[
        list[str], typer.Argument(metavar="IDS", help="Documents, followed by the story to move them to, such as s3.")
    ],
) -> None:
    """Move documents from their story to another one."""
    _correct(file, "move-document", ids)


def day(
    file: FileArgument,
    event: EventArgument,
    day: Annotated[str, typer.Argument(metavar="DAY", help="Its day, such as 2024-03-05.")],
) -> None:
    """State the day of an event, whatever documents state."""
    _correct(file, "day", [event], day)


def place(
    file: FileArgument,
    event: EventArgument,
    place: Annotated[list[str], typer.Argument(metavar="PLACE", help="Its place, such as 'Tresk, Norway'.")],
) -> None:
    """State the place of an event, whatever documents state."""
    _correct(file, "place", [event], " ".join(place))


def undo(file: FileArgument, number: NumberArgument = None) -> None:
    """Undo a correction; without a number, the one that was made or redone last."""
    _do(file, lambda collection: collection.undo(_number(number)))


def redo(file: FileArgument, number: NumberArgument = None) -> None:
    """Redo a correction that was undone; without a number, the one that was undone last."""
    _do(file, lambda collection: collection.redo(_number(number)))


def _number(given: str | None) -> int | None:
    """The number of a correction."""
    if given is not None and not re.fullmatch("[0-9]{1,18}", given):
        raise InputError("give the number of one correction, as cdcoref correct FILE list prints it")
    return None if given is None else int(given)


def list_corrections(file: FileArgument) -> None:
    """List all corrections with their numbers, including those that were undone."""
    from cdcoref.collection import Collection, correction_lines

    with Collection.open(file) as collection:
        for line in correction_lines(collection.corrections()):
            print(line)


def from_table(
    file: FileArgument,
    table: Annotated[
        str,
        typer.Argument(
            metavar="TABLE",
            help="CSV file with the columns action, ids and name, or - for standard input.",
        ),
    ],
) -> None:
    """Make many corrections in one transaction: all of them or none."""
    from cdcoref.collection import Collection, read_decisions

    decisions = read_decisions(table)
    if not decisions:
        raise InputError("there are no corrections in the table", table)
    with Collection.open(file) as collection:
        for done in collection.correct_all(decisions):
            _say_outcome(done)


COMMANDS: dict[str, Callable[..., None]] = {
    "same": same,
    "not-same": not_same,
    "split": split,
    "move": move,
    "not-a-mention": not_a_mention,
    "rename": rename,
    "day": day,
    "place": place,
    "join-stories": join_stories,
    "split-story": split_story,
    "move-document": move_document,
    "undo": undo,
    "redo": redo,
    "list": list_corrections,
    "from": from_table,
}
for _name, _command in COMMANDS.items():
    add_command(app, _command, _name, cls=CorrectionCommand)


def _correct(file: Path, action: Action, ids: list[str], name: str | None = None) -> None:
    _do(file, lambda collection: collection.correct(action, ids, name=name))


def _do(file: Path, change: Callable[[Collection], Correction]) -> None:
    from cdcoref.collection import Collection

    with Collection.open(file) as collection:
        _say_outcome(change(collection))


def _say_outcome(done: Correction) -> None:
    from cdcoref.collection import correction_lines, outcome_lines

    say(*correction_lines([done]), *outcome_lines(done))
