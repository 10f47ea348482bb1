"""Reading documents in pairs, as in the paper: marked documents in, logits of the pairs of their mentions out.

Where it is known which mentions are candidates for each other, only documents that hold some are read together; if one
pair of mentions is marked at a time, only candidates are.

Across documents the logit is the mean over both orders of the two (or, if the model's configuration says so, that of
one order, which does not depend on file names), so the order of the input does not matter.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice

import numpy as np

from cdcoref.inputs import Candidates, Extent, Integers, Marked, MarkedDocument, PairSequence, SequenceBuilder
from cdcoref.linking.pair_logits import Matrix
from cdcoref.linking.store import ResultStore, document_hash
from cdcoref.linking.tied_documents import DocumentPair
from cdcoref.model import CorefModel, collate_pairs, token_batches

SEQUENCES_AT_ONCE = 512
"""Sequences that are built and sorted by length together: what is in memory at a time."""
RESULTS_AT_ONCE = 256
"""Pairs of documents whose results are stored together: a few seconds of work."""

PairScored = tuple[Integers, Matrix]
"""Pairs of mentions and their logits. *Shape:* (pairs, 2), (pairs,)"""


class DocumentPairs:
    """Compares documents two at a time, and every document with itself.

    Parameters
    ----------
    model, builder
        The model, and what builds its sequences.
    marked
        The documents by id; their mentions are numbered over all of them.
    pairs
        The pairs of documents to compare, each document with itself among them.
    candidates
        Which mentions are candidates for each other, if that is known.
    """

    def __init__(
        self,
        model: CorefModel,
        builder: SequenceBuilder,
        marked: Mapping[str, MarkedDocument],
        pairs: Sequence[DocumentPair],
        candidates: Candidates | None = None,
    ) -> None:
        self.model = model
        self._builder = builder
        self._marked = marked
        self._numbers = {name: np.array(document.numbers, dtype=np.int64) for name, document in marked.items()}
        size = 1 + max((int(numbers.max()) for numbers in self._numbers.values()), default=-1)
        self._place = np.zeros(size, dtype=np.int64)
        for numbers in self._numbers.values():
            self._place[numbers] = np.arange(len(numbers))
        self._candidates = None if candidates is None else self._by_documents(candidates)
        self.pairs = [p for p in pairs if self._candidates is None or frozenset(p) in self._candidates]

    def _by_documents(self, candidates: Candidates) -> dict[frozenset[str], list[tuple[int, int]]]:
        """Pairs of mentions that are candidates, by their documents."""
        document = {number: name for name, numbers in self._numbers.items() for number in numbers.tolist()}
        found: dict[frozenset[str], list[tuple[int, int]]] = {}
        for one, other in zip(candidates.first.tolist(), candidates.second.tolist(), strict=True):
            if one in document and other in document:
                found.setdefault(frozenset((document[one], document[other])), []).append((one, other))
        return found

    def extent(self) -> Extent:
        """Number of sequences to read, of their word pieces (roughly), and of window pairs left out."""
        sequences = pieces = pruned = 0
        for pair in self.pairs:
            found = self._builder.extent(*self._both(pair), self._marked_together(pair, flipped=False))
            sequences += self._orders(pair) * found.sequences
            pieces += self._orders(pair) * found.pieces
            pruned += found.pruned
        return Extent(sequences, pieces, pruned)

    def run(
        self, batch_tokens: int, store: ResultStore | None, advance: Callable[[float], None]
    ) -> Iterator[PairScored]:
        """Logits of the pairs of mentions, each pair once; see :meth:`cdcoref.linking.Comparison.run`."""
        for (one, other), matrix in self._matrices(batch_tokens, store, advance):
            rows, columns = np.nonzero(~np.isnan(matrix))
            yield np.stack([self._numbers[one][rows], self._numbers[other][columns]], axis=1), matrix[rows, columns]

    def _matrices(
        self, batch_tokens: int, store: ResultStore | None, advance: Callable[[float], None]
    ) -> Iterator[tuple[DocumentPair, Matrix]]:
        """For every pair of documents, the mean logits of their mentions; NaN where two are not comparable."""
        todo = self.pairs
        keys: dict[DocumentPair, bytes] = {}
        if store is not None:
            keys = self._keys(store)
            todo = []
            for pair in self.pairs:
                found = store.get(keys[pair])
                if found is None:
                    todo.append(pair)
                else:
                    advance(1.0)
                    yield pair, found
        unkept: dict[bytes, Matrix] = {}
        for pair, matrix in self._compute(todo, batch_tokens, advance):
            yield pair, matrix
            if store is not None:
                unkept[keys[pair]] = matrix
                if len(unkept) >= RESULTS_AT_ONCE:
                    store.put(unkept)
                    unkept = {}
        if store is not None:
            store.put(unkept)

    def _keys(self, store: ResultStore) -> dict[DocumentPair, bytes]:
        hashes = {name: document_hash(marked.document, marked.mentions) for name, marked in self._marked.items()}
        options = str(self._builder.options.max_windows), self._builder.options.marking
        return {
            (one, other): store.key(
                *("pair", *options, hashes[one], hashes[other] if one != other else "itself"),
                *self._hash_of_candidates((one, other)),
            )
            for one, other in self.pairs
        }

    def _hash_of_candidates(self, pair: DocumentPair) -> tuple[str, ...]:
        marked = self._marked_together(pair, flipped=False)
        return () if marked is None else (hashlib.sha256(repr(marked).encode()).hexdigest(),)

    def _compute(
        self, pairs: Sequence[DocumentPair], batch_tokens: int, advance: Callable[[float], None]
    ) -> Iterator[tuple[DocumentPair, Matrix]]:
        """Read sequences a few hundred at a time; a pair of documents is done once all its sequences have been read."""
        shapes = [(len(self._numbers[one]), len(self._numbers[other])) for one, other in pairs]
        unfinished: dict[int, _Means] = {}
        following = 0
        sequences = self._all_sequences(pairs)
        while block := list(islice(sequences, SEQUENCES_AT_ONCE)):
            last = block[-1][0]
            # Includes pairs of documents without a sequence, in which no two mentions are of one kind.
            unfinished |= {number: _Means(*shapes[number]) for number in range(following, last + 1)}
            following = last + 1
            for positions in token_batches([len(s) for _, _, s in block], batch_tokens):
                chosen = [block[p] for p in positions]
                for (number, flipped, sequence), values in zip(
                    chosen, pair_logits(self.model, [s for _, _, s in chosen]), strict=True
                ):
                    places = self._place[sequence.mentions[sequence.pairs]]
                    unfinished[number].add(places[:, int(flipped)], places[:, 1 - int(flipped)], values)
            for number in [n for n in unfinished if n < last]:
                advance(1.0)
                yield pairs[number], unfinished.pop(number).matrix()
        unfinished |= {number: _Means(*shapes[number]) for number in range(following, len(pairs))}
        for number, means in unfinished.items():
            advance(1.0)
            yield pairs[number], means.matrix()

    def _all_sequences(self, pairs: Sequence[DocumentPair]) -> Iterator[tuple[int, bool, PairSequence]]:
        """The sequences of all pairs, each with the pair's number and whether its second document stands first."""
        for number, pair in enumerate(pairs):
            yield from ((number, flipped, sequence) for flipped, sequence in self._sequences(pair))

    def _both(self, pair: DocumentPair) -> tuple[MarkedDocument, MarkedDocument | None]:
        return self._marked[pair[0]], None if pair[0] == pair[1] else self._marked[pair[1]]

    def _marked_together(self, pair: DocumentPair, *, flipped: bool) -> list[Marked] | None:
        """What to mark in the two documents, if only candidates are marked; None: what the builder says."""
        if self._candidates is None or self._builder.options.marking == "all":
            return None
        first = set(self._numbers[pair[int(flipped)]].tolist())
        ordered = sorted((a, b) if a in first else (b, a) for a, b in self._candidates[frozenset(pair)])
        places = ((int(self._place[a]), int(self._place[b])) for a, b in ordered)
        if pair[0] == pair[1]:
            places = (tuple(sorted(both)) for both in places)  # type: ignore[misc]
        return [((one,), (other,)) for one, other in places]

    def _orders(self, pair: DocumentPair) -> int:
        return 2 if pair[0] != pair[1] and self.model.settings.both_orders else 1

    def _sequences(self, pair: DocumentPair) -> Iterator[tuple[bool, PairSequence]]:
        """The sequences of a pair, each with whether its second document stands first."""
        one, other = self._both(pair)
        if other is None:
            yield from ((False, s) for s in self._builder.single(one, self._marked_together(pair, flipped=False)))
            return
        second_first = _content(other) < _content(one)
        if self.model.settings.both_orders or not second_first:
            marked = self._marked_together(pair, flipped=False)
            yield from ((False, s) for s in self._builder.pair(one, other, marked))
        if self.model.settings.both_orders or second_first:
            marked = self._marked_together(pair, flipped=True)
            yield from ((True, s) for s in self._builder.pair(other, one, marked))


class _Means:
    """Accumulates the mean logits of the mentions of two documents."""

    def __init__(self, rows: int, columns: int) -> None:
        self._totals = np.zeros((rows, columns), dtype=np.float32)
        self._counts = np.zeros((rows, columns), dtype=np.uint8)

    def add(self, rows: Integers, columns: Integers, values: Matrix) -> None:
        self._totals[rows, columns] += values
        self._counts[rows, columns] += 1

    def matrix(self) -> Matrix:
        """The means; NaN where two mentions were not compared."""
        with np.errstate(invalid="ignore"):
            return (self._totals / self._counts).astype(np.float32, copy=False)


def _content(marked: MarkedDocument) -> tuple[object, ...]:
    """Everything that a sequence contains of a document; it decides which comes first, whatever their names."""
    document = marked.document
    places = [(mention.tokens, mention.kind or "") for mention in marked.mentions]
    return document.tokens, document.sentences, sorted(document.hidden), places


def pair_logits(model: CorefModel, sequences: Sequence[PairSequence]) -> list[Matrix]:
    """Logits of the pairs of every sequence. *Shape* of each: (pairs,)"""
    batch = collate_pairs(sequences, model.encoder.config.pad_token_id)
    with model.inference():
        logits = model.pair_logits(batch.to(model.device))
    return np.split(logits.float().cpu().numpy(), np.cumsum([len(s.pairs) for s in sequences])[:-1])
