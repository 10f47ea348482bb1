"""Arguments and options that ``cdcoref score`` and ``cdcoref errors`` share."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import typer

from cdcoref.cli.corpus_options import Ids
from cdcoref.cli.messages import say
from cdcoref.cli.model_options import Kind
from cdcoref.cli.option_groups import option

if TYPE_CHECKING:
    from cdcoref.scoring import Options

SCORED = "What is scored"
"""The panel of the options that choose it."""

KeyArgument = Annotated[
    Path, typer.Argument(metavar="KEY", help="Gold clusters: CoNLL, JSON lines or CorefUD, plain or gzipped.")
]


@dataclass(frozen=True)
class Scored(Ids):
    """What is scored."""

    PANEL: ClassVar = SCORED
    level: Literal["corpus", "topic", "subtopic", "document"] | None = option(
        None,
        "The unit within which links are scored. Default: corpus, so that links between documents count; document if "
        "cluster ids are local to a document (CorefUD, CoNLL-2012), block if they are local to a block of several "
        "documents.",
    )
    kind: Kind = option("both", "Kind of mentions to score; CoNLL files have no kinds.")
    remove_nested: bool = option(
        False, "Ignore mentions nested in another mention of the same cluster.", "--remove-nested"
    )

    def options(self, **more: Any) -> Options:
        """The options of the scorer."""
        from cdcoref.scoring import Options

        return Options(self.level, self.kind, remove_nested=self.remove_nested, ids=self.ids, **more)


def say_notes(key: Path, notes: Iterable[tuple[str | Path, str]]) -> None:
    """Say the notes on responses once each, with the name of the file that a note is about."""
    of_files = [(key if "of the key" in note and "missing" not in note else response, note) for response, note in notes]
    say(*(f"note: {file}: {note}" for file, note in dict.fromkeys(of_files)))
