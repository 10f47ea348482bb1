"""Detecting mentions in raw text: documents in, events and entities out.

Unmarked text is read one document at a time, in windows of whole sentences; every span of up to
`detector_max_words` words within a sentence is scored as an event and as an entity. Spans are then accepted, the most
probable first, if they reach the threshold of their kind, overlap no span accepted before (in ECB+, 20 of 11,287
mentions overlap another), and are more than punctuation. A title directly before a name is one mention with it
(:mod:`cdcoref.linking.titled_names`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cdcoref.corpus import ENTITY, KINDS, Corpus, Document, Mention
from cdcoref.inputs import Integers, ReadingSequence
from cdcoref.linking.titled_names import with_titles_joined
from cdcoref.model import CorefModel, collate_readings, token_batches
from cdcoref.reading import Reading

SEQUENCES_AT_ONCE = 256
"""Sequences that are sorted by length together; bounds the memory needed for many documents."""


@dataclass(frozen=True, slots=True)
class SpanScores:
    """Probabilities of the candidate spans of one document that are worth keeping.

    Attributes
    ----------
    starts, ends
        Token ranges in the document, end exclusive. *Shape:* (spans,)
    probabilities
        *Shape:* (spans, kinds)
    """

    starts: Integers
    ends: Integers
    probabilities: NDArray[np.float32]

    def select(self, reading: Reading, thresholds: Mapping[str, float]) -> list[Mention]:
        """The mentions at the given thresholds, in order of position; `confidence` is the detector's probability."""
        document = reading.document
        kinds = self.probabilities.argmax(axis=1)
        best = self.probabilities.max(axis=1)
        min_probability = np.array([thresholds[kind] for kind in KINDS])[kinds]
        chosen = np.flatnonzero(best >= min_probability)
        order = chosen[np.lexsort((self.ends[chosen], self.starts[chosen], -best[chosen]))]
        taken = np.zeros(len(document.tokens), dtype=bool)
        mentions = []
        for span in order:
            start, end = int(self.starts[span]), int(self.ends[span])
            if not taken[start:end].any() and any(map(_is_word, document.tokens[start:end])):
                taken[start:end] = True
                mentions.append(
                    Mention(document.id, tuple(range(start, end)), KINDS[kinds[span]], confidence=float(best[span]))
                )
        entities = np.flatnonzero(kinds == KINDS.index(ENTITY))
        spans = ((int(self.starts[s]), int(self.ends[s]), float(best[s])) for s in entities)
        return with_titles_joined(reading, sorted(mentions, key=lambda m: m.start), spans)


@dataclass(frozen=True, slots=True)
class EncodedPart:
    """What the encoder says of a document, or of a part of a long one.

    Attributes
    ----------
    reading
        What is known of the document.
    spans
        Its candidate mentions.
    words
        A vector for every token of the part, zeros for hidden sentences; no columns if the model has no vectors.
        *Shape:* (tokens, width)
    learnt
        What learnt vectors need of every token (see :class:`cdcoref.model.MentionProjection`), by the kinds of mention
        that have them. *Shape* of each: (tokens, 2 * columns)
    anaphora
        What finds antecedents needs of every token. *Shape:* (tokens, 2 * columns)
    first
        The first token of the part.
    last
        Whether it is the document's last part.
    """

    reading: Reading
    spans: SpanScores
    words: NDArray[np.float32]
    learnt: Mapping[str, NDArray[np.float32]]
    anaphora: NDArray[np.float32]
    first: int = 0
    last: bool = True

    def begins(self, mention: Mention) -> bool:
        """Whether a mention of the document begins in this part."""
        return self.first <= mention.start < self.first + len(self.words)


def read_documents(
    model: CorefModel,
    documents: Iterable[Document],
    *,
    batch_tokens: int,
    min_probability: float = 0.05,
    vectors: bool = True,
    advance: Callable[[int], None] = lambda words: None,
) -> Iterator[EncodedPart]:
    """Read documents, each alone.

    Parameters
    ----------
    batch_tokens
        Word pieces that the encoder reads at once.
    min_probability
        Spans below this probability for every kind are dropped.
    vectors
        Whether the tables of words are wanted, which take a second pass; without them they have no columns.
    advance
        Called after every batch with the number of words read.

    Yields
    ------
    EncodedPart
        Of every document, in order; of one with more than `SEQUENCES_AT_ONCE` sequences, part by part.
    """
    sequences_of = model.reading_builder()
    learning = model.vector_scorer.learning if vectors and model.vector_scorer else ()
    widths = (
        model.encoder.config.hidden_size if vectors and model.vector_scorer is not None else 0,
        2 * model.vector_scorer.columns * len(learning) if learning and model.vector_scorer else 0,
        2 * model.antecedent_scorer.columns if vectors and model.antecedent_scorer else 0,
    )
    waiting: list[tuple[int, ReadingSequence]] = []
    unfinished: list[_Part] = []

    def flush() -> Iterator[EncodedPart]:
        found: list[list[tuple[Integers, Integers, NDArray[np.float32]]]] = [[] for _ in unfinished]
        tables = [[np.zeros((p.end - p.first, width), dtype=np.float32) for width in widths] for p in unfinished]
        for positions in token_batches([len(s) for _, s in waiting], batch_tokens):
            sequences = [waiting[p][1] for p in positions]
            parts = [waiting[p][0] for p in positions]
            for number, sequence, scores, *further in zip(
                parts, sequences, *_read(model, sequences, vectors=vectors), strict=True
            ):
                keep = scores.max(axis=1) >= min_probability
                starts, ends = sequence.words[sequence.starts[keep]], sequence.words[sequence.ends[keep] - 1] + 1
                found[number].append((starts, ends, scores[keep]))
                for table, part in zip(tables[number], further, strict=True):
                    table[sequence.words - unfinished[number].first] = part
            advance(sum(len(s.words) for s in sequences))
        for number, own in enumerate(unfinished):
            words, learnt, anaphora = tables[number]
            spans = _join(found[number])
            of_kinds = dict(zip(learning, np.split(learnt, max(1, len(learning)), axis=1), strict=False))
            yield EncodedPart(own.reading, spans, words, of_kinds, anaphora, first=own.first, last=own.last)

    for document in documents:
        reading = Reading(document)
        first = 0
        for block, last in _blocks(sequences_of(document)):
            end = len(document.tokens) if last else int(block[-1].words[-1]) + 1
            waiting += [(len(unfinished), sequence) for sequence in block]
            unfinished.append(_Part(reading, first, end, last))
            first = end
            if len(waiting) >= SEQUENCES_AT_ONCE:
                yield from flush()
                waiting.clear()
                unfinished.clear()
    yield from flush()


@dataclass(frozen=True, slots=True)
class _Part:
    """The tokens of a document from one to before another, and whether they are its last."""

    reading: Reading
    first: int
    end: int
    last: bool


def _blocks(sequences: Iterable[ReadingSequence]) -> Iterator[tuple[list[ReadingSequence], bool]]:
    """The sequences of a document `SEQUENCES_AT_ONCE` at a time, and whether they are the last; at least one block."""
    block: list[ReadingSequence] = []
    for sequence in sequences:
        if len(block) == SEQUENCES_AT_ONCE:
            yield block, False
            block = []
        block.append(sequence)
    yield block, True


def score_spans(
    model: CorefModel,
    documents: Sequence[Document],
    *,
    batch_tokens: int,
    min_probability: float = 0.05,
    advance: Callable[[int], None] = lambda words: None,
) -> Iterator[tuple[Reading, SpanScores]]:
    """Score the candidate spans of documents: every document, in order; see :func:`read_documents`.

    Raises
    ------
    InputError
        If the model has no detector.
    """
    model.required_detector()
    parts: list[SpanScores] = []
    encoded = read_documents(
        model, documents, batch_tokens=batch_tokens, min_probability=min_probability, vectors=False, advance=advance
    )
    for part in encoded:
        parts.append(part.spans)
        if part.last:
            yield part.reading, _join([(own.starts, own.ends, own.probabilities) for own in parts])
            parts = []


def find_mentions(model: CorefModel, corpus: Corpus, *, batch_tokens: int) -> Corpus:
    """The corpus with the detector's mentions in place of its own; a document without text has none."""
    mentions: list[Mention] = []
    for reading, scores in score_spans(model, corpus.documents, batch_tokens=batch_tokens):
        mentions.extend(scores.select(reading, model.settings.detection_threshold))
    return replace(corpus, mentions=tuple(mentions))


def annotated_only(corpus: Corpus) -> Corpus:
    """Drop mentions outside the annotated sentences, where the annotation cannot confirm them."""
    annotated = {d.id: d.annotated for d in corpus.documents}
    sentences = {d.id: d.sentence_of_tokens() for d in corpus.documents if d.annotated is not None}
    kept = [
        m
        for m in corpus.mentions
        if (allowed := annotated[m.document]) is None or sentences[m.document][m.start] in allowed
    ]
    return replace(corpus, mentions=tuple(kept))


def _read(
    model: CorefModel, sequences: Sequence[ReadingSequence], *, vectors: bool
) -> tuple[list[NDArray[np.float32]], ...]:
    """Of every sequence: probabilities of the candidate spans, and the tables of words."""
    batch = collate_readings(sequences, model.encoder.config.pad_token_id)
    with model.inference():
        found = model.read(batch.to(model.device), vectors=vectors)
    scores = found.span_logits.float().sigmoid().cpu().numpy()
    tables = found.words, found.learnt, found.anaphora
    spans = np.cumsum([len(s.starts) for s in sequences])[:-1]
    words = np.cumsum([len(s.words) for s in sequences])[:-1]
    return np.split(scores, spans), *(np.split(table.float().cpu().numpy(), words) for table in tables)


def _is_word(token: str) -> bool:
    return any(map(str.isalnum, token))


def _join(parts: Sequence[tuple[Integers, Integers, NDArray[np.float32]]]) -> SpanScores:
    if not parts:
        none = np.zeros(0, dtype=np.int64)
        return SpanScores(none, none, np.zeros((0, len(KINDS)), dtype=np.float32))
    starts, ends, scores = zip(*parts, strict=True)
    return SpanScores(np.concatenate(starts), np.concatenate(ends), np.concatenate(scores))
