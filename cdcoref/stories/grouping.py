"""Documents in, groups of documents about the same story out; only mentions of one group are ever compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

from scipy.sparse import csr_array

from cdcoref.corpus import Document
from cdcoref.errors import InputError
from cdcoref.stories.boilerplate import boilerplate_lines
from cdcoref.stories.copies import near_duplicates
from cdcoref.stories.document_vectors import DocumentVectors
from cdcoref.stories.merging import story_labels
from cdcoref.stories.templates import divided

Setting = Literal["predicted", "gold_subtopic", "gold_topic", "none"]
SETTINGS: tuple[str, ...] = get_args(Setting)


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
        label_of = _predicted(vectors)
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
    place = {document.id: number for number, document in enumerate(documents)}
    parts = (part for group in groups.values() for part in divided(group, vectors.similarity))
    ordered = (sorted((document.id for document in part), key=place.__getitem__) for part in parts)
    return sorted(ordered, key=lambda ids: place[ids[0]])


def _predicted(vectors: DocumentVectors) -> Mapping[str, int]:
    """The label of every document that is no copy, by id."""
    labels = story_labels(csr_array(vectors.matrix[vectors.originals])).tolist()
    return {vectors.ids[row]: label for row, label in zip(vectors.originals.tolist(), labels, strict=True)}


def _annotated(document: Document, level: str) -> str:
    name = document.topic if level == "topic" else document.subtopic
    if name is None:
        raise InputError(
            f"document {document.id!r} has no annotated {level}; group by 'predicted' topics or 'none'", document.path
        )
    return name
