"""Document vectors in, the number of each document's story out: of all documents, or of those that come later. Two
groups are merged if documents across them are at least `share` as similar as inside them; a share grows with the
smaller group, from `SINGLE_SHARE` to `LARGE_SHARE`. Merges happen in rounds, the nearest first. Constants were chosen
on stories of ECB+, MEANTIME, GVC and Invented Texts."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from cdcoref.stories.document_vectors import similar_documents
from cdcoref.stories.document_words import blocks_of_products, tf_idf, unit_length

SINGLE_SHARE = 0.4
LARGE_SHARE = 0.7
PRIOR_SIMILARITY = 0.4
PRIOR_PAIRS = 15
MIN_SIMILARITY = 0.2
ROUND = 0.98


def story_labels(vectors: csr_array, together: np.ndarray | None = None) -> np.ndarray:
    """The number of every document's story, from 0 in the order of first rows. *Shape:* (documents,)

    `vectors`: Of length 1 (or 0, for a document without words), without negative numbers. *Shape:* (documents, words)
    `together`: Documents with the same number begin in one group; numbers from 0 without gaps. None: each begins alone.
    *Shape:* (documents,)
    """
    groups = _Groups(vectors, np.ones(vectors.shape[0], dtype=np.int64))
    labels = np.arange(groups.count) if together is None else together
    groups = groups if together is None else groups.merged(together)
    partner = np.full(groups.count, -1)
    similarity = np.zeros(groups.count)
    stale = np.arange(groups.count)
    while True:
        if len(stale):
            partner[stale], similarity[stale] = groups.partners(stale)
            _tell_partners(stale, partner, similarity)
        into = _merges(partner, similarity, groups.size)
        merged = into != np.arange(groups.count)
        if not merged.any():
            return labels
        changed = np.bincount(into, merged, groups.count) > 0  # groups that others are merged into
        waiting = (partner >= 0) & (merged | changed)[partner]
        number = np.cumsum(~merged) - 1
        labels = number[into][labels]
        groups = groups.merged(number[into])
        kept = ~merged
        stale = np.flatnonzero((changed | waiting)[kept])
        partner = np.where(partner >= 0, number[into][partner], -1)[kept]
        similarity = similarity[kept]


@dataclass(frozen=True, eq=False)
class _Groups:
    """Groups of documents: their vector sums and sizes. *Shapes:* (groups, words), (groups,)"""

    sums: csr_array
    size: np.ndarray

    @property
    def count(self) -> int:
        return len(self.size)

    def merged(self, into: np.ndarray) -> _Groups:
        """The groups after merging each into the group with the given number. *Shape of `into`:* (groups,)"""
        count = int(into.max()) + 1
        joined = csr_array((np.ones(len(into)), (into, np.arange(len(into)))), shape=(count, len(into)))
        sums = csr_array(joined @ self.sums)
        sums.sort_indices()
        return _Groups(sums, np.bincount(into, self.size, count).astype(np.int64))

    def partners(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """For each given group, the most similar one with which it may be merged (or -1), and the average similarity.
        *Shapes:* (rows,) both"""
        pairs = self.size * (self.size - 1) / 2
        squares = np.asarray(self.sums.multiply(self.sums).sum(axis=1)).ravel()
        inside = np.where(pairs > 0, (squares - self.size) / 2, 0.0)  # summed over the pairs of documents
        # A mean over parts is at least the smallest of their means, so nothing below this is merged.
        means = inside[pairs > 0] / pairs[pairs > 0]
        least = SINGLE_SHARE * min(PRIOR_SIMILARITY, means.min(initial=PRIOR_SIMILARITY)) * (1 - 1e-9)
        partner = np.full(len(rows), -1)
        similarity = np.zeros(len(rows))
        for start, block in blocks_of_products(self.sums, rows, self.sums):
            place = np.repeat(np.arange(start, start + block.shape[0]), np.diff(block.indptr))
            average = block.data / (self.size[rows[place]] * self.size[block.indices])
            near = (average >= least) & (rows[place] != block.indices)
            place, average, other = place[near], average[near], block.indices[near]
            one = rows[place]
            known = inside[one] + inside[other]
            expected = (PRIOR_PAIRS * PRIOR_SIMILARITY + known) / (PRIOR_PAIRS + (pairs[one] + pairs[other]))
            expected = np.maximum(expected, MIN_SIMILARITY)
            noise = 1 / np.sqrt(np.minimum(self.size[one], self.size[other]))
            share = LARGE_SHARE - (LARGE_SHARE - SINGLE_SHARE) * noise
            cohesive = average >= share * expected
            place, average, other = place[cohesive], average[cohesive], other[cohesive]
            best = np.lexsort((other, -average, place))
            best = best[np.unique(place[best], return_index=True)[1]]
            partner[place[best]], similarity[place[best]] = other[best], average[best]
        return partner, similarity


def _tell_partners(stale: np.ndarray, partner: np.ndarray, similarity: np.ndarray) -> None:
    """Give groups that were not recomputed a changed group as partner, if it is nearer or comes first."""
    for suitor in stale[partner[stale] >= 0].tolist():
        other = partner[suitor]
        if (-similarity[suitor], suitor) < (-similarity[other], partner[other]):
            partner[other], similarity[other] = suitor, similarity[suitor]


def _merges(partner: np.ndarray, similarity: np.ndarray, size: np.ndarray) -> np.ndarray:
    """The group into which each is merged in a round; its own number if it stays. *Shape:* (groups,)"""
    into = np.arange(len(partner))
    near = (partner >= 0) & (similarity >= ROUND * similarity.max(initial=0.0))
    first = np.flatnonzero(near & (partner[partner] == into) & (into < partner))
    second = partner[first]
    host = np.where(size[second] > size[first], second, first)
    guest = first + second - host
    room = np.zeros(len(partner), dtype=np.int64)
    room[host] = size[host] - size[guest]
    into[guest] = host
    others = np.flatnonzero(near & (room[partner] > 0) & (into == np.arange(len(partner))))
    others = others[partner[partner[others]] != others]
    for group in others[np.lexsort((others, -similarity[others]))].tolist():
        if size[group] <= room[partner[group]]:
            room[partner[group]] -= size[group]
            into[group] = partner[group]
    # The number of a merged group is the least of its members'.
    least = np.arange(len(partner))
    np.minimum.at(least, into, np.arange(len(partner)))
    return least[into]


LARGEST_DIVIDED = 100
"""Documents of the largest story that can be divided again; bounds what a new document costs."""


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """New documents, and those of the stories near them.

    `weights`: How much every word of a document weighs before its rarity is known. *Shape:* (documents, words)
    `story`: The number of each document's story, from 0; -1 for a new document. *Shape:* (documents,) `original`: The
    row of each document's original; of a document that is no copy its own. *Shape:* (documents,) `frequency`, `total`:
    What `tf_idf` takes, for all documents but the new ones. *Shape of `frequency`:* (words,)
    """

    weights: csr_array
    story: np.ndarray
    original: np.ndarray
    frequency: np.ndarray
    total: float


class Placement(NamedTuple):
    """Where new documents belong.

    `label`: The same for documents of one story, also where it stays as it is. *Shape:* (documents,) `share`: For how
    much of a document each new one counts in frequencies. *Shape:* (new documents,) `vectors`: Of length 1, or 0.
    *Shape:* (documents, words)
    """

    label: np.ndarray
    share: np.ndarray
    vectors: csr_array


def place_documents(near: Neighbourhood) -> Placement:
    """Find the stories of new documents; a copy is where its original is."""
    rows = np.arange(len(near.story))
    single = np.flatnonzero(near.original == rows)
    place = np.cumsum(near.original == rows) - 1  # of each original among them
    new = np.flatnonzero(near.story < 0)
    share = np.zeros(len(new))
    originals = unit_length(csr_array(near.weights[single]))
    counted = near.original[new] == new
    share[counted] = 1 / (1 + similar_documents(originals, place[new[counted]], np.arange(len(single))))
    own = near.weights[new]
    frequency = near.frequency + np.bincount(
        own.indices, np.repeat(share, np.diff(own.indptr)), minlength=len(near.frequency)
    )
    vectors = tf_idf(near.weights, frequency, near.total + share.sum())
    vectors.sort_indices()
    size = np.bincount(near.story[single] + 1, minlength=int(near.story.max(initial=-1)) + 2)[near.story + 1]
    together = np.where((near.story < 0) | (size <= LARGEST_DIVIDED), len(rows) + rows, near.story)[single]
    labels = story_labels(csr_array(vectors[single]), np.unique(together, return_inverse=True)[1])
    label = labels[place[near.original]]
    reached = _reached(near.story, label)
    return Placement(np.where(reached, label, len(near.story) + near.story), share, vectors)


def _reached(story: np.ndarray, label: np.ndarray) -> np.ndarray:
    """Which documents have to do with a new one: through groups that share documents with stories, step by step."""
    reached = story < 0
    while True:
        grown = np.isin(label, label[reached]) | np.isin(story, story[reached & (story >= 0)])
        if (grown == reached).all():
            return reached
        reached = grown


def nearest_to(vectors: csr_array, rows: np.ndarray, limit: int) -> list[tuple[int, int]]:
    """Pairs of some rows and the rows nearest to each, up to `limit` for each; a pair once, the lower number first."""
    pairs: set[tuple[int, int]] = set()
    for start, block in blocks_of_products(vectors, rows, vectors):
        for number, (first, last) in enumerate(pairwise(block.indptr.tolist())):
            row = int(rows[start + number])
            similarity = np.zeros(vectors.shape[0])
            similarity[block.indices[first:last]] = block.data[first:last]
            similarity[row] = -1.0
            nearest = np.argsort(-similarity, kind="stable")[:limit]
            pairs.update((min(row, other), max(row, other)) for other in nearest.tolist() if other != row)
    return sorted(pairs)
