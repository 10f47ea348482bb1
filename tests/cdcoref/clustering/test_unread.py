"""What a pair counts that was not read: a score of its own, a prior score by pair, or nothing."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster import hierarchy
from scipy.spatial.distance import squareform

from cdcoref.clustering import Linkage, PairScores, agglomerative, dendrogram
from cdcoref.clustering import linkage as linkage_module

BOTH: list[Linkage] = ["average", "complete"]
OF_KNOWN: list[Linkage] = ["average", "mixed", "complete"]
problems = st.tuples(st.integers(0, 2**32 - 1), st.integers(2, 25), st.sampled_from([0.05, 0.15, 0.4, 1.0]))


def random_scores(seed: int, size: int, density: float) -> PairScores:
    random = np.random.default_rng(seed)
    first, second = np.triu_indices(size, 1)
    stored = random.random(len(first)) < density
    return PairScores(size, first[stored], second[stored], random.random(int(stored.sum())))


def scipy_labels(scores: PairScores, threshold: float, linkage: str, unread: float) -> list[set[int]]:
    """Clusters by SciPy on the full matrix, in which `unread` stands for what is not stored."""
    distance = np.full((scores.size, scores.size), 1.0 - unread)
    distance[scores.first, scores.second] = distance[scores.second, scores.first] = 1.0 - scores.score
    np.fill_diagonal(distance, 0.0)
    tree = hierarchy.linkage(squareform(distance, checks=False), method=linkage)
    return partition(hierarchy.fcluster(tree, np.nextafter(threshold, 0), "distance"))


def partition(labels: np.ndarray) -> list[set[int]]:
    return sorted((set(np.flatnonzero(labels == label).tolist()) for label in set(labels.tolist())), key=min)


def greedy_over_known_pairs(scores: PairScores, linkage: str) -> list[float]:
    """Heights of the merges where the two clusters nearest by their known pairs are merged again and again."""
    distance = {(a, b): 1.0 - s for a, b, s in zip(scores.first, scores.second, scores.score, strict=True)}
    clusters = [frozenset([item]) for item in range(scores.size)]
    heights = []
    while True:
        between = {}
        for one, other in itertools.combinations(clusters, 2):
            known = [d for (a, b), d in distance.items() if (a in one and b in other) or (a in other and b in one)]
            if known:
                between[one, other] = np.mean(known) if linkage == "average" else max(known)
        pair = min(between, key=between.__getitem__, default=None)
        if pair is None:
            return heights
        heights.append(float(between[pair]))
        clusters = [c for c in clusters if c not in pair] + [pair[0] | pair[1]]


@pytest.fixture(params=["matrices", "chains"])
def path(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to merge a component."""
    if request.param == "chains":
        monkeypatch.setattr(linkage_module, "_MANY_PAIRS", 0)
    return request.param


@pytest.mark.usefixtures("path")
@pytest.mark.parametrize("linkage", ["single", *BOTH])
@pytest.mark.parametrize("unread", [0.1, 0.4])
def test_a_score_of_unread_pairs_is_a_full_matrix_of_it(linkage: Linkage, unread: float) -> None:
    for seed in range(40):
        scores = random_scores(seed, 25, (0.05, 0.15, 0.4, 1.0)[seed % 4])
        tree = dendrogram(scores, linkage, unread=unread)
        assert not len(tree.distance) or tree.distance.max() < 1 - unread
        for threshold in (0.1, 0.3, 0.5, 0.59):
            assert partition(tree.cut(threshold)) == scipy_labels(scores, threshold, linkage, unread)


@pytest.mark.usefixtures("path")
@pytest.mark.parametrize("linkage", BOTH)
def test_unread_pairs_that_count_nothing(linkage: Linkage) -> None:
    for seed in range(24):
        scores = random_scores(seed, 10, (0.15, 0.3, 0.6, 1.0)[seed % 4])
        tree = dendrogram(scores, linkage, unread="mean")
        assert tree.distance.tolist() == pytest.approx(greedy_over_known_pairs(scores, linkage))


@given(problem=problems, linkage=st.sampled_from(OF_KNOWN), ties=st.booleans(), threshold=st.floats(0.05, 1.0))
def test_both_ways_agree_to_the_last_bit(problem, linkage: Linkage, ties: bool, threshold: float) -> None:
    scores = random_scores(*problem)
    if ties:
        scores = PairScores(scores.size, scores.first, scores.second, np.floor(scores.score * 4) / 4)
    one = dendrogram(scores, linkage, unread="mean")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linkage_module, "_MANY_PAIRS", 0)
        other = dendrogram(scores, linkage, unread="mean")
    assert one.distance.tolist() == other.distance.tolist()
    assert one.cut(threshold).tolist() == other.cut(threshold).tolist()


@given(problem=problems, linkage=st.sampled_from(["single", *OF_KNOWN]), threshold=st.floats(0.05, 1.0))
def test_prior_scores_stand_in_for_unread_pairs_only(problem, linkage: Linkage, threshold: float) -> None:
    scores = random_scores(*problem)
    prior = random_scores(problem[0] + 1, scores.size, 0.3)
    full = prior.matrix().toarray()
    full[scores.first, scores.second] = scores.score
    first, second = np.triu_indices(scores.size, 1)
    joined = PairScores(scores.size, first, second, full[first, second])
    labels = agglomerative(scores, threshold, linkage, unread=prior)
    assert labels.tolist() == agglomerative(joined, threshold, linkage).tolist()


@given(problem=problems, linkage=st.sampled_from(["single", *OF_KNOWN]))
def test_where_every_pair_was_read_the_choice_does_not_matter(problem, linkage: Linkage) -> None:
    scores = random_scores(problem[0], problem[1], 1.0)
    plain = dendrogram(scores, linkage)
    for unread in ("mean", random_scores(5, scores.size, 0.5), *([] if linkage == "mixed" else [0.3])):
        other = dendrogram(scores, linkage, unread=unread)
        assert other.cut(0.65).tolist() == plain.cut(0.65).tolist()


def test_by_hand() -> None:
    # 0 and 1 are the same (0.9); 2 was read with 1 alone (0.6). The distance of {0, 1} and 2 is the mean of 0.4 and
    # what the unread pair 0-2 counts.
    scores = PairScores(3, [0, 1], [1, 2], [0.9, 0.6])
    prior = PairScores(3, [0, 0], [1, 2], [0.0, 0.5])
    heights = {"nothing": 0.7, "a score": 0.6, "prior": 0.45, "mean": 0.4}
    for (name, height), unread in zip(heights.items(), (0.0, 0.2, prior, "mean"), strict=True):
        assert dendrogram(scores, unread=unread).distance == pytest.approx([0.1, height]), name


def test_a_pair_read_as_certainly_different_is_not_an_unread_one() -> None:
    scores = PairScores(3, [0, 1, 0], [1, 2, 2], [0.9, 0.6, 0.0])
    for unread in ("mean", 0.2, PairScores(3, [0], [2], [0.5])):
        assert dendrogram(scores, unread=unread).distance == pytest.approx([0.1, 0.7])


def test_clusters_without_a_read_pair_are_not_merged() -> None:
    scores = PairScores(5, [0, 2], [1, 3], [0.01, 0.9])
    assert agglomerative(scores, 1.0, unread="mean").tolist() == [0, 0, 1, 1, 2]
    assert agglomerative(scores, 0.7, unread=0.3).tolist() == [0, 1, 2, 2, 3]


def test_wrong_values_are_refused() -> None:
    scores = PairScores(2, [0], [1], [0.5])
    with pytest.raises(ValueError, match="from 0 to less than 1"):
        dendrogram(scores, unread=1.0)
    with pytest.raises(ValueError, match="from 0 to less than 1"):
        dendrogram(scores, unread=float("nan"))
    with pytest.raises(ValueError, match="unread is 'median'"):
        dendrogram(scores, unread="median")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="of 3 items, those of read pairs of 2"):
        dendrogram(scores, unread=PairScores(3, [0], [1], [0.5]))
    with pytest.raises(ValueError, match=r"unread pairs are at distance 0\.4; .* as 0\.5 is"):
        agglomerative(scores, 0.5, unread=0.6)
    with pytest.raises(ValueError, match=r"unread is 0\.6; with mixed linkage it must be 0, 'mean' or scores of pairs"):
        dendrogram(scores, "mixed", unread=0.6)
