"""A story's documents in, the pairs worth comparing out: each with its most similar ones, with a limit on partners,
since one that sums up a story would be everyone's neighbour."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array

from cdcoref.corpus import Document
from cdcoref.stories.document_vectors import DocumentVectors


def nearest_pairs(
    documents: Sequence[Document] | DocumentVectors, group: Sequence[str], limit: int
) -> list[tuple[str, str]]:
    """Give every document of a group up to `limit` partners, the most similar pairs first.

    A pair is taken if both documents have fewer than `limit` partners; so any two documents left with fewer are each
    other's partners. If this leaves one document without any, it replaces a pair by becoming the partner of both.
    """
    if limit < 1:
        raise ValueError(f"limit is {limit}; every document needs at least one neighbour")
    vectors = documents if isinstance(documents, DocumentVectors) else DocumentVectors(documents)
    by_id = sorted(range(len(group)), key=group.__getitem__)  # the order in which ties are broken
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
    return [(group[a], group[b]) for a, b in sorted(kept)]


def _pair_up(rows: csr_array, partners: list[set[int]], limit: int) -> None:
    """Add partners, the most similar pairs first, until no two documents have room for each other."""
    from sklearn.neighbors import NearestNeighbors

    open_rows = np.arange(len(partners))
    while len(open_rows) > 1:
        # Some neighbours are of no use to a document (its partners and itself), so twice the limit is searched.
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
    """Put a document between the two of the pair for which that costs the least similarity."""
    pairs = np.array([(a, b) for a, chosen in enumerate(partners) for b in sorted(chosen) if a < b])
    to_it = (rows @ rows[[alone]].T).toarray().ravel()
    between = np.asarray(rows[pairs[:, 0]].multiply(rows[pairs[:, 1]]).sum(axis=1)).ravel()
    a, b = pairs[np.argmax(to_it[pairs[:, 0]] + to_it[pairs[:, 1]] - between)].tolist()
    partners[a].remove(b)
    partners[b].remove(a)
    partners[alone].update((a, b))
    partners[a].add(alone)
    partners[b].add(alone)
