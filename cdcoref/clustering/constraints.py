"""Must-links and cannot-links, whoever states them: one cluster in, parts of it out that obey them. Blocks are merged
as in average linkage, the two with the highest mean score first, and never two that cannot be in one cluster."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from cdcoref.clustering.pair_scores import PairScores, connected, numbered

NOT_COMPARED = -0.5
"""The score of two blocks if one has no item that counts: they are merged last."""
NEVER = -1.0


@dataclass(frozen=True, eq=False, slots=True)
class CannotLinks:
    """Which items cannot be in one cluster: those of two classes that conflict.

    *Shape* of `class_of`: (items,); of `conflicting`, which is symmetric: (classes, classes)
    """

    class_of: np.ndarray
    conflicting: np.ndarray

    @classmethod
    def of_pairs(cls, size: int, pairs: np.ndarray) -> CannotLinks:
        """Cannot-links from pairs of items. *Shape* of `pairs`: (pairs, 2)"""
        named, places = np.unique(pairs, return_inverse=True)
        class_of = np.zeros(size, dtype=np.int64)
        class_of[named] = np.arange(1, len(named) + 1)
        conflicting = np.zeros((len(named) + 1, len(named) + 1), dtype=bool)
        one, other = places.reshape(-1, 2).T + 1
        conflicting[one, other] = conflicting[other, one] = True
        return cls(class_of, conflicting)

    def between(self, blocks: np.ndarray) -> np.ndarray:
        """Whether two blocks cannot be in one cluster. *Shape:* (items,) in, (blocks, blocks) out"""
        has = np.zeros((int(blocks.max(initial=-1)) + 1, len(self.conflicting)), dtype=np.float32)
        has[blocks, self.class_of] = 1
        return has @ self.conflicting.astype(np.float32) @ has.T > 0


def with_followers(blocks: np.ndarray, cannot_links: CannotLinks, followers: Iterable[tuple[int, int]]) -> np.ndarray:
    """Blocks after every follower, in turn, has joined the block of what it follows, unless the two cannot be one.

    *Shape* of `blocks` and of the result: (items,)
    """
    blocks = blocks.copy()
    cannot = cannot_links.between(blocks)
    for follower, leader in followers:
        one, other = int(blocks[follower]), int(blocks[leader])
        if not cannot[one, other]:
            blocks[blocks == one] = other
            cannot[other] |= cannot[one]
            cannot[:, other] |= cannot[:, one]
    return numbered(blocks)


def unconflicted_parts(cannot_links: CannotLinks, merges: Iterable[tuple[int, int]]) -> np.ndarray:
    """The largest clusters without a conflict on the way to one cluster, numbered by first items. *Shape:* (items,)

    `merges` made the cluster, the nearest first: an item of either side.
    """
    size = len(cannot_links.class_of)
    above = list(range(size))
    whole = {item: [item] for item in range(size)}
    classes = [{own} for own in cannot_links.class_of.tolist()]
    parts: list[list[int]] = []
    for pair in merges:
        one, other = (_root(above, item) for item in pair)
        above[other] = one
        mine, theirs = whole.pop(one, None), whole.pop(other, None)
        rows, columns = list(classes[one]), list(classes[other])
        if mine is not None and theirs is not None and not cannot_links.conflicting[np.ix_(rows, columns)].any():
            whole[one] = mine + theirs
            classes[one] |= classes[other]
        else:
            parts += [part for part in (mine, theirs) if part is not None]
    part_of = np.zeros(size)
    for number, part in enumerate([*parts, *whole.values()]):
        part_of[part] = number
    return numbered(part_of)


def merge_blocks(
    blocks: np.ndarray,
    cannot_links: CannotLinks,
    scores: PairScores,
    clusters: np.ndarray | None = None,
    counted: np.ndarray | None = None,
) -> np.ndarray:
    """Merge blocks of items while any two may be in one cluster, those with the highest mean score first.

    `scores` has each pair once; one that is not stored has score 0. Where several `clusters` were made one, only pairs
    within one count, and blocks without any between them are not merged. `counted` says whether the scores of an item
    count. *Shape* of `blocks`, `clusters` and `counted`: (items,). Returns numbers from 0 in the order of the parts'
    first blocks. *Shape:* (items,)
    """
    size = len(blocks)
    clusters = np.zeros(size, dtype=np.int64) if clusters is None else np.unique(clusters, return_inverse=True)[1]
    counted = np.ones(size, dtype=bool) if counted is None else counted
    count = int(blocks.max(initial=-1)) + 1
    occurs, counting = np.zeros((2, count, int(clusters.max(initial=0)) + 1))
    occurs[blocks, clusters] = 1
    np.add.at(counting, (blocks, clusters), counted)
    related, pairs, total = occurs @ occurs.T, counting @ counting.T, np.zeros((count, count))
    first, second = scores.first, scores.second
    within = (clusters[first] == clusters[second]) & counted[first] & counted[second]
    np.add.at(total, (blocks[first[within]], blocks[second[within]]), scores.score[within])
    total = total + total.T  # the same to the last bit either way
    cannot = cannot_links.between(blocks) | np.eye(count, dtype=bool)

    def similar(row: int | slice) -> np.ndarray:
        means = np.where(pairs[row] > 0, total[row] / np.maximum(pairs[row], 1), NOT_COMPARED)
        # So that the order in which scores were added does not decide between equal ones.
        return np.where(cannot[row] | (related[row] == 0), NEVER, np.round(means, 9))

    group, rows = np.arange(count), np.arange(count)
    mean = similar(slice(None))
    nearest = mean.argmax(axis=1) if count else rows
    while (best := mean[rows, nearest]).max(initial=NEVER) > NEVER:
        kept = int(best.argmax())
        gone = int(nearest[kept])  # a greater number: its row has the same best mean, and argmax takes the first row
        for sums in (total, pairs, related, cannot):
            sums[kept] += sums[gone]
            sums[:, kept] = sums[kept]
        cannot[:, gone] = True
        mean[gone] = mean[:, gone] = NEVER
        mean[kept] = mean[:, kept] = similar(kept)
        # No block is nearer to the merged one than to the nearer of its parts; of equally near ones the first counts.
        stale = (nearest == kept) | (nearest == gone)
        nearest = np.where((mean[kept] > NEVER) & (mean[kept] >= mean[rows, nearest]) & (kept < nearest), kept, nearest)
        nearest[stale] = mean[stale].argmax(axis=1)
        group[group == gone] = kept
    return np.unique(group[blocks], return_inverse=True)[1]


def contradict(must_links: Iterable[Sequence[object]], cannot_links: Iterable[tuple[object, object]]) -> bool:
    """Whether some items that must be in one cluster, directly or through others, cannot be in one."""
    must, cannot = [tuple(pair) for pair in must_links], list(cannot_links)
    number = {name: place for place, name in enumerate(dict.fromkeys(n for pair in (*must, *cannot) for n in pair))}
    pairs = np.array([(number[a], number[b]) for a, b in must]).reshape(-1, 2)
    blocks = connected(len(number), *pairs.T)
    return any(blocks[number[a]] == blocks[number[b]] for a, b in cannot)


def _root(above: list[int], item: int) -> int:
    while above[item] != item:
        above[item] = above[above[item]]
        item = above[item]
    return item
