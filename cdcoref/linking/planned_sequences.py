"""What the cross-encoder is to read: marked documents in, sequences of two or of many documents out.

In pairs, as in the paper, a sequence shows two documents, or one; in packs (:mod:`cdcoref.inputs.packs`) it shows as
many documents of a story as fit. Two documents, or the documents of a pack, are shown in both orders, or in one that
depends on their contents alone. Where candidates are known, sequences without a pair of candidates are left out.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from cdcoref.inputs import (
    Candidates,
    Extent,
    Marked,
    MarkedDocument,
    Pack,
    PairSequence,
    SequenceBuilder,
    pack_length,
    packs,
)
from cdcoref.linking.pair_logits import pair_keys
from cdcoref.linking.store import document_hash
from cdcoref.linking.tied_documents import DocumentPair, tied_documents


@dataclass
class SequencePlan(ABC):
    """Sequences that are built one after the other, when they are read.

    Parameters
    ----------
    builder
        Builds the sequences; its options say whether they show two documents or many.
    marked
        The documents by id; their mentions are numbered over all of them.
    pairs
        Pairs of documents to compare, each document with itself besides; None: all.
    candidates
        Which mentions are candidates for each other, if that is known.
    both_orders
        Whether documents are shown in both orders.
    """

    builder: SequenceBuilder
    marked: Mapping[str, MarkedDocument]
    pairs: Sequence[DocumentPair] | None
    candidates: Candidates | None
    both_orders: bool

    @abstractmethod
    def __post_init__(self) -> None:
        """Choose what is read."""

    @abstractmethod
    def extent(self) -> Extent:
        """Number of sequences, of their word pieces (roughly), and of window pairs left out."""

    @abstractmethod
    def sequences(self) -> Iterator[PairSequence]:
        """The sequences."""


class PairPlan(SequencePlan):
    """Sequences of two documents, or of one."""

    def __post_init__(self) -> None:
        across = combinations(sorted(self.marked), 2) if self.pairs is None else self.pairs
        self._pairs = [*((name, name) for name in self.marked), *across]
        self._candidates: dict[DocumentPair, list[tuple[int, int]]] | None = None
        if self.candidates is not None:
            self._candidates = self._by_documents(self.candidates)
            self._pairs = [pair for pair in self._pairs if pair in self._candidates]

    def _by_documents(self, candidates: Candidates) -> dict[DocumentPair, list[tuple[int, int]]]:
        """Candidates by their documents, in both orders, as positions in the mentions of these."""
        place = {
            number: (name, position)
            for name, document in self.marked.items()
            for position, number in enumerate(document.numbers)
        }
        found: dict[DocumentPair, set[tuple[int, int]]] = {}
        for one, other in zip(candidates.first.tolist(), candidates.second.tolist(), strict=True):
            if one in place and other in place:
                (name, a), (other_name, b) = sorted((place[one], place[other]))
                found.setdefault((name, other_name), set()).add((a, b))
                if name != other_name:
                    found.setdefault((other_name, name), set()).add((b, a))
        return {pair: sorted(places) for pair, places in found.items()}

    def extent(self) -> Extent:
        sequences = pieces = pruned = 0
        for one, other in self._pairs:
            second = None if one == other else self.marked[other]
            found = self.builder.extent(self.marked[one], second, self._to_mark((one, other)))
            orders = 2 if self.both_orders and one != other else 1
            sequences += orders * found.sequences
            pieces += orders * found.pieces
            pruned += found.pruned
        return Extent(sequences, pieces, pruned)

    def sequences(self) -> Iterator[PairSequence]:
        for one, other in self._pairs:
            if one == other:
                yield from self.builder.single(self.marked[one], self._to_mark((one, other)))
                continue
            if self.both_orders:
                orders = [(one, other), (other, one)]
            else:
                orders = [(other, one) if self._content[other] < self._content[one] else (one, other)]
            for first, second in orders:
                marked = self._to_mark((first, second))
                yield from self.builder.pair(self.marked[first], self.marked[second], marked)

    def _to_mark(self, pair: DocumentPair) -> list[Marked] | None:
        """What to mark in two documents, if only candidates are marked; None: what the builder says."""
        if self._candidates is None or self.builder.options.marking == "all":
            return None
        return [((one,), (other,)) for one, other in self._candidates[pair]]

    @cached_property
    def _content(self) -> dict[str, tuple[object, ...]]:
        """Everything that a sequence shows of a document; it decides which comes first, whatever their names."""
        return {
            name: (
                *(document.document.tokens, document.document.sentences, sorted(document.document.hidden)),
                [(mention.tokens, mention.kind or "") for mention in document.mentions],
            )
            for name, document in self.marked.items()
        }


class PackPlan(SequencePlan):
    """Sequences of as many documents of a story as fit.

    Stories are the groups that the pairs of documents tie together; without pairs, all documents are one story.
    """

    def __post_init__(self) -> None:
        marked = self.marked
        hashes = {name: document_hash(marked[name].document, marked[name].mentions) for name in marked}
        self._packs: list[tuple[list[MarkedDocument], Pack]] = []
        for own, wanted in tied_documents(sorted(marked, key=lambda name: (hashes[name], name)), self.pairs):
            documents = [marked[name] for name in own]
            for pack in packs(self.builder.options, documents, wanted, self.candidates):
                orders = (pack, pack[::-1]) if self.both_orders and len(pack) > 1 else (pack,)
                self._packs += [(documents, ordered) for ordered in orders]
        self._size = 1 + max((max(document.numbers) for document in marked.values()), default=-1)

    def extent(self) -> Extent:
        return Extent(len(self._packs), sum(pack_length(pack, documents) for documents, pack in self._packs))

    def sequences(self) -> Iterator[PairSequence]:
        """The sequences; where candidates are known, only their pairs are scored."""
        for documents, pack in self._packs:
            for sequence in self.builder.pack(documents, pack):
                if self.candidates is None:
                    yield sequence
                    continue
                first, second = sequence.mentions[sequence.pairs].T
                chosen = np.isin(pair_keys(first, second, self._size), self._candidate_keys)
                if chosen.any():
                    yield replace(sequence, pairs=sequence.pairs[chosen], features=sequence.features[chosen])

    @cached_property
    def _candidate_keys(self) -> NDArray[np.int64]:
        assert self.candidates is not None
        return np.unique(pair_keys(self.candidates.first, self.candidates.second, self._size))
