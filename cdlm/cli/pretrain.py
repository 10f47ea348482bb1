"""``cdlm pretrain``: the command line of :mod:`cdlm.pretraining.loop`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from cdlm import training_options as options

CORPUS_HELP = (
    "Sets of related documents: a Multi-News *.src file, JSON lines, a folder with one folder of text files per set, "
    "the folder of ECB+, NAME:DIR for another annotated corpus, or hub:NAME. Repeatable."
)

EXAMPLES = (
    "cdlm pretrain --corpus multi-news/train.src -o my-encoder",
    "cdlm pretrain --corpus sets.jsonl --variant rand --set run.steps=1000 -o my-encoder",
    "accelerate launch --multi_gpu -m cdlm pretrain --corpus multi-news/train.src -o my-encoder",
)


def pretrain(
    corpus: Annotated[list[str], typer.Option(metavar="CORPUS", help=CORPUS_HELP)],
    output: options.OutputModelOption,
    dev: Annotated[
        list[str] | None,
        typer.Option(metavar="CORPUS", help="Held-out sets on which perplexity is measured at the end. Repeatable."),
    ] = None,
    split: Annotated[str, typer.Option(metavar="NAME", help="Split of the corpus, if it has splits.")] = "train",
    dev_split: Annotated[
        str, typer.Option(metavar="NAME", help="Split of the held-out corpus, if it has splits.")
    ] = "dev",
    config: options.ConfigOption = None,
    preset: options.PresetOption = "small",
    encoder: options.EncoderOption = None,
    variant: Annotated[
        Literal["cdlm", "rand", "prefix", "local"] | None,
        typer.Option(
            help="CDLM, or an ablation: unrelated documents (rand), global attention on a prefix (prefix) or nowhere "
            "(local). Default: cdlm.",
            rich_help_panel=options.SETTINGS,
        ),
    ] = None,
    settings: options.SetOption = None,
    tokens: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder in which tokenised corpora are kept for other runs. Default: a folder in the output "
            "folder, which is removed at the end.",
            rich_help_panel=options.COMPUTING,
        ),
    ] = None,
    log: options.LogOption = None,
    device: options.DeviceOption = None,
    resume: options.ResumeOption = False,
) -> None:
    """Continue pretraining an encoder on sets of related documents."""
    from cdlm.pretraining import PRESETS, open_source
    from cdlm.pretraining import pretrain as pretrain_model

    named = {"encoder": encoder, "variant": variant}
    with options.resumable(output):
        pretrain_model(
            options.configured(PRESETS[preset], config, settings, named),
            [open_source(name, split) for name in corpus],
            output,
            dev=[open_source(name, dev_split) for name in dev or ()],
            tokens=tokens,
            resume=resume,
            device=device,
            tracker=log,
        )
