"""Reading a story many documents at a time: marked documents in, logits of the pairs of their mentions out.

Every pack (see :mod:`cdcoref.inputs.packs`) is read with its documents in two orders, one the reverse of the other,
or in one order that depends on the documents' contents alone. The logit of a pair of mentions is the mean over
everything in which both were read. Stories are the groups that the pairs of documents tie together.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cdcoref.inputs import Candidates, Extent, MarkedDocument, Pack, PairSequence, SequenceBuilder, pack_length, packs
from cdcoref.linking.document_pairs import PairScored, pair_logits
from cdcoref.linking.store import ResultStore, document_hash
from cdcoref.linking.tied_documents import DocumentPair, tied_documents
from cdcoref.model import CorefModel


@dataclass(frozen=True, slots=True)
class _Story:
    """Documents in the order in which they are read, and the packs of them."""

    documents: list[MarkedDocument]
    packs: list[Pack]


class StoryPacks:
    """Compares the documents of stories, as many at a time as one sequence holds.

    Parameters
    ----------
    model, builder
        The model, and what builds its sequences.
    marked
        The documents by id; their mentions are numbered over all of them.
    pairs
        Pairs of documents to compare; None: all of them are one story.
    candidates
        Which mentions are candidates for each other, if that is known: only those pairs are scored.
    """

    def __init__(
        self,
        model: CorefModel,
        builder: SequenceBuilder,
        marked: Mapping[str, MarkedDocument],
        pairs: Sequence[DocumentPair] | None,
        candidates: Candidates | None = None,
    ) -> None:
        self.model = model
        self._builder = builder
        self._hash = {name: document_hash(marked[name].document, marked[name].mentions) for name in marked}
        names = sorted(marked, key=lambda name: (self._hash[name], name))
        self._work = float(len(names) + (len(names) * (len(names) - 1) // 2 if pairs is None else len(pairs)))
        self._stories: list[_Story] = []
        for own, wanted in tied_documents(names, pairs):
            documents = [marked[name] for name in own]
            self._stories.append(_Story(documents, list(packs(builder.options, documents, wanted, candidates))))
        self._candidates = candidates
        self._mentions = 1 + max((max(document.numbers) for document in marked.values()), default=-1)

    def extent(self) -> Extent:
        """Number of sequences to read, and of their word pieces; nothing is left out."""
        count = pieces = 0
        for story in self._stories:
            for pack in story.packs:
                orders = len(self._ordered(pack))
                count += orders
                pieces += orders * pack_length(pack, story.documents)
        return Extent(count, pieces)

    def run(
        self, batch_tokens: int, store: ResultStore | None, advance: Callable[[float], None]
    ) -> Iterator[PairScored]:
        """Logits of the pairs of mentions, each pair once; see :meth:`cdcoref.linking.Comparison.run`."""
        share = self._work / max(1, self.extent().pieces)

        def done(sequences: Sequence[PairSequence]) -> None:
            advance(share * sum(map(len, sequences)))

        for story in self._stories:
            yield self._mean(list(self._scored(story, batch_tokens, store, done)))

    def _ordered(self, pack: Pack) -> Sequence[Pack]:
        """The pack in the orders in which it is read; a single excerpt has only one."""
        return (pack, pack[::-1]) if self.model.settings.both_orders and len(pack) > 1 else (pack,)

    def _scored(
        self,
        story: _Story,
        batch_tokens: int,
        store: ResultStore | None,
        done: Callable[[Sequence[PairSequence]], None],
    ) -> Iterator[PairScored]:
        """The pairs of every sequence of a story, looked up or read, about `batch_tokens` pieces at a time."""
        waiting: list[tuple[bytes, PairSequence]] = []
        for pack in story.packs:
            for ordered in self._ordered(pack):
                for sequence in self._of_candidates(self._builder.pack(story.documents, ordered)):
                    key = b"" if store is None else self._key(store, story, ordered, sequence)
                    kept = None if store is None else store.get(key)
                    if kept is not None:
                        done([sequence])
                        yield sequence.mentions[sequence.pairs], kept
                        continue
                    if waiting and sum(len(s) for _, s in waiting) + len(sequence) > batch_tokens:
                        yield from self._read(waiting, store)
                        done([s for _, s in waiting])
                        waiting = []
                    waiting.append((key, sequence))
        if waiting:
            yield from self._read(waiting, store)
            done([s for _, s in waiting])

    def _read(self, waiting: Sequence[tuple[bytes, PairSequence]], store: ResultStore | None) -> Iterator[PairScored]:
        read = pair_logits(self.model, [sequence for _, sequence in waiting])
        if store is not None:
            store.put({key: logits for (key, _), logits in zip(waiting, read, strict=True)})
        for (_, sequence), logits in zip(waiting, read, strict=True):
            yield sequence.mentions[sequence.pairs], logits

    def _of_candidates(self, sequences: Iterator[PairSequence]) -> Iterator[PairSequence]:
        """The sequences with the pairs of candidates alone; a sequence without any is not read."""
        for sequence in sequences:
            if self._candidates is None:
                yield sequence
                continue
            pairs = np.sort(sequence.mentions[sequence.pairs], axis=1)
            known = _among(self._candidate_keys, pairs[:, 0] * self._mentions + pairs[:, 1])
            if known.any():
                yield replace(sequence, pairs=sequence.pairs[known], features=sequence.features[known])

    @cached_property
    def _candidate_keys(self) -> NDArray[np.int64]:
        assert self._candidates is not None
        pairs = np.sort(np.stack([self._candidates.first, self._candidates.second], axis=1), axis=1)
        return np.unique(pairs[:, 0] * self._mentions + pairs[:, 1])

    def _key(self, store: ResultStore, story: _Story, pack: Pack, sequence: PairSequence) -> bytes:
        parts = [f"{self._hash[story.documents[number].document.id]}:{window}" for number, window in pack]
        pairs = hashlib.sha256(np.ascontiguousarray(sequence.pairs).tobytes()).hexdigest()
        return store.key("pack", pairs, *parts)

    def _mean(self, scored: Sequence[PairScored]) -> PairScored:
        """Every pair once, with the mean of its logits."""
        if not scored:
            return np.zeros((0, 2), dtype=np.int64), np.zeros(0, dtype=np.float32)
        pairs = np.sort(np.concatenate([pairs for pairs, _ in scored]), axis=1)
        keys, place = np.unique(pairs[:, 0] * self._mentions + pairs[:, 1], return_inverse=True)
        logits = np.concatenate([logits for _, logits in scored])
        means = np.bincount(place, weights=logits) / np.bincount(place)
        return np.stack([keys // self._mentions, keys % self._mentions], axis=1), means.astype(np.float32)


def _among(ordered: NDArray[np.int64], keys: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which keys are among those given in ascending order; takes no longer if there are many of those."""
    if not len(ordered):
        return np.zeros(len(keys), dtype=bool)
    return ordered[np.minimum(np.searchsorted(ordered, keys), len(ordered) - 1)] == keys
