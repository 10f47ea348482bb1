"""Clusters under must-links and cannot-links: both are obeyed, and nothing that may be one is left apart."""

from __future__ import annotations

from itertools import permutations, product

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
PAIRS = st.lists(PAIR, max_size=6)
LABELS = st.lists(st.integers(0, SIZE - 1), min_size=SIZE, max_size=SIZE)


def as_array(pairs: list[tuple[int, int]]) -> np.ndarray:
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def symmetric(pairs: list[tuple[int, int]]) -> set[tuple[int, int]]:
    return {*pairs, *((b, a) for a, b in pairs)}


def groups_of(labels: list[int]) -> list[list[int]]:
    """The items of each label, those with the first item first."""
    return [[item for item, own in enumerate(labels) if own == label] for label in dict.fromkeys(labels)]


def numbered(labels: list[int]) -> list[int]:
    """The same groups, numbered in the order of their first items."""
    return [list(dict.fromkeys(labels)).index(label) for label in labels]


def random_scores(seed: int) -> PairScores:
    first, second = np.triu_indices(SIZE, 1)
    return PairScores(SIZE, first, second, np.random.default_rng(seed).random(len(first)))


@given(st.lists(PAIR, max_size=5), st.lists(PAIR, max_size=6), st.integers(0, 99))
def test_parts_obey_and_are_maximal(must: list[tuple[int, int]], cannot: list[tuple[int, int]], seed: int) -> None:
    if contradict(must, cannot):
        return
    cannot_links = CannotLinks.of_pairs(SIZE, as_array(cannot))
    labels = merge_blocks(connected(SIZE, *as_array(must).T), cannot_links, random_scores(seed))
    assert all(labels[a] == labels[b] for a, b in must)
    assert all(labels[a] != labels[b] for a, b in cannot)
    between = {frozenset((int(labels[a]), int(labels[b]))) for a, b in cannot}
    parts = int(labels.max()) + 1
    assert all(frozenset((a, b)) in between for b in range(parts) for a in range(b))


@given(
    LABELS,
    st.lists(st.integers(0, 1), min_size=SIZE, max_size=SIZE),
    st.sets(st.integers(0, SIZE - 1), max_size=2),
    PAIRS,
    st.integers(0, 99),
)
def test_blocks_are_merged_by_their_mean_score(
    blocks: list[int], clusters: list[int], ignored: set[int], cannot: list[tuple[int, int]], seed: int
) -> None:
    """As when the means of all pairs of groups are computed anew each time, of what was one cluster and counts."""
    scores, conflicts = random_scores(seed), symmetric(cannot)
    score_of = {(int(a), int(b)): float(s) for a, b, s in zip(scores.first, scores.second, scores.score, strict=True)}

    def nearness(one: list[int], other: list[int]) -> float | None:
        within = [(min(a, b), max(a, b)) for a in one for b in other if clusters[a] == clusters[b]]
        if not within or any((a, b) in conflicts for a in one for b in other):
            return None
        values = [score_of[pair] for pair in within if ignored.isdisjoint(pair)]
        return sum(values) / len(values) if values else -1.0

    groups = groups_of(blocks)
    while possible := [
        (mean, place, other)
        for other in range(len(groups))
        for place in range(other)
        if (mean := nearness(groups[place], groups[other])) is not None
    ]:
        _, one, other = max(possible, key=lambda found: (found[0], -found[1], -found[2]))
        groups[one] += groups.pop(other)
    counted = np.array([item not in ignored for item in range(SIZE)])
    cannot_links = CannotLinks.of_pairs(SIZE, as_array(cannot))
    labels = merge_blocks(np.array(numbered(blocks)), cannot_links, scores, np.array(clusters), counted)
    assert groups_of(labels.tolist()) == [sorted(group) for group in groups]


def test_the_order_of_scores_does_not_matter() -> None:
    """0 is as near to {1, 2, 3} as to {4, 5, 6}, but sums of tenths differ in the last bit by their order."""
    cannot_links, blocks = CannotLinks.of_pairs(7, as_array([(1, 4)])), np.array([0, 1, 1, 1, 2, 2, 2])
    for one, other in product(permutations([0.1, 0.2, 0.3]), repeat=2):
        scores = PairScores(7, np.zeros(6, dtype=int), np.arange(1, 7), np.array([*one, *other]))
        assert merge_blocks(blocks, cannot_links, scores).tolist() == [0, 0, 0, 0, 1, 1, 1]


@given(LABELS, PAIRS, st.lists(PAIR, max_size=8))
def test_followers_in_order(blocks: list[int], cannot: list[tuple[int, int]], followers: list[tuple[int, int]]) -> None:
    """As when all pairs of items of the two groups are looked at each time."""
    conflicts, expected = symmetric(cannot), list(blocks)
    for follower, leader in followers:
        one, other = ([i for i in range(SIZE) if expected[i] == expected[item]] for item in (follower, leader))
        if not any((a, b) in conflicts for a in one for b in other):
            for item in one:
                expected[item] = expected[leader]
    labels = with_followers(np.array(blocks), CannotLinks.of_pairs(SIZE, as_array(cannot)), followers)
    assert labels.tolist() == numbered(expected)


@given(st.lists(PAIR, max_size=12), PAIRS)
def test_parts_are_the_largest_without_a_conflict(pairs: list[tuple[int, int]], cannot: list[tuple[int, int]]) -> None:
    """Of all clusters on the way."""
    conflicts, cluster_of = symmetric(cannot), [frozenset([item]) for item in range(SIZE)]
    clusters, merges = list(cluster_of), []
    for one, other in pairs:
        if other not in cluster_of[one]:
            merges.append((one, other))
            clusters.append(cluster_of[one] | cluster_of[other])
            for item in clusters[-1]:
                cluster_of[item] = clusters[-1]
    free = [part for part in clusters if not any((a, b) in conflicts for a in part for b in part)]
    expected = [min(max((part for part in free if item in part), key=len, default=[item])) for item in range(SIZE)]
    labels = unconflicted_parts(CannotLinks.of_pairs(SIZE, as_array(cannot)), merges)
    assert labels.tolist() == numbered(expected)


def test_nothing_to_merge() -> None:
    nothing = np.zeros(0, dtype=np.int64)
    none = CannotLinks.of_pairs(0, as_array([]))
    assert merge_blocks(nothing, none, PairScores(0, nothing, nothing, nothing)).tolist() == []
    assert unconflicted_parts(none, []).tolist() == []
