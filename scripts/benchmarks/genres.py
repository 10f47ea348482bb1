"""Scores on genres of GUM that nothing was trained on, beside the lemma baseline: gold mentions, within documents.

The models that ship were trained on other genres; the dev split of these is among those on which thresholds were
chosen, the train split was not used. The table has CoNLL F1 in percent, with / without singletons.

    python scripts/benchmark.py genres --gum DIR --models small
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from cdcoref.corpora import AnnotatedCorpus, CorpusFolder
from cdcoref.corpus import KINDS
from cdcoref.evaluation import evaluate
from cdcoref.predict import load

GENRES = ("bio", "voyage")


def of_genre(part: AnnotatedCorpus, genre: str) -> AnnotatedCorpus:
    """The documents of one genre, which is the second part of their ids."""
    ids = [document.id for document in part.corpus.documents if document.id.split("_")[1] == genre]
    return replace(part, corpus=part.corpus.subset(ids))


def both(scores: Mapping[str, Any]) -> str:
    """CoNLL F1 with and without singletons."""
    return f"{100 * scores['conll_f1']:.1f} / {100 * scores['without_singletons']['conll_f1']:.1f}"


def main() -> None:
    """Parse the command line, score and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gum", type=Path, required=True, help="folder of GUM")
    parser.add_argument("--models", default="base,small", help="models, separated by commas; default: %(default)s")
    arguments = parser.parse_args()
    corpus = CorpusFolder("gum", arguments.gum)
    print("| model | genre | split | documents | kind | F1 | lemma baseline |")
    print("| --- | --- | --- | ---: | --- | ---: | ---: |")
    for model in arguments.models.split(","):
        predictor = load(model)
        for split in ("train", "dev"):
            for genre in GENRES:
                part = of_genre(corpus.read(split), genre)
                results = evaluate(predictor, part)
                for kind in KINDS:
                    (scores,) = results[kind].values()
                    values = both(scores), both(scores["lemma_baseline"])
                    cells = (model, genre, split, len(part.corpus.documents), kind, *values)
                    print(f"| {' | '.join(map(str, cells))} |", flush=True)


if __name__ == "__main__":
    main()
