"""Agglomerative clustering of sparse scores, held against scikit-learn's on the full matrix."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import AgglomerativeClustering

from cdcoref.clustering import PairScores, agglomerative, dendrogram


def random_scores(seed: int, size: int, density: float) -> PairScores:
    """Pairs with all scores different, so that no two distances tie."""
    random = np.random.default_rng(seed)
    first, second = np.triu_indices(size, 1)
    stored = random.random(len(first)) < density
    return PairScores(size, first[stored], second[stored], random.random(int(stored.sum())))


def tied_scores(seed: int, size: int, density: float) -> PairScores:
    """Pairs whose scores are all 0.25, 0.5 or 0.75."""
    scores = random_scores(seed, size, density)
    return PairScores(size, scores.first, scores.second, np.ceil(scores.score * 3) / 4)


def partition(labels: np.ndarray) -> set[frozenset[int]]:
    return {frozenset(np.flatnonzero(labels == label).tolist()) for label in set(labels.tolist())}


def full_matrix(scores: PairScores) -> np.ndarray:
    """Symmetric scores, each pair being stored at most once; a pair that is not stored has score 0."""
    matrix = np.zeros((scores.size, scores.size))
    matrix[scores.first, scores.second] = matrix[scores.second, scores.first] = scores.score
    return matrix


def sklearn_partition(scores: PairScores, threshold: float) -> set[frozenset[int]]:
    distance = 1.0 - full_matrix(scores)
    np.fill_diagonal(distance, 0.0)
    model = AgglomerativeClustering(
        n_clusters=None, metric="precomputed", linkage="average", distance_threshold=threshold
    ).fit(distance)
    return partition(model.labels_)


problems = st.tuples(st.integers(0, 2**32 - 1), st.integers(2, 40), st.sampled_from([0.03, 0.1, 0.3, 1.0]))
thresholds = st.floats(0.05, 1.0)


@given(problem=problems, threshold=thresholds)
def test_equals_sklearn_on_tie_free_problems(problem, threshold: float) -> None:
    scores = random_scores(*problem)
    assert partition(agglomerative(scores, threshold)) == sklearn_partition(scores, threshold)


def merges_by_hand(scores: PairScores, keys: Sequence[Any]) -> list[tuple[float, list[set[int]]]]:
    """Of every merge below 1 the distance and the clusters after it, all from the pairs themselves.

    Of equally near clusters those come first whose largest members come first.
    """
    matrix = full_matrix(scores)
    place = {item: place for place, item in enumerate(sorted(range(scores.size), key=lambda item: keys[item]))}
    clusters, found = [{item} for item in range(scores.size)], []
    while len(clusters) > 1:
        between = []
        for one, other in combinations(sorted(clusters, key=lambda cluster: max(map(place.__getitem__, cluster))), 2):
            own = matrix[np.ix_(sorted(one), sorted(other))]
            between.append((1.0 - own.sum() / own.size, one, other))
        nearest, one, other = min(between, key=lambda pair: pair[0])
        if nearest >= 1:
            break
        clusters = [cluster for cluster in clusters if cluster not in (one, other)] + [one | other]
        found.append((max([nearest, *(height for height, _ in found[-1:])]), clusters))
    return found


@given(problem=problems, tied=st.booleans(), order=st.permutations(range(14)))
def test_merges_are_those_by_hand(problem, tied: bool, order: list[int]) -> None:
    """With their distances, also where many pairs are equally near."""
    scores = (tied_scores if tied else random_scores)(problem[0], min(problem[1], 14), problem[2])
    tree, expected = dendrogram(scores, order[: scores.size]), merges_by_hand(scores, order)
    assert tree.distance.tolist() == pytest.approx([height for height, _ in expected])
    for height, _ in expected:
        clusters = [after for before, after in expected if before < height + 1e-9][-1]
        assert partition(tree.cut(height + 1e-9)) == set(map(frozenset, clusters))


@given(problem=problems, tied=st.booleans(), threshold=thresholds, shuffle=st.randoms(use_true_random=False))
def test_order_of_items_and_of_pairs_does_not_matter(problem, tied, threshold, shuffle) -> None:
    scores = (tied_scores if tied else random_scores)(*problem)
    size = scores.size
    new_place = list(range(size))
    shuffle.shuffle(new_place)
    pairs = [
        (new_place[a], new_place[b], s)
        for a, b, s in zip(scores.first.tolist(), scores.second.tolist(), scores.score.tolist(), strict=True)
    ]
    pairs = [(b, a, s) if shuffle.random() < 0.5 else (a, b, s) for a, b, s in pairs]
    shuffle.shuffle(pairs)
    columns = [np.array(c) for c in zip(*pairs, strict=True)] if pairs else [scores.first, scores.second, scores.score]
    keys = [f"item {old:03}" for old in range(size)]
    new_keys = [""] * size
    for old, new in enumerate(new_place):
        new_keys[new] = keys[old]

    labels = agglomerative(scores, threshold, keys)
    new_labels = agglomerative(PairScores(size, *columns), threshold, new_keys)
    assert partition(labels) == partition(new_labels[np.array(new_place)])


def test_merges_of_equal_distance_are_in_the_order_they_were_made(by_sparse_merges: Callable[..., Any]) -> None:
    # Pairs of the even and of the odd items; those of the odd ones are nearer.
    first = np.flatnonzero(np.arange(300) % 4 < 2)
    scores = PairScores(300, first, first + 2, np.where(first % 2, 0.7, 0.5))
    expected = [*range(1, 300, 4), *range(0, 300, 4)]
    for tree in (dendrogram(scores), by_sparse_merges(scores)):
        assert [column.tolist() for column in tree.merges(0.6)] == [expected, [item + 2 for item in expected]]


def test_threshold_is_exclusive() -> None:
    pair = PairScores(2, [0], [1], [0.25])
    assert agglomerative(pair, 0.75).tolist() == [0, 1]
    assert agglomerative(pair, np.nextafter(0.75, 1)).tolist() == [0, 0]


def test_labels_are_numbered_by_first_occurrence() -> None:
    scores = PairScores(6, [5, 4, 1], [0, 2, 3], [0.9, 0.9, 0.9])
    assert agglomerative(scores, 0.5).tolist() == [0, 1, 2, 1, 2, 0]


def test_duplicates_are_averaged_whatever_their_order() -> None:
    pairs = np.array([0, 1, 0, 2, 1]), np.array([1, 0, 1, 1, 2]), np.array([0.1, 0.2, 0.6, 0.3, 0.5])
    tree = dendrogram(PairScores(3, *pairs))
    assert tree.distance == pytest.approx([0.6, 0.85])
    assert dendrogram(PairScores(2, [0, 1], [1, 0], [0.2, 0.6])).distance == pytest.approx([0.6])
    again = dendrogram(PairScores(3, *(column[::-1] for column in pairs)))
    assert again.distance.tolist() == tree.distance.tolist()


@given(score=st.floats(0.01, 1), times=st.integers(1, 20))
def test_mean_of_equal_scores_is_that_score(score: float, times: int) -> None:
    tree = dendrogram(PairScores(2, [0] * times, [1] * times, [score] * times))
    assert tree.distance.tolist() == [1.0 - score]


def test_nothing_to_cluster() -> None:
    empty = np.array([], dtype=int)
    assert agglomerative(PairScores(0, empty, empty, empty), 0.5).tolist() == []
    assert agglomerative(PairScores(3, empty, empty, empty), 0.5).tolist() == [0, 1, 2]
    assert agglomerative(PairScores(0, empty, empty, empty), 0.5, keys=[]).tolist() == []
    for score in (0.0, 1e-17):
        assert agglomerative(PairScores(2, [0], [1], [score]), 1.0).tolist() == [0, 1]
        assert dendrogram(PairScores(2, [0], [1], [score])).distance.tolist() == []


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        (([0], [3], [0.5]), "outside 0 to 2"),
        (([-1], [1], [0.5]), "outside 0 to 2"),
        (([0, -1], [1, 2], [0.5, 0.5]), "outside 0 to 2"),
        (([0, 1], [1, -1], [0.5, 0.5]), "outside 0 to 2"),
        (([3, 0], [1, 1], [0.5, 0.5]), "outside 0 to 2"),
        (([0, 1], [3, 0], [0.5, 0.5]), "outside 0 to 2"),
        (([1], [1], [0.5]), "itself"),
        (([0, 1], [2, 1], [0.5, 0.5]), "itself"),
        (([0], [1], [1.5]), "score is outside"),
        (([0, 1], [1, 2], [0.5, 1.5]), "score is outside"),
        (([0], [1], [float("nan")]), "score is outside"),
        (([0, 1], [1], [0.5]), "different lengths"),
    ],
)
def test_wrong_scores_are_refused(pairs, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        PairScores(3, *pairs)
