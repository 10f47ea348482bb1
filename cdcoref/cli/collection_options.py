"""What the commands over a collection have in common on the command line."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from cdlm import printing

if TYPE_CHECKING:
    from cdcoref.collection import CollectionOptions, Report

FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="The collection.", show_default=False)]
ModelOption = Annotated[
    str | None,
    typer.Option(
        help="default, lemma (the baseline), a model's folder or a hub name; a collection keeps to its model.",
        show_default="the collection's",
    ),
]
KindOption = Annotated[
    Literal["event", "entity", "both"] | None,
    typer.Option(help="Kind of mentions to link.", show_default="the collection's, or both"),
]
ThresholdOption = Annotated[
    float | None,
    typer.Option(
        help="Merge clusters while their linkage probability is above this.",
        show_default="the collection's, or the model's",
    ),
]
MaxPairsOption = Annotated[
    int | None,
    typer.Option(
        help="Compare each document with at most N others of its story, the most similar ones.",
        show_default="the collection's, or 20",
    ),
]
MaxWindowsOption = Annotated[
    int | None,
    typer.Option(
        help="Read each part of a story that is too long for one sequence together with at most N others, the most "
        "similar ones.",
        show_default="the collection's, or the model's",
    ),
]
WithinStoriesOption = Annotated[
    bool | None,
    typer.Option(
        "--within-stories/--across-stories",
        help="Give an entity that stories about one subject call by the same name a cluster in each, or one in all.",
        show_default="the collection's, or across stories",
    ),
]
DeviceOption = Annotated[str | None, typer.Option(help="cpu, cuda, ...; default: a GPU if there is one.")]
PrecisionOption = Annotated[
    Literal["auto", "fp32", "bf16", "int8"],
    typer.Option(help="Numeric precision; auto: bf16 where the processor supports it, else fp32."),
]
BatchOption = Annotated[int, typer.Option(help="Maximum number of word pieces in a batch.")]


def chosen_options(
    before: CollectionOptions,
    kind: Literal["event", "entity", "both"] | None,
    threshold: float | None,
    max_pairs: int | None,
    max_windows: int | None,
    within_stories: bool | None,
) -> CollectionOptions:
    """The options with those that were given on the command line."""
    given = {
        "kind": kind,
        "threshold": threshold,
        "max_pairs": max_pairs,
        "max_windows": max_windows,
        "across_stories": None if within_stories is None else not within_stories,
    }
    return replace(before, **{name: value for name, value in given.items() if value is not None})  # type: ignore[arg-type]


def say(sentences: Iterable[str]) -> None:
    """Print sentences on standard error."""
    for sentence in sentences:
        printing.say("cdcoref", sentence)


def say_report(report: Report) -> None:
    """Print what a change did on standard error."""
    from cdcoref.views import report_lines

    say(report_lines(report))
