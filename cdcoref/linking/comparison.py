"""Comparing documents: a story and the pairs of documents to compare in, a logit for every pair of mentions out.

Mentions of the same kind are compared within every document and across every given pair of documents. Across documents
the logit is the mean over both orders of the two (or, if the model's configuration says so, that of one order, which
does not depend on file names), so the order of the input does not matter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, islice

import numpy as np
from numpy.typing import NDArray

from cdcoref.clustering import PairScores
from cdcoref.corpus import KINDS, Corpus
from cdcoref.errors import InputError
from cdcoref.linking.store import ResultStore, document_hash
from cdcoref.model import CorefModel, collate_pairs, token_batches
from cdcoref.sequences import Extent, Integers, MarkedDocument, PairSequence

SEQUENCES_AT_ONCE = 512
"""Sequences that are built and sorted by length together: what is in memory at a time."""
RESULTS_AT_ONCE = 256
"""Pairs of documents whose results are stored together: a few seconds of work."""

Matrix = NDArray[np.float32]
DocumentPair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class PairLogits:
    """Logits of pairs of mentions; a pair that was not compared is absent.

    Attributes
    ----------
    size
        Number of mentions in the corpus.
    first, second
        Numbers of the two mentions, the smaller first. *Shape:* (pairs,)
    kinds
        Their kind, as a position in `KINDS`. *Shape:* (pairs,)
    logits
        *Shape:* (pairs,)
    """

    size: int
    first: NDArray[np.integer]
    second: NDArray[np.integer]
    kinds: NDArray[np.integer]
    logits: Matrix

    def probabilities(self, temperature: Mapping[str, float]) -> NDArray[np.float64]:
        """Calibrated probabilities of coreference. *Shape:* (pairs,)"""
        divisor = np.array([temperature[kind] for kind in KINDS])
        scaled = self.logits.astype(np.float64) / divisor[self.kinds]
        return 0.5 * (1.0 + np.tanh(0.5 * scaled))

    def scores(self, temperature: Mapping[str, float], kind: str) -> PairScores:
        """The probabilities of one kind's pairs, for clustering."""
        chosen = self.kinds == KINDS.index(kind)
        values = self.probabilities(temperature)[chosen]
        first, second = self.first[chosen].astype(np.int64), self.second[chosen].astype(np.int64)
        return PairScores(self.size, first, second, values)

    def within(self, groups: Sequence[Sequence[str]], corpus: Corpus) -> PairLogits:
        """The pairs whose documents are in one group."""
        group_of = {name: number for number, group in enumerate(groups) for name in group}
        of_mention = np.array([group_of[m.document] for m in corpus.mentions], dtype=np.int64)
        chosen = of_mention[self.first] == of_mention[self.second] if len(self.first) else slice(None)
        return PairLogits(self.size, self.first[chosen], self.second[chosen], self.kinds[chosen], self.logits[chosen])


def all_pairs(groups: Iterable[Sequence[str]]) -> list[DocumentPair]:
    """Every pair of documents within a group, by id."""
    return [pair for group in groups for pair in combinations(sorted(group), 2)]


class Comparison:
    """The work of comparing the documents of a story, whose size is known before it is done.

    Parameters
    ----------
    model
        The model whose encoder and pair scorer are used.
    corpus
        Documents and the mentions to compare; every mention has a kind.
    pairs
        Pairs of documents to compare, by id; every document is also compared with itself.
    max_windows
        See :class:`cdcoref.sequences.SequenceOptions`.

    Attributes
    ----------
    pairs
        The pairs of documents that hold mentions to compare, including each document with itself.
    """

    def __init__(
        self, model: CorefModel, corpus: Corpus, pairs: Sequence[DocumentPair], *, max_windows: int | None = None
    ) -> None:
        for mention in corpus.mentions:
            if mention.kind not in KINDS:
                raise InputError(
                    f"a mention in {mention.document!r} is neither an event nor an entity; specify the kind of its "
                    "mentions"
                )
        self.model = model
        self.corpus = corpus
        self._builder = model.pair_builder(max_windows)
        numbers: dict[str, list[int]] = {d.id: [] for d in corpus.documents}
        for number, mention in enumerate(corpus.mentions):
            numbers[mention.document].append(number)
        self._marked: dict[str, MarkedDocument] = {}
        self._numbers: dict[str, Integers] = {}
        for document in sorted(corpus.documents, key=lambda d: d.id):
            own = numbers[document.id]
            own.sort(key=lambda n: (corpus.mentions[n].tokens, corpus.mentions[n].kind or ""))
            if own:
                mentions = [corpus.mentions[n] for n in own]
                self._marked[document.id] = self._builder.prepare(document, mentions, range(len(own)))
                self._numbers[document.id] = np.array(own, dtype=np.int64)
        self.pairs: list[DocumentPair] = [(name, name) for name in self._marked]
        self.pairs += [p for p in pairs if p[0] in self._marked and p[1] in self._marked]

    @cached_property
    def extent(self) -> Extent:
        """Number of sequences to read, of their word pieces (roughly), and of window pairs left out."""
        sequences = pieces = pruned = 0
        for pair in self.pairs:
            found = self._builder.extent(*self._both(pair))
            sequences += self._orders(pair) * found.sequences
            pieces += self._orders(pair) * found.pieces
            pruned += found.pruned
        return Extent(sequences, pieces, pruned)

    @property
    def notes(self) -> list[str]:
        """One sentence for each mention that had to be cut, and one for the pruned windows of long documents."""
        pruned = self.extent.pruned
        if not pruned:
            return self._builder.notes
        subject = "1 pair" if pruned == 1 else f"{pruned} pairs"
        return [*self._builder.notes, f"the limit on windows left {subject} of windows of long documents uncompared"]

    def run(
        self,
        *,
        batch_tokens: int,
        store: ResultStore | None = None,
        advance: Callable[[float], None] = lambda pairs: None,
    ) -> PairLogits:
        """Compare the documents.

        Parameters
        ----------
        batch_tokens
            Word pieces that the encoder reads at once.
        store
            Where results are looked up and stored.
        advance
            Called repeatedly with the number of document pairs, or the share of one, done since the last call.
        """
        numbers = [np.zeros((0, 2), dtype=np.int32)]
        logits = [np.zeros(0, dtype=np.float32)]
        for (one, other), matrix in self._matrices(batch_tokens, store, advance):
            rows, columns = np.nonzero(~np.isnan(matrix))
            pair = np.stack([self._numbers[one][rows], self._numbers[other][columns]], axis=1)
            numbers.append(np.sort(pair, axis=1).astype(np.int32))
            logits.append(matrix[rows, columns])
        pairs = np.concatenate(numbers)
        kind_of = np.array([KINDS.index(m.kind or "") for m in self.corpus.mentions], dtype=np.int8)
        kinds = kind_of[pairs[:, 0]]
        return PairLogits(len(kind_of), pairs[:, 0].copy(), pairs[:, 1].copy(), kinds, np.concatenate(logits))

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
        limit = str(self._builder.options.max_windows)
        return {
            (one, other): store.key("pair", limit, hashes[one], hashes[other] if one != other else "itself")
            for one, other in self.pairs
        }

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
                    places = sequence.mentions[sequence.pairs]
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

    def _orders(self, pair: DocumentPair) -> int:
        return 2 if pair[0] != pair[1] and self.model.settings.both_orders else 1

    def _sequences(self, pair: DocumentPair) -> Iterator[tuple[bool, PairSequence]]:
        """The sequences of a pair, each with whether its second document stands first."""
        one, other = self._both(pair)
        if other is None:
            yield from ((False, s) for s in self._builder.single(one))
            return
        second_first = _content(other) < _content(one)
        if self.model.settings.both_orders or not second_first:
            yield from ((False, s) for s in self._builder.pair(one, other))
        if self.model.settings.both_orders or second_first:
            yield from ((True, s) for s in self._builder.pair(other, one))


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
        logits = model.pair_logits({name: tensor.to(model.device) for name, tensor in batch.items()})
    return np.split(logits.float().cpu().numpy(), np.cumsum([len(s.pairs) for s in sequences])[:-1])
