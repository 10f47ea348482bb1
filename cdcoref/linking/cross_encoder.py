"""The cross-encoder's scores: marked documents in, a logit for every pair of mentions that were read together out.

Every planned sequence (:mod:`cdcoref.linking.planned_sequences`) is looked up or read. The logit of a pair of mentions
is the mean over all sequences in which it was scored.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

import numpy as np

from cdcoref.corpus import Corpus
from cdcoref.inputs import Candidates, MarkedDocument, PairSequence, SequenceBuilder, SequenceOptions
from cdcoref.linking.pair_logits import Matrix, PairLogits, kind_numbers, pair_keys
from cdcoref.linking.planned_sequences import PackPlan, PairPlan
from cdcoref.linking.store import ResultStore
from cdcoref.linking.tied_documents import DocumentPair
from cdcoref.model import CorefModel, collate_pairs, token_batches

SEQUENCES_AT_ONCE = 512
"""Sequences that are built and sorted by length together: what is in memory at a time."""


class CrossEncoderReading:
    """Reads the mentions of a corpus together.

    Parameters
    ----------
    model, corpus
        The model, and the documents with their mentions.
    pairs
        Pairs of documents to compare, by id; None: all. Every document is also compared with itself.
    options
        What a sequence shows.
    candidates
        Which mentions are candidates for each other, if that is known: only those are read together.

    Attributes
    ----------
    extent
        Number of sequences to read, of their word pieces (roughly), and of window pairs left out.
    """

    def __init__(
        self,
        model: CorefModel,
        corpus: Corpus,
        pairs: Sequence[DocumentPair] | None,
        options: SequenceOptions,
        candidates: Candidates | None = None,
    ) -> None:
        self._model = model
        self._corpus = corpus
        self._builder = SequenceBuilder(model.tokenizer, options)
        marked = _marked(self._builder, corpus)
        if pairs is not None:
            pairs = [pair for pair in pairs if pair[0] in marked and pair[1] in marked]
        self._work = float(len(marked) + (len(marked) * (len(marked) - 1) // 2 if pairs is None else len(pairs)))
        plan = PackPlan if options.documents == "many" else PairPlan
        self._plan = plan(self._builder, marked, pairs, candidates, model.settings.both_orders)
        self.extent = self._plan.extent()

    @property
    def notes(self) -> list[str]:
        """One sentence for each mention that had to be cut."""
        return self._builder.notes

    def run(self, batch_tokens: int, store: ResultStore | None, advance: Callable[[float], None]) -> PairLogits:
        """The logits of pairs of mentions, each pair once; see :meth:`cdcoref.linking.Comparison.run`."""
        left, share = self._work, self._work / max(1, self.extent.pieces)
        size = len(self._corpus.mentions)
        keys, logits = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.float32)]
        for sequence, values in self._scored(batch_tokens, store):
            first, second = sequence.mentions[sequence.pairs].T
            keys.append(pair_keys(first, second, size))
            logits.append(values)
            done = min(left, share * len(sequence))
            left -= done
            advance(done)
        advance(left)
        found, place = np.unique(np.concatenate(keys), return_inverse=True)
        means = np.bincount(place, weights=np.concatenate(logits)) / np.bincount(place)
        first, second = np.divmod(found.astype(np.int64), max(1, size))
        as_numbers = first.astype(np.int32), second.astype(np.int32)
        return PairLogits(size, *as_numbers, kind_numbers(self._corpus)[first], means.astype(np.float32))

    def _scored(self, batch_tokens: int, store: ResultStore | None) -> Iterator[tuple[PairSequence, Matrix]]:
        """Every sequence with the logits of its pairs, looked up or read, about `batch_tokens` pieces at a time."""
        sequences = self._plan.sequences()
        while block := list(islice(sequences, SEQUENCES_AT_ONCE)):
            unread: list[tuple[bytes, PairSequence]] = []
            for sequence in block:
                key = b"" if store is None else store.key("sequence", _contents(sequence))
                kept = None if store is None else store.get(key)
                if kept is None:
                    unread.append((key, sequence))
                else:
                    yield sequence, kept
            for positions in token_batches([len(sequence) for _, sequence in unread], batch_tokens):
                batch = [unread[position] for position in positions]
                read = pair_logits(self._model, [sequence for _, sequence in batch])
                if store is not None:
                    store.put({key: logits for (key, _), logits in zip(batch, read, strict=True)})
                yield from ((sequence, logits) for (_, sequence), logits in zip(batch, read, strict=True))


def pair_logits(model: CorefModel, sequences: Sequence[PairSequence]) -> list[Matrix]:
    """Logits of the pairs of every sequence. *Shape* of each: (pairs,)"""
    batch = collate_pairs(sequences, model.encoder.config.pad_token_id)
    with model.inference():
        logits = model.pair_logits(batch.to(model.device))
    return np.split(logits.float().cpu().numpy(), np.cumsum([len(s.pairs) for s in sequences])[:-1])


def _contents(sequence: PairSequence) -> str:
    """Hash of all that the logits of a sequence depend on."""
    arrays = (
        *(sequence.input_ids, sequence.is_global, sequence.kinds, sequence.span_tokens, sequence.span_of_token),
        *(sequence.pairs, sequence.features),
    )
    contents = hashlib.sha256(repr([array.shape for array in arrays]).encode())
    for array in arrays:
        contents.update(np.ascontiguousarray(array).tobytes())
    return contents.hexdigest()


def _marked(builder: SequenceBuilder, corpus: Corpus) -> dict[str, MarkedDocument]:
    """The documents that have mentions, by id; mentions are numbered as in the corpus."""
    numbers = corpus.mention_numbers()
    marked: dict[str, MarkedDocument] = {}
    for document in sorted(corpus.documents, key=lambda d: d.id):
        own = numbers[document.id]
        own.sort(key=lambda n: (corpus.mentions[n].tokens, corpus.mentions[n].kind or ""))
        if own:
            marked[document.id] = builder.prepare(document, [corpus.mentions[n] for n in own], own)
    return marked
