"""Documents and marked mentions in, what the encoder reads out (paper, section 3.2 and Appendix C.1).

A :class:`PairSequence` is one tokenised sequence ``[CLS] <doc-s> ... </doc-s> <doc-s> ... </doc-s>``, the spans of the
mentions marked in it, and the pairs of spans to score. The paper marks one candidate pair per sequence; the default
here marks every mention of both documents and scores all their pairs in one pass. Both are of this type: only the
builder's option differs. Pairs within a document are scored from a sequence of that document alone.

**Markers.** Every marked mention is enclosed in ``<m>`` and ``</m>``, from its first to its last token (the gap of a
discontinuous mention is enclosed too). All mentions share the same two markers, so nested and crossing mentions need no
order: a token is preceded by one ``<m>`` for each mention that begins at it and followed by one ``</m>`` for each that
ends at it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cdcoref.corpus import KINDS, Document, Mention
from cdcoref.inputs.packs import Pack
from cdcoref.inputs.sequence_options import SequenceOptions
from cdcoref.inputs.windows import Extent, MarkedDocument, lay_out, window_pairs
from cdcoref.language import MentionFacts, mention_facts, pair_features
from cdlm.tokens import SpecialPieces, WordPieces

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

Integers = NDArray[np.int64]

PIECES_KEPT = 200_000
"""The most recently used rendered windows are kept, up to this many word pieces: about 10 MB."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A rendered piece of one document: word pieces with markers, and where the mentions are.

    Attributes
    ----------
    ids
        Word pieces. *Shape:* (length,)
    is_global
        Which of them attend globally. *Shape:* (length,)
    mentions, kinds
        Numbers of the mentions marked in it, and their kinds (positions in `KINDS`; -1: unknown). *Shape:* (spans,)
    span_tokens, span_of_token
        Positions of the mentions' own pieces, and the number of the span that each belongs to.
    facts
        What the features of pairs see of every mention; empty for a model without features.
    """

    ids: Integers
    is_global: NDArray[np.bool_]
    mentions: Integers
    kinds: Integers
    span_tokens: Integers
    span_of_token: Integers
    facts: tuple[MentionFacts, ...]


@dataclass(frozen=True, slots=True)
class PairSequence:
    """What the encoder reads, the spans of the mentions in it, and the pairs of spans to score.

    Attributes
    ----------
    input_ids
        Word pieces. *Shape:* (length,)
    is_global
        Global attention: ``[CLS]``, markers and mention pieces. *Shape:* (length,)
    mentions, kinds
        Number of the mention of every span, and its kind (position in `KINDS`; -1: unknown). *Shape:* (spans,)
    span_tokens, span_of_token
        Positions of the mentions' pieces, and the span that each belongs to. *Shape:* (mention pieces,)
    pairs
        Spans of one kind to compare, the first document's first. *Shape:* (pairs, 2)
    features
        What is known about each pair besides the text (see `SequenceOptions.features`). *Shape:* (pairs, features)
    """

    input_ids: Integers
    is_global: NDArray[np.bool_]
    mentions: Integers
    kinds: Integers
    span_tokens: Integers
    span_of_token: Integers
    pairs: Integers
    features: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.input_ids)


Marked = tuple[Sequence[int], Sequence[int]]
"""Mentions to mark in two documents, as positions in their mentions."""
Part = tuple[int, int | None]
"""From one number up to, but not including, another; None: to the end."""


class SequenceBuilder:
    """Builds sequences for documents and pairs of documents.

    Parameters
    ----------
    tokenizer
        With the special tokens of :mod:`cdlm.tokens`.
    options
        See :class:`SequenceOptions`.

    Attributes
    ----------
    notes
        One sentence for each mention that had to be cut, to be reported to the user.
    """

    def __init__(self, tokenizer: PreTrainedTokenizerFast, options: SequenceOptions) -> None:
        self.options = options
        self.notes: list[str] = []
        self._word_pieces = WordPieces(tokenizer)
        self._special = SpecialPieces.of(tokenizer)
        self._rendered: dict[object, tuple[MarkedDocument, Segment]] = {}
        self._pieces_rendered = 0

    def prepare(self, document: Document, mentions: Sequence[Mention], numbers: Sequence[int]) -> MarkedDocument:
        """Tokenise a document and lay out its units; `numbers` are the mentions' numbers in the corpus."""
        pieces = self._word_pieces(document.tokens)
        marked, notes = lay_out(document, mentions, numbers, pieces, self.options.max_length)
        self.notes += notes
        return marked

    def single(self, document: MarkedDocument, marked: Iterable[Marked] | None = None) -> Iterator[PairSequence]:
        """Sequences that score the pairs within one document; `marked` replaces :meth:`candidates`."""
        for ones, others in self.candidates(document, None) if marked is None else marked:
            yield from self.build(document, ones, None, others)

    def pair(
        self, first: MarkedDocument, second: MarkedDocument, marked: Iterable[Marked] | None = None
    ) -> Iterator[PairSequence]:
        """Sequences that score the pairs across two documents, `first` standing first; see :meth:`single`."""
        for ones, others in self.candidates(first, second) if marked is None else marked:
            yield from self.build(first, ones, second, others)

    def candidates(self, first: MarkedDocument, second: MarkedDocument | None) -> Iterator[Marked]:
        """What to mark in each document: everything at once, or every pair of mentions of one kind in turn.

        Mentions are given as positions in `first.mentions` and `second.mentions`; without a second document both are
        positions in the first, and all of them are marked.
        """
        if not first.mentions or (second is not None and not second.mentions):
            return
        if self.options.marking == "all":
            if _comparable(first, second):
                yield range(len(first.mentions)), range(len(second.mentions) if second else 0)
            return
        for i, mention in enumerate(first.mentions):
            for j in range(i + 1, len(first.mentions)) if second is None else range(len(second.mentions)):
                if (second or first).mentions[j].kind == mention.kind:
                    yield (i,), (j,)

    def build(
        self,
        first: MarkedDocument,
        ones: Sequence[int],
        second: MarkedDocument | None,
        others: Sequence[int],
        part: Part = (0, None),
    ) -> Iterator[PairSequence]:
        """Sequences in which only these mentions are marked, and their pairs of one kind are to be scored.

        `part` is the range of the window pairs to build, out of those that :meth:`extent_of` counts. Windows in which
        no two mentions can be compared yield no sequence.
        """
        if second is None:
            yield from self._within(first, (*ones, *others) if others else ones, part)
        else:
            yield from self._across(first, ones, second, others, part)

    def pack(self, documents: Sequence[MarkedDocument], pack: Pack) -> Iterator[PairSequence]:
        """The sequence that shows a pack, in which all pairs of mentions of one kind are to be scored."""
        segments = [
            self._segment(documents[number], window, range(len(documents[number].mentions))) for number, window in pack
        ]
        spans = sum(len(segment.mentions) for segment in segments)
        yield from self._sequence(segments, np.stack(np.triu_indices(spans, 1), -1))

    def extent(
        self, first: MarkedDocument, second: MarkedDocument | None, marked: Sequence[Marked] | None = None
    ) -> Extent:
        """How much :meth:`pair` (or :meth:`single`) has to read."""
        marked = list(self.candidates(first, second)) if marked is None else marked
        if not marked:
            return Extent(0, 0)
        one = self.extent_of(first, marked[0][0], second, marked[0][1])
        if self.options.marking == "pair":
            return Extent(len(marked), len(marked) * one.pieces)
        return one

    def extent_of(
        self, first: MarkedDocument, ones: Sequence[int], second: MarkedDocument | None, others: Sequence[int]
    ) -> Extent:
        """The most that :meth:`build` has to read."""
        marked = ones if second else (*ones, *others)
        return window_pairs(self.options, first, marked, second, others).extent(first, second)

    # -- sequences ---------------------------------------------------------------------------------------------------

    def _across(
        self,
        first: MarkedDocument,
        ones: Sequence[int],
        second: MarkedDocument,
        others: Sequence[int],
        part: Part,
    ) -> Iterator[PairSequence]:
        windows = window_pairs(self.options, first, ones, second, others)
        for one, other in islice(windows, *part):
            segments = (self._segment(first, one, ones), self._segment(second, other, others))
            left, right = (len(s.mentions) for s in segments)
            pairs = np.stack(np.meshgrid(np.arange(left), left + np.arange(right), indexing="ij"), -1).reshape(-1, 2)
            yield from self._sequence(segments, pairs)

    def _within(self, document: MarkedDocument, marked: Sequence[int], part: Part) -> Iterator[PairSequence]:
        windows = window_pairs(self.options, document, marked, None, ())
        for one, other in islice(windows, *part):
            # Two windows of one document may have been filled up with the same sentence.
            segment = self._segment(document, tuple(sorted({*one, *other})), marked)
            pairs = np.stack(np.triu_indices(len(segment.mentions), 1), -1)
            if other:
                of_one = np.isin(segment.mentions, self._segment(document, one, marked).mentions)
                pairs = pairs[of_one[pairs[:, 0]] != of_one[pairs[:, 1]]]
            yield from self._sequence((segment,), pairs)

    def _sequence(self, segments: Sequence[Segment], pairs: Integers) -> Iterator[PairSequence]:
        """One sequence, or none if it holds no two mentions of one kind to compare."""
        kinds = np.concatenate([s.kinds for s in segments])
        pairs = pairs[kinds[pairs[:, 0]] == kinds[pairs[:, 1]]]
        if not len(pairs):
            return
        ids: list[Integers] = [np.array([self._special.cls])]
        is_global: list[NDArray[np.bool_]] = [np.array([True])]
        tokens: list[Integers] = []
        owners: list[Integers] = []
        offset, spans = 1, 0
        for segment in segments:
            ids += [np.array([self._special.doc_start]), segment.ids, np.array([self._special.doc_end])]
            is_global += [np.array([False]), segment.is_global, np.array([False])]
            tokens.append(segment.span_tokens + offset + 1)
            owners.append(segment.span_of_token + spans)
            offset += len(segment.ids) + 2
            spans += len(segment.mentions)
        yield PairSequence(
            np.concatenate(ids),
            np.concatenate(is_global),
            np.concatenate([s.mentions for s in segments]),
            kinds,
            np.concatenate(tokens),
            np.concatenate(owners),
            pairs,
            pair_features(self.options.features, [seen for s in segments for seen in s.facts], pairs),
        )

    def _segment(self, document: MarkedDocument, units: tuple[int, ...], marked: Sequence[int]) -> Segment:
        """Render units with the marked mentions in them, or reuse what was rendered recently."""
        if self.options.marking == "pair":
            return self._render(document, units, marked)
        key = (id(document), units, marked)
        kept = self._rendered.pop(key, None)
        # The document is kept with its rendering, so that no other object can take its id in the meantime.
        segment = kept[1] if kept else self._render(document, units, marked)
        self._rendered[key] = document, segment
        self._pieces_rendered += 0 if kept else len(segment.ids)
        while self._pieces_rendered > PIECES_KEPT and len(self._rendered) > 1:
            _, forgotten = self._rendered.pop(next(iter(self._rendered)))
            self._pieces_rendered -= len(forgotten.ids)
        return segment

    def _render(self, document: MarkedDocument, units: tuple[int, ...], marked: Sequence[int]) -> Segment:
        wanted = marked if isinstance(marked, range) else set(marked)
        inside = [m for u in units for m in document.unit_mentions[u] if m in wanted]
        ranges = [document.units[u] for u in units]
        opening, closing = _marker_places(document.mentions, inside, ranges)
        spans_at: dict[int, list[int]] = {}
        for span, mention in enumerate(inside):
            for token in document.mentions[mention].tokens:
                spans_at.setdefault(token, []).append(span)
        ids: list[int] = []
        is_global: list[bool] = []
        tokens: list[int] = []
        owners: list[int] = []
        for start, end in ranges:
            for token in range(start, end):
                count = opening.get(token, 0)
                ids += [self._special.mention_start] * count
                is_global += [True] * count
                spans = spans_at.get(token, ())
                for span in spans:
                    tokens += range(len(ids), len(ids) + len(document.pieces[token]))
                    owners += [span] * len(document.pieces[token])
                ids += document.pieces[token]
                is_global += [bool(spans)] * len(document.pieces[token])
                count = closing.get(token, 0)
                ids += [self._special.mention_end] * count
                is_global += [True] * count
        kinds = [document.mentions[m].kind for m in inside]
        return Segment(
            np.array(ids, dtype=np.int64),
            np.array(is_global, dtype=bool),
            np.array([document.numbers[m] for m in inside], dtype=np.int64),
            np.array([-1 if kind is None else KINDS.index(kind) for kind in kinds], dtype=np.int64),
            np.array(tokens, dtype=np.int64),
            np.array(owners, dtype=np.int64),
            tuple(self._traits(document, inside)),
        )

    def _traits(self, document: MarkedDocument, mentions: Sequence[int]) -> Iterator[MentionFacts]:
        if self.options.features:
            starts = [start for start, _ in document.document.sentences]
            for mention in (document.mentions[m] for m in mentions):
                yield mention_facts(document.sentence_case, mention, bisect_right(starts, mention.start) - 1)


def _comparable(first: MarkedDocument, second: MarkedDocument | None) -> bool:
    """Whether two mentions are of one kind, one in each document (or both in the only one)."""
    kinds = [mention.kind for mention in first.mentions]
    if second is None:
        return len(set(kinds)) < len(kinds)
    return not set(kinds).isdisjoint(mention.kind for mention in second.mentions)


def _marker_places(
    mentions: Sequence[Mention], inside: Sequence[int], ranges: Sequence[tuple[int, int]]
) -> tuple[dict[int, int], dict[int, int]]:
    """How many markers open before, and close after, every token; a mention cut by its unit closes at the unit's end.

    All opening markers are the same token, and so are all closing ones: counts are enough, whatever the nesting.
    """
    opening: dict[int, int] = {}
    closing: dict[int, int] = {}
    shown = sorted(ranges)
    for number in inside:
        mention = mentions[number]
        unit_end = next(end for start, end in shown if start <= mention.start < end)
        last = mention.end - 1
        if last >= unit_end and not any(start <= last < end for start, end in shown):
            last = unit_end - 1
        opening[mention.start] = opening.get(mention.start, 0) + 1
        closing[last] = closing.get(last, 0) + 1
    return opening, closing
