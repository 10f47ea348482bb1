"""``cdcoref evaluate``: the command line of :mod:`cdcoref.evaluation`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from cdcoref.cli.corpus_options import CorpusOption, EcbOption, IdsOption, Split, SplitOption, corpus_or_files
from cdcoref.cli.model_options import (
    MENTIONS,
    OUTPUT,
    BatchOption,
    CandidatesOption,
    DeviceOption,
    Kind,
    ModelOption,
    PrecisionOption,
    given,
)
from cdcoref.cli.progress import StageProgress
from cdcoref.errors import InputError
from cdlm.printing import say

if TYPE_CHECKING:
    from cdcoref.corpora import AnnotatedCorpus, CorpusFolder
    from cdcoref.formats import IdScope


EXAMPLES = (
    "cdcoref evaluate --ecb-root ecb+/ --split test",
    "cdcoref evaluate --corpus gum:gum/ --mentions predicted",
    "cdcoref evaluate my-annotation.jsonl --model my-model --json",
)


def evaluate(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE",
            help="Annotated file of your own (.jsonl, .conll), instead of a corpus.",
        ),
    ] = None,
    corpus: CorpusOption = None,
    ecb_root: EcbOption = None,
    split: SplitOption = None,
    ids: IdsOption = None,
    kind: Annotated[
        Kind,
        typer.Option(
            help="Kind of mentions to score; also the kind of those in CoNLL files, which do not state it.",
            rich_help_panel=MENTIONS,
        ),
    ] = "both",
    mentions: Annotated[
        Literal["gold", "predicted"],
        typer.Option(help="Cluster the annotated mentions, or those that the model detects.", rich_help_panel=MENTIONS),
    ] = "gold",
    model: ModelOption = "default",
    candidates: CandidatesOption = None,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json",
            help="Print all results as JSON, with scores from 0 to 1, instead of a table.",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
    device: DeviceOption = None,
    precision: PrecisionOption = "auto",
    batch_tokens: BatchOption = None,
) -> None:
    """Evaluate a model with predicted and gold topics, alongside the lemma baseline.

    A corpus whose links stay within documents is scored within documents. Only what a corpus annotates is scored.
    """
    from cdcoref.linking import LinkingOptions

    options = LinkingOptions(candidates=candidates, **given(batch_tokens=batch_tokens))
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
            options=options,
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
