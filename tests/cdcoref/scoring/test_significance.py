"""Significance tests: resampled counts against rescoring, exhaustive exchanges, units, and what p-values mean."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations_with_replacement, permutations, product
from typing import Any

import numpy as np
import pytest

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.formats import MentionTable, table_of_corpus
from cdcoref.scoring import METRICS, MOST_RESAMPLES, Options, Significance, compare_responses, score, score_tables

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


def noisy(share: float, name_of: Callable[..., list[str]] = gold) -> Callable[..., list[str | None]]:
    """Clusters with some of the mentions moved to another of their group, or lost."""

    def clusters_of(document: int, rng: np.random.Generator) -> list[str | None]:
        names: list[str | None] = []
        for name in name_of(document, rng):
            draw = rng.random()
            moved = f"{name.partition('/')[0]}/{rng.integers(4)}"
            names.append(moved if draw < share else None if draw < share * 1.2 else name)
        return names

    return clusters_of


def tables(key: Corpus, first: Corpus, second: Corpus) -> tuple[MentionTable, MentionTable, MentionTable]:
    return table_of_corpus(key, "file 0"), table_of_corpus(first, "file 1"), table_of_corpus(second, "file 2")


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


def topical(number: int, rng: np.random.Generator) -> list[str]:
    """Clusters that span the documents of a topic; there are ten topics."""
    return [f"{number % 10}/{token // 3}" for token in range(MENTIONS)]


@pytest.mark.parametrize(
    ("name_of", "options"),
    [
        (gold, Options()),
        (gold, Options(level="document")),  # mentions of different documents are no pairs for BLANC
        (topical, Options(singletons="remove")),
    ],
)
def test_the_scores_are_those_of_the_files(name_of: Callable[..., list[str]], options: Options) -> None:
    sides = [corpus(12, noisy(share, name_of), topics=3, seed=seed) for seed, share in enumerate((0.3, 0.5), 1)]
    key, a, b = tables(corpus(12, name_of, topics=3), *sides)
    result = compare_responses(key, a, b, options, unit="document", resamples=100)
    assert (result.unit, result.units, result.crossing > 0) == ("document", 12, name_of is topical)
    first, second = score_tables(key, a, options).scores, score_tables(key, b, options).scores
    assert list(result.differences) == [*METRICS, "conll"]
    for metric in METRICS:
        assert result.differences[metric].first == pytest.approx(first[metric].f1)
        assert result.differences[metric].second == pytest.approx(second[metric].f1)
    assert result.differences["conll"].second == pytest.approx(second.conll_f1)


def test_exhaustive_exchanges_equal_rescoring_every_exchange(monkeypatch: pytest.MonkeyPatch) -> None:
    """The shortcut over counts gives the p-values that rescoring all exchanged responses gives."""
    monkeypatch.setattr("cdcoref.scoring.significance.CELLS", 5 * 7)  # seven exchanges at a time
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


def test_resamples_are_distributed_as_all_draws_of_documents_rescored() -> None:
    """A document that is drawn twice is as good as two documents."""
    whole = corpus(4, gold), corpus(4, noisy(0.2), seed=3), corpus(4, noisy(0.5), seed=4)
    result = compare_responses(*tables(*whole), Options(), resamples=20_000)

    def drawn(corpus: Corpus, draw: tuple[int, ...]) -> Corpus:
        texts = [replace(corpus.documents[number], id=f"{place}") for place, number in enumerate(draw)]
        mentions = [
            Mention(f"{place}", mention.tokens, cluster=f"{place} {mention.cluster}")
            for place, number in enumerate(draw)
            for mention in corpus.mentions
            if mention.document == f"d{number}"
        ]
        return Corpus(tuple(texts), tuple(mentions))

    f1: dict[str, list[np.ndarray]] = defaultdict(list)
    for draw in combinations_with_replacement(range(4), 4):
        key, *responses = (drawn(corpus, draw) for corpus in whole)
        first, second = (score(key, response) for response in responses)
        pairs = {name: np.array([first[name].f1, second[name].f1]) for name in METRICS}
        pairs["conll"] = (pairs["muc"] + pairs["b3"] + pairs["ceafe"]) / 3
        for name, pair in pairs.items():
            f1[name] += [pair] * len(set(permutations(draw)))
    assert set(f1) == set(result.differences)
    for name, found in result.differences.items():
        values = np.array([(one, other, one - other) for one, other in f1[name]])
        far = np.abs(values[:, 2] - found.difference) >= abs(found.difference) - 1e-12
        assert found.bootstrap_p == pytest.approx(far.mean(), abs=0.015), name
        # 2.5 % of 256 draws are 6.4.
        for interval, ordered in zip(
            (found.first_interval, found.second_interval, found.interval), np.sort(values, axis=0).T, strict=True
        ):
            for end, those in zip(interval, (ordered, ordered[::-1]), strict=True):
                assert min(abs(those[5:8] - end)) < 1e-9, name


def test_seeds_and_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    once = compare(30, 0.3, 0.4, resamples=500, seed=7)
    assert compare(30, 0.3, 0.4, resamples=500, seed=7) == once
    assert compare(30, 0.3, 0.4, resamples=500, seed=8).differences != once.differences
    monkeypatch.setattr("cdcoref.scoring.significance.CELLS", 30 * 64)
    again = compare(30, 0.3, 0.4, resamples=500, seed=7)
    assert again.differences["muc"].first == once.differences["muc"].first


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


def test_ten_topics_allow_no_small_p_value_and_their_documents_do() -> None:
    key, first, second = tables(
        corpus(60, topical, topics=10), corpus(60, noisy(0.05, topical), topics=10, seed=1),
        corpus(60, noisy(0.4, topical), topics=10, seed=2),
    )  # fmt: skip
    by_topic = compare_responses(key, first, second, Options(), resamples=2000)
    assert (by_topic.unit, by_topic.units) == ("subtopic", 10)
    assert by_topic.smallest_randomisation_p == 2 / 2**10
    assert by_topic.differences["conll"].randomisation_p == 2 / 2**10 > 0.001
    by_document = compare_responses(key, first, second, Options(), unit="document", resamples=2000)
    assert (by_document.unit, by_document.units, by_document.crossing > 0) == ("document", 60, True)
    assert by_document.differences["conll"].randomisation_p == 1 / 2001 < 0.001
    for metric in (*METRICS, "conll"):
        assert by_document.differences[metric].first == pytest.approx(by_topic.differences[metric].first)
        assert by_document.differences[metric].second == pytest.approx(by_topic.differences[metric].second)


def test_a_cluster_counts_in_each_document_by_the_share_of_its_mentions() -> None:
    """The worst and best resamples of two documents are either of them twice: F1 by hand."""
    documents = tuple(Document.from_sentences(id, [["w"] * 2]) for id in "ab")
    places = [("a", (0,)), ("a", (1,)), ("b", (0,))]
    sides = (Corpus(documents, tuple(Mention(*p, cluster=name) for p, name in zip(places, names, strict=True)))
             for names in ("kkk", "rsr", "kkk"))  # fmt: skip
    result = compare_responses(*tables(*sides), Options(), unit="document", resamples=1000)
    assert (result.units, result.crossing) == (2, 3)
    expected = {"muc": (6 / 11, 6 / 7), "b3": (2 / 3, 4 / 5), "ceafe": (24 / 65, 24 / 25), "lea": (1 / 3, 2 / 3)}
    for metric, interval in expected.items():
        assert result.differences[metric].first_interval == pytest.approx(interval), metric


@pytest.mark.parametrize(
    ("documents", "options", "settings", "message"),
    [
        (1, Options(), {}, r"^file 0: all documents are one document, and resampling needs at least two"),
        (4, Options(level="topic"), {"unit": "document"}, "level topic the unit is a topic"),
        (4, Options(), {"resamples": 0}, "from 1 to 1,000,000"),
        (4, Options(), {"resamples": MOST_RESAMPLES + 1}, "from 1 to 1,000,000"),
    ],
)
def test_what_cannot_be_tested_is_refused(documents: int, options: Options, settings: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        compare_responses(*tables(*[corpus(documents, gold, topics=2)] * 3), options, **settings)
