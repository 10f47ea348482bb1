"""Arguments and options that ``cdcoref score`` and ``cdcoref errors`` share."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

SCORED = "What is scored"
"""The panel of the options that choose it."""


class LevelName(StrEnum):
    """The unit within which links are scored."""

    corpus = "corpus"
    topic = "topic"
    subtopic = "subtopic"
    document = "document"


class KindChoice(StrEnum):
    """The kind of mentions to score."""

    event = "event"
    entity = "entity"
    both = "both"


KeyArgument = Annotated[
    Path, typer.Argument(metavar="KEY", help="Gold clusters: CoNLL, JSON lines or CorefUD, plain or gzipped.")
]
LevelOption = Annotated[
    LevelName | None,
    typer.Option(
        help="The unit within which links are scored. Default: corpus, so that links between documents count; "
        "document if cluster ids are local to a document (CorefUD, CoNLL-2012), block if they are local to a block of "
        "several documents.",
        rich_help_panel=SCORED,
    ),
]
KindOption = Annotated[
    KindChoice, typer.Option(help="Kind of mentions to score; CoNLL files have no kinds.", rich_help_panel=SCORED)
]
NestedOption = Annotated[
    bool,
    typer.Option(
        "--remove-nested",
        help="Ignore mentions nested in another mention of the same cluster.",
        rich_help_panel=SCORED,
    ),
]
