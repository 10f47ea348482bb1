"""What ``cdcoref score`` and ``cdcoref errors`` ask for in the same words."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class LevelName(StrEnum):
    """Which documents are joined before scoring."""

    corpus = "corpus"
    topic = "topic"
    subtopic = "subtopic"
    document = "document"


class KindChoice(StrEnum):
    """Which mentions are scored."""

    event = "event"
    entity = "entity"
    both = "both"


KeyArgument = Annotated[Path, typer.Argument(help="Gold clusters: CoNLL, JSON lines or CorefUD, plain or gzipped.")]
LevelOption = Annotated[
    LevelName | None,
    typer.Option(
        help="Which documents are joined before scoring; links across documents exist only where they are joined. "
        "By default corpus, for CorefUD document."
    ),
]
KindOption = Annotated[KindChoice, typer.Option(help="Score the mentions of one kind, where the files say kinds.")]
NestedOption = Annotated[
    bool, typer.Option("--remove-nested", help="Leave out mentions within another mention of their cluster.")
]
