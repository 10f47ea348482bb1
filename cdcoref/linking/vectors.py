"""Comparing mentions that were read apart: documents and mentions in, vectors and what they say of pairs out.

Every document is read once, alone. Two mentions of a kind are then compared by the cosines of their vectors and by what
is known about the pair besides the text. Among up to `ALL_PAIRS` mentions of a kind every pair is compared; beyond
that, each mention with the `NEIGHBOURS` nearest ones by its vectors and with the nearest ones of its head.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from cdcoref.corpus import KINDS, Corpus, Document, Mention
from cdcoref.linking.mentions import read_documents
from cdcoref.linking.pair_logits import PairEvidence
from cdcoref.linking.store import ResultStore, document_hash
from cdcoref.model import CorefModel
from cdcoref.sequences import Integers, Traits, pair_features, traits

ALL_PAIRS = 2000
"""Up to so many mentions of a kind, every pair is compared: two million pairs, some seconds."""
NEIGHBOURS = 48
"""Beyond that, so many are compared with each by their vectors, and a third of it by their heads."""
ROWS_AT_ONCE = 512
PAIRS_AT_ONCE = 500_000

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class MentionVectors:
    """Vectors of mentions, of length 1 or 0, in half precision.

    Attributes
    ----------
    mention, sentence, document
        The mean over the words of each mention, of the sentence that it begins in, and of its document.
        *Shape:* (mentions, width)
    """

    mention: NDArray[np.float16]
    sentence: NDArray[np.float16]
    document: NDArray[np.float16]

    @classmethod
    def of(cls, document: Document, mentions: Sequence[Mention], words: Vectors) -> MentionVectors:
        """The vectors of the mentions of a document, of which `words` are the tokens' vectors."""
        sentence_of = document.sentence_of_tokens()
        read = words.any(axis=1)
        rows = [words[list(m.tokens)].mean(axis=0) for m in mentions]
        around = [words[slice(*document.sentences[sentence_of[m.start]])].mean(axis=0) for m in mentions]
        whole = words[read].mean(axis=0) if read.any() else np.zeros(words.shape[1], dtype=np.float32)
        parts = (rows, around, [whole] * len(mentions))
        return cls(*(_unit(np.array(part, dtype=np.float32).reshape(-1, words.shape[1])) for part in parts))

    @classmethod
    def joined(cls, parts: Sequence[MentionVectors]) -> MentionVectors:
        """The vectors of several documents' mentions, one after the other."""
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in cls.__slots__))

    def of_numbers(self, numbers: Sequence[int] | Integers) -> MentionVectors:
        """Those of some mentions."""
        return MentionVectors(self.mention[numbers], self.sentence[numbers], self.document[numbers])

    def packed(self) -> Vectors:
        """As one array. *Shape:* (3, mentions, width)"""
        return np.stack([self.mention, self.sentence, self.document]).astype(np.float32)

    @classmethod
    def unpacked(cls, array: Vectors) -> MentionVectors:
        """What :meth:`packed` packed."""
        return cls(*array.astype(np.float16))


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
                found[document.id] = MentionVectors.unpacked(kept)
                continue
        todo.append(document)
    for reading in read_documents(model, todo, batch_tokens=batch_tokens, least=1.0, advance=advance):
        name = reading.document.id
        own = [corpus.mentions[n] for n in numbers[name]]
        found[name] = MentionVectors.of(reading.document, own, reading.words)
        if store is not None:
            store.put({keys[name]: found[name].packed()})
    order = np.array([n for document in corpus.documents for n in numbers[document.id]], dtype=np.int64)
    if not len(order):
        none = np.zeros((0, model.encoder.config.hidden_size), dtype=np.float16)
        return MentionVectors(none, none, none)
    stacked = MentionVectors.joined([found[d.id] for d in corpus.documents if numbers[d.id]])
    return stacked.of_numbers(np.argsort(order))


def find_mentions_and_vectors(
    model: CorefModel, documents: Sequence[Document], *, batch_tokens: int
) -> Iterator[tuple[Document, list[Mention], MentionVectors | None]]:
    """Find the mentions of documents and, in the same pass, their vectors; None if the model has none."""
    for reading in read_documents(model, documents, batch_tokens=batch_tokens):
        mentions = reading.spans.select(reading.document, model.settings.detection_threshold)
        vectors = MentionVectors.of(reading.document, mentions, reading.words) if model.vector_head else None
        yield reading.document, mentions, vectors


def compare_apart(model: CorefModel, corpus: Corpus, vectors: MentionVectors) -> PairEvidence:
    """What is known of pairs of mentions of one story by what each document says alone.

    Parameters
    ----------
    model
        Has vectors (see :class:`cdcoref.model.VectorOptions`).
    corpus
        The story's documents and mentions; every mention has a kind.
    vectors
        Of the mentions, in their order.
    """
    seen = mention_traits(corpus)
    kinds = np.array([KINDS.index(m.kind or "") for m in corpus.mentions], dtype=np.int8)
    first, second = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    logits, documents = [np.zeros(0, dtype=np.float32)], [np.zeros(0, dtype=np.float32)]
    for number, kind in enumerate(KINDS):
        own = np.flatnonzero(kinds == number)
        of_kind, traits_of_kind = vectors.of_numbers(own), [seen[n] for n in own]
        for pairs in pairs_to_compare(of_kind, traits_of_kind):
            known = known_of_pairs(model.settings.vectors.pair_features, of_kind, traits_of_kind, pairs)
            first.append(own[pairs[:, 0]])
            second.append(own[pairs[:, 1]])
            logits.append(_scores(model, known, kind))
            documents.append(known[:, -1])
    one, other = np.concatenate(first), np.concatenate(second)
    low, high = np.minimum(one, other), np.maximum(one, other)
    unread = np.full(len(low), np.nan, dtype=np.float32)
    alone = np.concatenate(logits)
    numbers = {document.id: number for number, document in enumerate(corpus.documents)}
    document_of = np.array([numbers[m.document] for m in corpus.mentions], dtype=np.int64)
    within = document_of[low] == document_of[high]
    return PairEvidence(len(corpus.mentions), low, high, kinds[low], unread, alone, np.concatenate(documents), within)


def mention_traits(corpus: Corpus) -> list[Traits]:
    """What the features see of every mention of a corpus, in order."""
    documents = {document.id: document for document in corpus.documents}
    sentence_of = {document.id: document.sentence_of_tokens() for document in corpus.documents}
    return [traits(documents[m.document], m, sentence_of[m.document][m.start]) for m in corpus.mentions]


def pairs_to_compare(vectors: MentionVectors, seen: Sequence[Traits]) -> Iterator[Integers]:
    """The pairs of mentions of one kind that are compared, the smaller number first. *Shape* of each: (pairs, 2)"""
    count = len(seen)
    if count < 2:
        return
    if count <= ALL_PAIRS:
        yield np.stack(np.triu_indices(count, 1), -1)
        return
    by_head: dict[str, list[int]] = {}
    for number, one in enumerate(seen):
        by_head.setdefault(one.words.head, []).append(number)
    keys = [_nearest(vectors, np.arange(count), NEIGHBOURS)]
    keys += [_nearest(vectors, np.array(group), NEIGHBOURS // 3) for group in by_head.values() if len(group) > 1]
    chosen = np.unique(
        np.concatenate([np.minimum(k[:, 0], k[:, 1]) * count + np.maximum(k[:, 0], k[:, 1]) for k in keys])
    )
    for start in range(0, len(chosen), PAIRS_AT_ONCE):
        part = chosen[start : start + PAIRS_AT_ONCE]
        yield np.stack([part // count, part % count], -1)


def known_of_pairs(
    features: Sequence[str], vectors: MentionVectors, seen: Sequence[Traits], pairs: Integers
) -> Vectors:
    """What the scorer of vectors is told about pairs: features, then cosines. *Shape:* (pairs, features + 3)"""
    i, j = pairs[:, 0], pairs[:, 1]
    cosines = []
    for table in (vectors.mention, vectors.sentence, vectors.document):
        rows = table.astype(np.float32)
        if len(rows) <= ALL_PAIRS:
            cosines.append((rows @ rows.T)[i, j])
        else:
            blocks = range(0, len(pairs), ROWS_AT_ONCE * 64)
            parts = [
                np.einsum("ij,ij->i", rows[i[b : b + ROWS_AT_ONCE * 64]], rows[j[b : b + ROWS_AT_ONCE * 64]])
                for b in blocks
            ]
            cosines.append(np.concatenate(parts))
    return np.concatenate([pair_features(features, seen, pairs), np.stack(cosines, -1)], axis=1)


def _scores(model: CorefModel, known: Vectors, kind: str) -> Vectors:
    assert model.vector_scorer is not None
    with torch.inference_mode():
        scores: Vectors = model.vector_scorer(torch.from_numpy(known).to(model.device), kind).cpu().numpy()
    return scores


def _nearest(vectors: MentionVectors, numbers: Integers, limit: int) -> Integers:
    """Every one of some mentions with the `limit` nearest others of them by the sum of cosines. *Shape:* (pairs, 2)"""
    rows = np.concatenate([getattr(vectors, name)[numbers] for name in vectors.__slots__], axis=1).astype(np.float32)
    kept = min(limit, len(numbers) - 1)
    pairs = []
    for start in range(0, len(rows), ROWS_AT_ONCE):
        similarity = rows[start : start + ROWS_AT_ONCE] @ rows.T
        own = np.arange(len(similarity))
        similarity[own, start + own] = -np.inf
        nearest = np.argpartition(-similarity, kept - 1, axis=1)[:, :kept]
        pairs.append(np.stack([np.repeat(start + own, kept), nearest.ravel()], -1))
    return numbers[np.concatenate(pairs)]


def _unit(rows: Vectors) -> NDArray[np.float16]:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / np.maximum(lengths, 1e-6)).astype(np.float16)
