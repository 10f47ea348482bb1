"""Vectors of mentions: documents and their mentions in, what each document says of them when it is read alone out.

Every document is read once for that, whatever it is compared with later, and never again if its results are stored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.inputs import Integers
from cdcoref.language import LastWord, last_word
from cdcoref.linking.mentions import DocumentReading, read_documents
from cdcoref.linking.store import ResultStore, document_hash
from cdcoref.model import CorefModel

Halves = NDArray[np.float16]
Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class MentionVectors:
    """Vectors of mentions, in half precision; those of a sentence or a document are kept once.

    Attributes
    ----------
    mention
        The mean over the words of each mention, of length 1 or 0. *Shape:* (mentions, width)
    contexts
        The same over the other words of each mention's sentence. *Shape:* (mentions, width)
    sentences, documents, openings
        The same of sentences, of documents, and of the first sentence of each document.
        *Shape:* (sentences, width), (documents, width), (documents, width)
    sentence_of, document_of
        The sentence that each mention begins in, and its document, as rows of those. *Shape:* (mentions,)
    learnt
        The scorer's own vectors of each, zeros for those that its kind does not have; no columns if none has any.
        *Shape:* (mentions, columns)
    anaphora
        What finds the antecedents of pronouns (see :class:`cdcoref.model.AntecedentScorer`); no columns if the model
        has no head for it. *Shape:* (mentions, columns)
    """

    mention: Halves
    contexts: Halves
    sentences: Halves
    documents: Halves
    openings: Halves
    sentence_of: Integers
    document_of: Integers
    learnt: Halves
    anaphora: Halves

    def __len__(self) -> int:
        return len(self.mention)

    @classmethod
    def of(cls, reading: DocumentReading, mentions: Sequence[Mention], last: LastWord = "mention") -> MentionVectors:
        """The vectors of mentions that begin in the part of a document that was read.

        Parameters
        ----------
        reading
            What the model says of the part.
        mentions
            The mentions.
        last
            Whose last word counts besides the mean over a mention's (see :class:`cdcoref.model.VectorOptions`).
        """
        document, words, first = reading.document, reading.words, reading.first
        width = words.shape[1]
        sentence_of = document.sentence_of_tokens()
        own = {sentence_of[m.start]: None for m in mentions}
        row_of = {sentence: row for row, sentence in enumerate(own)}
        ranges = [document.sentences[sentence] for sentence in own]
        around = [words[max(0, start - first) : end - first].mean(axis=0) for start, end in ranges]
        read = words.any(axis=1)
        whole = words[read].mean(axis=0) if read.any() else np.zeros(width, dtype=np.float32)
        # A mention that runs past the part is represented by its words in it.
        tokens = [[t - first for t in m.tokens if t < first + len(words)] for m in mentions]
        lasts = [min(last_word(document, m, last) - first, len(words) - 1) for m in mentions]
        rows = [words[places].mean(axis=0) for places in tokens]
        contexts = [
            _others(words, document.sentences[sentence_of[m.start]], own, first)
            for m, own in zip(mentions, tokens, strict=True)
        ]
        return cls(
            _unit(np.array(rows, dtype=np.float32).reshape(-1, width)),
            _unit(np.array(contexts, dtype=np.float32).reshape(-1, width)),
            _unit(np.array(around, dtype=np.float32).reshape(-1, width)),
            _unit(whole[None]),
            _unit(_opening(reading)[None]),
            np.array([row_of[sentence_of[m.start]] for m in mentions], dtype=np.int64),
            np.zeros(len(mentions), dtype=np.int64),
            _learnt(reading.learnt, mentions, tokens, lasts),
            _projected(reading.anaphora, tokens, lasts),
        )

    @classmethod
    def none(cls, width: int) -> MentionVectors:
        """Those of no mention."""
        none, nothing = np.zeros((0, width), dtype=np.float16), np.zeros(0, dtype=np.int64)
        return cls(none, none, none, none, none, nothing, nothing, none[:, :0], none[:, :0])

    @classmethod
    def joined(cls, parts: Sequence[MentionVectors]) -> MentionVectors:
        """The vectors of several documents' mentions, one after the other."""
        sentences = np.cumsum([0, *(len(part.sentences) for part in parts)])
        documents = np.cumsum([0, *(len(part.documents) for part in parts)])
        return cls(
            np.concatenate([part.mention for part in parts]),
            np.concatenate([part.contexts for part in parts]),
            np.concatenate([part.sentences for part in parts]),
            np.concatenate([part.documents for part in parts]),
            np.concatenate([part.openings for part in parts]),
            np.concatenate([part.sentence_of + n for part, n in zip(parts, sentences, strict=False)]),
            np.concatenate([part.document_of + n for part, n in zip(parts, documents, strict=False)]),
            np.concatenate([part.learnt for part in parts]),
            np.concatenate([part.anaphora for part in parts]),
        )

    def take(self, numbers: Sequence[int] | Integers) -> MentionVectors:
        """Those of some mentions."""
        return replace(
            self,
            mention=self.mention[numbers],
            contexts=self.contexts[numbers],
            sentence_of=self.sentence_of[numbers],
            document_of=self.document_of[numbers],
            learnt=self.learnt[numbers],
            anaphora=self.anaphora[numbers],
        )

    def compact(self) -> MentionVectors:
        """The same without the vectors of sentences and documents in which none of the mentions stands."""
        sentences, sentence_of = np.unique(self.sentence_of, return_inverse=True)
        documents, document_of = np.unique(self.document_of, return_inverse=True)
        return replace(
            self,
            sentences=self.sentences[sentences],
            documents=self.documents[documents],
            openings=self.openings[documents],
            sentence_of=sentence_of,
            document_of=document_of,
        )

    def of_document(self, document: Vectors) -> MentionVectors:
        """The same as mentions of one document, whose parts were several so far.

        Parameters
        ----------
        document
            The mean over its words. *Shape:* (width,)
        """
        first = self.openings.any(axis=1).argmax() if len(self.openings) else 0
        return replace(
            self,
            documents=_unit(document[None]),
            openings=self.openings[first : first + 1],
            document_of=np.zeros_like(self.document_of),
        )

    def table(self, name: str) -> tuple[Halves, Integers]:
        """Rows of what is compared, and those of mentions.

        Parameters
        ----------
        name
            One of :data:`cdcoref.model.SYMMETRIC_SIMILARITIES` or :data:`cdcoref.model.CONTEXT_SIMILARITIES`.
        """
        own = np.arange(len(self))
        return {
            "mention": (self.mention, own),
            "sentence": (self.sentences, self.sentence_of),
            "document": (self.documents, self.document_of),
            "context": (self.contexts, own),
            "to_context": (self.contexts, own),
            "to_opening": (self.openings, self.document_of),
        }[name]

    def packed(self) -> Vectors:
        """As one array. *Shape:* (mentions, all of them)"""
        of_documents = self.documents[self.document_of], self.openings[self.document_of]
        parts = [self.mention, self.contexts, self.sentences[self.sentence_of], *of_documents]
        parts += [self.learnt, self.anaphora]
        return np.concatenate(parts, axis=1).astype(np.float32)

    @classmethod
    def unpacked(cls, array: Vectors, width: int, learnt: int) -> MentionVectors:
        """What :meth:`packed` packed; `width` is the encoder's, `learnt` that of learnt vectors."""
        ends = [*(width * n for n in range(1, 6)), 5 * width + learnt]
        mention, context, sentence, document, opening, *others = np.split(array.astype(np.float16), ends, axis=1)
        sentences, documents = _first_of_equal(sentence), _first_of_equal(document)
        return cls(
            mention,
            context,
            sentence[sentences],
            document[documents],
            opening[documents],
            np.cumsum(sentences) - 1,
            np.cumsum(documents) - 1,
            *others,
        )


class _OfDocument:
    """The vectors of the mentions of one document, gathered while it is read part by part."""

    def __init__(self, last: LastWord) -> None:
        self.numbers: list[int] = []
        self._last: LastWord = last
        self._parts: list[MentionVectors] = []
        self._sum = np.zeros(1)
        self._words = 0

    def add(self, reading: DocumentReading, numbers: Sequence[int], mentions: Sequence[Mention]) -> None:
        """Add what one part says of the mentions with these numbers, which begin in it."""
        self.numbers += numbers
        self._parts.append(MentionVectors.of(reading, [mentions[n] for n in numbers], self._last))
        if len(self._parts) > 1 or not reading.last:
            read = reading.words[reading.words.any(axis=1)]
            self._sum = self._sum + read.sum(axis=0, dtype=np.float64)
            self._words += len(read)

    def vectors(self) -> MentionVectors:
        """Those of all parts; the document's own vector is the mean over all its words."""
        if len(self._parts) == 1:
            return self._parts[0]
        mean = (self._sum / max(1, self._words)).astype(np.float32)
        return MentionVectors.joined(self._parts).of_document(mean)


def vector_widths(model: CorefModel) -> tuple[int, int]:
    """How many numbers a model's vectors have: those of words, and the learnt ones of mentions."""
    return model.encoder.config.hidden_size, model.settings.vectors.learnt_columns


def read_vectors(
    model: CorefModel,
    corpus: Corpus,
    *,
    batch_tokens: int,
    store: ResultStore | None = None,
    advance: Callable[[int], None] = lambda words: None,
) -> MentionVectors:
    """Vectors of the mentions of a corpus, in their order; documents are read, or looked up."""
    numbers = corpus.mention_numbers()
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
    gathered = _OfDocument(model.settings.vectors.last_word)
    for reading in read_documents(model, todo, batch_tokens=batch_tokens, min_probability=1.0, advance=advance):
        name = reading.document.id
        # In the order of the corpus within every part, and parts in the order of the text.
        gathered.add(reading, [n for n in numbers[name] if reading.begins(corpus.mentions[n])], corpus.mentions)
        if reading.last:
            order = np.argsort(np.array(gathered.numbers, dtype=np.int64))
            found[name] = gathered.vectors().take(order)
            gathered = _OfDocument(model.settings.vectors.last_word)
            if store is not None:
                store.put({keys[name]: found[name].packed()})
    order = np.array([n for document in corpus.documents for n in numbers[document.id]], dtype=np.int64)
    if not len(order):
        return MentionVectors.none(model.encoder.config.hidden_size)
    stacked = MentionVectors.joined([found[d.id] for d in corpus.documents if numbers[d.id]])
    return stacked.take(np.argsort(order))


def find_mentions_and_vectors(
    model: CorefModel,
    documents: Sequence[Document],
    *,
    batch_tokens: int,
    advance: Callable[[int], None] = lambda words: None,
) -> Iterator[tuple[Document, list[Mention], MentionVectors | None]]:
    """Find the mentions of documents and, in the same pass, their vectors; None if the model has none.

    Raises
    ------
    InputError
        If the model has no detector.
    """
    model.required_detector()
    mentions: list[Mention] = []
    gathered = _OfDocument(model.settings.vectors.last_word)
    for reading in read_documents(model, documents, batch_tokens=batch_tokens, advance=advance):
        own = reading.spans.select(reading.document, model.settings.detection_threshold)
        mentions += own
        if model.vector_scorer is not None:
            gathered.add(reading, range(len(own)), own)
        if reading.last:
            yield reading.document, mentions, gathered.vectors() if model.vector_scorer is not None else None
            mentions, gathered = [], _OfDocument(model.settings.vectors.last_word)


def _first_of_equal(rows: Halves) -> NDArray[np.bool_]:
    """Which rows differ from the one before. *Shape:* (rows, columns) in, (rows,) out"""
    return np.concatenate([np.ones(min(1, len(rows)), dtype=bool), (rows[1:] != rows[:-1]).any(axis=1)])


def _others(words: Vectors, sentence: tuple[int, int], tokens: Sequence[int], first: int) -> Vectors:
    """The mean over the words of a sentence beside those of a mention; zeros if there are none. *Shape:* (width,)"""
    own = words[max(0, sentence[0] - first) : sentence[1] - first]
    inside = words[tokens]
    left = len(own) - len(tokens)
    return (own.sum(axis=0) - inside.sum(axis=0)) / left if left > 0 else np.zeros(words.shape[1], dtype=np.float32)


def _opening(reading: DocumentReading) -> Vectors:
    """The mean over the first sentence of a document that is read, of those in this part. *Shape:* (width,)"""
    for start, end in reading.document.sentences:
        own = reading.words[max(0, start - reading.first) : max(0, end - reading.first)]
        if own.any():
            mean: Vectors = own.mean(axis=0)
            return mean
    return np.zeros(reading.words.shape[1], dtype=np.float32)


def _unit(rows: Vectors) -> Halves:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / np.maximum(lengths, 1e-6)).astype(np.float16)


def _learnt(
    tables: Mapping[str, Vectors], mentions: Sequence[Mention], tokens: Sequence[list[int]], lasts: Sequence[int]
) -> Halves:
    """Learnt vectors of mentions, each from what is kept of words for its kind. *Shape:* (mentions, columns)"""
    columns = next(iter(tables.values())).shape[1] // 2 if tables else 0
    found = np.zeros((len(mentions), columns), dtype=np.float16)
    for kind, table in tables.items():
        own = [number for number, mention in enumerate(mentions) if mention.kind == kind]
        found[own] = _projected(table, [tokens[number] for number in own], [lasts[number] for number in own])
    return found


def _projected(table: Vectors, tokens: Sequence[list[int]], lasts: Sequence[int]) -> Halves:
    """Vectors of mentions from what is kept of words; see :meth:`cdcoref.model.MentionProjection.project`."""
    half = table.shape[1] // 2
    rows = [table[own, :half].mean(axis=0) + table[last, half:] for own, last in zip(tokens, lasts, strict=True)]
    return np.array(rows, dtype=np.float16).reshape(len(rows), half)
