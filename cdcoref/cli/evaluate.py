"""``cdcoref evaluate``: the command line of :mod:`cdcoref.evaluation`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from cdcoref.cli.corpus_options import CorpusOption, EcbOption, Split, SplitOption, corpus_or_files
from cdcoref.cli.progress import StageProgress
from cdcoref.errors import InputError
from cdcoref.wording import counted

if TYPE_CHECKING:
    from cdcoref.corpora import AnnotatedCorpus, CorpusFolder

LEMMA = "lemma"
SHOWN = ("muc", "b3", "ceafe", "lea")


def evaluate(
    file: Annotated[
        Path | None,
        typer.Argument(help="An annotated file of your own (.jsonl, .conll), instead of a corpus.", show_default=False),
    ] = None,
    corpus: CorpusOption = None,
    ecb_root: EcbOption = None,
    split: SplitOption = "dev",
    kind: Annotated[
        Literal["event", "entity", "both"],
        typer.Option(help="Which mentions to score; for CoNLL files, which do not say it, the kind of their mentions."),
    ] = "both",
    mentions: Annotated[
        Literal["gold", "predicted"], typer.Option(help="Cluster annotated mentions, or those that the model finds.")
    ] = "gold",
    model: Annotated[str, typer.Option(help="default, lemma (the baseline), a model's folder or a hub name.")] = "default",
    as_json: Annotated[bool, typer.Option("--json", help="All numbers as JSON (from 0 to 1), and no table.")] = False,
    device: Annotated[str | None, typer.Option(help="cpu, cuda, ...; default: a GPU if there is one.")] = None,
    precision: Annotated[
        Literal["auto", "fp32", "bf16", "int8"],
        typer.Option(help="Of the encoder's products; auto: bf16 where the processor has instructions for it."),
    ] = "auto",
    batch_tokens: Annotated[int, typer.Option(help="Word pieces that the encoder reads at once.")] = 8192,
) -> None:
    """Score a model by the protocol, with predicted and gold topics, beside the lemma baseline.

    A corpus whose links stay within documents is scored within documents. Only what a corpus annotates is scored.
    """
    folder = corpus_or_files(corpus, ecb_root, file is not None, "one annotated file of your own")
    gold, name = _named(folder, split) if folder is not None else _own(file or Path(), kind)
    for note in gold.corpus.notes:
        print(f"cdcoref: {note}", file=sys.stderr)
    from cdcoref.evaluation import evaluate as evaluate_model
    from cdcoref.prediction import load

    predictor = load(model, device=device, precision=precision)
    with StageProgress() as progress:
        results = evaluate_model(
            predictor, gold.of_kind(kind), mentions=mentions, batch_tokens=batch_tokens, progress=progress.update
        )
    results = {"corpus": name, "model": model, **results}
    if as_json:
        print(json.dumps(results, indent=2))
    else:
        show_results(results)


def _named(folder: CorpusFolder, split: Split) -> tuple[AnnotatedCorpus, str]:
    return folder.read(split), f"{folder.info.title} {split}"


def _own(file: Path, kind: str) -> tuple[AnnotatedCorpus, str]:
    from cdcoref.corpora import annotated_corpora
    from cdcoref.formats import read_corpus

    loaded = read_corpus([str(file)], kind=None if kind == "both" else kind)
    if loaded.problems:
        raise InputError(loaded.problems[0])
    return annotated_corpora(loaded.corpus)[0], str(file)


def show_results(results: dict[str, Any]) -> None:
    """Print the tables; F1 in percent."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    console = Console()
    if not console.is_terminal:
        console = Console(width=120)
    parameters = results["parameters"]
    size = "" if parameters is None else f", {parameters / 1e6:.1f}M parameters"
    if results["mentions"] == "predicted" and results["model"] == LEMMA:
        size += " of the model that finds mentions"
    documents = counted(results["documents"], "document")
    print(
        f"{results['corpus']}, {documents}, {results['mentions']} mentions; model {results['model']}{size}, "
        f"{results['seconds']} s. F1 in percent."
    )
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for column in ("kind", "topics", *(name.upper() for name in SHOWN)):
        table.add_column(column, justify="left" if column in ("kind", "topics") else "right")
    for column in ("CoNLL", "no singletons", "lemma", "lemma, no singletons", "ceiling"):
        table.add_column(column, justify="right")
    for kind in ("event", "entity", "unknown", "both"):
        for topics, scores in results.get(kind, {}).items():
            baseline = scores["lemma_baseline"]
            numbers = [
                *(scores[name]["f1"] for name in SHOWN),
                scores["conll_f1"],
                scores["without_singletons"]["conll_f1"],
                baseline["conll_f1"],
                baseline["without_singletons"]["conll_f1"],
                scores["ceiling"]["conll_f1"],
            ]
            table.add_row(kind, topics, *(f"{100 * number:.1f}" for number in numbers))
    console.print(table)
    for kind, found in results.get("detection", {}).items():
        for way, scores in found.items():
            percent = ", ".join(f"{name} {100 * value:.1f}" for name, value in scores.items())
            print(f"{kind} mentions found ({way.replace('_', ' ')}): {percent}")
