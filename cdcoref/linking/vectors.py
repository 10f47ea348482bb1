"""Vectors of mentions: documents and their mentions in, what each document says of them when it is read alone out.

Every document is read once for that, whatever it is compared with later, and never again if its results are stored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.linking.mentions import DocumentReading, read_documents
from cdcoref.linking.store import ResultStore, document_hash
from cdcoref.model import CorefModel
from cdcoref.sequences import Integers

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class MentionVectors:
    """Vectors of mentions, in half precision.

    Attributes
    ----------
    mention, sentence, document
        The mean over the words of each mention, of the sentence that it begins in, and of its document, of length 1 or
        0. *Shape:* (mentions, width)
    learnt
        The scorer's own vector of each, which counts for entities; no columns if it has none.
        *Shape:* (mentions, dimension)
    anaphora
        What finds the antecedents of pronouns (see :class:`cdcoref.model.AntecedentScorer`); no columns if the model
        has no head for it. *Shape:* (mentions, 2 * dimension)
    """

    mention: NDArray[np.float16]
    sentence: NDArray[np.float16]
    document: NDArray[np.float16]
    learnt: NDArray[np.float16]
    anaphora: NDArray[np.float16]

    @classmethod
    def of(cls, reading: DocumentReading, mentions: Sequence[Mention]) -> MentionVectors:
        """The vectors of mentions of a document that was read."""
        document, words = reading.document, reading.words
        sentence_of = document.sentence_of_tokens()
        read = words.any(axis=1)
        rows = [words[list(m.tokens)].mean(axis=0) for m in mentions]
        around = [words[slice(*document.sentences[sentence_of[m.start]])].mean(axis=0) for m in mentions]
        whole = words[read].mean(axis=0) if read.any() else np.zeros(words.shape[1], dtype=np.float32)
        parts = (rows, around, [whole] * len(mentions))
        mention, sentence, whole_document = (
            _unit(np.array(part, dtype=np.float32).reshape(-1, words.shape[1])) for part in parts
        )
        tokens = [list(m.tokens) for m in mentions]
        return cls(
            mention, sentence, whole_document, _projected(reading.learnt, tokens), _projected(reading.anaphora, tokens)
        )

    @classmethod
    def joined(cls, parts: Sequence[MentionVectors]) -> MentionVectors:
        """The vectors of several documents' mentions, one after the other."""
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in cls.__slots__))

    def of_numbers(self, numbers: Sequence[int] | Integers) -> MentionVectors:
        """Those of some mentions."""
        return MentionVectors(*(getattr(self, name)[numbers] for name in self.__slots__))

    def packed(self) -> Vectors:
        """As one array. *Shape:* (mentions, all of them)"""
        return np.concatenate([getattr(self, name) for name in self.__slots__], axis=1).astype(np.float32)

    @classmethod
    def unpacked(cls, array: Vectors, width: int, learnt: int) -> MentionVectors:
        """What :meth:`packed` packed; `width` is the encoder's, `learnt` that of learnt vectors."""
        ends = [width, 2 * width, 3 * width, 3 * width + learnt]
        return cls(*np.split(array.astype(np.float16), ends, axis=1))


def vector_widths(model: CorefModel) -> tuple[int, int]:
    """How many numbers a model's vectors have: those of words, and the learnt ones of mentions."""
    return model.encoder.config.hidden_size, model.settings.vectors.learnt


def read_vectors(
    model: CorefModel,
    corpus: Corpus,
    *,
    batch_tokens: int,
    store: ResultStore | None = None,
    advance: Callable[[int], None] = lambda words: None,
) -> MentionVectors:
    """Vectors of the mentions of a corpus, in their order; documents are read, or looked up."""
    numbers: dict[str, list[int]] = {document.id: [] for document in corpus.documents}
    for number, mention in enumerate(corpus.mentions):
        numbers[mention.document].append(number)
    found: dict[str, MentionVectors] = {}
    todo, keys = [], {}
    for document in (d for d in corpus.documents if numbers[d.id]):
        if store is not None:
            own = [corpus.mentions[n] for n in numbers[document.id]]
            keys[document.id] = store.key("vectors", document_hash(document, own))
            kept = store.get(keys[document.id])
            if kept is not None:
                found[document.id] = MentionVectors.unpacked(kept, *vector_widths(model))
                continue
        todo.append(document)
    for reading in read_documents(model, todo, batch_tokens=batch_tokens, least=1.0, advance=advance):
        name = reading.document.id
        own = [corpus.mentions[n] for n in numbers[name]]
        found[name] = MentionVectors.of(reading, own)
        if store is not None:
            store.put({keys[name]: found[name].packed()})
    order = np.array([n for document in corpus.documents for n in numbers[document.id]], dtype=np.int64)
    if not len(order):
        none = np.zeros((0, model.encoder.config.hidden_size), dtype=np.float16)
        return MentionVectors(none, none, none, none[:, :0], none[:, :0])
    stacked = MentionVectors.joined([found[d.id] for d in corpus.documents if numbers[d.id]])
    return stacked.of_numbers(np.argsort(order))


def find_mentions_and_vectors(
    model: CorefModel, documents: Sequence[Document], *, batch_tokens: int
) -> Iterator[tuple[Document, list[Mention], MentionVectors | None]]:
    """Find the mentions of documents and, in the same pass, their vectors; None if the model has none."""
    for reading in read_documents(model, documents, batch_tokens=batch_tokens):
        mentions = reading.spans.select(reading.document, model.settings.detection_threshold)
        vectors = MentionVectors.of(reading, mentions) if model.vector_head else None
        yield reading.document, mentions, vectors


def _unit(rows: Vectors) -> NDArray[np.float16]:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / np.maximum(lengths, 1e-6)).astype(np.float16)


def _projected(table: Vectors, tokens: Sequence[list[int]]) -> NDArray[np.float16]:
    """Vectors of mentions from what is kept of words; see :meth:`cdcoref.model.MentionProjection.project`."""
    half = table.shape[1] // 2
    rows = [table[own, :half].mean(axis=0) + table[own[-1], half:] for own in tokens]
    return np.array(rows, dtype=np.float16).reshape(len(rows), half)
