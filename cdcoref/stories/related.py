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
from cdcoref.stories.document_vectors import DocumentVectors
from cdcoref.stories.tfidf import blocks_of_products, unit_length

MIN_SIMILARITY = 0.15
"""The mean similarity above which stories are about one subject. Chosen on the train topics of ECB+ and MEANTIME."""
NEAR = 0.1
"""Stories that are less similar count as having nothing in common."""


def subjects(vectors: DocumentVectors, stories: Sequence[Sequence[str]]) -> list[int]:
    """The number of every story's subject, from 0 in the order of first stories; the order decides nothing else."""
    own = [[name for name in story if name not in vectors.original_of] for story in stories]
    documents = [vectors.row[name] for story in own for name in story]
    story_of = np.repeat(np.arange(len(stories)), [len(story) for story in own])
    return subject_labels(csr_array(vectors.matrix[documents]), story_of, [min(story) for story in own])


def subject_labels(vectors: csr_array, story_of: np.ndarray, keys: Sequence[str]) -> list[int]:
    """As :func:`subjects`, for vectors of documents that were computed elsewhere.

    `vectors`: Of length 1, or 0. *Shape:* (documents, words) `story_of`: The number of each document's story, from 0.
    *Shape:* (documents,) `keys`: By story, what decides between equal similarities: the first id of its documents.
    """
    rows = np.arange(len(story_of))
    sums = csr_array((np.ones(len(rows)), (story_of, rows)), shape=(len(keys), len(rows))) @ vectors
    whole = unit_length(csr_array(sums))
    first, second, score = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0)]
    for start, block in blocks_of_products(whole, np.arange(len(keys)), whole):
        row = np.repeat(np.arange(start, start + block.shape[0]), np.diff(block.indptr))
        near = (block.data >= NEAR) & (row < block.indices)
        first.append(row[near])
        second.append(block.indices[near].astype(np.int64))
        score.append(np.minimum(block.data[near], 1.0))
    pairs = PairScores(len(keys), np.concatenate(first), np.concatenate(second), np.concatenate(score))
    labels = agglomerative(pairs, 1 - MIN_SIMILARITY, keys=list(keys))
    numbers: dict[int, int] = {}
    return [numbers.setdefault(label, len(numbers)) for label in np.asarray(labels).tolist()]
