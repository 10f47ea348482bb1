"""What candidates are worth: the number of candidates a mention against quality and cost, on an annotated corpus.

Gold mentions of one kind are linked within predicted topics. For every number of candidates (0: all pairs of mentions
are read together) a row says how many of the coreferent pairs are candidates, how many sequences of how many word
pieces were read, how long that took, and the CoNLL F1, singletons kept, at the model's threshold and at the best one on
this split.

    python scripts/benchmark.py candidates ecb:DIR --candidates 1,2,5,10,20,50,0
    python scripts/benchmark.py candidates ecb:DIR --candidates 5 --marking all,pair
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Literal, get_args

import numpy as np

from cdcoref.corpora import corpus_folders
from cdcoref.corpus import Corpus
from cdcoref.linking import (
    Comparison,
    KindClusters,
    LinkingOptions,
    MentionVectors,
    PairEvidence,
    PairLogits,
    all_pairs,
    candidate_pairs,
    read_vectors,
)
from cdcoref.model import CorefConfig, CorefModel
from cdcoref.predict import load
from cdcoref.scoring import score
from cdcoref.stories import group_documents

Marking = Literal["all", "pair"]
DISTANCES = np.arange(0.3, 0.96, 0.05)


def conll_f1(corpus: Corpus, logits: PairLogits, settings: CorefConfig, kind: str, distance: float) -> float:
    """CoNLL F1 in percent of the clusters at a distance threshold."""
    labels = KindClusters(corpus, logits, kind, settings).cut(distance)
    found = tuple(replace(m, cluster=str(label)) for m, label in zip(corpus.mentions, labels, strict=True))
    return 100 * (score(corpus, replace(corpus, mentions=found)).conll_f1 or 0.0)


def recall(corpus: Corpus, groups: Sequence[Sequence[str]], read: PairEvidence, chosen: np.ndarray) -> float:
    """How many of the coreferent pairs within groups are chosen, in percent."""
    group_of = {name: number for number, group in enumerate(groups) for name in group}
    numbers: dict[object, int] = {}
    keys = [(group_of[m.document], m.cluster) for m in corpus.mentions]
    cluster = np.array([numbers.setdefault(key, len(numbers)) for key in keys])
    sizes = np.bincount(cluster)
    coreferent = cluster[read.first] == cluster[read.second]
    return 100 * int((coreferent & chosen).sum()) / max(1, int((sizes * (sizes - 1) // 2).sum()))


def measure(
    model: CorefModel, corpus: Corpus, vectors: MentionVectors, count: int, marking: Marking, kind: str
) -> None:
    """Print the row of one number of candidates."""
    groups = group_documents(corpus.documents)
    options = LinkingOptions(candidates=count, marking=marking)
    comparison = Comparison(model, corpus, all_pairs(groups), options, vectors=vectors)
    started, started_cpu = time.perf_counter(), time.process_time()
    evidence = comparison.evidence(batch_tokens=8192)
    seconds, cpu = time.perf_counter() - started, time.process_time() - started_cpu
    settings = model.settings
    vector_options = replace(settings.vectors, candidates=count)
    chosen = candidate_pairs(evidence, corpus.mentions, vector_options).chosen
    extent = comparison.extent
    cells = [str(count), marking, f"{chosen.sum():,}", f"{recall(corpus, groups, evidence, chosen):.1f}"]
    cells += [f"{extent.sequences:,}", f"{extent.pieces:,}", f"{seconds:.0f}", f"{cpu:.0f}"]
    logits = evidence.combine(vector_options)
    own = settings.distance_threshold[kind]
    best = max((conll_f1(corpus, logits, settings, kind, float(d)), -float(d)) for d in DISTANCES)
    cells.append(f"{conll_f1(corpus, logits, settings, kind, own):.1f}, {best[0]:.1f} at {-best[1]:.2f}")
    print(f"| {' | '.join(cells)} |", flush=True)


def main() -> None:
    """Read the corpus once, and print a row for every number of candidates."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", help="NAME:DIR, as for cdcoref evaluate")
    parser.add_argument("--split", default="dev")
    parser.add_argument("--kind", default="event", choices=("event", "entity"))
    parser.add_argument("--candidates", default="1,2,5,10,20,50,0", help="numbers, separated by commas; 0: all pairs")
    parser.add_argument("--marking", default="all", help="all, pair, or both, separated by a comma")
    parser.add_argument("--model", default="default")
    arguments = parser.parse_args()
    markings = arguments.marking.split(",")
    if not set(markings) <= set(get_args(Marking)):
        parser.error("--marking must be all, pair or both")
    model = load(arguments.model).model
    corpus = corpus_folders([arguments.corpus])[0].read(arguments.split).corpus.of_kind(arguments.kind)
    started = time.process_time()
    vectors = read_vectors(model, corpus, batch_tokens=8192)
    groups = group_documents(corpus.documents)
    together = sum(1 for group in groups for _ in combinations(group, 2))
    print(
        f"{len(corpus.documents)} documents in {len(groups)} stories, {together:,} pairs of documents, "
        f"{len(corpus.mentions):,} mentions; read alone in {time.process_time() - started:.0f} s of processor time\n"
    )
    names = ["candidates", "marking", "pairs", "recall", "sequences", "word pieces", "seconds", "of one core"]
    names.append("CoNLL F1")
    print(f"| {' | '.join(names)} |\n|{' ---: |' * len(names)}", flush=True)
    for count in map(int, arguments.candidates.split(",")):
        for marking in markings:
            measure(model, corpus, vectors, count, marking, arguments.kind)


if __name__ == "__main__":
    main()
