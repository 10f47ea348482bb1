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
    anaphora
        What finds the antecedents of pronouns (see :class:`cdcoref.model.AntecedentScorer`); no columns if the model
        has no head for it. *Shape:* (mentions, 2 * dimension)
    """

    mention: NDArray[np.float16]
    sentence: NDArray[np.float16]
    document: NDArray[np.float16]
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
        found = reading.anaphora
        half = found.shape[1] // 2
        ends = [found[list(m.tokens), :half].mean(axis=0) + found[m.tokens[-1], half:] for m in mentions]
        mention, sentence, whole_document = (
            _unit(np.array(part, dtype=np.float32).reshape(-1, words.shape[1])) for part in parts
        )
        return cls(mention, sentence, whole_document, np.array(ends, dtype=np.float16).reshape(len(mentions), half))

    @classmethod
    def joined(cls, parts: Sequence[MentionVectors]) -> MentionVectors:
        """The vectors of several documents' mentions, one after the other."""
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in cls.__slots__))

    def of_numbers(self, numbers: Sequence[int] | Integers) -> MentionVectors:
        """Those of some mentions."""
        return MentionVectors(*(getattr(self, name)[numbers] for name in self.__slots__))

    def packed(self) -> Vectors:
        """As one array. *Shape:* (mentions, 3 * width + 2 * dimension)"""
        return np.concatenate([getattr(self, name) for name in self.__slots__], axis=1).astype(np.float32)

    @classmethod
    def unpacked(cls, array: Vectors, width: int) -> MentionVectors:
        """What :meth:`packed` packed; `width` is that of the encoder."""
        return cls(*np.split(array.astype(np.float16), [width, 2 * width, 3 * width], axis=1))


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
                found[document.id] = MentionVectors.unpacked(kept, model.encoder.config.hidden_size)
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
        return MentionVectors(none, none, none, none[:, :0])
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
