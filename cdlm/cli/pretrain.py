"""``cdlm pretrain``: the command line of :mod:`cdlm.pretraining.loop`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from cdlm.cli.task_options import (
    ConfigOption,
    DeviceOption,
    EncoderOption,
    LengthOption,
    LogOption,
    OutputModelOption,
    PrecisionOption,
    PresetOption,
    RateOption,
    ResumeOption,
    SeedOption,
    SetOption,
    configured,
    resumable,
)

CORPUS_HELP = (
    "Sets of related documents: a Multi-News *.src file, JSON lines, a folder with one folder of text files per set, "
    "the folder of ECB+, NAME:DIR for another annotated corpus, or hub:NAME. Repeatable."
)


def pretrain(
    corpus: Annotated[list[str], typer.Option(help=CORPUS_HELP)],
    output: OutputModelOption,
    dev: Annotated[
        list[str] | None, typer.Option(help="Held-out sets on which perplexity is measured at the end. Repeatable.")
    ] = None,
    split: Annotated[str, typer.Option(help="Split of the corpus, if it has splits.")] = "train",
    dev_split: Annotated[str, typer.Option(help="Split of the held-out corpus, if it has splits.")] = "dev",
    config: ConfigOption = None,
    preset: PresetOption = "small",
    encoder: EncoderOption = None,
    variant: Annotated[
        Literal["cdlm", "rand", "prefix", "local"] | None,
        typer.Option(
            help="CDLM, or an ablation: unrelated documents (rand), global attention on a prefix (prefix) or nowhere "
            "(local).",
            show_default="cdlm",
        ),
    ] = None,
    steps: Annotated[int | None, typer.Option(help="Number of optimiser steps.", show_default="preset")] = None,
    batch_size: Annotated[int | None, typer.Option(help="Number of sequences per step.", show_default="preset")] = None,
    learning_rate: RateOption = None,
    max_length: LengthOption = None,
    seed: SeedOption = None,
    precision: PrecisionOption = None,
    settings: SetOption = None,
    tokens: Annotated[
        Path | None,
        typer.Option(
            help="Folder to keep the tokenised corpora in for other runs.",
            show_default="in the output folder, removed at the end",
        ),
    ] = None,
    log: LogOption = None,
    device: DeviceOption = None,
    resume: ResumeOption = False,
) -> None:
    """Continue pretraining an encoder on sets of related documents.

    On several GPUs: accelerate launch --multi_gpu -m cdlm pretrain ...
    """
    from cdlm.pretraining import PRESETS, open_source
    from cdlm.pretraining import pretrain as pretrain_model

    named = {
        "encoder": encoder,
        "variant": variant,
        "max_length": max_length,
        "batch_size": batch_size,
        "run.steps": steps,
        "run.learning_rate": learning_rate,
        "run.seed": seed,
        "run.precision": precision,
    }
    with resumable():
        pretrain_model(
            configured(PRESETS[preset], config, settings, named),
            [open_source(name, split) for name in corpus],
            output,
            dev=[open_source(name, dev_split) for name in dev or ()],
            tokens=tokens,
            resume=resume,
            device=device,
            tracker=log,
        )
