"""Which sentences of a document an encoder reads: documents with mentions in, windows of sentences out.

If the requested context exceeds `max_length`, the sentences farthest from mentions are dropped first. If even the
sentences with mentions do not fit, they are split into windows of consecutive sentences, and every window of one
document is paired with every window of the other, so that every pair of mentions is compared exactly once (unless
`max_windows` limits a very long document).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import merge
from itertools import combinations, product

import numpy as np

from cdcoref.corpus import Document, Mention
from cdcoref.errors import InputError
from cdcoref.inputs.sequence_options import SequenceOptions
from cdcoref.language import in_sentence_case

OVERHEAD = 5
"""[CLS] and two pairs of document separators."""


@dataclass(frozen=True, slots=True)
class MarkedDocument:
    """A document in word pieces, with its mentions.

    Attributes
    ----------
    document, mentions, numbers
        The document, its mentions in order of position, and their numbers in the corpus.
    pieces
        Word pieces of every token.
    units
        Token ranges that are kept or dropped as a whole: sentences, or parts of a very long sentence.
    lengths
        Number of word pieces of every unit, its mentions' markers included.
    unit_mentions
        For every unit, the mentions (positions in `mentions`) that begin in it.
    hidden
        Units that must not serve as context.
    sentence_case
        The document as :func:`cdcoref.language.casing.in_sentence_case` writes it.
    """

    document: Document
    mentions: tuple[Mention, ...]
    numbers: tuple[int, ...]
    pieces: list[list[int]]
    units: list[tuple[int, int]]
    lengths: list[int]
    unit_mentions: list[list[int]]
    hidden: frozenset[int]
    sentence_case: Document


def lay_out(
    document: Document,
    mentions: Sequence[Mention],
    numbers: Sequence[int],
    pieces: list[list[int]],
    max_length: int,
) -> tuple[MarkedDocument, list[str]]:
    """Divide a document into units, and assign its mentions to them.

    Parameters
    ----------
    numbers
        The mentions' numbers in the corpus.
    pieces
        Word pieces of every token; a word that is too long is cut here.
    max_length
        Word pieces of the longest sequence.

    Returns
    -------
    tuple
        The document, and one sentence for each word or mention that had to be cut.

    Raises
    ------
    InputError
        If more mentions begin at one token than can be marked.
    """
    order = sorted(range(len(mentions)), key=lambda i: (mentions[i].start, -mentions[i].end, numbers[i]))
    ordered = tuple(mentions[i] for i in order)
    room = (max_length - OVERHEAD) // 2
    notes = _cut_words(document, ordered, pieces, room)
    units, unit_sentences = _units(document, ordered, pieces, room)
    starts = [start for start, _ in units]
    unit_mentions: list[list[int]] = [[] for _ in units]
    for position, mention in enumerate(ordered):
        unit_mentions[bisect_right(starts, mention.start) - 1].append(position)
    lengths = [
        sum(len(pieces[t]) for t in range(start, end)) + 2 * len(inside)
        for (start, end), inside in zip(units, unit_mentions, strict=True)
    ]
    hidden = frozenset(u for u, sentence in enumerate(unit_sentences) if sentence in document.hidden)
    marked = MarkedDocument(
        document,
        ordered,
        tuple(numbers[i] for i in order),
        pieces,
        units,
        lengths,
        unit_mentions,
        hidden,
        in_sentence_case(document),
    )
    return marked, notes + _notes_on_cut_mentions(marked)


Window = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Extent:
    """How much there is to read: sequences, their word pieces (roughly), and window pairs left out."""

    sequences: int
    pieces: int
    pruned: int = 0


@dataclass(frozen=True, slots=True)
class WindowPairs:
    """The windows of one or two documents, and which of them are read together.

    Attributes
    ----------
    first, second
        Windows, each a tuple of units. Within one document, `second` is None if everything fits into one window,
        and otherwise the same list as `first`: every window is then read alone and with every other.
    chosen
        Positions in `first` and in `second` of the pairs that are read; None: all of them.
    pruned
        Number of window pairs left out.
    """

    first: list[Window]
    second: list[Window] | None
    within: bool
    chosen: list[tuple[int, int]] | None = None
    pruned: int = 0

    def __iter__(self) -> Iterator[tuple[Window, Window]]:
        if self.second is None or self.within:
            yield from ((window, ()) for window in self.first)
        if self.second is not None:
            yield from ((self.first[i], self.second[j]) for i, j in self._pairs())

    def _pairs(self) -> Iterator[tuple[int, int]]:
        if self.chosen is not None:
            return iter(self.chosen)
        if self.within:
            return combinations(range(len(self.first)), 2)
        return product(range(len(self.first)), range(len(self.second or ())))

    def extent(self, first: MarkedDocument, second: MarkedDocument | None) -> Extent:
        """How much there is to read, without going through all pairs."""
        ones = [sum(first.lengths[u] for u in window) for window in self.first]
        if self.second is None:
            return Extent(len(ones), OVERHEAD * len(ones) + sum(ones))
        others = ones if self.within else [sum((second or first).lengths[u] for u in window) for window in self.second]
        alone = len(ones) if self.within else 0
        if self.chosen is not None:
            count = alone + len(self.chosen)
            pieces = sum(ones[i] + others[j] for i, j in self.chosen) + (sum(ones) if self.within else 0)
        elif self.within:
            count, pieces = alone + alone * (alone - 1) // 2, alone * sum(ones)
        else:
            count = len(ones) * len(others)
            pieces = len(others) * sum(ones) + len(ones) * sum(others)
        return Extent(count, OVERHEAD * count + pieces, self.pruned)


def window_pairs(
    options: SequenceOptions,
    first: MarkedDocument,
    ones: Sequence[int],
    second: MarkedDocument | None,
    others: Sequence[int],
) -> WindowPairs:
    """Divide one or two documents, in which these mentions are marked, into windows that are read together."""
    room = options.max_length - OVERHEAD
    if second is None:
        whole = _windows(options, first, ones, room)
        if len(whole) == 1:
            return WindowPairs(whole, None, within=True)
        windows = _windows(options, first, ones, room // 2)
        if options.max_windows is None or len(windows) <= options.max_windows + 1:
            return WindowPairs(windows, windows, within=True)
        nearest = _nearest(first, windows, first, windows, options.max_windows)
        chosen = sorted({(min(pair), max(pair)) for pair in nearest})
        return WindowPairs(windows, windows, True, chosen, len(windows) * (len(windows) - 1) // 2 - len(chosen))
    one_room, other_room = _rooms(options, first, ones, second, others)
    left, right = _windows(options, first, ones, one_room), _windows(options, second, others, other_room)
    if options.max_windows is None or max(len(left), len(right)) <= options.max_windows:
        return WindowPairs(left, right, within=False)
    chosen = _nearest(first, left, second, right, options.max_windows)
    return WindowPairs(left, right, False, chosen, len(left) * len(right) - len(chosen))


def windows(options: SequenceOptions, document: MarkedDocument, room: int) -> list[Window]:
    """Divide a document into windows of at most `room` pieces; all its mentions are marked."""
    return _windows(options, document, range(len(document.mentions)), room)


def _nearest(
    first: MarkedDocument, ones: Sequence[Window], second: MarkedDocument, others: Sequence[Window], limit: int
) -> list[tuple[int, int]]:
    """Window pairs in which one is among the other's `limit` most similar, by the rare word pieces they share."""
    from scipy.sparse import csr_array

    bags = [
        sorted({piece for u in window for t in range(*document.units[u]) for piece in document.pieces[t]})
        for document, windows in ((first, ones), (second, others))
        for window in windows
    ]
    lengths = [len(bag) for bag in bags]
    pieces = np.array([piece for bag in bags for piece in bag])
    frequency = np.bincount(pieces)
    # A piece in every window of both documents has no weight.
    weights = np.log((len(bags) + 1) / (frequency[pieces] + 1))
    table = csr_array((weights, pieces, np.concatenate([[0], np.cumsum(lengths)])), shape=(len(bags), len(frequency)))
    norms = np.sqrt(table.power(2).sum(axis=1))
    table = csr_array(table.multiply(1.0 / np.maximum(norms, 1e-12)[:, None]))
    left, right = table[: len(ones)], table[len(ones) :]
    chosen: set[tuple[int, int]] = set()
    for rows, columns, flipped in ((left, right, False), (right, left, True)):
        for start in range(0, rows.shape[0], 256):
            similarity = (rows[start : start + 256] @ columns.T).toarray()
            if first is second:
                block = np.arange(len(similarity))
                similarity[block, start + block] = -1.0
            kept = min(limit, similarity.shape[1] - (first is second))
            order = np.argsort(-similarity, axis=1, kind="stable")[:, :kept]
            for row, nearest in enumerate(order.tolist(), start):
                chosen.update((other, row) if flipped else (row, other) for other in nearest)
    return sorted(chosen)


def _rooms(
    options: SequenceOptions, first: MarkedDocument, ones: Sequence[int], second: MarkedDocument, others: Sequence[int]
) -> tuple[int, int]:
    """How many pieces each document gets: half, or what the other leaves if that needs less than half.

    What is left is rounded down, so that a long document is split in only a few ways over all its partners.
    """
    room = options.max_length - OVERHEAD
    half = room // 2
    one = sum(first.lengths[u] for u in _context(options, first, ones))
    other = sum(second.lengths[u] for u in _context(options, second, others))
    if one + other <= room:
        return one, other
    if one <= half:
        return one, max(half, (room - one) // 64 * 64)
    if other <= half:
        return max(half, (room - other) // 64 * 64), other
    return half, half


def _context(options: SequenceOptions, document: MarkedDocument, marked: Sequence[int]) -> dict[int, int]:
    """The units that the option `context` selects, each with its distance from the nearest marked mention's unit."""
    wanted = set(marked)
    own = np.array(
        [u for u, inside in enumerate(document.unit_mentions) if wanted.intersection(inside)], dtype=np.int64
    )
    if not len(own) or options.context == "sentence":
        return dict.fromkeys(own.tolist(), 0)
    reach = len(document.units) if options.context == "document" else int(options.context)
    units = np.arange(len(document.units))
    after = np.searchsorted(own, units)
    ahead = np.abs(own[np.minimum(after, len(own) - 1)] - units)
    behind = np.abs(units - own[np.maximum(after - 1, 0)])
    distance = np.minimum(ahead, behind)
    return {
        unit: int(distance[unit])
        for unit in np.flatnonzero(distance <= reach).tolist()
        if distance[unit] == 0 or unit not in document.hidden
    }


def _windows(options: SequenceOptions, document: MarkedDocument, marked: Sequence[int], room: int) -> list[Window]:
    """Split the units with marked mentions into windows of at most `room` pieces, filled up with nearby context."""
    distances = _context(options, document, marked)
    if sum(document.lengths[u] for u in distances) <= room:
        return [tuple(sorted(distances))]
    windows: list[list[int]] = []
    length = room + 1
    for unit in (u for u in sorted(distances) if distances[u] == 0):
        length += document.lengths[unit]
        if length > room:
            windows.append([])
            length = document.lengths[unit]
        windows[-1].append(unit)
    context = sorted(u for u in distances if distances[u] > 0)
    for window in windows:
        length = sum(document.lengths[u] for u in window)
        for unit in _outwards(window, context):
            if length + document.lengths[unit] > room:
                break
            window.append(unit)
            length += document.lengths[unit]
        window.sort()
    return [tuple(window) for window in windows]


def _outwards(window: Sequence[int], context: Sequence[int]) -> Iterator[int]:
    """Units of the context by distance from the nearest unit of a window, the earlier first among equals."""
    core = list(window)
    first, last = bisect_left(context, core[0]), bisect_left(context, core[-1])
    between = sorted((min(abs(u - w) for w in core), u) for u in context[first:last])
    before = ((core[0] - u, u) for u in reversed(context[:first]))
    behind = ((u - core[-1], u) for u in context[last:])
    return (unit for _, unit in merge(between, before, behind))


def _units(
    document: Document, mentions: Sequence[Mention], pieces: list[list[int]], room: int
) -> tuple[list[tuple[int, int]], list[int]]:
    """Sentences, and parts of sentences longer than `room` pieces, split between mentions if possible."""
    inner = np.zeros(len(document.tokens) + 1, dtype=bool)
    for mention in mentions:
        inner[mention.start + 1 : mention.end] = True
    markers = np.zeros(len(document.tokens), dtype=np.int64)
    for mention in mentions:
        markers[mention.start] += 2
    units: list[tuple[int, int]] = []
    sentences: list[int] = []
    for number, (start, end) in enumerate(document.sentences):
        costs = [len(pieces[t]) + int(markers[t]) for t in range(start, end)]
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


def _cut_words(document: Document, mentions: Sequence[Mention], pieces: list[list[int]], room: int) -> list[str]:
    """Cut any word (a data URI, say) with more pieces than fit beside its markers to its first pieces."""
    notes = []
    beginning = Counter(mention.start for mention in mentions)
    for token, word in enumerate(pieces):
        longest = room - 2 * beginning[token]
        if longest < 1:
            raise InputError(
                f"{document.id}: {beginning[token]} mentions begin at token {token}, more than can be marked in one "
                "sequence; remove some of them",
                document.path,
            )
        if len(word) > longest:
            notes.append(
                f"{document.id}: token {token} ({document.tokens[token][:20]}...) has {len(word)} word pieces; "
                f"only the first {longest} were read"
            )
            pieces[token] = word[:longest]
    return notes


def _notes_on_cut_mentions(document: MarkedDocument) -> list[str]:
    """One sentence for each mention that does not end in the unit in which it begins."""
    return [
        f"{document.document.id}: the mention at tokens {mention.start}-{mention.end - 1} runs past its sentence or "
        "past the encoder's limit; only its first part may represent it"
        for unit, inside in zip(document.units, document.unit_mentions, strict=True)
        for mention in (document.mentions[number] for number in inside)
        if mention.end > unit[1]
    ]
