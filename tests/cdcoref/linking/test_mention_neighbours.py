"""Neighbours: exactly the nearest where mentions are few, most of them where they are many, whatever the order."""

from __future__ import annotations

import numpy as np

from cdcoref.linking import near_pairs
from cdcoref.reading import MentionVectors

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
