"""Documents in, one TF-IDF vector for each out. For inverse document frequency a document counts for `1 / (documents
like it)`, so that a story counts as one, and copies for nothing. Constants were chosen on the train topics of ECB+."""

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from hashlib import blake2b
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from cdcoref.corpus import Document
from cdcoref.stories.document_words import (
    blocks_of_products,
    boilerplate_lines,
    tf_idf,
    unit_length,
    word_table,
    words_of,
)

MIN_DOCUMENT_SIMILARITY = 0.2
_SAMPLE = 2_000
"""In a larger collection, similar documents are counted in a sample of this size, chosen by a hash of document ids."""


class DocumentVectors:
    """Documents and their TF-IDF vectors, computed on first use.

    A vector depends on the whole collection, which determines how rare words are, but not on the order of the
    documents. Hidden sentences and mentions are ignored.

    `original_of`: As :func:`cdcoref.stories.near_duplicates` returns it. `boilerplate`: Keys of lines that do not
    count; None: those that :func:`cdcoref.stories.boilerplate_lines` finds. `forms`: Whether words count in the form in
    which they stand, and not by their lemma. `ids`: In alphabetical order, the order of the rows of `matrix`.
    """

    def __init__(
        self,
        documents: Sequence[Document],
        original_of: Mapping[str, str] = MappingProxyType({}),
        boilerplate: Collection[bytes] | None = None,
        *,
        forms: bool = False,
    ) -> None:
        self.documents = tuple(documents)
        self.original_of = original_of
        self.boilerplate = frozenset(boilerplate_lines(documents) if boilerplate is None else boilerplate)
        self._with_forms = forms
        self._by_id = sorted(self.documents, key=lambda document: document.id)
        self.ids = [document.id for document in self._by_id]

    @cached_property
    def row(self) -> dict[str, int]:
        """The row of every document, by id."""
        return {id: number for number, id in enumerate(self.ids)}

    @cached_property
    def originals(self) -> NDArray[np.int64]:
        """The rows of the documents that are no copies. *Shape:* (documents that are no copies,)"""
        return np.array([row for row, id in enumerate(self.ids) if id not in self.original_of], dtype=np.int64)

    @cached_property
    def matrix(self) -> csr_array:
        """Vectors of length 1, or 0 for a document without words. *Shape:* (documents, words)"""
        weights, share = self._weights, self.share
        frequency = np.bincount(weights.indices, np.repeat(share, np.diff(weights.indptr)), weights.shape[1])
        return tf_idf(weights, frequency, share.sum())

    @cached_property
    def share(self) -> np.ndarray:
        """For how much of a document each one counts, see the top of this file. *Shape:* (documents,)"""
        share = np.zeros(len(self.ids))
        vectors = unit_length(csr_array(self._weights[self.originals]))
        share[self.originals] = 1 / _similar_documents(vectors, [self.ids[row] for row in self.originals.tolist()])
        return share

    @cached_property
    def _weights(self) -> csr_array:
        return word_table(words_of(d, self.boilerplate, forms=self._with_forms) for d in self._by_id)

    def similarity(self, first: str, second: str) -> float:
        """Cosine similarity of two documents, by id: from 0 (no word in common) to 1 (the same words)."""
        return float(self.similarities_of_rows(np.array([self.row[first]]), np.array([self.row[second]]))[0])

    def similarities_of_rows(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Cosine similarities of pairs of rows of :attr:`matrix`, from 0 to 1. *Shape:* (pairs,)"""
        result = np.empty(len(first))
        step = 10_000
        for start in range(0, len(first), step):
            part = slice(start, start + step)
            result[part] = self.matrix[first[part]].multiply(self.matrix[second[part]]).sum(axis=1)
        return np.clip(result, 0.0, 1.0)


def _similar_documents(vectors: csr_array, ids: Sequence[str]) -> np.ndarray:
    """How many documents are like each one, itself included; an estimate in a large collection. *Shape:* (rows,)"""
    size = len(ids)
    sample = np.arange(size)
    if size > _SAMPLE:
        hashes = np.array([blake2b(id.encode(errors="surrogatepass"), digest_size=8).hexdigest() for id in ids])
        sample = np.sort(np.argsort(hashes, kind="stable")[:_SAMPLE])
    own = np.zeros(size, dtype=np.int64)
    own[sample] = 1
    return 1 + similar_documents(vectors, np.arange(size), sample) * (size - 1) / np.maximum(1, len(sample) - own)


def similar_documents(vectors: csr_array, rows: np.ndarray, among: np.ndarray) -> np.ndarray:
    """How many other documents, of those in some rows, are like each of the first ones. *Shape:* (rows,)"""
    others = np.zeros(len(rows))
    for start, block in blocks_of_products(vectors, rows, csr_array(vectors[among])):
        place = np.repeat(np.arange(start, start + block.shape[0]), np.diff(block.indptr))
        near = (block.data >= MIN_DOCUMENT_SIMILARITY) & (rows[place] != among[block.indices])
        others += np.bincount(place[near], minlength=len(rows))
    return others
