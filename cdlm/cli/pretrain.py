"""``cdlm pretrain``: the command line of :mod:`cdlm.pretraining.loop`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

CORPUS_HELP = (
    "Sets of related documents: a *.src file of Multi-News, JSON lines, a folder of folders of text, a folder of ECB+, "
    "NAME:DIR for another annotated corpus, or hub:NAME. Repeatable."
)


def pretrain(
    corpus: Annotated[list[str], typer.Option(help=CORPUS_HELP)],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="Folder for the model: a new one, or that of the run to resume.")
    ],
    config: Annotated[Path | None, typer.Option(help="TOML file with settings; options override it.")] = None,
    preset: Annotated[
        Literal["small", "paper"], typer.Option(help="Settings to start from: for a small encoder, or as in the paper.")
    ] = "small",
    encoder: Annotated[
        str | None,
        typer.Option(
            help="Longformer, BERT or RoBERTa checkpoint: folder, hub name, or minilm.", show_default="the preset's"
        ),
    ] = None,
    variant: Annotated[
        Literal["cdlm", "rand", "prefix", "local"] | None,
        typer.Option(
            help="CDLM, or an ablation: unrelated documents; global prefix; no global attention.", show_default="cdlm"
        ),
    ] = None,
    split: Annotated[str, typer.Option(help="Split of a corpus that comes in splits.")] = "train",
    dev: Annotated[
        list[str] | None, typer.Option(help="Held-out sets whose perplexity is measured at the end. Repeatable.")
    ] = None,
    dev_split: Annotated[str, typer.Option(help="Split of a held-out corpus that comes in splits.")] = "dev",
    max_length: Annotated[
        int | None, typer.Option(help="Maximum length of a sequence in word pieces.", show_default="the preset's")
    ] = None,
    steps: Annotated[int | None, typer.Option(help="Steps of the optimiser.", show_default="the preset's")] = None,
    batch_size: Annotated[int | None, typer.Option(help="Sequences a step.", show_default="the preset's")] = None,
    learning_rate: Annotated[
        float | None, typer.Option(help="Peak learning rate of the encoder.", show_default="the preset's")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Random seed.", show_default="0")] = None,
    precision: Annotated[
        Literal["auto", "fp32", "bf16", "fp16"] | None,
        typer.Option(
            help="Numeric precision; auto: bf16 where the processor has instructions for it, else fp32.",
            show_default="the preset's",
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="Any setting as NAME=VALUE, such as trained=head or run.save_steps=50. Repeatable."),
    ] = None,
    tokens: Annotated[
        Path | None,
        typer.Option(help="Keep the tokenised corpora here, for other runs.", show_default="in the output"),
    ] = None,
    log: Annotated[
        str | None,
        typer.Option(
            help="Experiment tracker: tensorboard, wandb, mlflow, ..., or none.",
            show_default="tensorboard if it is installed",
        ),
    ] = None,
    device: Annotated[Literal["cpu"] | None, typer.Option(help="cpu: do not use a GPU.")] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Resume from the last complete checkpoint in the output folder.")
    ] = False,
) -> None:
    """Pretrain an encoder further on sets of related documents.

    On several GPUs: accelerate launch --multi_gpu -m cdlm pretrain ...
    """
    from cdlm.pretraining import PRESETS, open_source
    from cdlm.pretraining import pretrain as pretrain_model
    from cdlm.settings import parse_settings, read_toml, with_settings

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
    configuration = PRESETS[preset]
    if config is not None:
        configuration = with_settings(configuration, read_toml(config), config)
    configuration = with_settings(configuration, parse_settings(settings or []))
    configuration = with_settings(configuration, {name: value for name, value in named.items() if value is not None})
    pretrain_model(
        configuration,
        [open_source(name, split) for name in corpus],
        output,
        dev=[open_source(name, dev_split) for name in dev or ()],
        tokens=tokens,
        resume=resume,
        device=device,
        tracker=log,
    )
