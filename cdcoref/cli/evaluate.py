"""``cdcoref evaluate``: the command line of :mod:`cdcoref.evaluation`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from cdcoref.cli.corpus_options import CorpusSplit
from cdcoref.cli.messages import StageProgress, say
from cdcoref.cli.model_options import CandidatesOption, Computing, Kind, ModelOption
from cdcoref.cli.option_groups import MENTIONS, OUTPUT, option
from cdcoref.errors import InputError

if TYPE_CHECKING:
    from cdcoref.corpora import AnnotatedCorpus

EXAMPLES = (
    "cdcoref evaluate --ecb-root ecb+/ --split test",
    "cdcoref evaluate --corpus gum:gum/ --mentions predicted",
    "cdcoref evaluate my-annotation.jsonl --model my-model --json",
)


def evaluate(
    corpus: CorpusSplit,
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
    model: ModelOption = "default",
    candidates: CandidatesOption = None,
    as_json: bool = option(
        False, "Print all results as JSON, with scores from 0 to 1, instead of a table.", "--json", panel=OUTPUT
    ),
) -> None:
    """Evaluate a model with predicted and gold topics, alongside the lemma baseline.

    A corpus whose links stay within documents is scored within documents. Only what a corpus annotates is scored.
    """
    from cdcoref.linking import LinkingOptions

    options = LinkingOptions(candidates=candidates, **computing.batch)
    gold, name = _gold(corpus, file, kind)
    say(*gold.corpus.notes)
    from cdcoref.evaluation import evaluate as evaluate_model

    predictor = computing.load(model)
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


def _gold(corpus: CorpusSplit, file: Path | None, kind: Kind) -> tuple[AnnotatedCorpus, str]:
    """The annotated corpus and its name."""
    folder = corpus.folder(file is not None, "one annotated file of your own")
    if folder is not None:
        split = corpus.split or "dev"
        return folder.read(split), f"{folder.info.title} {split}"
    from cdcoref.corpora import annotated_corpora
    from cdcoref.formats import read_corpus

    loaded = read_corpus([str(file)], kind=None if kind == "both" else kind, ids=corpus.ids)
    if loaded.problems:
        raise InputError(loaded.problems[0])
    return annotated_corpora(loaded.corpus)[0], str(file)
