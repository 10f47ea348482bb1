"""Significance tests: resampled counts against rescoring, exhaustive exchanges, units, and what p-values mean."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.formats import MentionTable, table_of_corpus
from cdcoref.scoring import METRICS, Options, Significance, compare_responses, score, score_tables

MENTIONS = 12
"""Mentions of a document."""


def corpus(documents: int, clusters_of, topics: int = 1, seed: int = 0) -> Corpus:
    """Documents whose clusters are named by `clusters_of(document, random numbers)`."""
    rng = np.random.default_rng(seed)
    texts, mentions = [], []
    for number in range(documents):
        id, topic = f"d{number}", number % topics
        texts.append(Document.from_sentences(id, [["w"] * MENTIONS], topic=f"t{topic}", subtopic=f"t{topic}_s"))
        for token, name in enumerate(clusters_of(number, rng)):
            if name is not None:
                mentions.append(Mention(id, (token,), cluster=str(name)))
    return Corpus(tuple(texts), tuple(mentions))


def gold(document: int, rng: np.random.Generator) -> list[str]:
    return [f"{document}/{token // 3}" for token in range(MENTIONS)]


def noisy(share: float):
    """Gold clusters, with some of the mentions moved or lost."""

    def clusters_of(document: int, rng: np.random.Generator) -> list[str | None]:
        names: list[str | None] = []
        for name in gold(document, rng):
            draw = rng.random()
            names.append(f"{document}/{rng.integers(4)}" if draw < share else None if draw < share * 1.2 else name)
        return names

    return clusters_of


def tables(*corpora: Corpus) -> list[MentionTable]:
    return [table_of_corpus(corpus, f"file {number}") for number, corpus in enumerate(corpora)]


def compare(documents: int, first: float, second: float, **options: object) -> Significance:
    key, a, b = tables(
        corpus(documents, gold), corpus(documents, noisy(first), seed=1), corpus(documents, noisy(second), seed=2)
    )
    return compare_responses(key, a, b, Options(), **options)  # type: ignore[arg-type]


def test_a_large_difference_is_significant_and_none_is_not() -> None:
    large = compare(40, 0.05, 0.6, resamples=2000).differences["conll"]
    assert large.difference > 0.1
    assert large.bootstrap_p == pytest.approx(1 / 2001)
    assert large.randomisation_p == pytest.approx(1 / 2001)
    assert 0 < large.interval[0] < large.difference < large.interval[1]
    assert large.first_interval[0] <= large.first <= large.first_interval[1]
    alike = compare(40, 0.3, 0.3, resamples=2000).differences["conll"]
    assert alike.bootstrap_p > 0.05
    assert alike.randomisation_p > 0.05
    assert alike.interval[0] < 0 < alike.interval[1]


def test_equal_responses_have_p_1() -> None:
    key, a, b = tables(corpus(8, gold), *[corpus(8, noisy(0.3), seed=5)] * 2)
    for difference in compare_responses(key, a, b, Options(), resamples=200).differences.values():
        assert (difference.difference, difference.bootstrap_p, difference.randomisation_p) == (0, 1, 1)


def test_the_scores_are_those_of_the_files() -> None:
    key, a, b = tables(corpus(9, gold), corpus(9, noisy(0.3), seed=1), corpus(9, noisy(0.5), seed=2))
    result = compare_responses(key, a, b, Options(), resamples=100)
    assert (result.unit, result.units, result.crossing) == ("document", 9, 0)
    first, second = score_tables(key, a, Options()).scores, score_tables(key, b, Options()).scores
    assert list(result.differences) == [*METRICS, "conll"]
    for metric in METRICS:
        assert result.differences[metric].first == pytest.approx(first[metric].f1)
        assert result.differences[metric].second == pytest.approx(second[metric].f1)
    assert result.differences["conll"].second == pytest.approx(second.conll_f1)


def test_exhaustive_exchanges_equal_rescoring_every_exchange() -> None:
    """The shortcut over counts gives the p-values that rescoring all exchanged responses gives."""
    gold_corpus, first, second = corpus(5, gold), corpus(5, noisy(0.2), seed=3), corpus(5, noisy(0.5), seed=4)
    result = compare_responses(*tables(gold_corpus, first, second), Options(), resamples=100)
    assert (result.exchanges, result.exhaustive) == (32, True)
    assert result.smallest_randomisation_p == 1 / 16
    differences: dict[str, list[float]] = {metric: [] for metric in METRICS}
    for exchange in product([False, True], repeat=5):
        swapped = {f"d{number}" for number, swap in enumerate(exchange) if swap}
        pair = [
            Corpus(
                first.documents,
                tuple(m for m in own.mentions if m.document not in swapped)
                + tuple(m for m in other.mentions if m.document in swapped),
            )
            for own, other in ((first, second), (second, first))
        ]
        scores = [score(gold_corpus, one) for one in pair]
        for metric, values in differences.items():
            values.append(scores[0][metric].f1 - scores[1][metric].f1)
    for metric, values in differences.items():
        hits = sum(abs(value) >= abs(values[0]) - 1e-12 for value in values)
        assert result.differences[metric].randomisation_p == pytest.approx(hits / 32), metric


def test_seeds_and_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    once = compare(30, 0.3, 0.4, resamples=500, seed=7)
    assert compare(30, 0.3, 0.4, resamples=500, seed=7) == once
    assert compare(30, 0.3, 0.4, resamples=500, seed=8).differences != once.differences
    monkeypatch.setattr("cdcoref.scoring.significance.CELLS", 30 * 64)
    progress: list[tuple[int, int]] = []
    again = compare(30, 0.3, 0.4, resamples=500, seed=7, progress=lambda *now: progress.append(now))
    assert again.differences["muc"].first == once.differences["muc"].first
    assert progress[-1] == (1000, 1000)
    assert len(progress) == 16


def shared_in_topics(document: int, rng: np.random.Generator) -> list[str]:
    return [f"{document % 4}/{token // 3}" for token in range(MENTIONS)]


def shared_by_all(document: int, rng: np.random.Generator) -> list[str]:
    return [f"{token // 3}" for token in range(MENTIONS)]


def test_the_unit_is_the_smallest_that_no_cluster_crosses() -> None:
    alone = corpus(8, gold, topics=4)
    topical = corpus(8, shared_in_topics, topics=4)
    crossing = corpus(8, shared_by_all, topics=4)
    results = [
        compare_responses(*tables(key, response, alone), Options(), resamples=100)
        for key, response in ((alone, alone), (alone, topical), (topical, alone), (topical, crossing))
    ]
    assert [(r.unit, r.units, r.crossing) for r in results] == [
        ("document", 8, 0),
        ("subtopic", 4, 0),
        ("subtopic", 4, 0),
        ("topic", 4, 4),
    ]
    level = compare_responses(*tables(topical, crossing, alone), Options(level="document"), resamples=100)
    assert (level.unit, level.units, level.crossing) == ("document", 8, 0)


def test_one_unit_is_not_enough() -> None:
    with pytest.raises(InputError, match="all documents are one document, and resampling needs at least two"):
        compare_responses(*tables(*[corpus(1, gold)] * 3), Options())


def test_smallest_p_values() -> None:
    few, many = compare(3, 0.2, 0.4, resamples=100), compare(40, 0.2, 0.4, resamples=400)
    assert (few.smallest_randomisation_p, few.smallest_bootstrap_p) == (0.25, 1 / 101)
    assert (many.smallest_randomisation_p, many.smallest_bootstrap_p) == (1 / 401, 1 / 401)
    assert min(d.randomisation_p for d in few.differences.values()) >= 0.25
