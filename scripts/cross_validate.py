#!/usr/bin/env python
"""How well a recipe does on topics that were not trained on: folds over the train topics of the first corpus.

    python scripts/cross_validate.py --runs RUNS --preset base --folds 3 --corpus ecb:DIR --corpus invented:DIR

For each fold, `cdcoref train` runs in RUNS/0, RUNS/1, ... without its topics, and the model links the fold's gold
mentions. The table has CoNLL F1 in percent, with / without singletons. Finished runs are kept, others are resumed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import mean

from cdcoref.corpora import AnnotatedCorpus, CorpusFolder
from cdcoref.corpus import KINDS
from cdcoref.errors import InputError
from cdcoref.evaluation import evaluate
from cdcoref.predict import Predictor
from cdcoref.training import PRESETS, TrainingConfig, train
from cdlm.runs import say_on_stderr
from cdlm.settings import parse_settings, with_settings

Scores = dict[tuple[str, str], tuple[float, float]]
"""By kind and setting of the topics: CoNLL F1 in percent with singletons, and without."""


def topics_in_folds(part: AnnotatedCorpus, count: int) -> list[list[str]]:
    """The topics of each fold: in the order of their numbers, the first to the first fold, the second to the second."""
    topics = {document.topic or "" for document in part.corpus.documents}
    if not 1 < count <= len(topics):
        raise InputError(f"--folds must be from 2 to {len(topics)}, the number of topics")
    ordered = sorted(topics, key=lambda topic: (len(topic), topic))
    return [ordered[number::count] for number in range(count)]


def of_topics(part: AnnotatedCorpus, topics: Sequence[str], *, without: bool = False) -> AnnotatedCorpus:
    """The documents of some topics, or of all others."""
    kept = [document.id for document in part.corpus.documents if (document.topic in topics) != without]
    return replace(part, corpus=part.corpus.subset(kept))


def judged(
    config: TrainingConfig,
    parts: Sequence[AnnotatedCorpus],
    dev: Sequence[AnnotatedCorpus],
    topics: Sequence[str],
    run: Path,
) -> Scores:
    """Train without some topics of the first corpus, and score the model on these."""
    learnt = [of_topics(parts[0], topics, without=True), *parts[1:]]
    model = train(config, learnt, list(dev), run, resume=run.exists())
    results = evaluate(Predictor(model), of_topics(parts[0], topics))
    return {
        (kind, setting): (100 * scores["conll_f1"], 100 * scores["without_singletons"]["conll_f1"])
        for kind in KINDS
        for setting, scores in results.get(kind, {}).items()
    }


def table(folds: Sequence[Scores]) -> str:
    """Markdown with a row for each kind and setting."""
    heads = [f"fold {number + 1}" for number in range(len(folds))]
    rows = [["kind, topics", *heads, "mean"], ["---", *["---:"] * (len(folds) + 1)]]
    for kind, setting in folds[0]:
        values = [scores[kind, setting] for scores in folds]
        values.append((mean(kept for kept, _ in values), mean(removed for _, removed in values)))
        name = f"{kind}, {setting.replace('_', ' ')}"
        rows.append([name, *(f"{kept:.1f} / {removed:.1f}" for kept, removed in values)])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def main() -> None:
    """Parse the command line, train and score all folds, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=Path, required=True, help="folder for the models of the folds")
    parser.add_argument("--corpus", action="append", required=True, metavar="NAME:DIR", help="the first has the folds")
    parser.add_argument("--preset", choices=sorted(PRESETS), default="base", help="default: %(default)s")
    parser.add_argument("--folds", type=int, default=3, help="default: %(default)s")
    parser.add_argument("--seed", type=int, default=0, help="random seed; default: %(default)s")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="change a setting")
    arguments = parser.parse_args()
    folders = [CorpusFolder.parse(text) for text in arguments.corpus]
    settings = {**parse_settings(arguments.set), "run.seed": arguments.seed}
    config = with_settings(PRESETS[arguments.preset], settings).for_corpora([folder.info for folder in folders])
    parts = [folder.read("train") for folder in folders]
    dev = [folder.read("dev") for folder in folders if "dev" in folder.splits()]
    found: list[Scores] = []
    for number, topics in enumerate(topics_in_folds(parts[0], arguments.folds)):
        say_on_stderr(f"fold {number + 1} of {arguments.folds}: topics {', '.join(topics)}")
        found.append(judged(config, parts, dev, topics, arguments.runs / str(number)))
    print(table(found))


if __name__ == "__main__":
    try:
        main()
    except InputError as error:
        sys.exit(f"cross_validate.py: {error}")
