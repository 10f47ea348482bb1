"""Documents in word pieces, and the unmarked text in which mentions are detected, with its candidate spans."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from cdcoref.corpus import Document, Mention
from cdcoref.inputs.span_features import Integers, Rows, SpanSyntax, spelling_of
from cdlm.tokens import SpecialPieces, Tokenizer, WordPieces
from cdlm.validation import Checked, Count, Index, whole_number

SMALLEST_LENGTH = 32

Length = Annotated[int, whole_number(SMALLEST_LENGTH, 10**7)]


@dataclass(frozen=True, slots=True)
class SequenceOptions(Checked):
    """What a sequence with two marked mentions shows of their documents."""

    context: Literal["document", "sentence"] = "document"
    """``"document"``: all sentences, as far as they fit; ``"sentence"``: only those of the two mentions (the ablation
    of the paper, Table 4)."""
    max_length: Length = 4096
    """Word pieces of the longest sequence, markers included."""


@dataclass(frozen=True, slots=True)
class ContextOptions(Checked):
    """The cross-encoder of upper layers, and what it sees of a mention (:mod:`cdcoref.inputs.mention_contexts`)."""

    rank: Index = 0
    """Rank of its low-rank difference from the encoder that reads documents alone; 0: the model has no such
    cross-encoder."""
    lower_layers: Count = 6
    """How many layers read a document alone; the others read two contexts side by side."""
    opening: Index = 16
    names: Index = 20
    sentence: Count = 40
    """Word pieces of the first sentence of the document, of its names and numbers, and of the mention's sentence."""
    width: Count = 512
    """Units of the scorer's hidden layer."""

    @property
    def longest(self) -> int:
        """Word pieces of the longest sequence of two contexts."""
        return 2 * (self.opening + self.names + self.sentence)


OVERHEAD = 3
"""[CLS] and one pair of document separators."""
LONGEST_OVERHEAD = 5
"""A sentence of more than half of what the encoder reads at once, without [CLS] and two pairs of separators, is
divided."""


@dataclass(frozen=True, slots=True)
class DocumentPieces:
    """A document in word pieces, by token; `units` are token ranges that are shown or dropped as a whole.

    Units are sentences, or parts of a very long sentence; `lengths` are their word pieces, `hidden` no context.
    """

    document: Document
    pieces: list[list[int]]
    units: list[tuple[int, int]]
    lengths: list[int]
    hidden: frozenset[int]

    def unit_of(self, token: int) -> int:
        """The unit of a token."""
        return bisect_right(self.units, token, key=itemgetter(0)) - 1


def lay_out(
    document: Document, pieces: list[list[int]], room: int, mentions: Sequence[Mention] = ()
) -> tuple[DocumentPieces, list[str]]:
    """Divide a document into units of at most `room` pieces, between mentions if possible; and one sentence for each
    word or mention that had to be cut. `pieces` of words that are too long are cut here."""
    notes = []
    for token, word in enumerate(pieces):
        if len(word) > room:  # a data URI, say
            notes.append(
                f"{document.id}: token {token} ({document.tokens[token][:20]}...) has {len(word)} word pieces; "
                f"only the first {room} were read"
            )
            pieces[token] = word[:room]
    units, sentences = _units(document, mentions, pieces, room)
    lengths = [sum(map(len, pieces[start:end])) for start, end in units]
    hidden = frozenset(unit for unit, sentence in enumerate(sentences) if sentence in document.hidden)
    laid_out = DocumentPieces(document, pieces, units, lengths, hidden)
    notes += [
        f"{document.id}: the mention at tokens {mention.start}-{mention.end - 1} runs past its sentence or past the "
        "encoder's limit; only its first part may represent it"
        for mention in mentions
        if mention.end > units[laid_out.unit_of(mention.start)][1]
    ]
    return laid_out, notes


def window(document: DocumentPieces, tokens: Sequence[int], room: int, *, whole: bool = True) -> list[int]:
    """The units with these tokens and, if `whole`, the nearest others while there is room for `room` pieces."""
    shown = {document.unit_of(token) for token in tokens}
    if whole:
        distances = {unit: min(abs(unit - core) for core in shown) for unit in range(len(document.units))}
        context = [unit for unit in distances if unit not in shown and unit not in document.hidden]
        length = sum(document.lengths[unit] for unit in shown)
        for unit in sorted(context, key=distances.__getitem__):
            length += document.lengths[unit]
            if length > room:
                break
            shown.add(unit)
    return sorted(shown)


def _units(
    document: Document, mentions: Sequence[Mention], pieces: list[list[int]], room: int
) -> tuple[list[tuple[int, int]], list[int]]:
    inner = np.zeros(len(document.tokens) + 1, dtype=bool)
    for mention in mentions:
        inner[mention.start + 1 : mention.end] = True
    units: list[tuple[int, int]] = []
    sentences: list[int] = []
    for number, (start, end) in enumerate(document.sentences):
        costs = [len(word) for word in pieces[start:end]]
        begin = start
        if sum(costs) > room:
            length, cut = 0, None
            for token in range(start, end):
                if token > begin and not inner[token]:
                    cut = token
                length += costs[token - start]
                if length > room and token > begin:
                    if cut is None or sum(costs[cut - start : token - start + 1]) > room:
                        cut = token
                    units.append((begin, cut))
                    sentences.append(number)
                    begin, cut = cut, None
                    length = sum(costs[begin - start : token - start + 1])
        units.append((begin, end))
        sentences.append(number)
    return units, sentences


@dataclass(frozen=True, slots=True)
class ReadingSequence:
    """What the encoder reads of one document, and the spans of words that may be mentions."""

    document: Document
    input_ids: Integers
    """Word pieces: ``[CLS] <doc-s> ... </doc-s>``. *Shape:* (length,)"""
    is_global: NDArray[np.bool_]
    """Global attention: ``[CLS]`` alone. *Shape:* (length,)"""
    words: Integers
    word_places: Integers
    """Token indices in the document, and the position of each word's first piece. *Shape:* (words,)"""
    starts: Integers
    ends: Integers
    """First word of every candidate span, and one past its last, as positions in `words`. *Shape:* (spans,)"""
    begins: NDArray[np.bool_]
    """Whether each word begins a sentence, or what the sequence has of one. *Shape:* (words,)"""
    spelling: NDArray[np.float32]
    """How each word is spelt (see :mod:`cdcoref.inputs.span_features`). *Shape:* (words, `SPELLING`)"""
    syntax: Rows
    """Syntactic features of each span (see :mod:`cdcoref.inputs.span_features`); no column if they are not wanted.

    *Shape:* (spans, `SYNTAX_FEATURES`)"""

    def __len__(self) -> int:
        return len(self.input_ids)


class ReadingBuilder:
    """Builds the sequences in which mentions are detected.

    A sequence has at most `max_length` word pieces; only a single longer sentence exceeds it, up to the `longest` that
    the encoder can read at once. `max_words` are those of the longest candidate span. With `syntax`, sequences
    have the syntactic features of their spans.
    """

    def __init__(
        self, tokenizer: Tokenizer, max_length: int, longest: int, max_words: int, *, syntax: bool = False
    ) -> None:
        self._max_length = max_length
        self._longest = longest
        self._max_words = max_words
        self._syntax = syntax
        self._word_pieces = WordPieces(tokenizer)
        self._special = SpecialPieces.of(tokenizer)

    def __call__(self, document: Document) -> Iterator[ReadingSequence]:
        """The sequences of a document: whole sentences, without the hidden ones."""
        laid_out, _ = lay_out(document, self._word_pieces(document.tokens), (self._longest - LONGEST_OVERHEAD) // 2)
        sentences = np.array(document.sentence_of_tokens(), dtype=np.int64)
        spelling = spelling_of(document)
        syntax = SpanSyntax(document) if self._syntax else None
        chunk: list[int] = []
        length = 0
        for unit, cost in enumerate(laid_out.lengths):
            if unit in laid_out.hidden:
                continue
            if chunk and length + cost > self._max_length - OVERHEAD:
                yield from self._sequence(laid_out, chunk, sentences, spelling, syntax)
                chunk, length = [], 0
            chunk.append(unit)
            length += cost
        yield from self._sequence(laid_out, chunk, sentences, spelling, syntax)

    def _sequence(
        self,
        document: DocumentPieces,
        units: list[int],
        sentences: Integers,
        spelling: NDArray[np.float32],
        syntax: SpanSyntax | None,
    ) -> Iterator[ReadingSequence]:
        ids = [self._special.cls, self._special.doc_start]
        places: list[int] = []
        tokens: list[int] = []
        for unit in units:
            for token in range(*document.units[unit]):
                places.append(len(ids))
                tokens.append(token)
                ids += document.pieces[token]
        if not tokens:
            return
        ids.append(self._special.doc_end)
        is_global = np.zeros(len(ids), dtype=bool)
        is_global[0] = True
        words = np.array(tokens, dtype=np.int64)
        starts, ends = _candidates(words, sentences[words], self._max_words)
        yield ReadingSequence(
            document.document,
            np.array(ids, dtype=np.int64),
            is_global,
            words,
            np.array(places),
            starts,
            ends,
            np.diff(sentences[words], prepend=-1) != 0,
            spelling[words],
            syntax(words[starts], words[ends - 1] + 1) if syntax else np.zeros((len(starts), 0), dtype=np.int16),
        )


def _candidates(words: Integers, sentences: Integers, max_words: int) -> tuple[Integers, Integers]:
    """Every span of up to `max_words` consecutive words of one sentence, as positions in `words`."""
    starts, ends = [], []
    for count in range(1, min(max_words, len(words)) + 1):
        first = np.arange(len(words) - count + 1)
        last = first + count - 1
        whole = (sentences[first] == sentences[last]) & (words[last] - words[first] < count)
        starts.append(first[whole])
        ends.append(first[whole] + count)
    return np.concatenate(starts), np.concatenate(ends)
