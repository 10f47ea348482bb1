"""What the commands over a collection have in common on the command line."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cdcoref.cli.model_options import Kind, given
from cdcoref.cli.progress import StageProgress
from cdlm import printing

if TYPE_CHECKING:
    from cdcoref.collection import Report
    from cdcoref.predict import PredictionOptions, Progress

KEPT = "Options of the collection"
"""The panel of the options that a collection keeps."""

FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="The collection.")]
ModelOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="base, small (lighter), lemma (the baseline that links mentions with the same head lemma), a model's "
        "folder or a hub name. Default: the collection's; in a new collection, base.",
        rich_help_panel=KEPT,
    ),
]
KindOption = Annotated[
    Kind | None,
    typer.Option(
        help="Kind of mentions to link. Default: the collection's; in a new collection, both.", rich_help_panel=KEPT
    ),
]
ThresholdOption = Annotated[
    float | None,
    typer.Option(
        metavar="P",
        help="Merge clusters while the probability that they corefer is above P. Default: the collection's; in a new "
        "collection, the model's.",
        rich_help_panel=KEPT,
    ),
]
MaxPairsOption = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Compare each document with at most the N most similar documents of its story. Default: the collection's; "
        "in a new collection, 20.",
        rich_help_panel=KEPT,
    ),
]
WithinStoriesOption = Annotated[
    bool | None,
    typer.Option(
        "--within-stories/--across-stories",
        help="Link mentions within each story only, or also link entities that have the same name in several stories "
        "about one subject. Default: the collection's; in a new collection, across stories.",
        rich_help_panel=KEPT,
    ),
]


def chosen_options(
    before: PredictionOptions, within_stories: bool | None, batch_tokens: int | None, **options: Any
) -> tuple[PredictionOptions, int]:
    """A collection's options with those that were given on the command line, and the size of a batch.

    Raises
    ------
    InputError
        If a value is out of its range.
    """
    from cdcoref.linking import LinkingOptions
    from cdcoref.predict import PredictionOptions

    across_stories = None if within_stories is None else not within_stories
    changes = given(across_stories=across_stories, **options)
    batch = LinkingOptions(**given(batch_tokens=batch_tokens)).batch_tokens
    return PredictionOptions.with_settings(before, changes), batch


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
        say([f"interrupted; {what}"])
        sys.exit(130)


def say(sentences: Iterable[str]) -> None:
    """Print sentences on standard error."""
    for sentence in sentences:
        printing.say("cdcoref", sentence)


def say_report(report: Report) -> None:
    """Print what a change did on standard error."""
    from cdcoref.collection import report_lines

    say(report_lines(report))
