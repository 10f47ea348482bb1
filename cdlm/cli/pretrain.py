"""``cdlm pretrain``: the command line of :mod:`cdlm.pretraining.loop`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

CORPUS_HELP = (
    "Sets of related documents: a *.src file of Multi-News, JSON lines, a folder of folders of text, a folder of ECB+, "
    "NAME:DIR for another annotated corpus, or hub:NAME. Repeatable."
)


def pretrain(
    corpus: Annotated[list[str], typer.Option(help=CORPUS_HELP)],
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder for the model; new, or with --resume.")],
    preset: Annotated[
        Literal["small", "paper"],
        typer.Option(help="Where the settings start: a small encoder, or the paper."),
    ] = "small",
    encoder: Annotated[
        str | None,
        typer.Option(
            help="Longformer, BERT or RoBERTa checkpoint: folder, hub name, or minilm.", show_default="the preset's"
        ),
    ] = None,
    variant: Annotated[
        Literal["cdlm", "rand", "prefix", "local"],
        typer.Option(help="CDLM, or one of its ablations: unrelated documents; global prefix; no global attention."),
    ] = "cdlm",
    train: Annotated[
        Literal["all", "head"], typer.Option(help="Train all parameters, or only the head: a baseline.")
    ] = "all",
    split: Annotated[str, typer.Option(help="Split of a corpus that comes in splits.")] = "train",
    dev: Annotated[
        list[str] | None, typer.Option(help="Held-out sets whose perplexity is measured at the end. Repeatable.")
    ] = None,
    dev_split: Annotated[str, typer.Option(help="Split of a held-out corpus that comes in splits.")] = "dev",
    min_documents: Annotated[int | None, typer.Option(help="Leave out sets with fewer documents.")] = None,
    max_length: Annotated[int | None, typer.Option(help="Tokens of the longest sequence.")] = None,
    steps: Annotated[int | None, typer.Option(help="Steps of the optimiser.")] = None,
    batch_size: Annotated[int | None, typer.Option(help="Sequences a step.")] = None,
    sequences_at_once: Annotated[int | None, typer.Option(help="Sequences of a batch.")] = None,
    learning_rate: Annotated[float | None, typer.Option(help="Highest learning rate of the encoder.")] = None,
    head_learning_rate: Annotated[float | None, typer.Option(help="Highest learning rate of the head.")] = None,
    warmup: Annotated[float | None, typer.Option(help="Steps of warmup, or a share of all steps if below 1.")] = None,
    seed: Annotated[int | None, typer.Option(help="Random seed.")] = None,
    precision: Annotated[
        Literal["auto", "fp32", "bf16", "fp16"] | None, typer.Option(help="Numeric precision.")
    ] = None,
    gradient_checkpointing: Annotated[
        bool | None, typer.Option(help="Less memory, more time.", show_default="the preset's")
    ] = None,
    data_workers: Annotated[int | None, typer.Option(help="Processes that make batches ahead of time.")] = None,
    save_steps: Annotated[int | None, typer.Option(help="Steps between checkpoints.")] = None,
    log_steps: Annotated[int | None, typer.Option(help="Steps between lines of progress.")] = None,
    tokens: Annotated[
        Path | None,
        typer.Option(
            help="Keep the tokenised corpora here, for other runs.", show_default="in the output, for the run"
        ),
    ] = None,
    device: Annotated[Literal["cpu"] | None, typer.Option(help="cpu: do not use a GPU.")] = None,
    tracker: Annotated[str | None, typer.Option(help="What to log to: tensorboard, wandb, ..., or none.")] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on from the last whole checkpoint in the output.")
    ] = False,
) -> None:
    """Pretrain an encoder further on sets of related documents.

    On several GPUs: accelerate launch --multi_gpu -m cdlm pretrain ...
    """
    from cdlm.pretraining import PRESETS, open_source
    from cdlm.pretraining import pretrain as pretrain_model

    run = _given(
        steps=steps,
        learning_rate=learning_rate,
        head_learning_rate=head_learning_rate,
        warmup=warmup,
        seed=seed,
        precision=precision,
        gradient_checkpointing=gradient_checkpointing,
        data_workers=data_workers,
        save_steps=save_steps,
        log_steps=log_steps,
    )
    settings = _given(
        encoder=encoder,
        variant=variant,
        trained=train,
        min_documents=min_documents,
        max_length=max_length,
        batch_size=batch_size,
        sequences_at_once=sequences_at_once,
    )
    start = PRESETS[preset]
    pretrain_model(
        replace(start, run=replace(start.run, **run), **settings),
        [open_source(name, split) for name in corpus],
        output,
        dev=[open_source(name, dev_split) for name in dev or ()],
        tokens=tokens,
        resume=resume,
        device=device,
        tracker=tracker,
    )


def _given(**options: Any) -> dict[str, Any]:
    """The options that were given."""
    return {name: value for name, value in options.items() if value is not None}
