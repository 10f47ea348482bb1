"""Document vectors in, the number of each document's story out. Two groups are merged if documents across them are at
least `share` as similar as inside them; a share grows with the smaller group, from `SINGLE_SHARE` to `LARGE_SHARE`.
Merges happen in rounds, the nearest first. Constants were chosen on the train topics of ECB+."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from cdcoref.stories.document_words import blocks_of_products

SINGLE_SHARE = 0.4
LARGE_SHARE = 0.75
PRIOR_SIMILARITY = 0.4
PRIOR_PAIRS = 15
MIN_SIMILARITY = 0.25
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

        *Shapes:* (rows,) both
        """
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
    """Give groups that were not recomputed a changed group as partner, if it is nearer than their current one.

    It was not near enough for its size before, or is equally near and now comes first.
    """
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
