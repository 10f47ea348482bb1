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
    "Sets of related documents: a *.src file of Multi-News, JSON lines, a folder of folders of text, a folder of ECB+, "
    "NAME:DIR for another annotated corpus, or hub:NAME. Repeatable."
)


def pretrain(
    corpus: Annotated[list[str], typer.Option(help=CORPUS_HELP)],
    output: OutputModelOption,
    dev: Annotated[
        list[str] | None, typer.Option(help="Held-out sets whose perplexity is measured at the end. Repeatable.")
    ] = None,
    split: Annotated[str, typer.Option(help="Split of a corpus that comes in splits.")] = "train",
    dev_split: Annotated[str, typer.Option(help="Split of a held-out corpus that comes in splits.")] = "dev",
    config: ConfigOption = None,
    preset: PresetOption = "small",
    encoder: EncoderOption = None,
    variant: Annotated[
        Literal["cdlm", "rand", "prefix", "local"] | None,
        typer.Option(
            help="CDLM, or an ablation: unrelated documents; global prefix; no global attention.", show_default="cdlm"
        ),
    ] = None,
    steps: Annotated[int | None, typer.Option(help="Steps of the optimiser.", show_default="preset")] = None,
    batch_size: Annotated[int | None, typer.Option(help="Sequences in a step.", show_default="preset")] = None,
    learning_rate: RateOption = None,
    max_length: LengthOption = None,
    seed: SeedOption = None,
    precision: PrecisionOption = None,
    settings: SetOption = None,
    tokens: Annotated[
        Path | None,
        typer.Option(help="Keep the tokenised corpora here, for other runs.", show_default="in the output"),
    ] = None,
    log: LogOption = None,
    device: DeviceOption = None,
    resume: ResumeOption = False,
) -> None:
    """Pretrain an encoder further on sets of related documents.

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
