"""Neighbours: exactly the nearest where mentions are few, most of them where they are many, whatever the order."""

from __future__ import annotations

import numpy as np
import pytest

from cdcoref.linking import MentionVectors
from cdcoref.linking import mention_neighbours as neighbours_module
from cdcoref.linking.mention_neighbours import near_pairs

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


def expected(vectors: MentionVectors, numbers: np.ndarray, limit: int) -> set[tuple[int, int]]:
    """The nearest of every mention, all compared with all."""
    shared = [vectors.shared[name][vectors.rows[name]] for name in ("sentence", "document")]
    rows = np.concatenate([vectors.own["mention"], *shared], axis=1)[numbers].astype(np.float64)
    cosines = rows @ rows.T
    np.fill_diagonal(cosines, -np.inf)
    nearest = numbers[np.argsort(-cosines, axis=1)[:, : min(limit, len(numbers) - 1)]]
    return {(min(a, b), max(a, b)) for a, own in zip(numbers.tolist(), nearest.tolist(), strict=True) for b in own}


def found(vectors: MentionVectors, groups: list[np.ndarray]) -> set[tuple[int, int]]:
    codes = near_pairs(vectors, groups, LIMIT, 2)
    assert (np.diff(codes) > 0).all()
    first, second = np.divmod(codes, len(vectors))
    assert (first < second).all()
    return set(zip(first.tolist(), second.tolist(), strict=True))


def test_the_nearest_of_all_and_of_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = vectors_of(240)
    everything = np.arange(240)
    groups = [everything[::40], everything[1::80], everything[5:6]]
    monkeypatch.setattr(neighbours_module, "ROWS_AT_ONCE", 50)
    wanted = expected(vectors, everything, LIMIT).union(*(expected(vectors, group, 2) for group in groups))
    assert found(vectors, groups) == wanted


def test_most_of_the_nearest_are_found_in_cells_whatever_the_order(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("EXACT", 100), ("IN_CELL", 60), ("CELLS_SEARCHED", 5)):
        monkeypatch.setattr(neighbours_module, name, value)
    vectors = vectors_of(1200)
    some, nearest = found(vectors, []), expected(vectors, np.arange(1200), LIMIT)
    assert len(some & nearest) > 0.9 * len(nearest)
    order = np.random.default_rng(1).permutation(1200)
    again = {tuple(sorted((int(order[a]), int(order[b])))) for a, b in found(vectors.take(order), [])}
    assert len(again & some) > 0.99 * len(some)


def test_two_mentions_and_fewer() -> None:
    vectors = vectors_of(24)
    assert found(vectors.take([3, 7]), []) == {(0, 1)}
    assert found(vectors.take([3]), [np.zeros(1, dtype=np.int64)]) == set()
