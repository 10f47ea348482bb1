"""The metrics against implementations written from their definitions, and the properties that they must have."""

from __future__ import annotations

from functools import partial
from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.scoring import METRICS, Overlap, Scores, score

Partition = list[frozenset[int]]


def quotient(numerator: float, denominator: float) -> float:
    return numerator / denominator if denominator else 0.0


def f1(recall: float, precision: float) -> float:
    return quotient(2 * recall * precision, recall + precision)


def naive_mentions(key: Partition, response: Partition) -> float:
    mentions = set().union(*key)
    return quotient(len(mentions & set().union(*response)), len(mentions))


def naive_muc(key: Partition, response: Partition) -> float:
    found = wanted = 0
    for cluster in key:
        parts = [cluster & other for other in response if cluster & other]
        lone = cluster.difference(*response)
        found += len(cluster) - len(parts) - len(lone)
        wanted += len(cluster) - 1
    return quotient(found, wanted)


def naive_b3(key: Partition, response: Partition) -> float:
    total = 0.0
    mentions = [(mention, cluster) for cluster in key for mention in cluster]
    for mention, cluster in mentions:
        other = next((other for other in response if mention in other), frozenset())
        total += len(cluster & other) / len(cluster)
    return quotient(total, len(mentions))


def naive_ceaf(key: Partition, response: Partition, similarity) -> float:
    """Try every one-to-one assignment."""
    small, large = sorted((key, response), key=len)
    best = max(
        sum(similarity(a, b) for a, b in zip(small, chosen, strict=True)) for chosen in permutations(large, len(small))
    )
    return quotient(best, sum(similarity(cluster, cluster) for cluster in key))


def links(cluster: frozenset[int], clusters: Partition) -> set[tuple[int, int]]:
    """Pairs of a cluster's mentions; a singleton is linked with itself, if it is one in `clusters`."""
    if len(cluster) == 1:
        mention = next(iter(cluster))
        return {(mention, mention)} if cluster in clusters else set()
    return set(combinations(sorted(cluster), 2))


def naive_lea(key: Partition, response: Partition) -> float:
    total = 0.0
    for cluster in key:
        own = links(cluster, key)
        resolved = sum(len(own & links(other, response)) for other in response)
        total += len(cluster) * resolved / len(own)
    return quotient(total, sum(map(len, key)))


def naive_blanc(key: Partition, response: Partition) -> tuple[float, float, float]:
    def sorts(clusters: Partition) -> list[set[tuple[int, int]]]:
        together = {pair for cluster in clusters for pair in combinations(sorted(cluster), 2)}
        return [together, set(combinations(sorted(set().union(*clusters)), 2)) - together]

    rates = []
    for of_key, of_response in zip(sorts(key), sorts(response), strict=True):
        recall = quotient(len(of_key & of_response), len(of_key))
        precision = quotient(len(of_key & of_response), len(of_response))
        if of_key:
            rates.append((recall, precision, f1(recall, precision)))
    return tuple(sum(rate) / len(rates) for rate in zip(*rates, strict=True)) if rates else (0.0, 0.0, 0.0)


NAIVE = {
    "mentions": naive_mentions,
    "muc": naive_muc,
    "b3": naive_b3,
    "ceafm": partial(naive_ceaf, similarity=lambda a, b: len(a & b)),
    "ceafe": partial(naive_ceaf, similarity=lambda a, b: 2 * len(a & b) / (len(a) + len(b))),
    "lea": naive_lea,
}


def naive(metric: str, key: Partition, response: Partition) -> tuple[float, float, float]:
    if metric == "blanc":
        return naive_blanc(key, response)
    recall, precision = NAIVE[metric](key, response), NAIVE[metric](response, key)
    return recall, precision, f1(recall, precision)


@st.composite
def partitions(draw: st.DrawFn, mentions: int = 9, clusters: int = 5) -> Partition:
    """Clusters of some of the mentions 0, 1, ...; the others are twinless on the other side."""
    labels = draw(st.lists(st.none() | st.integers(0, clusters - 1), min_size=mentions, max_size=mentions))
    groups: dict[int, set[int]] = {}
    for mention, label in enumerate(labels):
        if label is not None:
            groups.setdefault(label, set()).add(mention)
    return [frozenset(group) for group in groups.values()]


def rates(metric: str, key, response, **options) -> tuple[float, float, float]:
    result = score(key, response, metrics=[metric], **options)[metric]
    return result.recall, result.precision, result.f1


@pytest.mark.parametrize("metric", METRICS)
@given(key=partitions(), response=partitions())
def test_agrees_with_the_definition(metric: str, key: Partition, response: Partition) -> None:
    assert rates(metric, key, response) == pytest.approx(naive(metric, key, response), abs=1e-12)


@given(key=partitions(), response=partitions())
def test_removing_singletons_is_scoring_without_them(key: Partition, response: Partition) -> None:
    long_key, long_response = ([c for c in clusters if len(c) > 1] for clusters in (key, response))
    for metric in METRICS:
        assert rates(metric, key, response, singletons="remove") == pytest.approx(
            naive(metric, long_key, long_response), abs=1e-12
        )


def both_sorts_of_links(partition: Partition) -> bool:
    return len(partition) > 1 and any(len(cluster) > 1 for cluster in partition)


@given(key=partitions(20, 8), response=partitions(20, 8))
def test_bounds_and_symmetry(key: Partition, response: Partition) -> None:
    forward, backward = score(key, response), score(response, key)
    for metric in METRICS:
        recall, precision, f = rates(metric, key, response)
        for value in (recall, precision, f):
            assert -1e-12 <= value <= 1 + 1e-12
        if metric != "blanc" or (both_sorts_of_links(key) and both_sorts_of_links(response)):
            assert backward[metric].recall == pytest.approx(precision, abs=1e-12)
            assert backward[metric].precision == pytest.approx(recall, abs=1e-12)
            assert backward[metric].f1 == pytest.approx(f, abs=1e-12)
    assert forward.conll_f1 == pytest.approx(sum(forward[m].f1 for m in ("muc", "b3", "ceafe")) / 3)


@given(key=partitions(20, 8), response=partitions(20, 8), data=st.data())
def test_names_and_order_do_not_matter(key: Partition, response: Partition, data: st.DataObject) -> None:
    renamed = {mention: ("doc", (99 - mention,)) for mention in range(20)}

    def shuffled(clusters: Partition) -> list[list[tuple[str, tuple[int]]]]:
        order = data.draw(st.permutations(clusters))
        return [data.draw(st.permutations([renamed[mention] for mention in cluster])) for cluster in order]

    before, after = score(key, response), score(shuffled(key), shuffled(response))
    for metric in METRICS:
        assert after[metric].recall == pytest.approx(before[metric].recall, abs=1e-12)
        assert after[metric].precision == pytest.approx(before[metric].precision, abs=1e-12)
        assert after[metric].f1 == pytest.approx(before[metric].f1, abs=1e-12)


def test_a_mention_in_two_clusters_counts_in_the_first() -> None:
    assert score(["ab", "c"], ["ab", "bc"]).to_dict() == score(["ab", "c"], ["ab", "c"]).to_dict()
    assert score(["ab", "c"], ["aab", "b", "c"]).to_dict() == score(["ab", "c"], ["ab", "c"]).to_dict()


def test_empty_sides_score_nothing() -> None:
    for key, response in product(([], ["ab"], [""]), ([], ["ab"], [""])):
        if (key, response) != (["ab"], ["ab"]):
            assert all(value.f1 == 0 for value in score(key, response).metrics.values())


def corpus(ids: list[str], mentions: list[tuple[str, int, str | None]]) -> Corpus:
    documents = [Document.from_sentences(id, [["a", "b", "c"]]) for id in ids]
    return Corpus(tuple(documents), tuple(Mention(id, (token,), cluster=name) for id, token, name in mentions))


def test_corpora_are_scored_over_all_documents_of_the_key() -> None:
    key = corpus(["x", "y"], [("x", 0, "k"), ("y", 0, "k"), ("y", 1, None)])
    response = corpus(["x", "y", "z"], [("x", 0, "1"), ("y", 0, "1"), ("y", 1, "2"), ("z", 0, "1"), ("z", 1, None)])
    assert score(key, response).to_dict() == score(key, key).to_dict()
    assert score(key, corpus(["x"], [("x", 0, "1")]))["mentions"].recall == pytest.approx(1 / 3)


def test_a_corpus_is_not_compared_with_plain_clusters() -> None:
    with pytest.raises(ValueError, match="must be two corpora or two clusterings"):
        score(corpus(["x"], []), [["a"]])


def overlap(rows: np.ndarray, columns: np.ndarray, counts: np.ndarray) -> Overlap:
    """So many mentions in common in some cells; no others."""
    keys, responses = (np.bincount(places, counts).astype(int) for places in (rows, columns))
    return Overlap(keys, responses, rows, columns, counts, np.zeros_like(keys), np.zeros_like(responses))


def check(rows: np.ndarray, columns: np.ndarray, counts: np.ndarray) -> None:
    """CEAFm maximizes the mentions in common, CEAFe the sum of their shares; both are recall by known divisors."""
    table = overlap(rows, columns, counts)
    scores = Scores.of(table, ["ceafm", "ceafe"])
    matrix = np.zeros((len(table.key_sizes), len(table.response_sizes)))
    matrix[rows, columns] = counts
    shares = 2 * matrix / (table.key_sizes[:, None] + table.response_sizes).clip(1)
    for name, weights, whole in (("ceafm", matrix, counts.sum()), ("ceafe", shares, len(table.key_sizes))):
        best = weights[linear_sum_assignment(weights, maximize=True)].sum()
        assert scores[name].recall * whole == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize(("height", "width", "density"), [(1, 9, 1), (60, 80, 0.02), (80, 60, 0.2), (50, 50, 1)])
@pytest.mark.parametrize("most", [3, 1000])
@pytest.mark.parametrize("seed", range(4))
def test_equals_the_dense_solver(height: int, width: int, density: float, most: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrix = rng.integers(1, most + 1, (height, width)) * (rng.random((height, width)) < density)
    rows, columns = np.nonzero(matrix)
    check(rows, columns, matrix[rows, columns])


def test_a_large_sparse_problem() -> None:
    rng = np.random.default_rng(0)
    rows, columns = np.unique(rng.integers(0, 1500, (4500, 2)), axis=0).T
    check(rows, columns, rng.integers(1, 10_000, len(rows)))
