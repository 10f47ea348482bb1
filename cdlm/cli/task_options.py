"""Options that several commands share, and how they become a configuration."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import typer

from cdlm.printing import say

T = TypeVar("T")

EncoderOption = Annotated[
    str | None,
    typer.Option(
        help="Longformer, BERT, RoBERTa or MPNet checkpoint: folder, hub name, minilm, mpnet, or default (that of "
        "cdcoref's default model).",
        show_default="preset",
    ),
]
PresetOption = Annotated[
    Literal["small", "paper"],
    typer.Option(help="Settings to start from: for the small encoder, or as in the paper."),
]
ConfigOption = Annotated[Path | None, typer.Option(help="TOML file with settings; options override it.")]
EpochsOption = Annotated[
    int | None, typer.Option(help="Number of passes over the training data.", show_default="preset")
]
BatchOption = Annotated[int | None, typer.Option(help="Number of examples in a batch.", show_default="preset")]
RateOption = Annotated[float | None, typer.Option(help="Peak learning rate of the encoder.", show_default="preset")]
LengthOption = Annotated[
    int | None, typer.Option(help="Maximum length of a sequence in tokens.", show_default="preset")
]
SeedOption = Annotated[int | None, typer.Option(help="Random seed.", show_default="0")]
PrecisionOption = Annotated[
    Literal["auto", "fp32", "bf16", "fp16"] | None,
    typer.Option(
        help="Numeric precision; auto: bf16 if the processor supports it, otherwise fp32.", show_default="preset"
    ),
]
InferencePrecisionOption = Annotated[
    Literal["auto", "fp32", "bf16"],
    typer.Option("--precision", help="Numeric precision; auto: bf16 if the processor supports it, otherwise fp32."),
]
SetOption = Annotated[
    list[str] | None, typer.Option("--set", help="Any setting as NAME=VALUE, such as run.warmup=100. Repeatable.")
]
LogOption = Annotated[
    str | None,
    typer.Option(
        help="Experiment tracker: tensorboard, wandb, mlflow, ..., or none.",
        show_default="tensorboard if it is installed",
    ),
]
DeviceOption = Annotated[Literal["cpu"] | None, typer.Option(help="Force CPU; default: a GPU if there is one.")]
ResumeOption = Annotated[
    bool, typer.Option("--resume", help="Resume from the last complete checkpoint in the output folder.")
]
OutputModelOption = Annotated[
    Path, typer.Option("-o", "--output", help="Folder for the model: a new one, or that of the run to resume.")
]
ModelOption = Annotated[str, typer.Option("--model", help="Trained model: folder or hub name.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def configured(preset: T, file: Path | None, settings: list[str] | None, named: Mapping[str, Any]) -> T:
    """A configuration: a preset, overridden by a TOML file, by ``--set``, and by the options, in this order."""
    from cdlm.settings import parse_settings, read_toml, with_settings

    if file is not None:
        preset = with_settings(preset, read_toml(file), file)
    preset = with_settings(preset, parse_settings(settings or []))
    return with_settings(preset, {name: value for name, value in named.items() if value is not None})


@contextmanager
def resumable() -> Iterator[None]:
    """Tell the user how to resume an interrupted run."""
    try:
        yield
    except KeyboardInterrupt:
        say("cdlm", "interrupted; run the same command with --resume to resume")
        sys.exit(130)
