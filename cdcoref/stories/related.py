"""Stories in, the subject of each out: stories about one subject name the same people, places and organisations.

The crash and the inquiry that follows months later are two stories about one subject, or the appointments of two
successive managers of one club. Average linkage over the similarities of stories, which are the cosines of the sums of
their documents' vectors.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array

from cdcoref.clustering import PairScores, agglomerative
from cdcoref.stories.vectors import DocumentVectors, blocks_of_products, unit_length

LEAST = 0.15
"""The mean similarity above which stories are about one subject. Chosen on the train topics of ECB+ and MEANTIME."""
NEAR = 0.1
"""Stories that are less similar count as having nothing in common."""


def subjects(vectors: DocumentVectors, stories: Sequence[Sequence[str]]) -> list[int]:
    """Find out which stories are about one subject.

    Parameters
    ----------
    vectors
        Of all documents.
    stories
        The ids of their documents; no document is in two of them.

    Returns
    -------
    list
        The number of every story's subject, from 0 in the order of first stories. Which stories share one does not
        depend on their order.
    """
    documents = [vectors.row[name] for story in stories for name in story]
    story_of = np.repeat(np.arange(len(stories)), [len(story) for story in stories])
    shape = (len(stories), len(vectors.ids))
    sums = csr_array((np.ones(len(documents)), (story_of, documents)), shape=shape) @ vectors.matrix
    whole = unit_length(csr_array(sums))
    first, second, score = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0)]
    for start, block in blocks_of_products(whole, np.arange(len(stories)), whole):
        row = np.repeat(np.arange(start, start + block.shape[0]), np.diff(block.indptr))
        near = (block.data >= NEAR) & (row < block.indices)
        first.append(row[near])
        second.append(block.indices[near].astype(np.int64))
        score.append(np.minimum(block.data[near], 1.0))
    pairs = PairScores(len(stories), np.concatenate(first), np.concatenate(second), np.concatenate(score))
    labels = agglomerative(pairs, 1 - LEAST, keys=[min(story) for story in stories])
    numbers: dict[int, int] = {}
    return [numbers.setdefault(label, len(numbers)) for label in np.asarray(labels).tolist()]
