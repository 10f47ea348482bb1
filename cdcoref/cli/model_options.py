"""Options about models and linking that several commands share, and the panels in which help shows options."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

OUTPUT = "Output"
INPUT = "Input"
MENTIONS = "Mentions"
LINKING = "Linking"
COMPUTING = "Computing"
"""Panels, in which help shows options together."""

Kind = Literal["event", "entity", "both"]
Precision = Literal["auto", "fp32", "bf16", "int8"]

ModelOption = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="base (the default), small (lighter), lemma (the baseline that links mentions with the same head lemma), "
        "a model's folder or a hub name.",
        rich_help_panel=LINKING,
        show_default=False,
    ),
]
CandidatesOption = Annotated[
    int | None,
    typer.Option(
        metavar="K",
        help="Compare each group of mentions with its K most likely candidates by the cross-encoder; 0: every mention "
        "with all others, far slower. The model small has no cross-encoder and refuses it. Default: the model's.",
        rich_help_panel=LINKING,
    ),
]
DeviceOption = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="cpu, cuda, ... Default: a GPU if there is one.", rich_help_panel=COMPUTING),
]
PrecisionOption = Annotated[
    Precision,
    typer.Option(
        help="Numeric precision. auto: bf16 if the processor supports it, int8 if it supports only that and the model "
        "is base, otherwise fp32.",
        rich_help_panel=COMPUTING,
    ),
]
BatchOption = Annotated[
    int | None,
    typer.Option(
        metavar="N", help="Maximum number of word pieces in a batch. Default: 8192.", rich_help_panel=COMPUTING
    ),
]


def given(**options: Any) -> dict[str, Any]:
    """The options that were given on the command line; the others keep their defaults."""
    return {name: value for name, value in options.items() if value is not None}
