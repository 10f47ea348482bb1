"""Thresholds and temperatures on problems whose answer is known, and on a dev corpus against the path of prediction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from cdcoref.corpora import CORPORA, AnnotatedCorpus
from cdcoref.corpus import KINDS, Corpus, Document, Mention
from cdcoref.formats import read_jsonl
from cdcoref.linking import Comparison, PairLogits, all_pairs, annotated_only, cluster_mentions, find_mentions
from cdcoref.model import CorefConfig
from cdcoref.reading import Readings
from cdcoref.scoring import score
from cdcoref.stories import group_documents
from cdcoref.training import (
    Cuts,
    best_distance_threshold,
    calibration_error,
    fit_temperature,
    smoothed_best,
    span_scores,
    tune,
)

if TYPE_CHECKING:
    from cdcoref.model import CorefModel

ONE = dict.fromkeys(KINDS, 1.0)


def logit(probability: float) -> float:
    return float(np.log(probability / (1 - probability)))


def pair_logits(size: int, kind: int, pairs: dict[tuple[int, int], float]) -> PairLogits:
    first, second = np.array(list(pairs)).T
    values = np.array([logit(p) for p in pairs.values()], dtype=np.float32)
    return PairLogits(size, first, second, np.full(len(pairs), kind), values)


def dev_corpus(clusters: Sequence[tuple[str, str | None]], **fields: object) -> Corpus:
    """A mention a word, each with its kind and its cluster."""
    document = replace(Document.from_sentences("d", [[f"w{n}" for n in range(len(clusters))]]), **fields)  # type: ignore[arg-type]
    return Corpus((document,), tuple(Mention("d", (n,), kind, name) for n, (kind, name) in enumerate(clusters)))


@pytest.mark.parametrize("temperature", [0.4, 1.0, 3.0])
def test_the_temperature_of_made_up_labels_is_found(temperature: float) -> None:
    rng = np.random.default_rng(11)
    logits = rng.normal(0, 4, 40_000).astype(np.float32)
    labels = rng.random(len(logits)) < 1 / (1 + np.exp(-logits / temperature))
    found = fit_temperature(logits, labels)
    assert found == pytest.approx(temperature, rel=0.05)
    scaled = 1 / (1 + np.exp(-logits.astype(float) / found))
    assert calibration_error(scaled, labels) < 0.01


def test_without_both_kinds_of_pairs_there_is_no_temperature_to_find() -> None:
    for labels in ([True, True], [False, False], []):
        assert fit_temperature(np.array([1.0, -1.0][: len(labels)], np.float32), np.array(labels, dtype=bool)) == 1.0


def test_calibration_error_by_hand() -> None:
    # In the bin of 0.9 two are expected to be 1.8 and are 1; in that of 0.1 two are expected to be 0.2 and are 0.
    error = calibration_error(np.array([0.9, 0.9, 0.1, 0.1]), np.array([True, False, False, False]))
    assert error == pytest.approx((0.8 + 0.2) / 4)
    assert calibration_error(np.array([0.0, 1.0]), np.array([False, True])) == 0
    assert calibration_error(np.array([0.0, 1.0]), np.array([True, False])) == 1
    assert calibration_error(np.zeros(0), np.zeros(0, dtype=bool)) == 0
    # Errors of opposite sign within one bin cancel: that is what a bin is.
    assert calibration_error(np.array([0.5, 0.5]), np.array([True, False])) == 0


def test_the_best_distance_threshold_is_in_the_middle_of_the_best() -> None:
    corpus = dev_corpus([("event", "a"), ("event", "a"), ("entity", "x"), ("event", "b"), ("event", "b")])
    across = dict.fromkeys([(0, 3), (0, 4), (1, 3), (1, 4)], 0.2)
    logits = pair_logits(5, 0, {(0, 1): 0.7, (3, 4): 0.61, **across})
    config = CorefConfig()
    # Perfect from above 0.39 to 0.7, for both clusters have two mentions: thresholds 0.40 to 0.68.
    threshold, f1 = best_distance_threshold(Cuts(Readings(corpus), logits, ONE, "event", config))
    assert f1 == 1.0
    assert threshold == pytest.approx(0.54, abs=0.021)
    # With twice the temperature distances move towards one half, and so does what is best.
    warm, f1 = best_distance_threshold(Cuts(Readings(corpus), logits, {"event": 2.0, "entity": 1.0}, "event", config))
    assert f1 == 1.0
    assert 0.445 < warm < 0.567
    merged = cluster_mentions(
        Readings(corpus.of_kind("event")),
        pair_logits(4, 0, {(0, 1): 0.7, (2, 3): 0.61, **dict.fromkeys([(0, 2), (0, 3), (1, 2), (1, 3)], 0.2)}),
        replace(config, distance_threshold={"event": threshold, "entity": 0.5}),
    )
    assert [len(c) for c in merged.clusters()] == [2, 2]


def test_singletons_count_in_the_choice_of_a_threshold() -> None:
    """One right link of probability 0.55 against many wrong ones of 0.5: it is better to stop before those."""
    corpus = dev_corpus([("entity", "a"), ("entity", "a"), *[("entity", None)] * 6])
    pairs = {(i, j): 0.5 for i in range(8) for j in range(i + 1, 8)} | {(0, 1): 0.55}
    threshold, f1 = best_distance_threshold(
        Cuts(Readings(corpus), pair_logits(8, 1, pairs), ONE, "entity", CorefConfig())
    )
    assert 0.45 < threshold <= 0.5
    assert f1 == 1.0


def test_precision_recall_and_f1_of_mentions() -> None:
    gold = [Mention("d", tokens, "event") for tokens in ((0,), (1, 2), (4,), (6, 7, 8))]
    found = [Mention("d", tokens, "event") for tokens in ((0,), (2,), (4,))] + [Mention("e", (0,), "event")]
    assert span_scores(gold, found) == pytest.approx((2 / 4, 2 / 4, 0.5))
    assert span_scores(gold, found, by_head=True) == pytest.approx((3 / 4, 3 / 4, 0.75))
    assert span_scores(gold, found[:1]) == pytest.approx((1.0, 1 / 4, 0.4))
    assert span_scores(gold, []) == span_scores([], found) == span_scores([], []) == (0.0, 0.0, 0.0)
    assert span_scores(gold, gold) == (1.0, 1.0, 1.0)


def test_what_is_tuned_is_what_prediction_reaches(tiny_model: CorefModel, sample: Path) -> None:
    dev = read_jsonl(sample / "dev_tiny.jsonl")
    config, scores = tune(tiny_model, dev)
    assert set(scores) == set(KINDS)
    untuned = tiny_model.settings
    assert replace(config, temperature=untuned.temperature, distance_threshold=untuned.distance_threshold) == untuned
    groups = group_documents(dev.documents, "predicted")
    logits = Comparison(tiny_model, Readings(dev), all_pairs(groups)).run(batch_tokens=4096)
    linked = cluster_mentions(Readings(dev), logits, config)
    found = annotated_only(find_mentions(tiny_model, dev, batch_tokens=4096))
    for kind in KINDS:
        key, response = ([[m.key for m in c] for c in corpus.of_kind(kind).clusters()] for corpus in (dev, linked))
        assert scores[kind].conll_f1 == pytest.approx(score(key, response).conll_f1, abs=1e-6)
        assert 0.05 <= config.temperature[kind] <= 20
        assert scores[kind].calibration_error <= scores[kind].calibration_error_before + 0.05
        sides = dev.of_kind(kind).mentions, found.of_kind(kind).mentions
        assert scores[kind].detection == pytest.approx(span_scores(*sides), abs=0.03)
        detection, detection_head = scores[kind].detection, scores[kind].detection_head
        assert detection is not None
        assert detection_head is not None
        assert detection_head[2] >= detection[2]


def test_corpora_are_scored_as_one_and_judged_by_what_they_annotate(tiny_model: CorefModel, sample: Path) -> None:
    dev = read_jsonl(sample / "dev_tiny.jsonl")

    def renamed(name: str) -> Corpus:
        return Corpus(
            tuple(replace(d, id=name + d.id) for d in dev.documents),
            tuple(replace(m, document=name + m.document) for m in dev.mentions),
        )

    _, scores = tune(tiny_model, dev)
    # GVC annotates no kind exhaustively, so it changes nothing of the detector's scores.
    own, gvc = renamed("o"), AnnotatedCorpus(renamed("g").of_kind("event"), CORPORA["gvc"].info)
    _, scores_of_both = tune(tiny_model, [own, gvc])
    for kind in KINDS:
        assert scores_of_both[kind].detection == pytest.approx(scores[kind].detection)
    assert scores_of_both["entity"].conll_f1 == pytest.approx(scores["entity"].conll_f1)
    _, of_gvc = tune(tiny_model, gvc, kinds=("event",))
    assert of_gvc["event"].detection == (0.0, 0.0, 0.0)


def test_a_lone_peak_is_no_better_than_what_is_around_it() -> None:
    results = [0.0, 0.0, 0.0, 0.0, 10.0, 0.0, 0.0, 0.0, 3.0, 4.0, 4.0, 4.0, 3.0]
    assert smoothed_best(range(13), results) == 11
    # At the ends only what there is counts; of equal ones the middle is chosen.
    assert smoothed_best(range(11), [3.0, 3.0, 3.0, 0.0, 0.0, 0.0, 2.0, 2.0, 2.0, 2.0, 2.0]) == 0
    assert smoothed_best(range(9), [0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]) == 6
