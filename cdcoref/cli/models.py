"""``cdcoref train`` and ``evaluate``: models."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from cdcoref import collection, formats, linking, training, views
from cdcoref import corpora as annotated
from cdcoref.cli.messages import StageProgress, say
from cdcoref.cli.options import MENTIONS, NAMES, OUTPUT, ChosenModel, Computing, CorpusSplit, Ids, Kind, option
from cdcoref.corpus import Corpus
from cdcoref.errors import InputError
from cdlm import training_options

EXAMPLES = {
    "train": (
        "cdcoref train --ecb-root ecb+/ -o my-model",
        "cdcoref train --corpus ecb:ecb+/ --corpus gum:gum/ --preset small -o my-model",
        "cdcoref train --train train.jsonl --dev dev.jsonl --preset small -o my-model",
        "accelerate launch --multi_gpu --num_processes 2 -m cdcoref train --ecb-root ecb+/ -o my-model",
    ),
    "evaluate": (
        "cdcoref evaluate --ecb-root ecb+/ --split test",
        "cdcoref evaluate --corpus gum:gum/ --mentions predicted",
        "cdcoref evaluate my-annotation.jsonl --model my-model --json",
    ),
}


@dataclass(frozen=True)
class LearntCorpora(Ids):
    """What is learnt."""

    corpus: list[str] | None = option(
        None,
        f"Annotated corpus and its folder; its train and dev splits are used. NAME is {NAMES}. Repeatable.",
        metavar="NAME:DIR",
    )
    ecb_root: Path | None = option(None, "Folder of ECB+ 1.0; short for --corpus ecb:DIR.", metavar="DIR")
    train_file: list[Path] | None = option(
        None, "Annotated file of your own to train on (.jsonl, .conll). Repeatable.", "--train", metavar="FILE"
    )
    dev_file: list[Path] | None = option(
        None, "Annotated file on which to choose the epoch and the thresholds. Repeatable.", "--dev", metavar="FILE"
    )
    uncorrected: bool = option(
        False,
        "Train on collections that nobody has corrected: the model learns from its own predictions.",
        "--uncorrected",
    )

    def read(
        self, folders: list[annotated.CorpusFolder], kind: str | None
    ) -> tuple[list[annotated.AnnotatedCorpus | Corpus], list[annotated.AnnotatedCorpus | Corpus]]:
        """The training and the dev corpora."""
        if folders:
            if self.train_file or self.dev_file:
                raise InputError("give either --corpus (or --ecb-root) or --train and --dev, not both")
            return _splits(folders, "train"), _splits(folders, "dev")
        if not self.train_file or not self.dev_file:
            raise InputError("give --corpus NAME:DIR, or --train FILE and --dev FILE of your own annotated corpus")
        if not self.uncorrected:
            _check_corrected([*self.train_file, *self.dev_file])
        learnt, dev = (_annotated(files, kind, self.ids) for files in (self.train_file, self.dev_file))
        return [learnt], [dev]


def train(
    output: training_options.OutputModelOption,
    corpora: LearntCorpora,
    config: training_options.ConfigOption = None,
    preset: Literal["base", "small", "paper"] = option(
        "base",
        "Settings to start from. base, small: those of the models that ship; paper: as in the paper, with one --kind "
        "per run.",
        panel=training_options.SETTINGS,
    ),
    encoder: training_options.EncoderOption = None,
    kind: Kind | None = option(
        None,
        "Kind of mentions to train on; also the kind of those in CoNLL files, which do not state it. Default: both.",
        panel=training_options.SETTINGS,
    ),
    epochs: training_options.EpochsOption = None,
    seed: training_options.SeedOption = None,
    context: Literal["document", "sentence"] | None = option(
        None,
        "With --preset paper: show the whole documents of two mentions, or their sentences.",
        panel=training_options.SETTINGS,
    ),
    learning_rate: training_options.RateOption = None,
    precision: training_options.PrecisionOption = None,
    settings: training_options.SetOption = None,
    log: training_options.LogOption = None,
    device: training_options.DeviceOption = None,
    resume: training_options.ResumeOption = False,
) -> None:
    """Train a model on annotated corpora, known ones or your own.

    Several corpora are combined; --set bi_encoder.corpus_shares.NAME=0.2 reads a fifth of one in each epoch. Nothing is
    learnt from what a corpus does not annotate. accelerate trains on several GPUs, or in several processes on CPUs.
    """
    named: dict[str, Any] = {
        "encoder": encoder,
        "kind": kind,
        "run.epochs": epochs,
        "run.seed": seed,
        "model.sequences.context": context,
        "run.learning_rate": learning_rate,
        "run.precision": precision,
    }
    from cdlm.settings import parse_settings, read_toml, with_settings

    folders = annotated.corpus_folders(corpora.corpus or [], corpora.ecb_root)
    file, given = read_toml(config) if config else {}, parse_settings(settings or [])
    start = training.PRESETS[preset]
    chosen = start.for_corpora([folder.info for folder in folders])
    if preset == "paper" and kind is None and "kind" not in {**file, **given}:
        raise InputError("the paper trains one model for each kind of mention; give --kind event or --kind entity")
    if config is not None:
        chosen = with_settings(chosen, file, config)
    chosen = with_settings(chosen, given)
    chosen = with_settings(chosen, {name: value for name, value in named.items() if value is not None})
    stated = None if chosen.kind == "both" else chosen.kind
    learnt, dev = corpora.read(folders, stated)
    absent = sorted(set(start.named_corpora).difference(folder.info.name for folder in folders))
    if folders and absent:
        say(f"the preset {preset} also uses {', '.join(absent)}; without them the model is a different one")
    with training_options.resumable(output, "cdcoref"):
        training.train(chosen, learnt, dev, output, resume=resume, device=device, tracker=log)


def _check_corrected(files: list[Path]) -> None:
    """Refuse a collection that has no corrections: its annotation is what a model predicted."""
    for file in files:
        if file.is_file() and formats.is_collection(file):
            with collection.Collection.open(file) as stored:
                if not stored.corpus(corrected=True).documents:
                    raise InputError(
                        "nobody has corrected this collection, so the model would learn from its own predictions; "
                        "correct it first, or give --uncorrected",
                        file,
                    )


def _splits(folders: list[annotated.CorpusFolder], split: str) -> list[annotated.AnnotatedCorpus | Corpus]:
    there = [folder for folder in folders if split in folder.splits()]
    for folder in folders:
        if there and folder not in there:
            say(f"{folder.info.title} has no {split} split in {folder.path}")
    corpora = [folder.read(split) for folder in there or folders[:1]]  # if there is none, reading says what is missing
    say(*(note for corpus in corpora for note in corpus.corpus.notes))
    return list(corpora)


def evaluate(
    corpus: CorpusSplit,
    chosen: ChosenModel,
    computing: Computing,
    file: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", help="Annotated file of your own (.jsonl, .conll), instead of a corpus."),
    ] = None,
    kind: Kind = option(
        "both",
        "Kind of mentions to score; also the kind of those in CoNLL files, which do not state it.",
        panel=MENTIONS,
    ),
    mentions: Literal["gold", "predicted"] = option(
        "gold", "Cluster the annotated mentions, or those that the model detects.", panel=MENTIONS
    ),
    as_json: bool = option(
        False, "Print all results as JSON, with scores from 0 to 1, instead of a table.", "--json", panel=OUTPUT
    ),
) -> None:
    """Evaluate a model with predicted and gold topics, alongside the lemma baseline.

    A corpus whose links stay within documents is scored within documents. Only what a corpus annotates is scored.
    """
    options = linking.LinkingOptions(**computing.batch)
    gold, name = _gold(corpus, file, kind)
    from cdcoref.evaluation import evaluate as evaluate_corpus

    predictor = computing.load(chosen.model)
    with StageProgress() as progress:
        results = evaluate_corpus(
            predictor, gold.of_kind(kind), mentions=mentions, options=options, progress=progress.update
        )
    results = {"corpus": name, "model": chosen.model, **results}
    if as_json:
        print(json.dumps(results, indent=2))
    else:
        print(views.evaluation_text(results))


def _gold(corpus: CorpusSplit, file: Path | None, kind: Kind) -> tuple[annotated.AnnotatedCorpus, str]:
    """The annotated corpus and its name."""
    folder = corpus.folder(file is not None, "one annotated file of your own")
    if folder is not None:
        split = corpus.split or "dev"
        gold = folder.read(split)
        say(*gold.corpus.notes)
        return gold, f"{folder.info.title} {split}"
    own = _annotated([str(file)], None if kind == "both" else kind, corpus.ids)
    return annotated.annotated_corpora(own)[0], str(file)


def _annotated(files: Sequence[str | Path], kind: str | None, ids: Literal["local", "global"] | None) -> Corpus:
    """Read annotated files; an unreadable one is an error. Their notes are printed."""
    loaded = formats.read_corpus(files, formats.ReadOptions(kind=kind, ids=ids))
    if loaded.problems:
        raise InputError(loaded.problems[0])
    say(*loaded.corpus.notes)
    return loaded.corpus
