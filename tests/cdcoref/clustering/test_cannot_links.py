"""Clusters under must-links and cannot-links: both are obeyed, and nothing that may be one is left apart."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cdcoref.clustering import (
    CannotLinks,
    PairScores,
    connected,
    contradict,
    merge_blocks,
    unconflicted_parts,
    with_followers,
)

SIZE = 8
PAIR = st.tuples(st.integers(0, SIZE - 1), st.integers(0, SIZE - 1)).filter(lambda pair: pair[0] != pair[1])


def as_array(pairs: list[tuple[int, int]]) -> np.ndarray:
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def random_scores(seed: int) -> PairScores:
    first, second = np.triu_indices(SIZE, 1)
    return PairScores(SIZE, first, second, np.random.default_rng(seed).random(len(first)))


@given(st.lists(PAIR, max_size=5), st.lists(PAIR, max_size=6), st.integers(0, 99))
def test_parts_obey_and_cannot_be_merged_further(
    must: list[tuple[int, int]], cannot: list[tuple[int, int]], seed: int
) -> None:
    if contradict(must, cannot):
        return
    cannot_links = CannotLinks.of_pairs(SIZE, as_array(cannot))
    labels = merge_blocks(connected(SIZE, *as_array(must).T), cannot_links, random_scores(seed))
    assert all(labels[a] == labels[b] for a, b in must)
    assert all(labels[a] != labels[b] for a, b in cannot)
    between = {frozenset((int(labels[a]), int(labels[b]))) for a, b in cannot}
    parts = int(labels.max()) + 1
    assert all(frozenset((a, b)) in between for b in range(parts) for a in range(b))


@given(st.lists(PAIR, max_size=3), st.lists(PAIR, max_size=6), st.integers(0, 99))
def test_blocks_are_merged_by_their_mean_score(
    must: list[tuple[int, int]], cannot: list[tuple[int, int]], seed: int
) -> None:
    """As when the means of all pairs of groups are computed anew each time."""
    scores, blocks = random_scores(seed), connected(SIZE, *as_array(must).T)
    matrix = np.zeros((SIZE, SIZE))
    matrix[scores.first, scores.second] = matrix[scores.second, scores.first] = scores.score
    groups = [np.flatnonzero(blocks == block).tolist() for block in range(blocks.max() + 1)]
    while possible := [
        (float(matrix[np.ix_(one, other)].mean()), place, groups.index(other))
        for place, one in enumerate(groups)
        for other in groups[place + 1 :]
        if not any((a in one and b in other) or (a in other and b in one) for a, b in cannot)
    ]:
        _, one, other = max(possible)
        groups[one] += groups.pop(other)
    labels = merge_blocks(blocks, CannotLinks.of_pairs(SIZE, as_array(cannot)), scores)
    found = [np.flatnonzero(labels == label).tolist() for label in range(labels.max() + 1)]
    assert found == sorted(map(sorted, groups))


@given(st.lists(PAIR, max_size=4), st.permutations(range(SIZE * (SIZE - 1) // 2)), st.integers(0, 99))
def test_the_order_of_scores_does_not_matter(cannot: list[tuple[int, int]], order: list[int], seed: int) -> None:
    """Sums of tenths differ in the last bit by their order, and many means tie."""
    scores, cannot_links = random_scores(seed), CannotLinks.of_pairs(SIZE, as_array(cannot))
    tenths = np.ceil(scores.score * 3) / 10
    shuffled = PairScores(SIZE, scores.first[order], scores.second[order], tenths[order])
    blocks = np.arange(SIZE) // 2
    labels = merge_blocks(blocks, cannot_links, PairScores(SIZE, scores.first, scores.second, tenths))
    assert merge_blocks(blocks, cannot_links, shuffled).tolist() == labels.tolist()


def test_a_cluster_falls_apart_where_a_merge_brought_a_conflict() -> None:
    cannot_links = CannotLinks.of_pairs(6, as_array([(0, 3)]))
    # {0, 1, 2} and {3, 4} conflict; 5 is merged into what is no longer whole.
    assert unconflicted_parts(cannot_links, [(0, 1), (1, 2), (3, 4), (2, 4), (0, 5)]).tolist() == [0, 0, 0, 1, 1, 2]
    assert unconflicted_parts(cannot_links, []).tolist() == [0, 1, 2, 3, 4, 5]


def test_an_item_that_is_a_part_by_itself_brings_no_conflict() -> None:
    cannot_links = CannotLinks.of_pairs(3, as_array([(1, 2)]))
    assert unconflicted_parts(cannot_links, [(0, 1), (0, 2)], [1]).tolist() == [0, 1, 0]


def test_only_conflicts_between_the_two_sides_count() -> None:
    # 2 joins 0 though it conflicts with 3, which comes later, and then stays out.
    cannot_links = CannotLinks.of_pairs(4, as_array([(2, 3)]))
    assert unconflicted_parts(cannot_links, [(0, 2), (0, 3)]).tolist() == [0, 1, 0, 2]
    # 1 and 2 are parts; what 0 is merged with is no longer whole.
    assert unconflicted_parts(CannotLinks.of_pairs(3, as_array([(1, 2)])), [(1, 2), (0, 1)]).tolist() == [0, 1, 2]


def test_a_follower_joins_unless_it_cannot() -> None:
    cannot_links, blocks = CannotLinks.of_pairs(5, as_array([(0, 1), (2, 4)])), np.arange(5)
    # 1 cannot follow 0. 2 follows 3, and 4, which cannot be with 2, then cannot follow 3.
    assert with_followers(blocks, cannot_links, [(1, 0), (2, 3), (4, 3)]).tolist() == [0, 1, 2, 2, 3]
    assert blocks.tolist() == [0, 1, 2, 3, 4]


def test_a_leader_keeps_its_own_conflicts_when_it_is_followed() -> None:
    cannot_links = CannotLinks.of_pairs(3, as_array([(0, 1)]))
    assert with_followers(np.arange(3), cannot_links, [(2, 0), (1, 0)]).tolist() == [0, 1, 0]
    assert with_followers(np.arange(3), cannot_links, [(2, 0), (0, 1)]).tolist() == [0, 1, 0]
    # 0 follows 2, which then cannot follow 1.
    assert with_followers(np.arange(3), cannot_links, [(0, 2), (2, 1)]).tolist() == [0, 1, 0]


def test_only_pairs_within_a_former_cluster_count() -> None:
    # {0, 1, 2} and {3} were made one. 2 resembles 3 most, but was never in one cluster with it.
    scores = PairScores(4, np.array([0, 1, 2]), np.array([1, 2, 3]), np.array([0.3, 0.2, 0.9]))
    cannot_links = CannotLinks.of_pairs(4, as_array([(0, 2)]))
    blocks = connected(4, *as_array([(1, 3)]).T)
    assert merge_blocks(blocks, cannot_links, scores, np.array([0, 0, 0, 1])).tolist() == [0, 0, 1, 0]
    none = CannotLinks.of_pairs(4, as_array([]))
    assert merge_blocks(np.arange(4), none, scores, np.array([0, 0, 0, 1])).tolist() == [0, 0, 0, 1]


def test_scores_of_an_item_that_does_not_count_decide_nothing() -> None:
    """1 resembles 0 most, but joins others only when all that count are merged."""
    counted, blocks = np.array([True, False, True]), np.arange(3)
    none, cannot_links = (CannotLinks.of_pairs(3, as_array(pairs)) for pairs in ([], [(1, 2)]))
    for one, other in ((0, 1), (1, 0)):
        scores = PairScores(3, np.array([one]), np.array([other]), np.array([0.9]))
        assert merge_blocks(blocks, none, scores, counted=counted).tolist() == [0, 0, 0]
        assert merge_blocks(blocks, cannot_links, scores).tolist() == [0, 0, 1]
        assert merge_blocks(blocks, cannot_links, scores, counted=counted).tolist() == [0, 1, 0]
        # 1 is in a block with 3, which resembles 2 most.
        pairs = np.array([one, 0, 2]), np.array([other, 3, 3])
        blocks_of_two, conflict = np.array([0, 1, 2, 1]), CannotLinks.of_pairs(4, as_array([(0, 2)]))
        scores, but_1 = PairScores(4, *pairs, np.array([0.9, 0.1, 0.3])), np.array([True, False, True, True])
        assert merge_blocks(blocks_of_two, conflict, scores).tolist() == [0, 0, 1, 0]
        assert merge_blocks(blocks_of_two, conflict, scores, counted=but_1).tolist() == [0, 1, 1, 1]


def test_nothing_to_merge() -> None:
    nothing = np.zeros(0, dtype=np.int64)
    none = CannotLinks.of_pairs(0, as_array([]))
    assert merge_blocks(nothing, none, PairScores(0, nothing, nothing, nothing)).tolist() == []
    assert unconflicted_parts(none, []).tolist() == []
