"""The cross-encoder of the paper: a logit for every pair of mentions, marked in their documents and read together.

Mentions of one kind are compared within every document and across given pairs of documents. Two documents are shown in
both orders, or in one that depends on their contents alone.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, islice, product

import numpy as np

from cdcoref.corpus import Corpus
from cdcoref.inputs import PairSequence, SequenceBuilder
from cdcoref.linking.pair_logits import DocumentPair, Matrix, PairLogits, kind_numbers
from cdcoref.linking.store import ResultStore, document_hash
from cdcoref.model import CorefModel, collate_pairs, token_batches

SEQUENCES_AT_ONCE = 512
"""Sequences that are built and sorted by length together: what is in memory at a time."""

NumberPair = tuple[int, int]


class CrossEncoderReading:
    """Reads the mentions of a corpus together.

    `pairs`: Pairs of documents to compare, by id; None: all. Every document is also compared with itself.
    `notes`: One sentence for each word or mention that had to be cut.
    """

    def __init__(self, model: CorefModel, corpus: Corpus, pairs: Sequence[DocumentPair] | None) -> None:
        self._model, self._corpus = model, corpus
        self._kinds = kind_numbers(corpus)
        numbers = {name: own for name, own in corpus.mention_numbers().items() if own}
        for own in numbers.values():
            own.sort(key=lambda n: (corpus.mentions[n].tokens, corpus.mentions[n].kind or ""))
        self._numbers = numbers
        self._builder = SequenceBuilder(model.tokenizer, model.settings.sequences)
        documents = {document.id: document for document in corpus.documents if document.id in numbers}
        mentions = {name: [corpus.mentions[n] for n in own] for name, own in numbers.items()}
        self._pieces = {name: self._builder.prepare(documents[name], mentions[name]) for name in sorted(numbers)}
        self._hashes = {name: document_hash(documents[name], mentions[name]) for name in numbers}
        self.notes = self._builder.notes
        across = combinations(sorted(numbers), 2) if pairs is None else pairs
        self._pairs = [(name, name) for name in self._pieces]
        self._pairs += [(one, other) for one, other in across if one in numbers and other in numbers]

    def sequences(self) -> int:
        """How many there are to read."""
        return sum(1 for _ in self._marked())

    def run(self, batch_tokens: int, store: ResultStore | None, advance: Callable[[float], None]) -> PairLogits:
        """The logits of pairs of mentions, each pair once; see :meth:`cdcoref.linking.Comparison.run`."""
        size = len(self._corpus.mentions)
        left, step = float(len(self._pairs)), len(self._pairs) / max(1, self.sequences())
        read: list[tuple[int, float]] = []
        for (one, other), logit in self._scored(batch_tokens, store):
            read.append((min(one, other) * size + max(one, other), logit))
            advance(min(left, step))
            left -= min(left, step)
        advance(left)
        keys, logits = np.array(read, dtype=np.float64).reshape(-1, 2).T
        found, place = np.unique(keys.astype(np.int64), return_inverse=True)
        means = np.bincount(place, weights=logits) / np.bincount(place)
        first, second = (numbers.astype(np.int32) for numbers in np.divmod(found, max(1, size)))
        return PairLogits(size, first, second, self._kinds[first], means.astype(np.float32))

    def _marked(self) -> Iterator[NumberPair]:
        """The numbers of the two mentions of every sequence, in the order in which it shows their documents."""
        both_orders = self._model.settings.both_orders
        for one, other in self._pairs:
            if one == other:
                sides = list(combinations(self._numbers[one], 2))
            else:
                if self._hashes[other] < self._hashes[one]:
                    one, other = other, one
                sides = list(product(self._numbers[one], self._numbers[other]))
            sides = [pair for pair in sides if self._kinds[pair[0]] == self._kinds[pair[1]]]
            yield from sides
            if both_orders and one != other:
                yield from ((second, first) for first, second in sides)

    def _scored(self, batch_tokens: int, store: ResultStore | None) -> Iterator[tuple[NumberPair, float]]:
        """Every pair with the logit of a sequence, looked up or read, about `batch_tokens` pieces at a time."""
        pairs = self._marked()
        while block := list(islice(pairs, SEQUENCES_AT_ONCE)):
            unread: list[tuple[NumberPair, bytes, PairSequence]] = []
            for pair in block:
                sequence = self._built(pair)
                key = b"" if store is None else store.key("sequence", _contents(sequence))
                kept = None if store is None else store.get(key)
                if kept is None:
                    unread.append((pair, key, sequence))
                else:
                    yield pair, float(kept[0])
            for positions in token_batches([len(sequence) for _, _, sequence in unread], batch_tokens):
                batch = [unread[position] for position in positions]
                logits = pair_logits(self._model, [sequence for _, _, sequence in batch])
                if store is not None:
                    store.put({key: logits[[row]] for row, (_, key, _) in enumerate(batch)})
                yield from ((pair, float(logit)) for (pair, _, _), logit in zip(batch, logits, strict=True))

    def _built(self, pair: NumberPair) -> PairSequence:
        one, other = (self._corpus.mentions[number] for number in pair)
        return self._builder.build(self._pieces[one.document], one, self._pieces[other.document], other)


def pair_logits(model: CorefModel, sequences: Sequence[PairSequence]) -> Matrix:
    """Logits of the pairs of sequences. *Shape:* (sequences,)"""
    batch = collate_pairs(sequences, model.encoder.config.pad_token_id)
    with model.inference():
        logits: Matrix = model.pair_logits(batch.to(model.device)).float().cpu().numpy()
    return logits


def _contents(sequence: PairSequence) -> str:
    arrays = sequence.input_ids, sequence.is_global, sequence.span_tokens, sequence.side, np.array(sequence.kind)
    contents = hashlib.sha256(repr([array.shape for array in arrays]).encode())
    for array in arrays:
        contents.update(np.ascontiguousarray(array).tobytes())
    return contents.hexdigest()
