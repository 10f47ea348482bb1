"""Neighbours: exactly the nearest where mentions are few, most of them where they are many, whatever the order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import AgglomerativeClustering

from cdcoref.corpus import KINDS, Corpus, Document, Mention
from cdcoref.linking import PairLogits, cluster_mentions, near_pairs
from cdcoref.reading import MentionVectors, Readings
from cdcoref.scoring import score
from cdcoref.training import PRESETS

WIDTH, LIMIT = 12, 5


def vectors_of(count: int) -> MentionVectors:
    """Mentions of a few kinds of thing, two to a sentence and six to a document, which is about one of four topics."""
    rng = np.random.default_rng(0)
    things = rng.normal(size=(count // 12, WIDTH))
    topics = rng.normal(size=(4, WIDTH))

    def unit(rows: np.ndarray) -> np.ndarray:
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float16)

    numbers = np.arange(count)
    mentions = things[rng.integers(len(things), size=count)] + 0.2 * rng.normal(size=(count, WIDTH))
    documents = topics[rng.integers(len(topics), size=count // 6)] + 0.2 * rng.normal(size=(count // 6, WIDTH))
    sentences = documents[np.arange(count // 2) // 3] + 0.2 * rng.normal(size=(count // 2, WIDTH))
    none = np.zeros((count, 0), dtype=np.float16)
    return MentionVectors(
        {"mention": unit(mentions), "context": none, "learnt": none, "anaphora": none},
        {"sentence": unit(sentences), "document": unit(documents), "opening": none},
        {"sentence": numbers // 2, "document": numbers // 6},
    )


def expected(
    vectors: MentionVectors, numbers: np.ndarray, limit: int, asking: np.ndarray | None = None
) -> set[tuple[int, int]]:
    """The nearest of every mention that asks, by its place, among some; all compared with all."""
    shared = [vectors.shared[name][vectors.rows[name]] for name in ("sentence", "document")]
    rows = np.concatenate([vectors.own["mention"], *shared], axis=1)[numbers].astype(np.float64)
    asking = np.arange(len(numbers)) if asking is None else asking
    cosines = rows[asking] @ rows.T
    cosines[np.arange(len(asking)), asking] = -np.inf
    kept = min(limit, len(numbers) - 1)
    nearest = (
        numbers[np.argpartition(-cosines, kept - 1, axis=1)[:, :kept]] if kept else np.zeros((len(asking), 0), int)
    )
    pairs = zip(numbers[asking].tolist(), nearest.tolist(), strict=True)
    return {(min(a, b), max(a, b)) for a, own in pairs for b in own}


def found(vectors: MentionVectors, groups: list[np.ndarray], asking: np.ndarray | None = None) -> set[tuple[int, int]]:
    codes = near_pairs(vectors, groups, LIMIT, 2, asking)
    assert (np.diff(codes) > 0).all()
    first, second = np.divmod(codes, len(vectors))
    assert (first < second).all()
    return set(zip(first.tolist(), second.tolist(), strict=True))


def test_the_nearest_of_all_and_of_groups() -> None:
    """Of more mentions than are compared with all at a time."""
    vectors = vectors_of(1200)
    everything = np.arange(1200)
    groups = [everything[::40], everything[1::80], everything[5:6]]
    wanted = expected(vectors, everything, LIMIT).union(*(expected(vectors, group, 2) for group in groups))
    assert found(vectors, groups) == wanted


def test_most_of_the_nearest_are_found_in_cells_whatever_the_order() -> None:
    """Of more than 20,000 mentions; some of them ask for their nearest."""
    count = 20_016
    vectors, random = vectors_of(count), np.random.default_rng(1)
    asking = random.permutation(count) < 400
    some, nearest = found(vectors, [], asking), expected(vectors, np.arange(count), LIMIT, np.flatnonzero(asking))
    assert len(some) <= 400 * LIMIT
    assert 0.9 * len(nearest) < len(some & nearest) < len(nearest)
    order = random.permutation(count)
    again = {tuple(sorted((int(order[a]), int(order[b])))) for a, b in found(vectors.take(order), [], asking[order])}
    assert len(again & some) > 0.99 * len(some)


def test_two_mentions_and_fewer() -> None:
    vectors = vectors_of(24)
    assert found(vectors.take([3, 7]), []) == {(0, 1)}
    assert found(vectors.take([3]), [np.zeros(1, dtype=np.int64)]) == set()


PAPER = PRESETS["paper"].model
PHRASES = [
    *("1998", "2001", "12 people", "20 people", "Monday", "Tuesday", "Anna Berg", "Clara Berg", "she", "it"),
    *("fire in Spain", "fire in Norway", "Monday's fire killed 3", "fire of May 1998"),
]


def corpus(chosen: list[str], kind: str, clusters: list[int] | None = None) -> Corpus:
    """One document and one mention of each phrase."""
    documents = tuple(Document.from_sentences(f"d{n:02}", [phrase.split()]) for n, phrase in enumerate(chosen))
    mentions = tuple(
        Mention(d.id, tuple(range(len(d.tokens))), kind, None if clusters is None else str(clusters[n]))
        for n, d in enumerate(documents)
    )
    return Corpus(documents, mentions)


def logits_of(matrix: np.ndarray, kind: str) -> PairLogits:
    """Every pair of mentions, with the logits of a symmetric matrix."""
    size = len(matrix)
    first, second = np.triu_indices(size, 1)
    kinds = np.full(len(first), KINDS.index(kind), dtype=np.int8)
    return PairLogits(size, first, second, kinds, matrix[first, second].astype(np.float32))


def partition(labels: list[object]) -> set[frozenset[int]]:
    return {frozenset(n for n, own in enumerate(labels) if own == label) for label in labels}


def clustered(documents: Corpus, logits: PairLogits, config=PAPER) -> set[frozenset[int]]:
    return partition([m.cluster for m in cluster_mentions(Readings(documents), logits, config).mentions])


@pytest.mark.parametrize("kind", KINDS)
@given(
    chosen=st.lists(st.sampled_from(PHRASES), min_size=2, max_size=25),
    threshold=st.floats(0.05, 0.95),
    seed=st.integers(0, 2**32 - 1),
)
def test_the_papers_clusters_are_scikit_learns(kind: str, chosen: list[str], threshold: float, seed: int) -> None:
    """Average linkage of 1 - probability, over mentions whose years, amounts, days, names and genders conflict."""
    matrix = np.random.default_rng(seed).normal(0, 3, (len(chosen), len(chosen)))
    matrix = np.triu(matrix, 1) + np.triu(matrix, 1).T
    config = replace(PAPER, distance_threshold=dict.fromkeys(KINDS, threshold))
    distance = 1 - 1 / (1 + np.exp(-matrix.astype(np.float32).astype(np.float64)))
    np.fill_diagonal(distance, 0.0)
    expected = AgglomerativeClustering(
        n_clusters=None, metric="precomputed", linkage="average", distance_threshold=threshold
    ).fit(distance)
    assert clustered(corpus(chosen, kind), logits_of(matrix, kind), config) == partition(expected.labels_.tolist())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("probability", "pairs_are_one"), [(0.45, True), (0.35, True), (0.2, False)])
def test_clusters_of_several_mentions_merge_at_a_larger_distance(
    kind: str, probability: float, pairs_are_one: bool
) -> None:
    """At a threshold of 0.6, two pairs of mentions with a margin of 0.1; a mention and a pair without it."""
    matrix = np.full((5, 5), np.log(probability / (1 - probability)))
    matrix[0, 1] = matrix[2, 3] = 4.0
    matrix[4, :4] = matrix[:4, 4] = np.log(0.35 / 0.65)
    config = replace(PAPER, cannot_links=True, distance_threshold=dict.fromkeys(KINDS, 0.6))
    found = clustered(corpus(["fire"] * 5, kind), logits_of(matrix, kind), config)
    assert found == (
        {frozenset(range(4)), frozenset({4})}
        if pairs_are_one
        else {frozenset({0, 1}), frozenset({2, 3}), frozenset({4})}
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(5))
def test_a_perfect_scorer_reaches_100_without_cannot_links_alone(seed: int, kind: str) -> None:
    random = np.random.default_rng(seed)
    names = random.integers(0, 5, 30).tolist()
    gold = corpus(random.choice(PHRASES, 30).tolist(), kind, names)
    same = np.array(names)[:, None] == np.array(names)
    logits = logits_of(np.where(same, 8.0, -8.0), kind)
    found = cluster_mentions(Readings(gold), logits, PAPER)
    assert score(gold, found).conll_f1 == 1.0
    divided = cluster_mentions(Readings(gold), logits, replace(PAPER, cannot_links=True))
    assert score(gold, divided).conll_f1 < 1.0  # type: ignore[operator]
