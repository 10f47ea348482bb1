"""Options that the commands of several tasks have, and what they share in reading them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

EncoderOption = Annotated[
    str | None,
    typer.Option(help="Longformer, BERT or RoBERTa checkpoint: folder, hub name, or minilm.", show_default="minilm"),
]
PresetOption = Annotated[
    Literal["small", "paper"], typer.Option(help="Where the settings start: for the small encoder, or the paper's.")
]
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
SetOption = Annotated[list[str] | None, typer.Option("--set", help="Any other setting as NAME=VALUE. Repeatable.")]
DeviceOption = Annotated[Literal["cpu"] | None, typer.Option(help="cpu to force the CPU.")]
ResumeOption = Annotated[bool, typer.Option("--resume", help="Resume from the last complete checkpoint in the output.")]
OutputModelOption = Annotated[Path, typer.Option("-o", "--output", help="Folder for the model; new, or with --resume.")]
ModelOption = Annotated[str, typer.Option("--model", help="Trained model: a folder or a hub name.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def given(settings: list[str] | None, named: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that were given on the command line; options have the last word over ``--set``."""
    from cdlm.tasks import parse_settings

    return {**parse_settings(settings or []), **{name: value for name, value in named.items() if value is not None}}
