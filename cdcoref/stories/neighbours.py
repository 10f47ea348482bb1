"""A story's documents in, the pairs of them that are worth comparing out: each document with its most similar ones.

The similarities come from scikit-learn's nearest neighbours. What they do not do is done here: nobody has more partners
than the limit, though a document that sums a story up is the neighbour of everybody.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from cdcoref.corpus import Document
from cdcoref.stories.vectors import DocumentVectors


class NearestPairs(NamedTuple):
    """Pairs of documents of a group, and how many pairs of it were left out."""

    pairs: list[tuple[str, str]]
    pruned: int


def nearest_pairs(documents: Sequence[Document] | DocumentVectors, group: Sequence[str], limit: int) -> NearestPairs:
    """Give every document of a group up to `limit` partners, the most similar pairs first.

    A pair is taken if both still have room, so that no document has more than `limit` partners, and two documents that
    have fewer are partners of each other. Where this leaves one document without any, it takes the place of a pair: it
    becomes the partner of both.

    Parameters
    ----------
    documents
        The whole collection, which says how rare words are. Who asks for several groups gives its vectors.
    group
        Ids of documents.
    limit
        Most partners a document has. With 1, a group of an odd number leaves one document alone.

    Returns
    -------
    NearestPairs
        Each pair once, in the order of the group, which does not change which pairs there are.
    """
    if limit < 1:
        raise ValueError(f"limit is {limit}; every document needs one neighbour at least")
    vectors = documents if isinstance(documents, DocumentVectors) else DocumentVectors(documents)
    by_id = sorted(range(len(group)), key=group.__getitem__)  # so that equally near ones are taken in this order
    rows = vectors.matrix[[vectors.row[group[number]] for number in by_id]]
    partners: list[set[int]] = [set() for _ in group]
    _pair_up(rows, partners, limit)
    alone = [number for number, chosen in enumerate(partners) if not chosen]
    if alone and limit > 1 and len(group) > 2:
        _make_room(rows, partners, alone[0])
    kept = set()
    for number, chosen in enumerate(partners):
        for other in chosen:
            a, b = by_id[number], by_id[other]
            kept.add((min(a, b), max(a, b)))
    pairs = [(group[a], group[b]) for a, b in sorted(kept)]
    return NearestPairs(pairs, len(group) * (len(group) - 1) // 2 - len(pairs))


def _pair_up(rows: csr_array, partners: list[set[int]], limit: int) -> None:
    """Add partners, the most similar pairs first, until no two documents have room for each other."""
    from sklearn.neighbors import NearestNeighbors

    open_rows = np.arange(len(partners))
    while len(open_rows) > 1:
        # As many as it has partners are no use to a document, and itself; there is room for as many again.
        neighbours = min(2 * limit, len(open_rows))
        search = NearestNeighbors(n_neighbors=neighbours, metric="cosine", algorithm="brute").fit(rows[open_rows])
        distance, place = search.kneighbors(rows[open_rows])
        one, other = np.repeat(open_rows, neighbours), open_rows[place.ravel()]
        low, high = np.minimum(one, other), np.maximum(one, other)
        found = False
        for pair in np.lexsort((high, low, distance.ravel())).tolist():
            a, b = int(low[pair]), int(high[pair])
            if a != b and b not in partners[a] and len(partners[a]) < limit and len(partners[b]) < limit:
                partners[a].add(b)
                partners[b].add(a)
                found = True
        if not found:
            break
        open_rows = np.array([number for number in open_rows.tolist() if len(partners[number]) < limit])


def _make_room(rows: csr_array, partners: list[set[int]], alone: int) -> None:
    """Put a document between the two of a pair where that takes the least similarity away."""
    pairs = np.array([(a, b) for a, chosen in enumerate(partners) for b in sorted(chosen) if a < b])
    to_it = (rows @ rows[[alone]].T).toarray().ravel()
    between = np.asarray(rows[pairs[:, 0]].multiply(rows[pairs[:, 1]]).sum(axis=1)).ravel()
    a, b = pairs[np.argmax(to_it[pairs[:, 0]] + to_it[pairs[:, 1]] - between)].tolist()
    partners[a].remove(b)
    partners[b].remove(a)
    partners[alone].update((a, b))
    partners[a].add(alone)
    partners[b].add(alone)
