"""Reading documents with the model: documents in, their mentions and the vectors of these out.

Every document is read once, in windows of whole sentences, whatever it is compared with later. Every span of up to
`detector_max_words` words within a sentence is scored as an event and as an entity. Spans are then accepted, the most
probable first, if they reach the threshold of their kind, overlap no span accepted before (in ECB+, 20 of 11,287
mentions overlap another), and are more than punctuation. A title directly before a name is one mention with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from cdcoref.corpus import ENTITY, EVENT, KINDS, Corpus, Document, Mention
from cdcoref.facts import with_parses
from cdcoref.inputs import Integers, ReadingSequence
from cdcoref.language import HEADER_LINES, MEN_AND_WOMEN, TITLES, is_date_line, is_legal_form, last_word_of_head
from cdcoref.linking.store import ResultStore, document_hash
from cdcoref.model import CorefModel, collate_readings, token_batches
from cdcoref.reading import Halves, MentionVectors, Reading, Vectors

SEQUENCES_AT_ONCE = 256
"""Sequences that are sorted by length together; bounds the memory needed for many documents."""


@dataclass(frozen=True, slots=True)
class SpanScores:
    """Probabilities of the candidate spans of one document that are worth keeping.

    `starts`, `ends`: Token ranges in the document, end exclusive. *Shape:* (spans,)
    `probabilities`: *Shape:* (spans, kinds)
    """

    starts: Integers
    ends: Integers
    probabilities: NDArray[np.float32]

    @classmethod
    def joined(cls, parts: Sequence[SpanScores]) -> SpanScores:
        """The spans of several sequences or parts."""
        none = np.zeros(0, dtype=np.int64)
        return cls(
            np.concatenate([none, *(part.starts for part in parts)]),
            np.concatenate([none, *(part.ends for part in parts)]),
            np.concatenate([np.zeros((0, len(KINDS)), dtype=np.float32), *(part.probabilities for part in parts)]),
        )

    def select(self, reading: Reading, thresholds: Mapping[str, float]) -> list[Mention]:
        """The mentions at the given thresholds, in order of position; `confidence` is the detector's probability."""
        document = reading.document
        kinds = self.probabilities.argmax(axis=1)
        best = self.probabilities.max(axis=1)
        min_probability = np.array([thresholds[kind] for kind in KINDS])[kinds]
        chosen = np.flatnonzero(best >= min_probability)
        order = chosen[np.lexsort((self.ends[chosen], self.starts[chosen], -best[chosen]))]
        taken = np.zeros(len(document.tokens), dtype=bool)
        # "Posted 5 May" is no event.
        dated = [b for b in document.sentences[:HEADER_LINES] if b[0] < b[1] and is_date_line(document.passage(*b))]
        mentions = []
        for span in order:
            start, end = int(self.starts[span]), int(self.ends[span])
            form_before = end - start > 1 and start > 0 and document.tokens[start - 1].istitle()
            start += form_before and is_legal_form(document.tokens[start])  # "bought by Orvik Inc. Hale said"
            has_words = any(map(str.isalnum, "".join(document.tokens[start:end])))
            is_aside = any(first <= start < last for first, last in dated) or _names_organisation(reading, start, end)
            no_event = KINDS[kinds[span]] == EVENT and is_aside
            if has_words and not no_event and not taken[start:end].any():
                taken[start:end] = True
                mentions.append(
                    Mention(document.id, tuple(range(start, end)), KINDS[kinds[span]], confidence=float(best[span]))
                )
        named = _with_titles(reading, sorted(mentions, key=lambda m: m.start))
        return sorted([*named, *_repeated_names(document, named)], key=lambda m: m.start)


def _names_organisation(reading: Reading, start: int, end: int) -> bool:
    """Whether words belong to the name of an organisation that goes on behind them ("Palmer Fire & Rescue")."""
    tokens = reading.cased.tokens[start : end + 1]
    named = all(word == "&" or word[:1].isupper() for word in tokens)
    return named and len(tokens) > end - start and set(reading.parse.entity_types[start : end + 1]) == {"ORG"}


def _repeated_names(document: Document, mentions: Iterable[Mention]) -> Iterator[Mention]:
    """Names of several words where they were not detected, of a document in which they were elsewhere."""
    taken = {token for mention in mentions for token in mention.tokens}
    taken.update(token for number in document.hidden for token in range(*document.sentences[number]))
    names: dict[str, dict[tuple[str, ...], Mention]] = {}
    for mention in mentions:
        words = document.tokens[mention.start : mention.end]
        if mention.kind == ENTITY and len(words) > 1 and words[0][:1].isupper() and words[-1][:1].isupper():
            names.setdefault(words[0], {}).setdefault(words, mention)
    for first, token in enumerate(document.tokens):
        for words, mention in names.get(token, {}).items():
            own = tuple(range(first, first + len(words)))
            if document.tokens[first : own[-1] + 1] == words and taken.isdisjoint(own):
                taken.update(own)
                yield replace(mention, tokens=own)


def _with_titles(reading: Reading, mentions: Iterable[Mention]) -> list[Mention]:
    """Mentions in order, with a title and the name behind it as one ("Judge Paula Reyes"), if it is capitalised."""
    tokens = reading.document.tokens
    joined: list[Mention] = []
    for mention in mentions:
        title = joined[-1] if joined else None
        if title is not None and _is_title_of(reading, title, mention):
            word = tokens[title.end - 1]
            if word not in MEN_AND_WOMEN:
                joined.pop()
            if word[:1].isupper():
                mention = replace(mention, tokens=tuple(range(title.start, mention.end)))
        joined.append(mention)
    for place, mention in enumerate(joined):  # names that were not detected
        behind = joined[place + 1].start if place + 1 < len(joined) else len(tokens)
        if mention.kind == ENTITY and (end := _end_of_person(reading, mention, behind)) > mention.end:
            joined[place] = mention = replace(mention, tokens=tuple(range(mention.start, end)))
        if _ends_with_title(reading, mention) and tokens[mention.end - 1][:1].isupper():
            name = reading.parse.heads[mention.end - 1]
            if mention.end <= name < behind and reading.parse.parts[name] == "PROPN":
                joined[place] = replace(mention, tokens=tuple(range(mention.start, name + 1)))
    return joined


def _end_of_person(reading: Reading, mention: Mention, behind: int) -> int:
    """Where a name with initials ends that a mention begins ("Thomas" of "Thomas A. Greer"); `behind`: the next one."""
    tokens, types, end = reading.cased.tokens, reading.parse.entity_types, mention.end
    while end + 1 < behind and types[end] == "PERSON" and tokens[end].isupper() and len(tokens[end].rstrip(".")) == 1:
        end += 1
    is_name = end > mention.end and types[end] == "PERSON" and tokens[end][:1].isupper()
    return end + 1 if is_name else mention.end


def _ends_with_title(reading: Reading, mention: Mention) -> bool:
    return mention.kind == ENTITY and reading.document.tokens[mention.end - 1].casefold().rstrip(".") in TITLES


def _is_title_of(reading: Reading, title: Mention, name: Mention) -> bool:
    """Whether a mention ends with a title of the name directly behind it, by the parse."""
    if name.kind != ENTITY or title.end != name.start or not _ends_with_title(reading, title):
        return False
    parse, head = reading.parse, reading.parse.head_of(name.tokens)
    beside = parse.heads[head] == title.end - 1 and parse.relations[head] == "appos"
    return parse.parts[head] == "PROPN" and (beside or parse.heads[title.end - 1] in name.tokens)


@dataclass(frozen=True, slots=True)
class EncodedPart:
    """What the encoder says of a document, or of a part of a long one.

    `reading`: What is known of the whole document.
    `words`: A vector for every token of the part, zeros for hidden sentences. *Shape:* (tokens, width)
    `learnt`: What learnt vectors need of every token (see :class:`cdcoref.model.MentionProjection`), by kind of
        mention. *Shape* of each: (tokens, 2 * columns)
    `anaphora`: What finds antecedents needs of every token. *Shape:* (tokens, 2 * columns)
    `first`, `last`: The first token of the part, and whether it is the document's last part.
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
    """Pass documents through the encoder, each by itself: in order, those of many sequences part by part.

    `min_probability`: Spans below this probability for every kind are dropped.
    `vectors`: Whether the tables of words are wanted, which take a second pass; without them they have no columns.
    `advance`: Called after every batch with the number of words read.
    """
    sequences_of, batch_tokens = model.reading_builder(), model.pieces_at_once(batch_tokens)
    learning = model.vector_scorer.learning if vectors and model.vector_scorer else ()
    widths = (
        model.encoder.config.hidden_size if vectors and model.vector_scorer is not None else 0,
        2 * model.vector_scorer.columns * len(learning) if learning and model.vector_scorer else 0,
        2 * model.antecedent_scorer.columns if vectors and model.antecedent_scorer else 0,
    )
    waiting: list[tuple[int, ReadingSequence]] = []
    unfinished: list[_Part] = []

    def flush() -> Iterator[EncodedPart]:
        spans_of: list[list[SpanScores]] = [[] for _ in unfinished]
        tables = [[np.zeros((p.end - p.first, width), dtype=np.float32) for width in widths] for p in unfinished]
        for positions in token_batches([len(s) for _, s in waiting], batch_tokens):
            sequences = [waiting[p][1] for p in positions]
            parts = [waiting[p][0] for p in positions]
            for number, sequence, scores, *further in zip(
                parts, sequences, *_read(model, sequences, vectors=vectors), strict=True
            ):
                keep = scores.max(axis=1) >= min_probability
                starts, ends = sequence.words[sequence.starts[keep]], sequence.words[sequence.ends[keep] - 1] + 1
                spans_of[number].append(SpanScores(starts, ends, scores[keep]))
                for table, part in zip(tables[number], further, strict=True):
                    table[sequence.words - unfinished[number].first] = part
            advance(sum(len(s.words) for s in sequences))
        for number, own in enumerate(unfinished):
            words, learnt, anaphora = tables[number]
            of_kinds = dict(zip(learning, np.split(learnt, max(1, len(learning)), axis=1), strict=False))
            yield EncodedPart(
                own.reading,
                SpanScores.joined(spans_of[number]),
                words,
                of_kinds,
                anaphora,
                first=own.first,
                last=own.last,
            )

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
    """The candidate spans of documents, in order; see :func:`read_documents`. The model must have a detector."""
    model.required_detector()
    documents = with_parses(documents)
    parts: list[SpanScores] = []
    encoded = read_documents(
        model, documents, batch_tokens=batch_tokens, min_probability=min_probability, vectors=False, advance=advance
    )
    for part in encoded:
        parts.append(part.spans)
        if part.last:
            yield part.reading, SpanScores.joined(parts)
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
        logits, *tables = model.read(batch.to(model.device), vectors=vectors)
    scores = logits.float().sigmoid().cpu().numpy()
    spans = np.cumsum([len(s.starts) for s in sequences])[:-1]
    words = np.cumsum([len(s.words) for s in sequences])[:-1]
    return np.split(scores, spans), *(np.split(table.float().cpu().numpy(), words) for table in tables)


def vectors_of(part: EncodedPart, mentions: Sequence[Mention]) -> MentionVectors:
    """The vectors of mentions that begin in a part of a document."""
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
    lasts = [min(last_word_of_head(document, m) - first, len(words) - 1) for m in mentions]
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

    def __init__(self) -> None:
        self.numbers: list[int] = []
        self._parts: list[MentionVectors] = []
        self._sum = np.zeros(1)
        self._words = 0

    def add(self, part: EncodedPart, numbers: Sequence[int], mentions: Sequence[Mention]) -> None:
        """Add what one part says of the mentions with these numbers, which begin in it."""
        self.numbers += numbers
        self._parts.append(vectors_of(part, [mentions[n] for n in numbers]))
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
                found[document.id] = MentionVectors.unpacked(kept)
                continue
        todo.append(document)
    gathered = _OfDocument()
    for part in read_documents(model, todo, batch_tokens=batch_tokens, min_probability=1.0):
        name = part.reading.document.id
        # In the order of the corpus within every part, and parts in the order of the text.
        gathered.add(part, [n for n in numbers[name] if part.begins(corpus.mentions[n])], corpus.mentions)
        if part.last:
            order = np.argsort(np.array(gathered.numbers, dtype=np.int64))
            found[name] = gathered.vectors().take(order)
            gathered = _OfDocument()
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
    kinds: Sequence[str] = KINDS,
    given: Mapping[str, Sequence[Mention]] = MappingProxyType({}),
) -> Iterator[Reading]:
    """Read documents, each once: its mentions and, if the model has them, their vectors.

    Mentions of some `kinds` are detected; `given` has others of documents, by id.

    An `InputError` if the model has no detector.
    """
    model.required_detector()
    mentions: list[Mention] = []
    gathered = _OfDocument()
    for part in read_documents(model, documents, batch_tokens=batch_tokens, advance=advance):
        detected = part.spans.select(part.reading, model.settings.detection_threshold)
        own = [mention for mention in given.get(part.reading.document.id, ()) if part.begins(mention)]
        detected = [*own, *(mention for mention in detected if mention.kind in kinds)]
        mentions += detected
        if model.vector_scorer is not None:
            gathered.add(part, range(len(detected)), detected)
        if part.last:
            part.reading.mentions = mentions
            part.reading.vectors = gathered.vectors() if model.vector_scorer is not None else None
            yield part.reading
            mentions, gathered = [], _OfDocument()


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
