#!/usr/bin/env python
"""How well mentions are compared on topics that were not trained on: folds over the train topics of ECB+.

    python scripts/cross_validate.py --ecb-root DIR --meantime DIR --gum DIR --seeds 0 1 2
    python scripts/cross_validate.py ... --set 'similarities=["mention", "sentence", "document", "story"]'
    python scripts/cross_validate.py ... --folds 3 --litbank DIR --runs RUNS

**The bi-encoder.** Its scorers of pairs are fitted on all folds but one, on MEANTIME and on the CC BY genres of GUM
(and on Invented Texts with --invented), and compare the mentions of the one; the threshold is the median of those that
are best on the other folds. The encoder is all-MiniLM-L6-v2 as it is, which has seen none of the topics; documents are
not read together, entities learn no vectors, and pronouns are compared as other mentions are. --set changes the
options of the scorers (cdcoref.model.VectorOptions), and `other_story`, which is added to the logit of two mentions of
different predicted stories.

**The whole model** (--runs): for each fold an encoder and a pair scorer are trained without it, in a folder of RUNS
(RUNS/0, RUNS/1, ...; one that is there is not trained again, one that was interrupted is resumed), with the fold's
number added to the random seed, and heads are fitted without it; the better epoch is that on the first dev topic. The
weights of cross-encoder and bi-encoder, and the thresholds, are chosen on the other folds, each scored by its model.
All pairs of events are read together. The recipe is that of the default model. Without --invented, the heads that
compare mentions are those of the preset `small`, in which only entities learn vectors.

Gold mentions, both subtopics of a topic in one group; CoNLL F1 with and without singletons, beside equal head lemmas.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from cdcoref.corpora import AnnotatedCorpus, CorpusFolder
from cdcoref.corpus import KINDS, Corpus
from cdcoref.linking import (
    Comparison,
    KindClusters,
    MentionVectors,
    PairEvidence,
    PairLogits,
    all_pairs,
    lemma_clusters,
    read_vectors,
)
from cdcoref.model import CorefConfig, CorefModel, VectorOptions
from cdcoref.scoring import CONLL, score
from cdcoref.training import (
    PRESETS,
    PairExamples,
    TrainingConfig,
    best_distance_threshold,
    fit_pair_scorers,
    fit_weights,
    linkable_groups,
    pair_examples,
    train,
)
from cdlm.runs import say_on_stderr
from cdlm.settings import parse_settings, with_settings
from cdlm.starting_encoders import encoder_folder

Clusters = list[list[object]]
BATCH_TOKENS = 8192
RECIPE = PRESETS["all-corpora"]


def untrained(options: VectorOptions) -> CorefModel:
    """A model whose encoder was not fine-tuned."""
    with encoder_folder(PRESETS["small"].encoder) as folder:
        settings = CorefConfig(linkage=PRESETS["small"].model.linkage, vectors=options)
        model = CorefModel.from_encoder(folder, settings).eval()
    model.inference_dtype = torch.bfloat16
    return model


def topics_of(corpus: Corpus) -> list[str]:
    """The topics, in the order of their numbers."""
    return sorted({document.topic or "" for document in corpus.documents}, key=lambda topic: (len(topic), topic))


def folds_of(corpus: Corpus, count: int) -> list[list[str]]:
    """The topics, in turns."""
    topics = topics_of(corpus)
    return [topics[number::count] for number in range(count)]


def of_topics(part: AnnotatedCorpus, topics: Sequence[str]) -> AnnotatedCorpus:
    """The documents of some topics."""
    return replace(part, corpus=part.corpus.subset([d.id for d in part.corpus.documents if d.topic in topics]))


def compared(
    model: CorefModel, part: AnnotatedCorpus, vectors: MentionVectors, story_of: Mapping[str, int]
) -> PairLogits:
    """Logits of the pairs of mentions of one topic."""
    pairs = all_pairs(linkable_groups(part, "gold_topic"))
    logits = Comparison(model, part.corpus, pairs, vectors=vectors).run(batch_tokens=BATCH_TOKENS)
    return logits.across_stories(part.corpus, story_of, model.settings.vectors.combine)


def stories_of(part: AnnotatedCorpus) -> dict[str, int]:
    """The number of every document's predicted story."""
    return {name: number for number, story in enumerate(linkable_groups(part, "predicted")) for name in story}


def clusters_of(corpus: Corpus, labels: Sequence[object], kind: str) -> Clusters:
    """Mentions of a kind by label, as their keys."""
    found: dict[object, list[object]] = {}
    for number, mention in enumerate(corpus.mentions):
        if mention.kind == kind:
            label = labels[number]
            found.setdefault(("alone", number) if label is None else label, []).append(mention.key)
    return list(found.values())


def one_round(
    model: CorefModel,
    ecb: AnnotatedCorpus,
    vectors: MentionVectors,
    examples: Mapping[str, PairExamples],
    others: Sequence[tuple[str, Mapping[str, PairExamples]]],
    folds: Sequence[Sequence[str]],
    seed: int,
) -> dict[str, list[float]]:
    """The scores of the scorers over all folds with one random seed, by kind: with singletons and without."""
    topic_of = {document.id: document.topic for document in ecb.corpus.documents}
    topics = [topic_of[mention.document] for mention in ecb.corpus.mentions]
    held: list[tuple[Corpus, PairLogits]] = []
    story_of = stories_of(ecb)
    for number, fold in enumerate(folds):
        inside = np.array([topic in fold for topic in topics])
        rest = {kind: pairs.of_mentions(~inside) for kind, pairs in examples.items()}
        torch.manual_seed(seed * len(folds) + number)
        model.add_vectors(model.settings.vectors)
        rng = np.random.default_rng((seed, number))
        fit_pair_scorers(model, [("ecb", rest), *others], [], RECIPE.vectors, rng=rng, say=say_on_stderr)
        part = of_topics(ecb, fold)
        held.append((part.corpus, compared(model, part, vectors.take(np.flatnonzero(inside)), story_of)))
    return pooled_scores([held] * len(held), model)


def recipe(seed: int, corpora: Sequence[str]) -> TrainingConfig:
    """How the model of a fold is trained: as the default model, but without a detector, and with all candidates."""
    vectors = RECIPE.model.vectors if "invented" in corpora else PRESETS["small"].model.vectors
    settings = {"run.seed": seed, "model.detector.word_layers": 0, "corpora.only_detector": (), "int8": True}
    config = with_settings(RECIPE.for_corpora(corpora), settings)
    return replace(config, model=replace(config.model, vectors=replace(vectors, candidates=0)))


def whole_round(
    ecb: AnnotatedCorpus,
    dev: AnnotatedCorpus,
    others: Sequence[AnnotatedCorpus],
    folds: Sequence[Sequence[str]],
    runs: Path,
    seed: int,
) -> dict[str, list[float]]:
    """The scores of whole models over all folds, by kind: with singletons and without."""
    held: list[AnnotatedCorpus] = []
    evidence: list[PairEvidence] = []
    corpora = [part.info.name for part in (ecb, *others)]
    for number, fold in enumerate(folds):
        say_on_stderr(f"fold {number + 1} of {len(folds)}: topics {', '.join(fold)}")
        rest = of_topics(ecb, [topic for other in folds if other != fold for topic in other])
        run, first_dev = runs / str(number), of_topics(dev, topics_of(dev.corpus)[:1])
        model = train(recipe(seed + number, corpora), [rest, *others], [first_dev], run, resume=run.exists())
        model.inference_dtype = torch.bfloat16
        held.append(of_topics(ecb, fold))
        pairs = all_pairs(linkable_groups(held[-1], "gold_topic"))
        evidence.append(Comparison(model, held[-1].corpus, pairs).evidence(batch_tokens=BATCH_TOKENS))
    options = recipe(seed, corpora).model.vectors
    logits = []
    story_of = stories_of(ecb)
    for number in range(len(folds)):
        rest_held, rest_found = held[:number] + held[number + 1 :], evidence[:number] + evidence[number + 1 :]
        weights = fit_weights(options, rest_held, rest_found)
        logits.append(
            [
                (part.corpus, own.combine(weights).across_stories(part.corpus, story_of, weights.combine))
                for part, own in zip(held, evidence, strict=True)
            ]
        )
    return pooled_scores(logits, model)


def pooled_scores(held: Sequence[Sequence[tuple[Corpus, PairLogits]]], model: CorefModel) -> dict[str, list[float]]:
    """The scores over all folds together, with thresholds from the other folds, by kind.

    Parameters
    ----------
    held
        For every fold, the logits of all folds under the settings chosen without it: a threshold is comparable only
        between logits that were combined in the same way.
    model
        The model whose settings cluster the mentions.
    """
    scores: dict[str, list[float]] = {}
    for kind in KINDS:
        best: dict[int, float] = {}
        for corpus, logits in (pair for folds in held for pair in folds):
            if id(logits) not in best:  # all folds may have been judged by the same
                temperature = model.settings.temperature
                best[id(logits)], _ = best_distance_threshold(corpus, logits, temperature, kind, model.settings)
        gold: Clusters = []
        found: Clusters = []
        for number, folds in enumerate(held):
            threshold = statistics.median(best[id(own)] for _, own in [*folds[:number], *folds[number + 1 :]])
            corpus, logits = folds[number]
            labels = KindClusters(corpus, logits, kind, model.settings).cut(threshold)
            gold += clusters_of(corpus, [m.cluster for m in corpus.mentions], kind)
            found += clusters_of(corpus, labels.tolist(), kind)
        scores[kind] = both_scores(gold, found)
    return scores


def both_scores(gold: Clusters, found: Clusters) -> list[float]:
    """CoNLL F1 in percent with singletons, and without."""
    kept = score(gold, found, metrics=CONLL, singletons="keep").conll_f1
    removed = score(gold, found, metrics=CONLL, singletons="remove").conll_f1
    return [100 * (kept or 0.0), 100 * (removed or 0.0)]


def main() -> None:
    """Parse the command line, run all rounds, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("ecb-root", "meantime", "gum"):
        parser.add_argument(f"--{name}", type=Path, required=True, help="folder of the corpus")
    parser.add_argument("--litbank", type=Path, help="folder of LitBank, for --runs")
    parser.add_argument("--invented", type=Path, help="folder of Invented Texts, to train on it as well")
    parser.add_argument("--runs", type=Path, help="judge whole models, trained in this folder")
    parser.add_argument("--folds", type=int, default=5, help="default: %(default)s")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0], help="random seeds; default: 0")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="change a setting")
    arguments = parser.parse_args()
    if arguments.runs is not None and (arguments.litbank is None or arguments.set or len(arguments.seeds) > 1):
        parser.error("--runs needs --litbank, and takes neither --set nor several seeds")
    of_ecb = CorpusFolder("ecb", arguments.ecb_root)
    ecb = of_ecb.read("train")
    folds = folds_of(ecb.corpus, arguments.folds)
    parts = [
        CorpusFolder("meantime", arguments.meantime).read("train"),
        CorpusFolder("gum-heads", arguments.gum).read("train"),
    ]
    if arguments.invented is not None:
        parts.append(CorpusFolder("invented", arguments.invented).read("train"))
    rounds = []
    if arguments.runs is not None:
        parts.append(CorpusFolder("litbank", arguments.litbank).read("train"))
        rounds.append(whole_round(ecb, of_ecb.read("dev"), parts, folds, arguments.runs, arguments.seeds[0]))
    else:
        parts = replace(RECIPE.corpora, topics_of_heads={}).for_heads(parts)
        plain = replace(PRESETS["small"].model.vectors, learnt=0, antecedents=0, cross_encoder_kinds=())
        model = untrained(with_settings(plain, parse_settings(arguments.set)))
        say_on_stderr("reading the corpora")
        examples = pair_examples(model, ecb, batch_tokens=BATCH_TOKENS)
        others = [(part.info.name, pair_examples(model, part, batch_tokens=BATCH_TOKENS)) for part in parts]
        vectors = read_vectors(model, ecb.corpus, batch_tokens=BATCH_TOKENS)
        say_on_stderr("fitting and scoring")
        for seed in arguments.seeds:
            rounds.append(one_round(model, ecb, vectors, examples, others, folds, seed))
            say_on_stderr(f"seed {seed}: {rounds[-1]}")
    lemma = lemma_clusters(ecb.corpus, linkable_groups(ecb, "gold_topic"))
    print("| kind | with singletons | without | lemma, with | without |\n| --- | ---: | ---: | ---: | ---: |")
    for kind in KINDS:
        gold = clusters_of(ecb.corpus, [m.cluster for m in ecb.corpus.mentions], kind)
        base = both_scores(gold, clusters_of(lemma, [m.cluster for m in lemma.mentions], kind))
        means = [_spread([one[kind][place] for one in rounds]) for place in (0, 1)]
        print(f"| {kind} | {' | '.join([*means, *(f'{value:.1f}' for value in base)])} |")


def _spread(values: Sequence[float]) -> str:
    return f"{statistics.mean(values):.1f}" + (f" ± {statistics.stdev(values):.1f}" if len(values) > 1 else "")


if __name__ == "__main__":
    main()
