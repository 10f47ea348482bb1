"""What the cross-encoder sees of a mention: pieces of its document in, its context out. That is the opening of the
document, its names and numbers (which say when, where and who), and the sentence of the mention."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cdcoref.corpus import Mention
from cdcoref.inputs.reading import ContextOptions, Integers, ReadingSequence
from cdcoref.reading import Reading

PIECES_OF_NAME = 4
"""At most this many word pieces of a name or number are shown: the first ones."""


@dataclass(frozen=True, slots=True, eq=False)
class MentionContext:
    """The context of one mention."""

    pieces: Integers
    """Word pieces as positions in the sequences of the document, one sequence after the other. *Shape:* (pieces,)"""
    parts: Integers
    """The part that each is of: 0 the opening, 1 the names, 2 the sentence. *Shape:* (pieces,)"""
    own: NDArray[np.bool_]
    """Which of them are the mention's. *Shape:* (pieces,)"""
    digest: bytes
    """The same for contexts with the same contents, whatever their documents are called."""

    def __len__(self) -> int:
        return len(self.pieces)

    def places(self, apart: int) -> Integers:
        """Places that count on within each part, which begins at a multiple of `apart`. *Shape:* (pieces,)"""
        counts = np.bincount(self.parts, minlength=3)
        within = np.concatenate([np.arange(count) for count in counts])
        return self.parts * apart + within


class DocumentContexts:
    """The contexts of mentions of one document."""

    def __init__(self, reading: Reading, sequences: Sequence[ReadingSequence], options: ContextOptions) -> None:
        document = reading.document
        self._options = options
        self._sentences = document.sentences
        self._sentence_of = reading.sentence_of
        self._first = np.full(len(document.tokens), -1, dtype=np.int64)
        self._count = np.zeros(len(document.tokens), dtype=np.int64)
        offset = 0
        for sequence in sequences:
            self._first[sequence.words] = sequence.word_places + offset
            self._count[sequence.words] = np.diff(sequence.word_places, append=len(sequence) - 1)
            offset += len(sequence)
        words = reading.cased.tokens
        self._lower = [word.lower() for word in words]
        seen = np.flatnonzero(self._first >= 0).tolist()
        self._names = [t for t in seen if words[t][:1].isupper() or any(map(str.isdigit, words[t]))]
        read = (n for n, (start, end) in enumerate(self._sentences) if (self._first[start:end] >= 0).any())
        self._opening = next(read, -1)
        self._around: dict[int, tuple[list[int], list[int]]] = {}
        self._digest = hashlib.blake2b(repr([s.input_ids.tolist() for s in sequences]).encode(), digest_size=16)

    def of(self, mention: Mention) -> MentionContext | None:
        """The context of a mention; None if the encoder reads none of its words."""
        sentence = self._sentence_of[mention.start]
        pieces, tokens = self._pieces(*self._sentences[sentence])
        inside = np.flatnonzero(np.isin(tokens, mention.tokens))
        if not len(inside):
            return None
        if sentence not in self._around:
            self._around[sentence] = self._opening_and_names(sentence)
        opening, names = self._around[sentence]
        low, high = _window(len(pieces), int(inside[0]), int(inside[-1]) + 1, self._options.sentence)
        seen = np.array([*opening, *names, *pieces[low:high]], dtype=np.int64)
        parts = np.repeat([0, 1, 2], [len(opening), len(names), high - low])
        own = np.zeros(len(seen), dtype=bool)
        own[len(opening) + len(names) + inside[(inside >= low) & (inside < high)] - low] = True
        digest = self._digest.copy()
        digest.update(seen.tobytes() + own.tobytes())
        return MentionContext(seen, parts, own, digest.digest())

    def _pieces(self, start: int, end: int) -> tuple[list[int], list[int]]:
        found = [
            (piece, token)
            for token in range(start, end)
            if self._first[token] >= 0
            for piece in range(self._first[token], self._first[token] + self._count[token])
        ]
        return [piece for piece, _ in found], [token for _, token in found]

    def _opening_and_names(self, sentence: int) -> tuple[list[int], list[int]]:
        """The other two parts for mentions of a sentence; no word of an earlier part is a name again."""
        start, end = self._sentences[sentence]
        seen = set(self._lower[start:end])
        opening: list[int] = []
        if self._opening not in (-1, sentence):
            pieces, tokens = self._pieces(*self._sentences[self._opening])
            opening = pieces[: self._options.opening]
            seen.update(self._lower[token] for token in tokens[: self._options.opening])
        names: list[int] = []
        for token in self._names:
            if self._lower[token] in seen or start <= token < end:
                continue
            seen.add(self._lower[token])
            count = min(PIECES_OF_NAME, int(self._count[token]))
            if len(names) + count > self._options.names:
                break
            names += range(int(self._first[token]), int(self._first[token]) + count)
        return opening, names


def _window(length: int, start: int, end: int, room: int) -> tuple[int, int]:
    """The part of a sentence of at most `room` pieces in whose middle the pieces from `start` to before `end` are."""
    if length <= room:
        return 0, length
    end = min(end, start + room)
    low = max(0, start - (room - (end - start)) // 2)
    high = min(length, low + room)
    return max(0, high - room), high
