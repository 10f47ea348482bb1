"""Sequences with two marked mentions, which the cross-encoder of the paper reads (section 3.2, Appendix C.1): ``[CLS]
<doc-s> ... </doc-s> <doc-s> ... </doc-s>``, or one document; ``<m>`` and ``</m>`` around each mention."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cdcoref.corpus import KINDS, Document, Mention
from cdcoref.inputs.reading import DocumentPieces, Integers, SequenceOptions, lay_out, window
from cdlm.tokens import SpecialPieces, Tokenizer, WordPieces

OVERHEAD = 9
"""[CLS], two pairs of document separators, and two pairs of mention markers."""


@dataclass(frozen=True, slots=True)
class PairSequence:
    """What the encoder reads of two mentions of one kind."""

    input_ids: Integers
    is_global: NDArray[np.bool_]
    """Word pieces, and global attention: ``[CLS]``, markers and mention pieces. *Shape:* (length,)"""
    span_tokens: Integers
    side: Integers
    """Positions of the mentions' pieces, and the mention of each: 0 the first, 1 the second. *Shape:* (pieces,)"""
    kind: int
    """The mentions' kind, as a position in `KINDS`."""

    def __len__(self) -> int:
        return len(self.input_ids)


class SequenceBuilder:
    """Builds sequences of two marked mentions.

    `notes`: One sentence for each word or mention that had to be cut, to be reported to the user.
    """

    def __init__(self, tokenizer: Tokenizer, options: SequenceOptions) -> None:
        self.options = options
        self.notes: list[str] = []
        self._room = options.max_length - OVERHEAD
        self._word_pieces = WordPieces(tokenizer)
        self._special = SpecialPieces.of(tokenizer)

    def prepare(self, document: Document, mentions: Sequence[Mention]) -> DocumentPieces:
        """Tokenise a document; `mentions` are those that will be marked in it."""
        laid_out, notes = lay_out(document, self._word_pieces(document.tokens), self._room // 2, mentions)
        self.notes += notes
        return laid_out

    def build(self, first: DocumentPieces, one: Mention, second: DocumentPieces, other: Mention) -> PairSequence:
        """The sequence of two mentions, each with the document that it is from."""
        sides = [(first, [one]), (second, [other])] if first is not second else [(first, [one, other])]
        ids, is_global = [self._special.cls], [True]
        span_tokens: list[int] = []
        side: list[int] = []
        for (document, marked), units in zip(sides, self._windows(sides), strict=True):
            ids.append(self._special.doc_start)
            is_global.append(False)
            opening, closing = _markers(document, marked, units)
            for token in (token for unit in units for token in range(*document.units[unit])):
                inside = [mention is other for mention in marked if token in mention.tokens]
                ids += [self._special.mention_start] * opening[token]
                for of_second in inside:
                    span_tokens += range(len(ids), len(ids) + len(document.pieces[token]))
                    side += [int(of_second)] * len(document.pieces[token])
                ids += document.pieces[token]
                ids += [self._special.mention_end] * closing[token]
                is_global += [True] * opening[token] + [bool(inside)] * len(document.pieces[token])
                is_global += [True] * closing[token]
            ids.append(self._special.doc_end)
            is_global.append(False)
        places, of_side = np.array(span_tokens, dtype=np.int64), np.array(side, dtype=np.int64)
        return PairSequence(np.array(ids), np.array(is_global), places, of_side, KINDS.index(one.kind or ""))

    def _windows(self, sides: Sequence[tuple[DocumentPieces, Sequence[Mention]]]) -> list[list[int]]:
        """The units that are shown of each document: each gets half of the room, or what the other leaves."""
        whole = self.options.context == "document"
        starts = [[mention.start for mention in marked] for _, marked in sides]
        if len(sides) == 1:
            return [window(sides[0][0], starts[0], self._room, whole=whole)]
        lengths = [sum(document.lengths) for document, _ in sides]
        rooms = [max(self._room // 2, self._room - other) for other in reversed(lengths)]
        return [
            window(document, own, room, whole=whole)
            for (document, _), own, room in zip(sides, starts, rooms, strict=True)
        ]


def _markers(
    document: DocumentPieces, mentions: Sequence[Mention], units: Sequence[int]
) -> tuple[Counter[int], Counter[int]]:
    """How many markers open before, and close after, every token; a mention that is cut closes at its unit's end."""
    ends = {unit: document.units[unit][1] for unit in units}
    opening, closing = Counter[int](), Counter[int]()
    for mention in mentions:
        last = mention.end - 1
        if document.unit_of(last) not in ends:
            last = ends[document.unit_of(mention.start)] - 1
        opening[mention.start] += 1
        closing[last] += 1
    return opening, closing
