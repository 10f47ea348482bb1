"""Which sentences of a document an encoder reads: documents with mentions in, windows of sentences out.

Where the context that was asked for does not fit into `max_length`, sentences far from mentions go first. If even the
sentences with mentions do not fit, they are split into windows of consecutive sentences, and every window of one
document is paired with every window of the other, so that every pair of mentions is compared exactly once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from cdcoref.corpus import Document, Mention
from cdcoref.errors import InputError

Context = int | Literal["document", "sentence"]
OVERHEAD = 5
"""[CLS] and two pairs of document separators."""
SMALLEST_LENGTH = 32


@dataclass(frozen=True, slots=True)
class SequenceOptions:
    """How sequences are built.

    Attributes
    ----------
    marking
        ``"all"``: every mention of the sequence is marked and all its pairs are scored from one pass. ``"pair"``: one
        candidate pair is marked a sequence, as in the paper.
    context
        ``"document"``: all sentences. A number: the sentences with mentions and as many sentences on either side of
        each. ``"sentence"``: the sentences with mentions alone (the paper's ablation).
    max_length
        Word pieces of the longest sequence, markers included.
    """

    marking: Literal["all", "pair"] = "all"
    context: Context = "document"
    max_length: int = 4096

    def __post_init__(self) -> None:
        if self.marking not in ("all", "pair"):
            raise InputError(f"marking must be all or pair, not {self.marking!r}")
        if self.context not in ("document", "sentence") and not (isinstance(self.context, int) and self.context >= 0):
            raise InputError(f"context must be document, sentence or a number of sentences, not {self.context!r}")
        if self.max_length < SMALLEST_LENGTH:
            raise InputError(f"max_length must be {SMALLEST_LENGTH} or more, not {self.max_length}")


@dataclass(frozen=True, slots=True)
class MarkedDocument:
    """A document in word pieces, with its mentions.

    Attributes
    ----------
    document, mentions, numbers
        The document, its mentions in order of place, and their numbers in the corpus.
    pieces
        Word pieces of every token.
    units
        Token ranges that are kept or dropped as one: sentences, or parts of a very long sentence.
    lengths
        Word pieces of every unit, markers of its mentions included.
    unit_mentions
        For every unit, the mentions (positions in `mentions`) that begin in it.
    hidden
        Units that may not serve as context.
    rendered
        Sequences' parts that were made of it before.
    """

    document: Document
    mentions: tuple[Mention, ...]
    numbers: tuple[int, ...]
    pieces: list[list[int]]
    units: list[tuple[int, int]]
    lengths: list[int]
    unit_mentions: list[list[int]]
    hidden: frozenset[int]
    rendered: dict[object, Any] = field(default_factory=dict, repr=False, compare=False)


def lay_out(
    document: Document,
    mentions: Sequence[Mention],
    numbers: Sequence[int],
    pieces: list[list[int]],
    max_length: int,
) -> tuple[MarkedDocument, list[str]]:
    """Divide a document into units, and place its mentions in them.

    Parameters
    ----------
    numbers
        The mentions' numbers in the corpus.
    pieces
        Word pieces of every token; those of a word that is too long are cut.
    max_length
        Word pieces of the longest sequence.

    Returns
    -------
    tuple
        The document, and one sentence for whatever had to be cut.

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
        unit_mentions[int(np.searchsorted(starts, mention.start, side="right")) - 1].append(position)
    lengths = [
        sum(len(pieces[t]) for t in range(start, end)) + 2 * len(inside)
        for (start, end), inside in zip(units, unit_mentions, strict=True)
    ]
    hidden = frozenset(u for u, sentence in enumerate(unit_sentences) if sentence in document.hidden)
    marked = MarkedDocument(
        document, ordered, tuple(numbers[i] for i in order), pieces, units, lengths, unit_mentions, hidden
    )
    return marked, notes + _notes_on_cut_mentions(marked)


def window_pairs(
    options: SequenceOptions,
    first: MarkedDocument,
    ones: Sequence[int],
    second: MarkedDocument | None,
    others: Sequence[int],
) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Units of the first and of the second document (or of a second window of the first) of every sequence."""
    room = options.max_length - OVERHEAD
    if second is None:
        whole = _windows(options, first, ones, room)
        if len(whole) == 1:
            return [(whole[0], ())]
        windows = _windows(options, first, ones, room // 2)
        return [(a, ()) for a in windows] + [(a, b) for i, a in enumerate(windows) for b in windows[i + 1 :]]
    one_room, other_room = _rooms(options, first, ones, second, others)
    return [
        (a, b) for a in _windows(options, first, ones, one_room) for b in _windows(options, second, others, other_room)
    ]


def _rooms(
    options: SequenceOptions, first: MarkedDocument, ones: Sequence[int], second: MarkedDocument, others: Sequence[int]
) -> tuple[int, int]:
    """How many pieces each document gets: half, or what the other leaves where that needs less than half.

    What is left is rounded down, so that a long document is split in few different ways over all its partners.
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
    """The units that the option `context` asks for, each with its distance from the nearest marked mention's."""
    wanted = set(marked)
    own = [u for u, inside in enumerate(document.unit_mentions) if wanted.intersection(inside)]
    limit = options.context
    reach = len(document.units) if limit == "document" else 0 if limit == "sentence" else int(limit)
    distances: dict[int, int] = {}
    for unit in own:
        for other in range(max(0, unit - reach), min(len(document.units), unit + reach + 1)):
            if other == unit or other not in document.hidden:
                distances[other] = min(distances.get(other, reach), abs(other - unit))
    return distances


def _windows(
    options: SequenceOptions, document: MarkedDocument, marked: Sequence[int], room: int
) -> list[tuple[int, ...]]:
    """Split the units with marked mentions into windows of at most `room` pieces; fill up with nearest context."""
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
    context = [u for u in distances if distances[u] > 0]
    for window in windows:
        length = sum(document.lengths[u] for u in window)
        core = list(window)
        for unit in sorted(context, key=lambda u: (min(abs(u - w) for w in core), u)):
            if length + document.lengths[unit] > room:
                break
            window.append(unit)
            length += document.lengths[unit]
        window.sort()
    return [tuple(window) for window in windows]


def _units(
    document: Document, mentions: Sequence[Mention], pieces: list[list[int]], room: int
) -> tuple[list[tuple[int, int]], list[int]]:
    """Sentences, and parts of sentences that are longer than `room` pieces; split between mentions if possible."""
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
    """A single word of more pieces than fit beside its markers (a data URI, say) keeps its first ones."""
    notes = []
    beginning = Counter(mention.start for mention in mentions)
    for token, word in enumerate(pieces):
        longest = room - 2 * beginning[token]
        if longest < 1:
            raise InputError(
                f"{document.id}: {beginning[token]} mentions begin at token {token}, more than can be marked in what "
                "the encoder reads at once; take some of them out",
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
    """One sentence for each mention that ends in another unit than it begins in."""
    return [
        f"{document.document.id}: the mention at tokens {mention.start}-{mention.end - 1} runs past its sentence, or "
        "past what the encoder reads at once; it may be represented by its first part"
        for unit, inside in zip(document.units, document.unit_mentions, strict=True)
        for mention in (document.mentions[number] for number in inside)
        if mention.end > unit[1]
    ]
