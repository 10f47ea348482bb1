"""``cdcoref predict``: the command line of :mod:`cdcoref.prediction`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from cdcoref.cli.progress import StageProgress, counted, duration
from cdcoref.errors import InputError

if TYPE_CHECKING:
    from cdcoref.results import Plan, PredictedCluster, PredictedMention, Prediction

LONG = 1800
"""Seconds from which on it is said how to make them less."""
OUTPUT_SUFFIXES = (".conll", ".jsonl", ".conll.gz", ".jsonl.gz")


def predict(
    files: Annotated[
        list[str],
        typer.Argument(
            help="Text files, folders, .conll or .jsonl files, or - for standard input.", show_default=False
        ),
    ],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write documents, mentions and clusters: .conll or .jsonl.")
    ] = None,
    model: Annotated[str, typer.Option(help="default, lemma (the baseline), or a model's folder.")] = "default",
    kind: Annotated[
        Literal["event", "entity", "both"],
        typer.Option(help="What to find; for CoNLL files, which do not say it, the kind of their mentions."),
    ] = "both",
    topics: Annotated[
        Literal["predicted", "gold_subtopic", "gold_topic", "none"],
        typer.Option(help="Which documents may share mentions: found by their words, as annotated, or all."),
    ] = "predicted",
    threshold: Annotated[
        float | None, typer.Option(help="Merge clusters while the probability is above this; default: the model's own.")
    ] = None,
    max_pairs: Annotated[
        int | None,
        typer.Option(
            help="Compare each document with at most so many others of its story, the nearest by their words."
        ),
    ] = None,
    max_windows: Annotated[
        int | None,
        typer.Option(
            help="Read each part of a document that is too long to be read at once with at most so many other parts."
        ),
    ] = None,
    singletons: Annotated[bool, typer.Option("--singletons", help="Show clusters of one mention too.")] = False,
    find_mentions: Annotated[
        bool, typer.Option("--find-mentions", help="Find mentions even where the input comes with some.")
    ] = False,
    cache: Annotated[Path | None, typer.Option(help="Folder to keep results in; an interrupted run goes on.")] = None,
    pipeline: Annotated[str | None, typer.Option(help="A spaCy pipeline for sentences, instead of rules.")] = None,
    device: Annotated[str | None, typer.Option(help="cpu, cuda, ...; default: CUDA where there is one.")] = None,
    precision: Annotated[
        Literal["auto", "fp32", "bf16", "int8"],
        typer.Option(help="Of the encoder's products; auto: bf16 where the processor has instructions for it."),
    ] = "auto",
    batch_tokens: Annotated[int, typer.Option(help="Word pieces that the encoder reads at once.")] = 8192,
) -> None:
    """Find mentions of events and entities, and which of them, in different documents, are the same."""
    if output is not None and not output.name.endswith(OUTPUT_SUFFIXES):
        raise InputError("the output's name must end in .conll or .jsonl (or these with .gz)", output)
    if output is not None and not output.absolute().parent.is_dir():
        raise InputError("the folder of the output does not exist; make it first", output)
    from cdcoref.formats import fill_gaps, read_corpus, write_corpus

    loaded = read_corpus(files, pipeline=pipeline, kind=None if kind == "both" else kind)
    for sentence in (*loaded.corpus.notes, *loaded.problems):
        _say(sentence)
    if not loaded.corpus.documents:
        raise InputError("there is no document to read")
    from cdcoref.prediction import PredictionOptions, load

    options = PredictionOptions(kind, topics, threshold, max_pairs, max_windows, batch_tokens, find_mentions)
    predictor = load(model, device=device, precision=precision)
    try:
        with StageProgress() as progress:
            prediction = predictor.predict(
                loaded.corpus, options, cache=cache, announce=_announce, progress=progress.update
            )
    except KeyboardInterrupt:
        _say("interrupted" + (f"; the same command goes on from what is in {cache}" if cache else ""))
        sys.exit(130)
    for note in prediction.notes:
        _say(note)
    show_clusters(prediction, singletons=singletons)
    if output is not None:
        corpus = prediction.corpus
        if ".conll" in output.suffixes:
            corpus, filled = fill_gaps(corpus)
            if filled:
                _say(f"CoNLL has no discontinuous mentions: the gaps of {filled} were filled in {output}")
        write_corpus(corpus, output)
        _say(f"written to {output}")
    if loaded.problems:
        _say(f"files that could not be read and were left out: {len(loaded.problems)}; they are named above")
        sys.exit(2)


def show_clusters(prediction: Prediction, *, singletons: bool) -> None:
    """Print the clusters as a table on standard output."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    clusters = prediction.clusters(singletons=singletons)
    if not clusters:
        _say("no two mentions were found to be the same")
        return
    paths = {d.id: d.path or d.id for d in prediction.corpus.documents}
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name, justify in (("kind", "left"), ("mention", "left"), ("where", "left"), ("confidence", "right")):
        table.add_column(name, justify=justify, overflow="fold")  # type: ignore[arg-type]
    for cluster in clusters:
        for number, mention in enumerate(_in_order(cluster)):
            table.add_row(
                Text(cluster.kind if number == 0 else ""),
                Text(mention.text),
                Text(f"{paths[mention.document]}:{mention.line}"),
                "" if mention.confidence is None else f"{mention.confidence:.2f}",
                end_section=number == len(cluster.mentions) - 1,
            )
    console = Console()
    if not console.is_terminal:
        console = Console(width=120)
    console.print(table)


def _in_order(cluster: PredictedCluster) -> Sequence[PredictedMention]:
    return sorted(cluster.mentions, key=lambda m: (m.document, m.start))


def _announce(plan: Plan) -> None:
    time = f"; about {duration(plan.seconds)}" if plan.seconds else ""
    if plan.seconds > LONG and not plan.pruned:
        time += " (--max-pairs 20 would make it less, --cache DIR lets it be interrupted)"
    pruned = f", {plan.pruned} more left out by --max-pairs" if plan.pruned else ""
    _say(
        f"{counted(plan.documents, 'document')} in {counted(plan.stories, 'story', 'stories')}; "
        f"{counted(plan.pairs, 'pair')} of documents to compare{pruned}{time}"
    )


def _say(sentence: str) -> None:
    print(f"cdcoref: {sentence}", file=sys.stderr)
