"""Many documents read at once: the documents of a story in, packs of their windows that fit into one sequence out.

Where all that a story has to show fits into one sequence, that is its only pack. Otherwise it depends on what is known
of the mentions. If it is known which are candidates for each other, the story is cut into excerpts of at most a quarter
of a sequence; each is to be read with those that it shares the most candidates with, and packs are filled so that few
of them hold all such pairs of excerpts. So each excerpt is read a limited number of times, however long the story or a
document in it. If nothing is known, documents are dealt, in the order in which they come, into blocks of at most half a
sequence, and every two blocks that hold documents to be compared are a pack.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import combinations
from math import fsum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cdcoref.inputs.sequence_options import SequenceOptions
from cdcoref.inputs.windows import MarkedDocument, Window, windows

BEGINNING = 1
"""[CLS]."""
SEPARATORS = 2
"""The two markers around a document."""

MAX_NEIGHBOURS = 4
"""An excerpt is read with this many others, unless the options set another limit: those with which it shares the most
candidates. It is also read with every excerpt that has chosen it.

With 8, GVC's dev split as one story takes half as long again and scores the same (events, CoNLL F1 64.8 with both)."""

Excerpt = tuple[int, Window]
"""The number of a document, and the window of it that is shown."""
Pack = tuple[Excerpt, ...]


class Candidates(NamedTuple):
    """Pairs of mentions that are candidates for each other.

    Attributes
    ----------
    first, second
        Numbers of the mentions. *Shape:* (pairs,)
    weight
        How likely each pair is. *Shape:* (pairs,)
    """

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    weight: NDArray[np.float64]


def packs(
    options: SequenceOptions,
    documents: Sequence[MarkedDocument],
    pairs: Collection[tuple[int, int]] | None = None,
    candidates: Candidates | None = None,
) -> Iterator[Pack]:
    """Divide the documents of a story into packs.

    Parameters
    ----------
    options
        Context and length of the sequences, and with how many others an excerpt is read if candidates are known.
    documents
        Documents that are to be compared should be near each other: then few blocks hold many of the pairs.
    pairs
        Pairs of documents to compare, by their numbers; None: all. Other documents of a pack are compared as well, and
        every document with itself in any case.
    candidates
        Which mentions are candidates for each other; None: nothing is known.
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
    wanted = None if pairs is None else {frozenset(pair) for pair in pairs}
    if candidates is not None:
        yield from _packs_of_candidates(options, documents, wanted, candidates)
        return
    blocks = list(_blocks(options, documents, room // 2))
    if len(blocks) == 1:
        yield blocks[0]
        return
    alone = set(range(len(blocks)))
    for one, other in combinations(range(len(blocks)), 2):
        if wanted is None or _compared(blocks[one], blocks[other], wanted):
            alone -= {one, other}
            yield _joined(blocks[one], blocks[other])
    for block in sorted(alone):
        yield blocks[block]


def pack_length(pack: Sequence[Excerpt], documents: Sequence[MarkedDocument]) -> int:
    """Word pieces of the sequence that shows a pack."""
    return BEGINNING + sum(
        SEPARATORS + sum(documents[number].lengths[unit] for unit in window) for number, window in pack
    )


def _packs_of_candidates(
    options: SequenceOptions,
    documents: Sequence[MarkedDocument],
    wanted: Collection[frozenset[int]] | None,
    candidates: Candidates,
) -> Iterator[Pack]:
    room = options.max_length - BEGINNING
    excerpts = [
        (number, window)
        for number, document in enumerate(documents)
        for window in windows(options, document, max(1, room // 4 - SEPARATORS))
    ]
    lengths = [pack_length([excerpt], documents) - BEGINNING for excerpt in excerpts]
    limit = MAX_NEIGHBOURS if options.max_windows is None else options.max_windows
    neighbours = _neighbours(excerpts, documents, wanted, candidates, limit)
    unmet = [set(others) for others in neighbours]
    alone = [place for place, others in enumerate(neighbours) if not others]
    waiting = sorted((place for place in range(len(excerpts)) if unmet[place]), key=lambda place: -len(unmet[place]))
    for start in waiting:
        while unmet[start]:
            chosen, length = [start], lengths[start]
            gain = Counter(dict.fromkeys(unmet[start], 1))
            while gain and length + min(lengths[place] for place in gain) <= room:
                # The one that meets the most; of equal ones the first.
                best = min(gain, key=lambda place: (-gain[place], place))
                del gain[best]
                if length + lengths[best] > room:  # never for the first: two units always fit
                    continue
                for other in chosen:
                    unmet[best].discard(other)
                    unmet[other].discard(best)
                chosen.append(best)
                length += lengths[best]
                gain.update(place for place in unmet[best] if place not in chosen)
            yield _joined(tuple(excerpts[place] for place in sorted(chosen)), ())
    block: list[Excerpt] = []
    length = 0
    for place in alone:
        if block and length + lengths[place] > room:
            yield _joined(tuple(block), ())
            block, length = [], 0
        block.append(excerpts[place])
        length += lengths[place]
    if block:
        yield _joined(tuple(block), ())


def _neighbours(
    excerpts: Sequence[Excerpt],
    documents: Sequence[MarkedDocument],
    wanted: Collection[frozenset[int]] | None,
    candidates: Candidates,
    limit: int,
) -> list[set[int]]:
    """With which others every excerpt is to be read, by their places: with `limit`, and with those it is one of."""
    place_of = {
        documents[number].numbers[mention]: place
        for place, (number, window) in enumerate(excerpts)
        for unit in window
        for mention in documents[number].unit_mentions[unit]
    }
    shared: dict[tuple[int, int], list[float]] = {}
    for one, other, weight in zip(*(array.tolist() for array in candidates), strict=True):
        if one not in place_of or other not in place_of:
            continue
        pair = min(place_of[one], place_of[other]), max(place_of[one], place_of[other])
        first, second = excerpts[pair[0]][0], excerpts[pair[1]][0]
        if pair[0] != pair[1] and (wanted is None or first == second or frozenset((first, second)) in wanted):
            shared.setdefault(pair, []).append(weight)
    nearest: list[list[tuple[float, int]]] = [[] for _ in excerpts]
    for (first, second), weights in shared.items():
        total = fsum(weights)  # exact, so that the order of the candidates does not matter
        nearest[first].append((-total, second))
        nearest[second].append((-total, first))
    chosen: list[set[int]] = [set() for _ in excerpts]
    for place, others in enumerate(nearest):
        for _, other in sorted(others)[:limit]:
            chosen[place].add(other)
            chosen[other].add(place)
    return chosen


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
