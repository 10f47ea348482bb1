"""Weights of words, how rare words are, and products of sparse vectors: what every comparison of documents shares.

Inverse document frequency is smoothed with `PRIOR_DOCUMENTS` imaginary documents; every word occurs in each of them
with probability `PRIOR_RATE`. Two stories do not show which words are rare, so all count alike; in a thousand the
counts prevail.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.sparse import csr_array

PRIOR_DOCUMENTS = 200
PRIOR_RATE = 0.02
_BLOCK_CELLS = 2_000_000
"""Number of similarities held in memory at a time."""


def rarity(frequency: np.ndarray, total: float) -> np.ndarray:
    """Inverse document frequency, smoothed, of words that `frequency` of `total` documents have. *Shapes:* (words,)"""
    return np.log((total + PRIOR_DOCUMENTS) / (frequency + PRIOR_DOCUMENTS * PRIOR_RATE))


def unit_length(vectors: csr_array) -> csr_array:
    """The rows scaled to length 1; rows of zeros stay."""
    lengths = np.sqrt(np.asarray(vectors.multiply(vectors).sum(axis=1)).ravel())
    lengths[lengths == 0] = 1.0
    scaled = vectors.copy()
    scaled.data = scaled.data / np.repeat(lengths, np.diff(scaled.indptr))
    return scaled


def blocks_of_products(left: csr_array, rows: np.ndarray, right: csr_array) -> Iterator[tuple[int, csr_array]]:
    """Products of some rows of one matrix with all rows of another, a bounded number at a time.

    The position in `rows` of a block's first row comes with each block. *Shape:* (rows of the block, rows of `right`)
    """
    step = max(1, _BLOCK_CELLS // max(1, right.shape[0]))
    columns = csr_array(right.T)
    for start in range(0, len(rows), step):
        yield start, left[rows[start : start + step]] @ columns
