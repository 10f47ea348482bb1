"""What the commands over a collection have in common on the command line."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from cdcoref.cli.messages import StageProgress, say
from cdcoref.cli.model_options import Kind
from cdcoref.cli.option_groups import given, option

if TYPE_CHECKING:
    from cdcoref.collection import Collection, Report
    from cdcoref.predict import PredictionOptions, Progress

FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="The collection.")]


@dataclass(frozen=True)
class Kept:
    """The options that a collection keeps."""

    PANEL: ClassVar = "Options of the collection"
    model: str | None = option(
        None,
        "base, small (lighter), lemma (the baseline that links mentions with the same head lemma), a model's folder or "
        "a hub name. Default: the collection's; in a new collection, base.",
        metavar="NAME",
    )
    kind: Kind | None = option(None, "Kind of mentions to link. Default: the collection's; in a new collection, both.")
    threshold: float | None = option(
        None,
        "Merge clusters while the probability that they corefer is above P. Default: the collection's; in a new "
        "collection, the model's.",
        metavar="P",
    )
    max_pairs: int | None = option(
        None,
        "Compare each document with at most the N most similar documents of its story. Default: the collection's; in a "
        "new collection, 20.",
        metavar="N",
    )
    within_stories: bool | None = option(
        None,
        "Link mentions within each story only, or also link entities that have the same name in several stories about "
        "one subject. Default: the collection's; in a new collection, across stories.",
        "--within-stories/--across-stories",
    )

    def changed(self, before: PredictionOptions) -> PredictionOptions:
        """A collection's options with those that were given; an `InputError` if a value is out of its range."""
        from cdcoref.predict import PredictionOptions

        across_stories = None if self.within_stories is None else not self.within_stories
        changes = given(
            across_stories=across_stories, kind=self.kind, threshold=self.threshold, max_pairs=self.max_pairs
        )
        return PredictionOptions.with_settings(before, changes)


@contextmanager
def change_progress() -> Iterator[Progress]:
    """Show the progress of a change; if it is interrupted, say whether it may have been stored, and exit with 130."""
    from cdcoref.collection import STORING

    latest = ""

    def update(stage: str, done: int, total: int) -> None:
        nonlocal latest
        latest = stage
        bars.update(stage, done, total)

    try:
        with StageProgress() as bars:
            yield update
    except KeyboardInterrupt:
        what = "`cdcoref show` says whether the change was stored" if latest == STORING else "nothing was changed"
        say(f"interrupted; {what}")
        sys.exit(130)


def say_change(collection: Collection, file: Path, report: Report) -> None:
    """Say what a change did, and what is in the collection now."""
    from cdcoref.collection import counts_line, report_lines

    say(*report_lines(report), f"{file}: {counts_line(collection.counts())}")
