"""``cdcoref train``: the command line of :mod:`cdcoref.training.loop`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from cdcoref.cli.corpus_options import CorporaOption, EcbOption
from cdcoref.errors import InputError

if TYPE_CHECKING:
    from cdcoref.corpora import AnnotatedCorpus, CorpusFolder
    from cdcoref.corpus import Corpus
    from cdcoref.training import TrainingConfig


def train(
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder for the model; new, or with --resume.")],
    corpus: CorporaOption = None,
    ecb_root: EcbOption = None,
    train_file: Annotated[
        list[Path] | None, typer.Option("--train", help="Your own annotated corpus (.jsonl or .conll). Repeatable.")
    ] = None,
    dev_file: Annotated[
        list[Path] | None, typer.Option("--dev", help="The corpus to choose epoch and thresholds on.")
    ] = None,
    config: Annotated[Path | None, typer.Option(help="Settings in a TOML file; options win over it.")] = None,
    preset: Annotated[
        Literal["small", "paper"], typer.Option(help="Where the settings start: the embedded encoder, or the paper.")
    ] = "small",
    encoder: Annotated[
        str | None,
        typer.Option(
            help="Longformer, BERT or RoBERTa checkpoint: folder, hub name, or minilm.", show_default="minilm"
        ),
    ] = None,
    mention_type: Annotated[Literal["event", "entity", "both"] | None, typer.Option(help="What to train on.")] = None,
    epochs: Annotated[int | None, typer.Option(help="Passes over the corpus.")] = None,
    seed: Annotated[int | None, typer.Option(help="Of everything random.")] = None,
    marking: Annotated[
        Literal["all", "pair"] | None, typer.Option(help="Mark every mention of a sequence, or one candidate pair.")
    ] = None,
    context: Annotated[
        str | None, typer.Option(help="document, sentence, or a number of sentences around the mentions.")
    ] = None,
    max_length: Annotated[int | None, typer.Option(help="Word pieces of the longest sequence.")] = None,
    learning_rate: Annotated[float | None, typer.Option(help="Highest learning rate of the encoder.")] = None,
    batch_tokens: Annotated[int | None, typer.Option(help="Word pieces of a batch.")] = None,
    precision: Annotated[Literal["fp32", "bf16", "fp16"] | None, typer.Option(help="Mixed precision or none.")] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="Any other setting as NAME=VALUE. Repeatable.")
    ] = None,
    kind: Annotated[
        Literal["event", "entity"] | None,
        typer.Option(help="Kind of the mentions of CoNLL files, which do not say it."),
    ] = None,
    device: Annotated[Literal["cpu"] | None, typer.Option(help="cpu, to leave an accelerator alone.")] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on from the last whole checkpoint in the output.")
    ] = False,
) -> None:
    """Train a model on annotated corpora, or on one of your own.

    Several corpora are trained together; weights.NAME of the configuration is the share of a corpus that an epoch reads
    (--set 'weights={litbank=0.2}'). What a corpus does not annotate is not learnt from it.

    For several processes, on CPUs too: accelerate launch --multi_gpu --num_processes 2 -m cdcoref train ...
    """
    named: dict[str, Any] = {
        "encoder": encoder,
        "mention_type": mention_type,
        "epochs": epochs,
        "seed": seed,
        "marking": marking,
        "context": int(context) if context is not None and context.isdecimal() else context,
        "max_length": max_length,
        "learning_rate": learning_rate,
        "batch_tokens": batch_tokens,
        "precision": precision,
    }
    overrides = {name: value for name, value in named.items() if value is not None}
    from cdcoref.corpora import corpus_folders
    from cdcoref.training import train as train_model

    training = _configuration(preset, config, {**_settings(settings or []), **overrides})
    learnt, dev = _corpora(corpus_folders(corpus or [], ecb_root), train_file, dev_file, kind)
    train_model(training, learnt, dev, output, resume=resume, device=device)


def _configuration(preset: str, file: Path | None, overrides: dict[str, Any]) -> TrainingConfig:
    from cdcoref.training import PRESETS, TrainingConfig

    values = {**PRESETS[preset], **overrides}
    if file is None:
        return TrainingConfig.from_dict(values)
    return TrainingConfig.from_toml(file, PRESETS[preset], overrides)


def _settings(pairs: list[str]) -> dict[str, Any]:
    """NAME=VALUE pairs, the values read as TOML where they can be and as text where not."""
    import tomllib

    values = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals:
            raise InputError(f"--set takes NAME=VALUE, and {pair!r} has no =")
        try:
            values[name.strip().replace("-", "_")] = tomllib.loads(f"value = {text}")["value"]
        except tomllib.TOMLDecodeError:
            values[name.strip().replace("-", "_")] = text
    return values


def _corpora(
    folders: list[CorpusFolder], train_files: list[Path] | None, dev_files: list[Path] | None, kind: str | None
) -> tuple[list[AnnotatedCorpus | Corpus], list[AnnotatedCorpus | Corpus]]:
    """What to train on and what to choose on."""
    if folders:
        if train_files or dev_files:
            raise InputError("give either --corpus (or --ecb-root) or --train and --dev, not both")
        return _splits(folders, "train"), _splits(folders, "dev")
    if not train_files or not dev_files:
        raise InputError("give --corpus NAME:DIR, or --train FILE and --dev FILE of your own annotated corpus")
    from cdcoref.formats import read_corpus

    corpora: list[Corpus] = []
    for files in (train_files, dev_files):
        loaded = read_corpus(files, kind=kind)
        if loaded.problems:
            raise InputError(loaded.problems[0])
        corpora.append(loaded.corpus)
    return [corpora[0]], [corpora[1]]


def _splits(folders: list[CorpusFolder], split: str) -> list[AnnotatedCorpus | Corpus]:
    """One split of every corpus that has it."""
    there = [folder for folder in folders if split in folder.splits()]
    for folder in folders:
        if there and folder not in there:
            print(f"cdcoref: {folder.info.title} has no {split} split in {folder.path}", file=sys.stderr)
    corpora: list[AnnotatedCorpus | Corpus] = []
    for folder in there or folders[:1]:  # where there is none, reading says what is missing
        read = folder.read(split)
        for note in read.corpus.notes:
            print(f"cdcoref: {note}", file=sys.stderr)
        corpora.append(read)
    return corpora
