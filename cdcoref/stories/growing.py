"""The stories of documents that come later: they and the documents of the stories near them are grouped anew; stories
of more than `LARGEST_DIVIDED` documents can only grow. The outcome depends a little on the order in which documents
come."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array, diags_array

from cdcoref.stories.document_vectors import similar_documents
from cdcoref.stories.document_words import blocks_of_products, rarity, unit_length
from cdcoref.stories.merging import story_labels

LARGEST_DIVIDED = 100
"""Documents of the largest story that can be divided again; bounds what a new document costs."""


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """New documents, and those of the stories near them.

    `weights`: How much every word of a document weighs before its rarity is known. *Shape:* (documents, words)
    `story`: The number of each document's story, from 0; -1 for a new document. *Shape:* (documents,) `original`: The
    row of each document's original; of a document that is no copy its own. *Shape:* (documents,) `frequency`, `total`:
    What `rarity` takes, for all documents but the new ones. *Shape of `frequency`:* (words,)
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
    vectors = unit_length(csr_array(near.weights @ diags_array(rarity(frequency, near.total + share.sum()))))
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
