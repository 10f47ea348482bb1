"""Pairs of items: their scores, checked and each pair once, and the components that they form."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array, csgraph


@dataclass(frozen=True, eq=False)
class PairScores:
    """Scores of some pairs of `size` items, from 0 (certainly different) to 1 (certainly the same). *Shape:* (pairs,)

    Items are numbers from 0, in either order. A pair may be stored more than once, for instance from several windows or
    in both orders: its score is then the mean. Raises `ValueError` for an item that does not exist or is paired with
    itself, a score outside 0 to 1, or arrays of different lengths.
    """

    size: int
    first: np.ndarray
    second: np.ndarray
    score: np.ndarray

    def __post_init__(self) -> None:
        for name, dtype in (("first", np.int64), ("second", np.int64), ("score", np.float64)):
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=dtype))
        lengths = len(self.first), len(self.second), len(self.score)
        if len(set(lengths)) > 1:
            raise ValueError(f"first, second and score have different lengths: {lengths}")
        if len(self.score) == 0:
            return
        if min(self.first.min(), self.second.min()) < 0 or max(self.first.max(), self.second.max()) >= self.size:
            raise ValueError(f"a pair names an item outside 0 to {self.size - 1}")
        if np.any(self.first == self.second):
            raise ValueError("an item is paired with itself")
        if not np.all((self.score >= 0) & (self.score <= 1)):
            raise ValueError("a score is outside 0 to 1")


def unique_pairs(scores: PairScores, place_of: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Every pair once, as the lesser and the greater of its items' places, with its mean score; sorted. `place_of`
    gives each item its place. *Shape:* (size,); of the result (pairs,) each."""
    first, second, score = place_of[scores.first], place_of[scores.second], scores.score
    size = max(scores.size, 1)
    code = np.minimum(first, second) * size + np.maximum(first, second)
    del first, second
    order = np.argsort(code, kind="stable")
    code, score = code[order], score[order]
    if np.any(code[1:] == code[:-1]):
        order = np.lexsort((score, code))  # the order of storage must not reach the last bit of a mean
        code, score = code[order], score[order]
        starts = np.flatnonzero(np.diff(code, prepend=-1))
        ends = np.append(starts[1:], len(code))
        mean = np.add.reduceat(score, starts) / (ends - starts)
        # The mean of equal numbers can round to another number, so it is held between the least and the greatest.
        score, code = np.clip(mean, score[starts], score[ends - 1]), code[starts]
    return code // size, code % size, score


def connected(size: int, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """The components that pairs of items form, numbered from 0 in the order of their first items.

    *Shape* of `first` and `second`: (pairs,); of the result: (size,)
    """
    # With 32-bit indices, the only ones that csgraph takes before SciPy 1.17.1.
    ends = first.astype(np.int32), second.astype(np.int32)
    graph = coo_array((np.ones(len(first), dtype=np.int8), ends), shape=(size, size))
    return numbered(csgraph.connected_components(graph, directed=False)[1])


def numbered(labels: np.ndarray) -> np.ndarray:
    """The same partition, numbered from 0 in the order in which its parts first occur. *Shape:* (items,)"""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    number = np.empty(len(first), dtype=np.int64)
    number[np.argsort(first)] = np.arange(len(first))
    return number[inverse]
