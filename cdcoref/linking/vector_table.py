"""Vectors of mentions: documents and their mentions in, what each document says of them when it is read alone out.

Every document is read once for that, whatever it is compared with later, and never again if its results are stored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.language import LastWord, last_word
from cdcoref.linking.mentions import EncodedPart, read_documents
from cdcoref.linking.store import ResultStore, document_hash
from cdcoref.model import CorefModel
from cdcoref.reading import Halves, MentionVectors, Reading, Vectors


def vectors_of(part: EncodedPart, mentions: Sequence[Mention], last: LastWord = "mention") -> MentionVectors:
    """The vectors of mentions that begin in the part of a document that was read.

    Parameters
    ----------
    part
        What the model says of it.
    mentions
        The mentions.
    last
        Whose last word counts besides the mean over a mention's (see :class:`cdcoref.model.VectorOptions`).
    """
    document, words, first = part.reading.document, part.words, part.first
    width = words.shape[1]
    sentence_of = part.reading.sentence_of
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
    learnt, anaphora = _learnt(part.learnt, mentions, tokens, lasts), _projected(part.anaphora, tokens, lasts)
    return MentionVectors(
        {"mention": mention, "context": context, "learnt": learnt, "anaphora": anaphora},
        {"sentence": sentence, "document": _unit(whole[None]), "opening": _unit(_opening(part)[None])},
        {
            "sentence": np.array([row_of[sentence_of[m.start]] for m in mentions], dtype=np.int64),
            "document": np.zeros(len(mentions), dtype=np.int64),
        },
    )


class _OfDocument:
    """The vectors of the mentions of one document, gathered while it is read part by part."""

    def __init__(self, last: LastWord) -> None:
        self.numbers: list[int] = []
        self._last: LastWord = last
        self._parts: list[MentionVectors] = []
        self._sum = np.zeros(1)
        self._words = 0

    def add(self, part: EncodedPart, numbers: Sequence[int], mentions: Sequence[Mention]) -> None:
        """Add what one part says of the mentions with these numbers, which begin in it."""
        self.numbers += numbers
        self._parts.append(vectors_of(part, [mentions[n] for n in numbers], self._last))
        if len(self._parts) > 1 or not part.last:
            read = part.words[part.words.any(axis=1)]
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
    model: CorefModel, corpus: Corpus, *, batch_tokens: int, store: ResultStore | None = None
) -> MentionVectors:
    """Vectors of the mentions of a corpus, in their order; documents are read, or looked up."""
    numbers = corpus.mention_numbers()
    found: dict[str, MentionVectors] = {}
    todo, keys = [], {}
    for document in (d for d in corpus.documents if numbers[d.id]):
        if store is not None:
            mentions = [corpus.mentions[n] for n in numbers[document.id]]
            keys[document.id] = store.key("vectors", document_hash(document, mentions))
            kept = store.get(keys[document.id])
            if kept is not None:
                found[document.id] = MentionVectors.unpacked(kept, *vector_widths(model))
                continue
        todo.append(document)
    gathered = _OfDocument(model.settings.vectors.last_word)
    for part in read_documents(model, todo, batch_tokens=batch_tokens, min_probability=1.0):
        name = part.reading.document.id
        # In the order of the corpus within every part, and parts in the order of the text.
        gathered.add(part, [n for n in numbers[name] if part.begins(corpus.mentions[n])], corpus.mentions)
        if part.last:
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


def read(
    model: CorefModel,
    documents: Sequence[Document],
    *,
    batch_tokens: int,
    advance: Callable[[int], None] = lambda words: None,
) -> Iterator[Reading]:
    """Read documents, each once: its mentions and, if the model has them, their vectors.

    Raises
    ------
    InputError
        If the model has no detector.
    """
    model.required_detector()
    mentions: list[Mention] = []
    gathered = _OfDocument(model.settings.vectors.last_word)
    for part in read_documents(model, documents, batch_tokens=batch_tokens, advance=advance):
        detected = part.spans.select(part.reading, model.settings.detection_threshold)
        mentions += detected
        if model.vector_scorer is not None:
            gathered.add(part, range(len(detected)), detected)
        if part.last:
            part.reading.mentions = mentions
            part.reading.vectors = gathered.vectors() if model.vector_scorer is not None else None
            yield part.reading
            mentions, gathered = [], _OfDocument(model.settings.vectors.last_word)


def _others(words: Vectors, sentence: tuple[int, int], tokens: Sequence[int], first: int) -> Vectors:
    """The mean over the words of a sentence beside those of a mention; zeros if there are none. *Shape:* (width,)"""
    own = words[max(0, sentence[0] - first) : sentence[1] - first]
    inside = words[tokens]
    left = len(own) - len(tokens)
    return (own.sum(axis=0) - inside.sum(axis=0)) / left if left > 0 else np.zeros(words.shape[1], dtype=np.float32)


def _opening(part: EncodedPart) -> Vectors:
    """The mean over the first sentence of a document that is read, of those in this part. *Shape:* (width,)"""
    for start, end in part.reading.document.sentences:
        own = part.words[max(0, start - part.first) : max(0, end - part.first)]
        if own.any():
            mean: Vectors = own.mean(axis=0)
            return mean
    return np.zeros(part.words.shape[1], dtype=np.float32)


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
