"""Options that the commands of several tasks have, and how they become a configuration."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import typer

T = TypeVar("T")

EncoderOption = Annotated[
    str | None,
    typer.Option(help="Longformer, BERT or RoBERTa checkpoint: folder, hub name, or minilm.", show_default="preset"),
]
PresetOption = Annotated[
    Literal["small", "paper"], typer.Option(help="Where the settings start: for the small encoder, or the paper's.")
]
ConfigOption = Annotated[Path | None, typer.Option(help="TOML file of settings; options win over it.")]
EpochsOption = Annotated[int | None, typer.Option(help="Passes over the training data.", show_default="preset")]
BatchOption = Annotated[int | None, typer.Option(help="Examples in a batch.", show_default="preset")]
RateOption = Annotated[float | None, typer.Option(help="Highest learning rate of the encoder.", show_default="preset")]
LengthOption = Annotated[int | None, typer.Option(help="Tokens of the longest sequence.", show_default="preset")]
SeedOption = Annotated[int | None, typer.Option(help="Random seed.", show_default="0")]
PrecisionOption = Annotated[
    Literal["auto", "fp32", "bf16", "fp16"] | None,
    typer.Option(help="Numeric precision; auto is bf16 where the processor has it.", show_default="preset"),
]
InferencePrecisionOption = Annotated[
    Literal["auto", "fp32", "bf16"],
    typer.Option("--precision", help="Numeric precision; auto is bf16 where the processor has it."),
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
DeviceOption = Annotated[Literal["cpu"] | None, typer.Option(help="cpu: do not use a GPU.")]
ResumeOption = Annotated[
    bool, typer.Option("--resume", help="Resume from the last complete checkpoint in the output folder.")
]
OutputModelOption = Annotated[Path, typer.Option("-o", "--output", help="Folder for the model; new, or with --resume.")]
ModelOption = Annotated[str, typer.Option("--model", help="Trained model: a folder or a hub name.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def configured(preset: T, file: Path | None, settings: list[str] | None, named: Mapping[str, Any]) -> T:
    """A configuration: a preset, a TOML file over it, ``--set`` over that, and the options that were given over all."""
    from cdlm.settings import parse_settings, read_toml, with_settings

    if file is not None:
        preset = with_settings(preset, read_toml(file), file)
    preset = with_settings(preset, parse_settings(settings or []))
    return with_settings(preset, {name: value for name, value in named.items() if value is not None})


@contextmanager
def resumable() -> Iterator[None]:
    """Say how an interrupted run is continued."""
    try:
        yield
    except KeyboardInterrupt:
        print("cdlm: interrupted; the same command with --resume continues this run", file=sys.stderr)
        sys.exit(130)
