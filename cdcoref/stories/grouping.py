"""Documents in, groups of documents about the same story out; only mentions of one group are ever compared."""

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
from scipy.sparse import csr_array

from cdcoref.clustering import PairScores, agglomerative
from cdcoref.corpus import Document
from cdcoref.errors import InputError
from cdcoref.stories.copies import divided, near_duplicates
from cdcoref.stories.document_vectors import DocumentVectors
from cdcoref.stories.document_words import blocks_of_products, boilerplate_lines, unit_length
from cdcoref.stories.merging import story_labels

Setting = Literal["predicted", "gold_subtopic", "gold_topic", "none"]
SETTINGS: tuple[str, ...] = get_args(Setting)
MIN_SIMILARITY = 0.15
"""The mean similarity above which stories are about one subject. Chosen on the train topics of ECB+ and MEANTIME."""
NEAR = 0.1
"""Stories that are less similar count as having nothing in common."""


def group_documents(documents: Sequence[Document] | DocumentVectors, setting: Setting = "predicted") -> list[list[str]]:
    """Group documents that are about the same story, or their vectors if these are also needed elsewhere.

    ``"predicted"``: by their words; near-duplicates are in one group, and count as one document; reports of two
    happenings in the same words are in two. ``"gold_subtopic"``, ``"gold_topic"``: as annotated; an `InputError` if a
    document has no such group. ``"none"``: all together.

    Groups of ids, and the ids in them, are in the order of the documents; who is in a group does not depend on it.
    """
    if isinstance(documents, DocumentVectors):
        vectors = documents
    else:
        lines = boilerplate_lines(documents) if setting == "predicted" else frozenset[bytes]()
        original_of = near_duplicates(documents, boilerplate=lines) if setting == "predicted" else {}
        vectors = DocumentVectors(documents, original_of, lines)
    documents = vectors.documents
    labels: Sequence[object]
    if setting == "predicted":
        found = story_labels(csr_array(vectors.matrix[vectors.originals])).tolist()
        label_of = {vectors.ids[row]: label for row, label in zip(vectors.originals.tolist(), found, strict=True)}
        labels = [label_of[vectors.original_of.get(document.id, document.id)] for document in documents]
    elif setting == "none":
        labels = [None] * len(documents)
    elif setting in SETTINGS:
        labels = [_annotated(document, setting.removeprefix("gold_")) for document in documents]
    else:
        raise ValueError(f"setting is {setting!r}; it must be one of {', '.join(SETTINGS)}")
    groups: dict[object, list[Document]] = {}
    for document, label in zip(documents, labels, strict=True):
        groups.setdefault(label, []).append(document)
    if setting != "predicted":
        return [[document.id for document in group] for group in groups.values()]
    copies: dict[str, list[str]] = {}
    for id, original in vectors.original_of.items():
        copies.setdefault(original, []).append(id)
    place = {document.id: number for number, document in enumerate(documents)}
    ordered = []
    for group in groups.values():
        originals = [document for document in group if document.id not in vectors.original_of]
        for part in divided(originals, vectors.similarity, vectors.boilerplate):
            ids = [id for document in part for id in (document.id, *copies.get(document.id, ()))]
            ordered.append(sorted(ids, key=place.__getitem__))
    return sorted(ordered, key=lambda ids: place[ids[0]])


def _annotated(document: Document, level: str) -> str:
    name = document.topic if level == "topic" else document.subtopic
    if name is None:
        raise InputError(
            f"document {document.id!r} has no annotated {level}; group by 'predicted' topics or 'none'", document.path
        )
    return name


def subjects(vectors: DocumentVectors, stories: Sequence[Sequence[str]]) -> list[int]:
    """The number of every story's subject, from 0 in the order of first stories; the order decides nothing else.

    Average linkage over the similarities of stories: the cosines of the sums of their documents' vectors.
    """
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
