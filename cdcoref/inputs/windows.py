"""Documents in word pieces, and which of their sentences a sequence with two marked mentions shows.

Where two documents do not fit into one sequence, the sentences farthest from the marked mentions are dropped first.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter

import numpy as np

from cdcoref.corpus import Document, Mention


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
    """Token ranges, and the sentence of each."""
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
