"""Significance tests: resampled counts against rescoring, exhaustive exchanges, units, and what p-values mean."""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import replace
from itertools import combinations_with_replacement, permutations, product

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

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


def noisy(share: float):
    """Gold clusters, with some of the mentions moved or lost."""

    def clusters_of(document: int, rng: np.random.Generator) -> list[str | None]:
        names: list[str | None] = []
        for name in gold(document, rng):
            draw = rng.random()
            names.append(f"{document}/{rng.integers(4)}" if draw < share else None if draw < share * 1.2 else name)
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
    progress: list[tuple[int, int]] = []
    again = compare(30, 0.3, 0.4, resamples=500, seed=7, progress=lambda *now: progress.append(now))
    assert (once.seed, again.seed) == (7, 7)
    assert again.differences["muc"].first == once.differences["muc"].first
    portions = [*range(64, 500, 64), 500]
    assert progress == [(done, 1000) for done in (*portions, *(500 + portion for portion in portions))]


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


def test_a_unit_that_some_documents_lack_or_all_share_is_not_chosen() -> None:
    """Every cluster has mentions in all documents."""
    crossing = corpus(8, shared_by_all, topics=4)
    for topics, unit in ((1, "document"), (2, "topic")):
        same = [corpus(8, shared_by_all, topics=topics)] * 3
        assert compare_responses(*tables(*same), Options(), resamples=10).unit == unit
    first, *others = crossing.documents
    without = replace(crossing, documents=(replace(first, topic=None), *others))
    assert compare_responses(*tables(*[without] * 3), Options(), resamples=10).unit == "subtopic"


def test_the_scores_of_a_level_are_those_of_the_files() -> None:
    """At the level of documents, mentions of different documents are no pairs for BLANC."""
    key, first, second = tables(corpus(6, gold), corpus(6, noisy(0.3), seed=1), corpus(6, noisy(0.5), seed=2))
    options = Options(level="document")
    result, scores = compare_responses(key, first, second, options, resamples=10), score_tables(key, first, options)
    for metric in METRICS:
        assert result.differences[metric].first == pytest.approx(scores.scores[metric].f1), metric
    assert result.differences["blanc"].first != pytest.approx(score_tables(key, first, Options()).scores["blanc"].f1)


def test_one_unit_is_not_enough() -> None:
    with pytest.raises(InputError, match=r"^file 0: all documents are one document, and resampling needs at least two"):
        compare_responses(*tables(*[corpus(1, gold)] * 3), Options(), resamples=MOST_RESAMPLES)


def test_smallest_p_values() -> None:
    few, many = compare(3, 0.2, 0.4, resamples=100), compare(40, 0.2, 0.4, resamples=400)
    assert (few.smallest_randomisation_p, few.smallest_bootstrap_p) == (0.25, 1 / 101)
    assert (many.smallest_randomisation_p, many.smallest_bootstrap_p) == (1 / 401, 1 / 401)
    assert min(d.randomisation_p for d in few.differences.values()) >= 0.25
    sampled = compare(3, 0.2, 0.4, resamples=7)
    assert (sampled.exchanges, sampled.exhaustive, sampled.smallest_randomisation_p) == (7, False, 0.25)
    assert compare(3, 0.2, 0.4, resamples=8).exhaustive
    unless_chosen = compare(3, 0.2, 0.4)
    assert (unless_chosen.resamples, unless_chosen.seed) == (10_000, 0)
    assert compare(3, 0.2, 0.4, resamples=1).resamples == 1


# -- units that clusters cross ---------------------------------------------------------------------------------------


def topical(number: int, rng: np.random.Generator) -> list[str]:
    """Clusters that span the documents of a topic, of which there are ten."""
    return [f"{number % 10}/{token // 3}" for token in range(MENTIONS)]


def noisily(share: float):
    """Such clusters with some of the mentions moved or lost."""

    def clusters_of(number: int, rng: np.random.Generator) -> list[str | None]:
        names: list[str | None] = []
        for name in topical(number, rng):
            draw = rng.random()
            names.append(f"{number % 10}/{rng.integers(5)}" if draw < share else None if draw < share * 1.1 else name)
        return names

    return clusters_of


Clusters = dict[str, set[tuple[str, int]]]


def clusters(documents: Corpus) -> Clusters:
    found: Clusters = defaultdict(set)
    for mention in documents.mentions:
        found[str(mention.cluster)].add((mention.document, mention.start))
    return found


def shares_by_hand(key: Clusters, response: Clusters) -> dict[str, dict[str, float]]:
    """What each mention of the key adds to the numerator and the denominator of recall, summed by document."""
    of_response = {mention: name for name, cluster in response.items() for mention in cluster}
    phi = np.array([[2 * len(k & r) / (len(k) + len(r)) for r in response.values()] for k in key.values()])
    best = dict(zip(*(places.tolist() for places in linear_sum_assignment(-phi)), strict=True))
    names = list(response)
    counts: dict[str, dict[str, float]] = {name: defaultdict(float) for name in ("muc", "b3", "ceafe", "lea")}
    for row, cluster in enumerate(key.values()):
        size = len(cluster)
        partner = names[best[row]] if row in best else None
        for mention in cluster:
            document = mention[0]
            name = of_response.get(mention)
            common = len(cluster & response[name]) if name is not None else 0
            found = name is not None
            counts["muc"][document + " of"] += (size - 1) / size
            counts["muc"][document] += (common - 1) / common if found else 0.0
            counts["b3"][document + " of"] += 1
            counts["b3"][document] += common / size
            counts["ceafe"][document + " of"] += 1 / size
            if found and name == partner:
                counts["ceafe"][document] += phi[row, best[row]] / common
            counts["lea"][document + " of"] += 1
            counts["lea"][document] += (common - 1) / (size - 1) if found else 0.0
    return counts


def f1_by_hand(recall: list[dict[str, float]], precision: list[dict[str, float]], names: list[str]) -> float:
    """F1 of the sums over documents; each document with the counts of the response that it has now."""
    quotients = []
    for sides in (recall, precision):
        above = sum(side.get(name, 0.0) for side, name in zip(sides, names, strict=True))
        below = sum(side.get(name + " of", 0.0) for side, name in zip(sides, names, strict=True))
        quotients.append(above / below)
    return 2 * quotients[0] * quotients[1] / sum(quotients)


def test_documents_that_clusters_cross_are_exchanged_as_by_hand() -> None:
    """Every exchange of the documents of clusters that span them, with counts of mentions taken one by one."""
    documents = 9
    gold_corpus, one, other = (
        corpus(documents, clusters_of, topics=3, seed=seed)
        for seed, clusters_of in ((0, shared_in_three), (1, losing(0.2)), (2, losing(0.45)))
    )
    result = compare_responses(*tables(gold_corpus, one, other), Options(), unit="document", resamples=1000)
    assert (result.unit, result.units, result.exchanges, result.exhaustive) == ("document", 9, 512, True)
    assert result.crossing > 0
    key = clusters(gold_corpus)
    pair = one, other
    recalls = [shares_by_hand(key, clusters(one)) for one in pair]
    precisions = [shares_by_hand(clusters(one), key) for one in pair]
    names = [f"d{number}" for number in range(documents)]
    draws = random.Random(5)
    for metric in ("muc", "b3", "ceafe", "lea"):

        def difference(swapped: tuple[bool, ...] | list[bool], drawn: list[str], metric: str = metric) -> float:
            values = []
            for first in (0, 1):
                chosen = [first ^ swap for swap in swapped]
                recall, precision = ([counts[one][metric] for one in chosen] for counts in (recalls, precisions))
                values.append(f1_by_hand(recall, precision, drawn))
            return values[0] - values[1]

        observed = difference([False] * documents, names)
        found = result.differences[metric]
        assert found.difference == pytest.approx(observed)
        assert found.first == pytest.approx(score(gold_corpus, pair[0])[metric].f1)
        exchanged = [difference(swaps, names) for swaps in product([False, True], repeat=documents)]
        hits = sum(abs(value) >= abs(observed) - 1e-12 for value in exchanged)
        assert found.randomisation_p == pytest.approx(hits / 512), metric
        boot = [difference([False] * documents, draws.choices(names, k=documents)) for _ in range(2000)]
        far = sum(abs(value - observed) >= abs(observed) for value in boot) / 2000
        assert found.bootstrap_p == pytest.approx(far, abs=0.03)
        assert found.interval == pytest.approx(tuple(np.percentile(boot, [2.5, 97.5])), abs=0.03)


def shared_in_three(number: int, rng: np.random.Generator) -> list[str]:
    return [f"{number % 3}/{token // 3}" for token in range(MENTIONS)]


def losing(share: float):
    """Those clusters, with some of the mentions moved and a quarter as many lost."""

    def clusters_of(number: int, rng: np.random.Generator) -> list[str | None]:
        names: list[str | None] = []
        for name in shared_in_three(number, rng):
            draw = rng.random()
            moved = f"{number % 3}/{rng.integers(4)}"
            names.append(moved if draw < share else None if draw < 1.25 * share else name)
        return names

    return clusters_of


def test_ten_topics_allow_no_small_p_value_and_their_documents_do() -> None:
    key, first, second = tables(
        corpus(60, topical, topics=10), corpus(60, noisily(0.05), topics=10, seed=1),
        corpus(60, noisily(0.4), topics=10, seed=2),
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


@pytest.mark.parametrize("unit", ["topic", "subtopic", "document"])
def test_without_singletons_the_scores_are_those_of_the_files_whatever_the_unit(unit: str) -> None:
    key, a, b = tables(
        corpus(12, topical, topics=2), corpus(12, noisily(0.3), topics=2, seed=1),
        corpus(12, noisily(0.5), topics=2, seed=2),
    )  # fmt: skip
    options = Options(singletons="remove")
    result = compare_responses(key, a, b, options, unit=unit, resamples=100)  # type: ignore[arg-type]
    for metric in METRICS:
        assert result.differences[metric].first == pytest.approx(score_tables(key, a, options).scores[metric].f1)
        assert result.differences[metric].second == pytest.approx(score_tables(key, b, options).scores[metric].f1)


def test_a_unit_other_than_the_level_is_refused() -> None:
    with pytest.raises(InputError, match=r"level topic the unit is a topic"):
        compare_responses(*tables(*[corpus(4, gold, topics=2)] * 3), Options(level="topic"), unit="document")


def test_more_resamples_than_anybody_needs_are_refused() -> None:
    key = table_of_corpus(corpus(4, gold), "k")
    for resamples in (0, MOST_RESAMPLES + 1):
        with pytest.raises(InputError, match="from 1 to 1,000,000"):
            compare_responses(key, key, key, Options(), resamples=resamples)
