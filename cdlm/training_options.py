"""Options that the commands of both packages share, above all those that train, and how they become a configuration."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import typer

from cdlm.printing import say

T = TypeVar("T")

SETTINGS = "Settings"
COMPUTING = "Computing"
OUTPUT = "Output"
"""Panels, in which help shows options together."""

EncoderOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Longformer, BERT, RoBERTa or MPNet checkpoint: a folder, a hub name, minilm or mpnet (in the "
        "extra build), or base or small (those of cdcoref's models). Default: the preset's.",
        rich_help_panel=SETTINGS,
    ),
]
PresetOption = Annotated[
    Literal["small", "paper"],
    typer.Option(
        help="Settings to start from. small: for a small encoder; paper: as in the paper.", rich_help_panel=SETTINGS
    ),
]
ConfigOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="TOML file with settings; options override it.", rich_help_panel=SETTINGS),
]
EpochsOption = Annotated[
    int | None,
    typer.Option(
        metavar="N", help="Number of passes over the training data. Default: the preset's.", rich_help_panel=SETTINGS
    ),
]
RateOption = Annotated[
    float | None,
    typer.Option(
        metavar="RATE", help="Peak learning rate of the encoder. Default: the preset's.", rich_help_panel=SETTINGS
    ),
]
SeedOption = Annotated[int | None, typer.Option(metavar="N", help="Random seed. Default: 0.", rich_help_panel=SETTINGS)]
PrecisionOption = Annotated[
    Literal["auto", "fp32", "bf16", "fp16"] | None,
    typer.Option(
        help="Numeric precision. auto: bf16 if the processor supports it, otherwise fp32. Default: the preset's.",
        rich_help_panel=COMPUTING,
    ),
]
InferencePrecisionOption = Annotated[
    Literal["auto", "fp32", "bf16"],
    typer.Option(
        "--precision",
        help="Numeric precision. auto: bf16 if the processor supports it, otherwise fp32.",
        rich_help_panel=COMPUTING,
    ),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="NAME=VALUE", help="Any setting, such as run.warmup=100. Repeatable.", rich_help_panel=SETTINGS
    ),
]
LogOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Experiment tracker: tensorboard, wandb, mlflow, ..., or none. Default: tensorboard if it is installed.",
        rich_help_panel=OUTPUT,
    ),
]
DeviceOption = Annotated[
    Literal["cpu"] | None,
    typer.Option(help="Compute on the CPU. Default: a GPU if there is one.", rich_help_panel=COMPUTING),
]
ResumeOption = Annotated[
    bool,
    typer.Option(
        "--resume", help="Resume from the last complete checkpoint in the output folder.", rich_help_panel=OUTPUT
    ),
]
OutputModelOption = Annotated[
    Path,
    typer.Option(
        "-o",
        "--output",
        metavar="DIR",
        help="Folder for the model: a new folder, or that of the run to resume.",
        rich_help_panel=OUTPUT,
    ),
]
ModelOption = Annotated[str, typer.Option("--model", metavar="NAME", help="Trained model: a folder or a hub name.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.", rich_help_panel=OUTPUT)]


def configured(preset: T, file: Path | None, settings: list[str] | None, named: Mapping[str, Any]) -> T:
    """A configuration: a preset, overridden by a TOML file, by ``--set``, and by the options, in this order."""
    from cdlm.settings import parse_settings, read_toml, with_settings

    if file is not None:
        preset = with_settings(preset, read_toml(file), file)
    preset = with_settings(preset, parse_settings(settings or []))
    return with_settings(preset, {name: value for name, value in named.items() if value is not None})


@contextmanager
def resumable(output: Path, program: str = "cdlm") -> Iterator[None]:
    """Print how to resume an interrupted run, if its folder has something to resume."""
    try:
        yield
    except KeyboardInterrupt:
        begun = any((output / name).exists() for name in ("checkpoints", "training.json"))
        how = "with --resume to resume" if begun else "again; nothing had been saved"
        say(program, f"interrupted; run the same command {how}")
        sys.exit(130)
