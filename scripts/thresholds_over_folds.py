#!/usr/bin/env python
"""How much the distance thresholds depend on the texts on which they are chosen: folds over annotated documents.

    python scripts/thresholds_over_folds.py ecb:DIR meantime:DIR gum-heads:DIR litbank:DIR --model default

Gold mentions of a split are compared once. The topics of every corpus (its documents, if it has one topic or none) are
then divided into folds, at random and several times. For each fold the threshold is chosen on the others as
:func:`cdcoref.training.tune` chooses it, by the mean of CoNLL F1 with and without singletons over the corpora, and
judged on that fold, beside the threshold that the model has. Printed are, for each kind, the thresholds chosen and both
means.
"""

from __future__ import annotations

import argparse
from collections.abc import Collection, Mapping, Sequence
from statistics import mean, median

import numpy as np
from numpy.typing import NDArray

from cdcoref.corpora import AnnotatedCorpus, CorpusFolder
from cdcoref.corpus import KINDS
from cdcoref.linking import Comparison, KindClusters, all_pairs
from cdcoref.model import CorefModel
from cdcoref.predict import load
from cdcoref.reading import Readings
from cdcoref.scoring import CONLL, score
from cdcoref.training import DISTANCE_THRESHOLDS, linkable_groups, smoothed_best
from cdlm.runs import say_on_stderr

BATCH_TOKENS = 8192


class Judged:
    """The mentions of one kind in a corpus, with their clusters at every threshold.

    Attributes
    ----------
    units
        What is divided into folds: the topic or document of every mention.
    """

    def __init__(self, part: AnnotatedCorpus, kind: str, labels: Mapping[float, NDArray[np.integer]]) -> None:
        corpus = part.corpus
        topics = {document.id: document.topic for document in corpus.documents}
        several = len(set(topics.values())) > 1
        self._own = [n for n, mention in enumerate(corpus.mentions) if mention.kind == kind]
        self._mentions, self._labels = corpus.mentions, labels
        self.units = {
            n: (several and topics[corpus.mentions[n].document]) or corpus.mentions[n].document for n in self._own
        }

    def f1(self, threshold: float, units: Collection[str]) -> float | None:
        """Mean of CoNLL F1 with and without singletons, of the mentions of some units; None if there are none."""
        gold: dict[object, list[object]] = {}
        found: dict[object, list[object]] = {}
        for n in self._own:
            if self.units[n] in units:
                mention = self._mentions[n]
                name = ("alone", n) if mention.cluster is None else mention.cluster
                gold.setdefault(name, []).append(mention.key)
                found.setdefault(int(self._labels[threshold][n]), []).append(mention.key)
        if not gold:
            return None
        sides = list(gold.values()), list(found.values())
        return mean(score(*sides, metrics=CONLL, singletons=kept).conll_f1 or 0.0 for kept in ("keep", "remove"))


def judged(model: CorefModel, part: AnnotatedCorpus) -> dict[str, Judged]:
    """The corpus linked at every threshold, by kind."""
    logits = Comparison(model, Readings(part.corpus), all_pairs(linkable_groups(part))).run(batch_tokens=BATCH_TOKENS)
    found = {}
    for kind in (kind for kind in KINDS if part.corpus.of_kind(kind).mentions):
        clusters = KindClusters(Readings(part.corpus), logits, kind, model.settings)
        found[kind] = Judged(part, kind, {t: clusters.cut(t) for t in _thresholds(model, kind)})
    return found


def _thresholds(model: CorefModel, kind: str) -> list[float]:
    return sorted({*DISTANCE_THRESHOLDS, model.settings.distance_threshold[kind]})


def mean_f1(parts: Sequence[Judged], threshold: float, kept: Collection[tuple[int, str]]) -> float:
    """Mean over the corpora, of the mentions of some units: numbers of corpora and names."""
    values = [part.f1(threshold, {name for of, name in kept if of == number}) for number, part in enumerate(parts)]
    return mean(value for value in values if value is not None)


def over_folds(
    parts: Sequence[Judged], own: float, folds: int, divisions: int
) -> tuple[list[float], list[tuple[float, float]]]:
    """The threshold chosen for every fold of every division; and, of each, how it and the model's own do there."""
    units = sorted({(number, unit) for number, part in enumerate(parts) for unit in part.units.values()})
    chosen: list[float] = []
    results: list[tuple[float, float]] = []
    for division in range(divisions):
        order = np.random.default_rng(division).permutation(len(units))
        for fold in range(folds):
            left_out = {units[place] for place in order[fold::folds]}
            rest = [unit for unit in units if unit not in left_out]
            curve = [mean_f1(parts, threshold, rest) for threshold in DISTANCE_THRESHOLDS]
            chosen.append(smoothed_best(DISTANCE_THRESHOLDS, curve))
            results.append((mean_f1(parts, chosen[-1], left_out), mean_f1(parts, own, left_out)))
    return chosen, results


def main() -> None:
    """Parse the command line and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="+", metavar="NAME:DIR", help="annotated corpora")
    parser.add_argument("--model", default="default", help="default: %(default)s")
    parser.add_argument("--split", default="dev", help="default: %(default)s")
    parser.add_argument("--folds", type=int, default=5, help="default: %(default)s")
    parser.add_argument("--divisions", type=int, default=3, help="how often they are drawn; default: %(default)s")
    arguments = parser.parse_args()
    model = load(arguments.model).model
    found: dict[str, list[Judged]] = {kind: [] for kind in KINDS}
    for name in arguments.corpora:
        part = CorpusFolder.parse(name).read(arguments.split)
        say_on_stderr(f"linking {part.info.title}")
        for kind, of_kind in judged(model, part).items():
            found[kind].append(of_kind)
    print("| kind | the model's threshold | chosen on the other folds | median | F1 with those | with the model's |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for kind, parts in found.items():
        if parts:
            own = model.settings.distance_threshold[kind]
            chosen, results = over_folds(parts, own, arguments.folds, arguments.divisions)
            means = " | ".join(f"{100 * mean(values):.2f}" for values in zip(*results, strict=True))
            print(f"| {kind} | {own} | {min(chosen)} to {max(chosen)} | {median(chosen)} | {means} |")


if __name__ == "__main__":
    main()
