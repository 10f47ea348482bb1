"""``cdcoref evaluate``: the command line of :mod:`cdcoref.evaluation`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from cdcoref.cli.corpus_options import CorpusOption, EcbOption, IdsOption, Split, SplitOption, corpus_or_files
from cdcoref.cli.progress import StageProgress
from cdcoref.errors import InputError
from cdlm.printing import say

if TYPE_CHECKING:
    from cdcoref.corpora import AnnotatedCorpus, CorpusFolder
    from cdcoref.formats import IdScope


def evaluate(
    file: Annotated[
        Path | None,
        typer.Argument(help="Annotated file of your own (.jsonl, .conll), instead of a corpus.", show_default=False),
    ] = None,
    corpus: CorpusOption = None,
    ecb_root: EcbOption = None,
    split: SplitOption = None,
    ids: IdsOption = None,
    kind: Annotated[
        Literal["event", "entity", "both"],
        typer.Option(help="Kind of mentions to score; also the kind of those in CoNLL files, which do not state it."),
    ] = "both",
    mentions: Annotated[
        Literal["gold", "predicted"],
        typer.Option(help="Cluster the annotated mentions or those that the model detects."),
    ] = "gold",
    model: Annotated[
        str, typer.Option(help="default, lemma (the baseline), a model's folder or a hub name.")
    ] = "default",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print all results as JSON, with scores from 0 to 1, instead of a table.")
    ] = False,
    device: Annotated[str | None, typer.Option(help="cpu, cuda, ...; default: a GPU if there is one.")] = None,
    precision: Annotated[
        Literal["auto", "fp32", "bf16", "int8"],
        typer.Option(help="Numeric precision; auto: bf16 if the processor supports it, otherwise fp32."),
    ] = "auto",
    batch_tokens: Annotated[int, typer.Option(min=1, help="Maximum number of word pieces in a batch.")] = 8192,
    candidates: Annotated[
        int | None,
        typer.Option(
            metavar="K",
            min=0,
            help="Read each mention together with its K likeliest candidates only; 0: with all. Default: the model's.",
        ),
    ] = None,
) -> None:
    """Evaluate a model with predicted and gold topics, alongside the lemma baseline.

    A corpus whose links stay within documents is scored within documents. Only what a corpus annotates is scored.
    """
    folder = corpus_or_files(corpus, ecb_root, file is not None, "one annotated file of your own")
    if folder is None and split is not None:
        raise InputError("only corpora have splits; leave out --split")
    gold, name = _named(folder, split or "dev") if folder is not None else _own(file or Path(), kind, ids)
    for note in gold.corpus.notes:
        say("cdcoref", note)
    from cdcoref.evaluation import evaluate as evaluate_model
    from cdcoref.predict import load

    predictor = load(model, device=device, precision=precision)
    with StageProgress() as progress:
        results = evaluate_model(
            predictor,
            gold.of_kind(kind),
            mentions=mentions,
            batch_tokens=batch_tokens,
            candidates=candidates,
            progress=progress.update,
        )
    results = {"corpus": name, "model": model, **results}
    if as_json:
        print(json.dumps(results, indent=2))
    else:
        from cdcoref.views import evaluation_text

        print(evaluation_text(results))


def _named(folder: CorpusFolder, split: Split) -> tuple[AnnotatedCorpus, str]:
    return folder.read(split), f"{folder.info.title} {split}"


def _own(file: Path, kind: str, ids: IdScope | None) -> tuple[AnnotatedCorpus, str]:
    from cdcoref.corpora import annotated_corpora
    from cdcoref.formats import read_corpus

    loaded = read_corpus([str(file)], kind=None if kind == "both" else kind, ids=ids)
    if loaded.problems:
        raise InputError(loaded.problems[0])
    return annotated_corpora(loaded.corpus)[0], str(file)
