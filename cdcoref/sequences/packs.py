"""Many documents read at once: the documents of a story in, packs of their windows that fit into one sequence out.

Where all that a story has to show fits into one sequence, that is its only pack. Otherwise its documents are dealt, in
the order in which they come, into blocks of at most half a sequence, and every two blocks that hold documents to be
compared are a pack. So the text is read once for a story that fits, and about as often as there are blocks to compare
for one that does not; with two documents a sequence it would be read once for every other document.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import combinations

from cdcoref.sequences.options import SequenceOptions
from cdcoref.sequences.windows import MarkedDocument, Window, windows

BEGINNING = 1
"""[CLS]."""
SEPARATORS = 2
"""The two markers around a document."""

Excerpt = tuple[int, Window]
"""The number of a document, and the window of it that is shown."""
Pack = tuple[Excerpt, ...]


def packs(
    options: SequenceOptions,
    documents: Sequence[MarkedDocument],
    pairs: Collection[tuple[int, int]] | None = None,
) -> Iterator[Pack]:
    """Divide the documents of a story into packs.

    Parameters
    ----------
    options
        Context and length of the sequences.
    documents
        Documents that are to be compared should be near each other: then few blocks hold many of the pairs.
    pairs
        Pairs of documents to compare, by their numbers; None: all. Other documents of a pack are compared as well, and
        every document with itself in any case.
    """
    room = options.max_length - BEGINNING
    shown = list(range(len(documents)))
    whole = [window for document in documents for window in windows(options, document, room - SEPARATORS)]
    if len(whole) == len(documents):
        everything = tuple(zip(shown, whole, strict=True))
        if pack_length(everything, documents) <= options.max_length:
            if everything:
                yield everything
            return
    blocks = list(_blocks(options, documents, room // 2))
    if len(blocks) == 1:
        yield blocks[0]
        return
    wanted = None if pairs is None else {frozenset(pair) for pair in pairs}
    alone = set(range(len(blocks)))
    for one, other in combinations(range(len(blocks)), 2):
        if wanted is None or _compared(blocks[one], blocks[other], wanted):
            alone -= {one, other}
            yield _joined(blocks[one], blocks[other])
    for block in sorted(alone):
        yield blocks[block]


def pack_length(pack: Pack, documents: Sequence[MarkedDocument]) -> int:
    """Word pieces of the sequence that shows a pack."""
    return BEGINNING + sum(
        SEPARATORS + sum(documents[number].lengths[unit] for unit in window) for number, window in pack
    )


def _blocks(options: SequenceOptions, documents: Sequence[MarkedDocument], room: int) -> Iterator[Pack]:
    block: list[Excerpt] = []
    length = 0
    for number, document in enumerate(documents):
        for window in windows(options, document, room - SEPARATORS):
            needed = SEPARATORS + sum(document.lengths[unit] for unit in window)
            if block and length + needed > room:
                yield tuple(block)
                block, length = [], 0
            block.append((number, window))
            length += needed
    if block:
        yield tuple(block)


def _compared(one: Pack, other: Pack, wanted: Collection[frozenset[int]]) -> bool:
    """Whether two blocks hold documents to compare, or parts of one document."""
    return any(a == b or frozenset((a, b)) in wanted for a, _ in one for b, _ in other)


def _joined(one: Pack, other: Pack) -> Pack:
    """Two blocks as one pack, in which each document stands once; two windows may show the same context."""
    shown: dict[int, set[int]] = {}
    for number, window in (*one, *other):
        shown.setdefault(number, set()).update(window)
    return tuple((number, tuple(sorted(units))) for number, units in shown.items())
