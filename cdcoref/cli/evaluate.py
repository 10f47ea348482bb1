"""``cdcoref evaluate``: the command line of :mod:`cdcoref.evaluation`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from cdcoref.cli.progress import StageProgress
from cdcoref.errors import InputError

if TYPE_CHECKING:
    from cdcoref.corpus import Corpus

SHOWN = ("muc", "b3", "ceafe", "lea")


def evaluate(
    file: Annotated[
        Path | None, typer.Argument(help="An annotated corpus of your own (.jsonl), instead of ECB+.")
    ] = None,
    ecb_root: Annotated[Path | None, typer.Option(help="Folder of ECB+ 1.0.")] = None,
    split: Annotated[Literal["train", "dev", "test"], typer.Option(help="Which split of ECB+.")] = "dev",
    mentions: Annotated[
        Literal["gold", "predicted"], typer.Option(help="Cluster annotated mentions, or those that the model finds.")
    ] = "gold",
    model: Annotated[str, typer.Option(help="default, lemma (the baseline), or a model's folder.")] = "default",
    as_json: Annotated[bool, typer.Option("--json", help="All numbers as JSON (from 0 to 1), and no table.")] = False,
    device: Annotated[str | None, typer.Option(help="cpu, cuda, ...; default: CUDA where there is one.")] = None,
    precision: Annotated[
        Literal["auto", "fp32", "bf16", "int8"],
        typer.Option(help="Of the encoder's products; auto: bf16 where the processor has instructions for it."),
    ] = "auto",
    batch_tokens: Annotated[int, typer.Option(help="Word pieces that the encoder reads at once.")] = 8192,
) -> None:
    """Score a model by the protocol, with predicted and gold topics, beside the lemma baseline."""
    corpus, name = _corpus(file, ecb_root, split)
    from cdcoref.evaluation import evaluate as evaluate_model
    from cdcoref.prediction import load

    predictor = load(model, device=device, precision=precision)
    with StageProgress() as progress:
        results = evaluate_model(
            predictor, corpus, mentions=mentions, batch_tokens=batch_tokens, progress=progress.update
        )
    results = {"corpus": name, "model": model, **results}
    if as_json:
        print(json.dumps(results, indent=2))
    else:
        show_results(results)


def _corpus(file: Path | None, ecb_root: Path | None, split: str) -> tuple[Corpus, str]:
    if (file is None) == (ecb_root is None):
        raise InputError("give either --ecb-root DIR or one annotated corpus")
    if ecb_root is not None:
        from cdcoref.corpora import read_ecb

        return read_ecb(ecb_root, split), f"ECB+ {split}"
    from cdcoref.formats import read_corpus

    loaded = read_corpus([str(file)])
    if loaded.problems:
        raise InputError(loaded.problems[0])
    return loaded.corpus, str(file)


def show_results(results: dict[str, Any]) -> None:
    """Print the tables; F1 in percent."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    console = Console()
    if not console.is_terminal:
        console = Console(width=120)
    millions = results["parameters"] / 1e6
    print(
        f"{results['corpus']}, {results['documents']} documents, {results['mentions']} mentions; model "
        f"{results['model']}, {millions:.1f}M parameters, {results['seconds']} s. F1 in percent."
    )
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for column in ("kind", "topics", *(name.upper() for name in SHOWN)):
        table.add_column(column, justify="left" if column in ("kind", "topics") else "right")
    for column in ("CoNLL", "no singletons", "lemma", "lemma, no singletons", "ceiling"):
        table.add_column(column, justify="right")
    for kind in ("event", "entity", "both"):
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
