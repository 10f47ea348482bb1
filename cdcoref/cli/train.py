"""``cdcoref train``: the command line of :mod:`cdcoref.training.loop`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from cdcoref.cli.corpus_options import CorporaOption, EcbOption, IdsOption
from cdcoref.errors import InputError
from cdlm.printing import say

if TYPE_CHECKING:
    from cdcoref.corpora import AnnotatedCorpus, CorpusFolder
    from cdcoref.corpus import Corpus
    from cdcoref.formats import IdScope


def train(
    output: Annotated[
        Path, typer.Option("-o", "--output", help="Folder for the model: a new one, or that of the run to resume.")
    ],
    corpus: CorporaOption = None,
    ecb_root: EcbOption = None,
    train_file: Annotated[
        list[Path] | None,
        typer.Option("--train", help="Annotated file of your own to train on (.jsonl, .conll). Repeatable."),
    ] = None,
    dev_file: Annotated[
        list[Path] | None,
        typer.Option("--dev", help="Annotated file on which to choose the epoch and the thresholds. Repeatable."),
    ] = None,
    ids: IdsOption = None,
    config: Annotated[Path | None, typer.Option(help="TOML file with settings; options override it.")] = None,
    preset: Annotated[
        Literal["small", "paper"],
        typer.Option(help="Settings to start from: for the embedded encoder, or as in the paper, one --kind a run."),
    ] = "small",
    encoder: Annotated[
        str | None,
        typer.Option(
            help="Longformer, BERT, RoBERTa or MPNet checkpoint: folder, hub name, minilm, mpnet, or default (the "
            "default model's).",
            show_default="minilm",
        ),
    ] = None,
    kind: Annotated[
        Literal["event", "entity", "both"] | None,
        typer.Option(
            help="Kind of mentions to train on; also the kind of those in CoNLL files, which do not state it.",
            show_default="both",
        ),
    ] = None,
    epochs: Annotated[int | None, typer.Option(help="Number of passes over the corpus.")] = None,
    seed: Annotated[int | None, typer.Option(help="Random seed.")] = None,
    marking: Annotated[
        Literal["all", "pair"] | None, typer.Option(help="Mark all mentions in a sequence, or one candidate pair.")
    ] = None,
    context: Annotated[
        str | None, typer.Option(help="document, sentence, or a number of sentences around the mentions.")
    ] = None,
    max_length: Annotated[int | None, typer.Option(help="Maximum length of a sequence in word pieces.")] = None,
    learning_rate: Annotated[float | None, typer.Option(help="Peak learning rate of the encoder.")] = None,
    batch_tokens: Annotated[int | None, typer.Option(help="Maximum number of word pieces in a batch.")] = None,
    precision: Annotated[
        Literal["auto", "fp32", "bf16", "fp16"] | None,
        typer.Option(help="Numeric precision; auto: bf16 if the processor supports it, otherwise fp32."),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="Any setting as NAME=VALUE, such as sampling.negatives=20. Repeatable."),
    ] = None,
    log: Annotated[
        str | None,
        typer.Option(
            help="Experiment tracker: tensorboard, wandb, mlflow, ..., or none.",
            show_default="tensorboard if it is installed",
        ),
    ] = None,
    device: Annotated[Literal["cpu"] | None, typer.Option(help="Force CPU; default: a GPU if there is one.")] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Resume from the last complete checkpoint in the output folder.")
    ] = False,
) -> None:
    """Train a model on annotated corpora, known ones or your own.

    Several corpora are combined; --set sampling.weights.NAME=0.2 reads a fifth of one in each epoch.

    Nothing is learnt from what a corpus does not annotate.

    With several processes, even on CPUs: accelerate launch --multi_gpu --num_processes 2 -m cdcoref train ...
    """
    named: dict[str, Any] = {
        "encoder": encoder,
        "kind": kind,
        "run.epochs": epochs,
        "run.seed": seed,
        "model.sequences.marking": marking,
        "model.sequences.context": int(context) if context is not None and context.isdecimal() else context,
        "model.sequences.max_length": max_length,
        "run.learning_rate": learning_rate,
        "sampling.batch_tokens": batch_tokens,
        "run.precision": precision,
    }
    from cdcoref.corpora import corpus_folders
    from cdcoref.training import PRESETS
    from cdcoref.training import train as train_model
    from cdlm.settings import parse_settings, read_toml, with_settings

    training, file, given = PRESETS[preset], read_toml(config) if config else {}, parse_settings(settings or [])
    if preset == "paper" and kind is None and "kind" not in {**file, **given}:
        raise InputError("the paper trains one model for each kind of mention; give --kind event or --kind entity")
    if config is not None:
        training = with_settings(training, file, config)
    training = with_settings(training, given)
    training = with_settings(training, {name: value for name, value in named.items() if value is not None})
    stated = None if training.kind == "both" else training.kind
    learnt, dev = _corpora(corpus_folders(corpus or [], ecb_root), train_file, dev_file, stated, ids)
    try:
        train_model(training, learnt, dev, output, resume=resume, device=device, tracker=log)
    except KeyboardInterrupt:
        say("cdcoref", "interrupted; run the same command with --resume to resume")
        sys.exit(130)


def _corpora(
    folders: list[CorpusFolder],
    train_files: list[Path] | None,
    dev_files: list[Path] | None,
    kind: str | None,
    ids: IdScope | None,
) -> tuple[list[AnnotatedCorpus | Corpus], list[AnnotatedCorpus | Corpus]]:
    """The training and the dev corpora."""
    if folders:
        if train_files or dev_files:
            raise InputError("give either --corpus (or --ecb-root) or --train and --dev, not both")
        return _splits(folders, "train"), _splits(folders, "dev")
    if not train_files or not dev_files:
        raise InputError("give --corpus NAME:DIR, or --train FILE and --dev FILE of your own annotated corpus")
    from cdcoref.formats import read_corpus

    corpora: list[Corpus] = []
    for files in (train_files, dev_files):
        loaded = read_corpus(files, kind=kind, ids=ids)
        if loaded.problems:
            raise InputError(loaded.problems[0])
        for note in loaded.corpus.notes:
            say("cdcoref", note)
        corpora.append(loaded.corpus)
    return [corpora[0]], [corpora[1]]


def _splits(folders: list[CorpusFolder], split: str) -> list[AnnotatedCorpus | Corpus]:
    """One split of every corpus that has it."""
    there = [folder for folder in folders if split in folder.splits()]
    for folder in folders:
        if there and folder not in there:
            say("cdcoref", f"{folder.info.title} has no {split} split in {folder.path}")
    corpora: list[AnnotatedCorpus | Corpus] = []
    for folder in there or folders[:1]:  # if there is none, reading says what is missing
        read = folder.read(split)
        for note in read.corpus.notes:
            say("cdcoref", note)
        corpora.append(read)
    return corpora
