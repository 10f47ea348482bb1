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


OWN = ("mention", "context", "learnt", "anaphora")
"""The tables that have a row for each mention."""
SHARED = {"sentence": "sentence", "document": "document", "opening": "document"}
"""The tables whose rows mentions share, and what there is a row for."""


@dataclass(frozen=True, slots=True)
class MentionVectors:
    """Vectors of mentions: tables by name, in half precision. Those of a sentence or a document are kept once.

    Attributes
    ----------
    own
        The tables of `OWN`. ``"mention"`` has the mean over the words of each mention, of length 1 or 0, ``"context"``
        the same over the other words of its sentence; ``"learnt"`` the scorer's own vectors, zeros for those that its
        kind does not have; ``"anaphora"`` what finds the antecedents of pronouns (see
        :class:`cdcoref.model.AntecedentScorer`). The last two have no columns if the model has no head for them.
        *Shape* of each: (mentions, columns)
    shared
        The tables of `SHARED`: means over the words of each sentence, of each document, and of the first sentence of
        each document. *Shape* of each: (sentences or documents, width)
    rows
        For ``"sentence"`` the sentence that each mention begins in, for ``"document"`` its document, as rows of the
        shared tables. *Shape* of each: (mentions,)
    """

    own: Mapping[str, Halves]
    shared: Mapping[str, Halves]
    rows: Mapping[str, Integers]

    def __len__(self) -> int:
        return len(self.own["mention"])

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
        means = [np.array(table, dtype=np.float32).reshape(-1, width) for table in (rows, contexts, around)]
        mention, context, sentence = map(_unit, means)
        learnt, anaphora = _learnt(reading.learnt, mentions, tokens, lasts), _projected(reading.anaphora, tokens, lasts)
        return cls(
            {"mention": mention, "context": context, "learnt": learnt, "anaphora": anaphora},
            {"sentence": sentence, "document": _unit(whole[None]), "opening": _unit(_opening(reading)[None])},
            {
                "sentence": np.array([row_of[sentence_of[m.start]] for m in mentions], dtype=np.int64),
                "document": np.zeros(len(mentions), dtype=np.int64),
            },
        )

    @classmethod
    def none(cls, width: int) -> MentionVectors:
        """Those of no mention."""
        none, nothing = np.zeros((0, width), dtype=np.float16), np.zeros(0, dtype=np.int64)
        own = {"mention": none, "context": none, "learnt": none[:, :0], "anaphora": none[:, :0]}
        return cls(own, dict.fromkeys(SHARED, none), {"sentence": nothing, "document": nothing})

    @classmethod
    def joined(cls, parts: Sequence[MentionVectors]) -> MentionVectors:
        """The vectors of several documents' mentions, one after the other."""
        rows = {}
        for name in dict.fromkeys(SHARED.values()):
            before = np.cumsum([0, *(len(part.shared[name]) for part in parts)])
            rows[name] = np.concatenate([part.rows[name] + n for part, n in zip(parts, before, strict=False)])
        return cls(
            {name: np.concatenate([part.own[name] for part in parts]) for name in OWN},
            {name: np.concatenate([part.shared[name] for part in parts]) for name in SHARED},
            rows,
        )

    def take(self, numbers: Sequence[int] | Integers) -> MentionVectors:
        """Those of some mentions."""
        own = {name: table[numbers] for name, table in self.own.items()}
        return MentionVectors(own, self.shared, {name: rows[numbers] for name, rows in self.rows.items()})

    def compact(self) -> MentionVectors:
        """The same without the vectors of sentences and documents in which none of the mentions stands."""
        used = {name: np.unique(rows, return_inverse=True) for name, rows in self.rows.items()}
        shared = {name: table[used[SHARED[name]][0]] for name, table in self.shared.items()}
        return MentionVectors(self.own, shared, {name: rows for name, (_, rows) in used.items()})

    def of_one_document(self, document: int = 0) -> MentionVectors:
        """The same as mentions of one document, whose parts were several so far.

        Parameters
        ----------
        document
            The row whose vectors are those of the whole document.
        """
        one = {name: self.shared[name][document : document + 1] for name in ("document", "opening")}
        rows = {**self.rows, "document": np.zeros_like(self.rows["document"])}
        return MentionVectors(self.own, {**self.shared, **one}, rows)

    def table(self, name: str) -> tuple[Halves, Integers]:
        """Rows of what is compared, and those of mentions.

        Parameters
        ----------
        name
            One of :data:`cdcoref.model.SYMMETRIC_SIMILARITIES` or :data:`cdcoref.model.CONTEXT_SIMILARITIES`.
        """
        name = name.removeprefix("to_")
        if name in OWN:
            return self.own[name], np.arange(len(self))
        return self.shared[name], self.rows[SHARED[name]]

    def packed(self) -> Vectors:
        """As one array. *Shape:* (mentions, all of them)"""
        shared = [self.shared[name][self.rows[of]] for name, of in SHARED.items()]
        mention, context, *others = (self.own[name] for name in OWN)
        return np.concatenate([mention, context, *shared, *others], axis=1).astype(np.float32)

    @classmethod
    def unpacked(cls, array: Vectors, width: int, learnt: int) -> MentionVectors:
        """What :meth:`packed` packed; `width` is the encoder's, `learnt` that of learnt vectors."""
        ends = [*(width * n for n in range(1, 6)), 5 * width + learnt]
        mention, context, *tables = np.split(array.astype(np.float16), ends, axis=1)
        each, others = dict(zip(SHARED, tables, strict=False)), tables[len(SHARED) :]
        first = {name: _first_of_equal(each[name]) for name in dict.fromkeys(SHARED.values())}
        return cls(
            dict(zip(OWN, (mention, context, *others), strict=True)),
            {name: table[first[SHARED[name]]] for name, table in each.items()},
            {name: np.cumsum(new) - 1 for name, new in first.items()},
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
        joined = MentionVectors.joined(self._parts)
        document = _unit((self._sum / max(1, self._words)).astype(np.float32)[None])
        first = int(joined.shared["opening"].any(axis=1).argmax())
        one = joined.of_one_document(first)
        return replace(one, shared={**one.shared, "document": document})


def vector_widths(model: CorefModel) -> tuple[int, int]:
    """How many numbers a model's vectors have: those of words, and the learnt ones of mentions."""
    return model.encoder.config.hidden_size, model.settings.vectors.learnt_columns


def read_vectors(
    model: CorefModel,
    corpus: Corpus,
    *,
    batch_tokens: int,
    store: ResultStore | None = None,
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
    for reading in read_documents(model, todo, batch_tokens=batch_tokens, min_probability=1.0):
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
