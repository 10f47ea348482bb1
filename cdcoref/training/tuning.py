"""What is chosen on the dev split: thresholds, temperatures and weights, and the scores that result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from cdcoref.corpora import AnnotatedCorpus, Corpora, annotated_corpora, joined
from cdcoref.corpus import KINDS, Corpus, Mention
from cdcoref.linking import (
    Comparison,
    KindClusters,
    PairEvidence,
    PairLogits,
    SpanScores,
    all_pairs,
    annotated_only,
    find_mentions,
    read_vectors,
)
from cdcoref.model import CorefConfig, CorefModel, KindScores, VectorOptions
from cdcoref.predict import Progress, summed
from cdcoref.reading import Reading, Readings
from cdcoref.scoring import CONLL, score
from cdcoref.training.sources import READ_TOKENS, cluster_numbers, linkable_groups, story_setting

DISTANCE_THRESHOLDS = tuple(round(0.02 * step, 2) for step in range(5, 50))
DETECTION_THRESHOLDS = tuple(round(0.05 * step, 2) for step in range(3, 18))
SINGLETONS: tuple[Literal["keep", "remove"], ...] = ("keep", "remove")
CALIBRATION_BINS = 15


def tune(
    model: CorefModel,
    dev: Corpora,
    *,
    kinds: Sequence[str] = KINDS,
    progress: Progress = lambda stage, done, total: None,
) -> tuple[CorefConfig, dict[str, KindScores]]:
    """Choose temperature and distance threshold of every kind on `dev`, and score the model there.

    The threshold has the highest CoNLL F1 (gold mentions, predicted topics, the mean with and without singletons, the
    mean over corpora). Pronouns have a temperature of their own, kept as their `antecedent_weight`. The detector is
    scored on each corpus in its style, at its thresholds (:func:`tune_styles`), for kinds that are annotated
    completely.
    """
    parts = annotated_corpora(dev)
    dev = joined(parts)
    part_of = [number for number, part in enumerate(parts) for _ in part.corpus.mentions]
    groups = [group for part in parts for group in linkable_groups(part)]
    pairs = all_pairs(groups)
    compared = summed(progress, "comparing", len(dev.documents) + len(pairs))
    readings = Readings(dev)
    logits = Comparison(model, readings, pairs).run(batch_tokens=READ_TOKENS, advance=compared)
    found = None if model.detector is None else _found_in_own_style(model, parts)
    temperature = dict(model.settings.temperature)
    distance = dict(model.settings.distance_threshold)
    scores: dict[str, KindScores] = {}
    is_pronoun = readings.pronouns(model.settings.vectors.with_antecedents)
    of_pronouns = is_pronoun[logits.first] | is_pronoun[logits.second]
    combine = model.settings.vectors.combine
    for kind in kinds:
        of_kind = logits.kinds == KINDS.index(kind)
        chosen = of_kind & ~of_pronouns
        labels = same_cluster(dev, logits)[chosen]
        before = calibration_error(_probability(logits.logits[chosen], 1.0), labels)
        temperature[kind] = fit_temperature(logits.logits[chosen], labels)
        after = calibration_error(_probability(logits.logits[chosen], temperature[kind]), labels)
        if (of_kind & of_pronouns).any():
            settled = logits.of_pairs(of_kind & of_pronouns)
            own_temperature = fit_temperature(settled.logits, same_cluster(dev, settled))
            combination = combine.of_kind(kind)
            weight = combination.antecedent_weight * round(temperature[kind] / own_temperature, 4)
            combine = combine.with_kind(kind, replace(combination, antecedent_weight=weight))
        cuts = Cuts(readings, logits, temperature, kind, model.settings, part_of)
        distance[kind], conll_f1 = best_distance_threshold(cuts)
        exactly = by_head = None
        if found is not None:
            ids = {d.id for part in parts if kind in part.info.exhaustive for d in part.corpus.documents}
            sides = dev.subset(ids).of_kind(kind).mentions, found.subset(ids).of_kind(kind).mentions
            exactly, by_head = (span_scores(*sides, by_head=head) for head in (False, True))
        scores[kind] = KindScores(conll_f1, after, before, exactly, by_head)
    config = replace(
        model.settings,
        vectors=replace(model.settings.vectors, combine=combine),
        temperature=temperature,
        distance_threshold=distance,
    )
    return config, scores


def weigh(model: CorefModel, dev: Corpora) -> VectorOptions:
    """Choose how both encoders' logits combine (:func:`fit_weights`), first the weight on which candidates depend."""
    parts = annotated_corpora(dev)
    known = [Readings(part.corpus, read_vectors(model, part.corpus, batch_tokens=READ_TOKENS)) for part in parts]
    for read in (False, True):
        evidence = []
        for part, readings in zip(parts, known, strict=True):
            pairs = all_pairs(linkable_groups(part, story_setting(part.corpus)))
            comparison = Comparison(model, readings, pairs)
            evidence.append(comparison.evidence(batch_tokens=READ_TOKENS, read=read))
        options = fit_weights(model.settings.vectors, parts, evidence)
        model.settings = replace(model.settings, vectors=options)
    return model.settings.vectors


def fit_weights(
    options: VectorOptions, parts: Sequence[AnnotatedCorpus], evidence: Sequence[PairEvidence]
) -> VectorOptions:
    """Fit by logistic regression how the logits of both encoders are combined; every corpus weighs the same.

    Across documents, corpora count whose links cross documents; within them, those that annotate all mentions of the
    kind. Without a pair that the cross-encoder read, both count the same.
    """
    crossing = [part.info.cross_document for part in parts]
    for kind in KINDS:
        of_kind = [(found.kinds == KINDS.index(kind)) & ~found.antecedents for found in evidence]
        read = [(found.kinds == KINDS.index(kind)) & ~np.isnan(found.cross_encoder) for found in evidence]
        across = [chosen & ~found.within for chosen, found in zip(read, evidence, strict=True)]
        within = [chosen & found.within for chosen, found in zip(read, evidence, strict=True)]
        complete = [kind in part.info.exhaustive for part in parts]
        (unread_weight,), unread_bias = _fitted(parts, evidence, of_kind, crossing, cross_encoder=False)
        (cross_across, bi_across), bias = _fitted(parts, evidence, across, crossing)
        (cross_within, bi_within), bias_within = _fitted(parts, evidence, within, complete)
        combination = replace(
            options.combine.of_kind(kind),
            cross_encoder_weight=cross_across,
            bi_encoder_weight=bi_across,
            bias=bias,
            cross_encoder_weight_within=cross_within,
            bi_encoder_weight_within=bi_within,
            bias_within=bias_within,
            unread_weight=unread_weight,
            unread_bias=unread_bias,
        )
        options = replace(options, combine=options.combine.with_kind(kind, combination))
    return options


def _fitted(
    parts: Sequence[AnnotatedCorpus],
    evidence: Sequence[PairEvidence],
    chosen: Sequence[NDArray[np.bool_]],
    use: Sequence[bool],
    *,
    cross_encoder: bool = True,
) -> tuple[list[float], float]:
    """Weights (0 or more) and bias of a logistic regression on pairs of the corpora to use, or else of all."""
    from sklearn.linear_model import LogisticRegression

    kept = [n for n in range(len(parts)) if use[n] or not any(use)]
    labels = [same_cluster(parts[n].corpus, evidence[n])[chosen[n]] for n in kept]
    features = []
    for n in kept:
        columns = [evidence[n].cross_encoder] if cross_encoder else []
        features.append(np.stack([*columns, evidence[n].bi_encoder], axis=1)[chosen[n]])
    rows, truth = np.concatenate(features), np.concatenate(labels)
    columns = rows.shape[1]
    if truth.all() or not truth.any():
        return [1 / columns] * columns, 0.0
    weights = np.concatenate([np.full(len(part), len(truth) / max(1, len(part)) / len(labels)) for part in labels])
    fitted = LogisticRegression(C=100.0, max_iter=1000).fit(rows, truth, sample_weight=weights)
    return [max(0.0, round(float(weight), 4)) for weight in fitted.coef_[0]], round(float(fitted.intercept_[0]), 4)


def same_cluster(corpus: Corpus, logits: PairLogits | PairEvidence) -> NDArray[np.bool_]:
    """Whether the two mentions of every pair are annotated as coreferent. *Shape:* (pairs,)"""
    labels = cluster_numbers(corpus)
    return labels[logits.first] == labels[logits.second]


def fit_temperature(logits: NDArray[np.float32], labels: NDArray[np.bool_]) -> float:
    """The temperature that maximises the labels' likelihood (Guo et al. 2017, section 4.2); 1 if they are all equal."""
    if labels.all() or not labels.any():
        return 1.0
    signed = np.where(labels, 1.0, -1.0) * logits.astype(np.float64)

    def loss(log_temperature: float) -> float:
        return float(np.logaddexp(0.0, -signed / np.exp(log_temperature)).mean())

    return float(np.exp(minimize_scalar(loss, bounds=(np.log(0.05), np.log(20.0)), method="bounded").x))


def calibration_error(probabilities: NDArray[np.float64], labels: NDArray[np.bool_]) -> float:
    """Expected calibration error: mean gap between the predicted and the true share over 15 bins, weighted by size."""
    if not len(labels):
        return 0.0
    bins = np.minimum((probabilities * CALIBRATION_BINS).astype(np.int64), CALIBRATION_BINS - 1)
    predicted = np.bincount(bins, weights=probabilities, minlength=CALIBRATION_BINS)
    actual = np.bincount(bins, weights=labels, minlength=CALIBRATION_BINS)
    return float(np.abs(predicted - actual).sum() / len(labels))


def best_distance_threshold(cuts: Cuts) -> tuple[float, float]:
    """The distance threshold with the best mean F1, singletons kept and removed, up to 0.04 away; F1 with them."""
    results: list[float] = []
    kept: list[float] = []
    for threshold in DISTANCE_THRESHOLDS:
        sides = cuts.sides(threshold)
        scores = [
            score(*both, metrics=CONLL, singletons=singletons).conll_f1 or 0.0
            for singletons in SINGLETONS
            for both in sides
        ]
        kept.append(sum(scores[: len(sides)]) / max(1, len(sides)))
        results.append(sum(scores) / max(1, len(scores)))
    threshold = smoothed_best(DISTANCE_THRESHOLDS, results)
    return threshold, kept[DISTANCE_THRESHOLDS.index(threshold)]


class Cuts:
    """The clusters of one kind at any distance threshold, beside the annotated ones, for each corpus (`part_of`)."""

    def __init__(
        self,
        readings: Readings,
        logits: PairLogits,
        temperature: Mapping[str, float],
        kind: str,
        config: CorefConfig,
        part_of: Sequence[int] | None = None,
    ) -> None:
        dev = readings.corpus
        self._dev = dev
        self._clusters = KindClusters(readings, logits, kind, config, temperature)
        parts: dict[int, list[int]] = {}
        for number, mention in enumerate(dev.mentions):
            if mention.kind == kind:
                parts.setdefault(part_of[number] if part_of is not None else 0, []).append(number)
        self._parts = list(parts.values())
        self._keys = [list(_by_name(dev, own, [dev.mentions[n].cluster for n in own])) for own in self._parts]

    def sides(self, threshold: float) -> list[tuple[list[list[object]], list[list[object]]]]:
        """Annotated and found clusters of every corpus."""
        labels = self._clusters.cut(threshold)
        found = [list(_by_name(self._dev, own, [int(labels[n]) for n in own])) for own in self._parts]
        return list(zip(self._keys, found, strict=True))


def _by_name(corpus: Corpus, numbers: Sequence[int], names: Sequence[object]) -> Iterable[list[object]]:
    """The keys of mentions whose clusters have one name; a mention without a name is a cluster of its own."""
    clusters: dict[object, list[object]] = {}
    for number, name in zip(numbers, names, strict=True):
        own = ("alone", number) if name is None else name
        clusters.setdefault(own, []).append(corpus.mentions[number].key)
    return clusters.values()


def _found_in_own_style(model: CorefModel, parts: Sequence[AnnotatedCorpus]) -> Corpus:
    """The corpora with detected mentions in place of their own, in the annotated sentences, each in its style."""
    found: list[AnnotatedCorpus] = []
    for part in parts:
        with model.in_style(*part.info.styles):
            corpus = find_mentions(model, part.corpus, batch_tokens=READ_TOKENS)
        found.append(replace(part, corpus=annotated_only(corpus)))
    return joined(found)


def detected(corpus: Corpus, spans: Sequence[tuple[Reading, SpanScores]], thresholds: Mapping[str, float]) -> Corpus:
    """The corpus with the detected mentions of its annotated sentences in place of its own."""
    mentions = [m for reading, scores in spans for m in scores.select(reading, thresholds)]
    return annotated_only(replace(corpus, mentions=tuple(mentions)))


def span_scores(
    gold: Sequence[Mention], found: Sequence[Mention], *, by_head: bool = False
) -> tuple[float, float, float]:
    """Precision, recall and F1 of detected mentions: exact, or by their last word, in English usually the head."""

    def places(mentions: Sequence[Mention]) -> set[object]:
        return {(m.document, m.tokens[-1]) if by_head else m.key for m in mentions}

    right = len(places(gold) & places(found))
    precision = right / len(places(found)) if found else 0.0
    recall = right / len(places(gold)) if gold else 0.0
    return precision, recall, 2 * precision * recall / (precision + recall) if right else 0.0


def _probability(logits: NDArray[np.float32], temperature: float) -> NDArray[np.float64]:
    return 0.5 * (1.0 + np.tanh(0.5 * logits.astype(np.float64) / temperature))


def smoothed_best(candidates: Sequence[float], results: Sequence[float]) -> float:
    """The candidate with the highest mean over its own result and the two on either side; of equal ones the middle."""
    sums, counts = (np.convolve(values, np.ones(5), mode="same") for values in (results, np.ones(len(results))))
    means = np.round(sums / counts, 12)
    equal = np.flatnonzero(means == means.max())
    return candidates[equal[len(equal) // 2]]
