"""Arguments and options that ``cdcoref score`` and ``cdcoref errors`` share."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal

import typer

from cdlm.printing import say

FEWEST_UNITS = 10
"""With fewer, a significance test says nothing."""
SCORED = "What is scored"
"""The panel of the options that choose it."""

KeyArgument = Annotated[
    Path, typer.Argument(metavar="KEY", help="Gold clusters: CoNLL, JSON lines or CorefUD, plain or gzipped.")
]
LevelOption = Annotated[
    Literal["corpus", "topic", "subtopic", "document"] | None,
    typer.Option(
        help="The unit within which links are scored. Default: corpus, so that links between documents count; "
        "document if cluster ids are local to a document (CorefUD, CoNLL-2012), block if they are local to a block of "
        "several documents.",
        rich_help_panel=SCORED,
    ),
]
KindOption = Annotated[
    Literal["event", "entity", "both"],
    typer.Option(help="Kind of mentions to score; CoNLL files have no kinds.", rich_help_panel=SCORED),
]
NestedOption = Annotated[
    bool,
    typer.Option(
        "--remove-nested",
        help="Ignore mentions nested in another mention of the same cluster.",
        rich_help_panel=SCORED,
    ),
]


def say_notes(key: Path, notes: Iterable[tuple[str | Path, str]]) -> None:
    """Say the notes on responses once each, with the name of the file that a note is about."""
    of_files = [(key if "of the key" in note and "missing" not in note else response, note) for response, note in notes]
    for file, note in dict.fromkeys(of_files):
        say("cdcoref", f"note: {file}: {note}")
