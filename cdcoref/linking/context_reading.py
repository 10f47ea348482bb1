"""The scores of a cross-encoder of upper layers: pairs of candidates in, their logits out.

The documents of the candidates pass the lower layers once. Then the contexts of two candidates
(:mod:`cdcoref.inputs.contexts`) are read side by side, pair after pair. What comes out depends on the contents of the
contexts alone, not on the order or the names of files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import torch
from torch import Tensor

from cdcoref.corpus import KINDS, Corpus
from cdcoref.inputs import DocumentContexts, Extent, Integers, MentionContext, ReadingSequence
from cdcoref.linking.mentions import SEQUENCES_AT_ONCE
from cdcoref.linking.pair_logits import Matrix
from cdcoref.linking.store import ResultStore
from cdcoref.linking.tied_documents import DocumentPair
from cdcoref.model import CorefModel, collate_contexts, collate_readings, token_batches

PAIRS_AT_ONCE = 2048
"""Pairs that are sorted by length together, and stored together: what an interruption loses."""


class ContextReading:
    """Reads pairs of candidates side by side.

    Parameters
    ----------
    model
        Has a cross-encoder of upper layers.
    corpus
        Documents and mentions; every mention has a kind.
    first, second
        Numbers of the mentions of each pair. *Shape:* (pairs,)
    documents
        Pairs of documents that are compared, by id, each document with itself besides; None: all.

    Attributes
    ----------
    extent
        Number of pairs to read, and of their word pieces at most.
    notes
        Always empty: no mention has to be cut.
    """

    def __init__(
        self,
        model: CorefModel,
        corpus: Corpus,
        first: Integers,
        second: Integers,
        documents: Sequence[DocumentPair] | None = None,
    ) -> None:
        self._model = model
        self._corpus = corpus
        self._pairs = np.stack([first, second], axis=1)
        count = len({mention.document for mention in corpus.mentions})
        self._work = float(count + (count * (count - 1) // 2 if documents is None else len(documents)))
        self.extent = Extent(len(first), len(first) * model.settings.contexts.longest)
        self.notes: list[str] = []

    def run(self, batch_tokens: int, store: ResultStore | None, advance: Callable[[float], None]) -> Matrix:
        """The logits of the pairs; NaN where the encoder reads no word of one of the mentions.

        Parameters
        ----------
        batch_tokens
            Word pieces that the encoder reads at once.
        store
            Where results are looked up and stored.
        advance
            Called repeatedly with the number of document pairs, or the share of one, done since the last call.

        Returns
        -------
        NDArray
            *Shape:* (pairs,)
        """
        sequences, contexts = self._contexts()
        keys: list[bytes] = []
        pair_of: dict[bytes, int] = {}
        for number, (one, other) in enumerate(self._pairs.tolist()):
            both = [contexts[n].digest for n in (one, other) if n in contexts]
            keys.append(b"".join(sorted(both)) + bytes([self._kind(one)]) if len(both) == 2 else b"")
            pair_of.setdefault(keys[-1], number)
        kept = {} if self._model.kept_logits is None else self._model.kept_logits
        # In an order that depends on the contents alone; of equal contents one is read for all.
        todo = sorted(key for key in pair_of if key and key not in kept)
        known = {key: kept[key] for key in pair_of if key in kept} | {b"": np.nan}
        unread = _Unread(self._model, sequences, contexts, batch_tokens)
        for start in range(0, len(todo), PAIRS_AT_ONCE):
            block = todo[start : start + PAIRS_AT_ONCE]
            key = b"" if store is None else store.key("contexts", b"".join(block).hex())
            found = None if store is None else store.get(key)
            if found is None:
                pairs = [pair_of[own] for own in block]
                found = unread.logits([self._ordered(contexts, pair) for pair in pairs], [own[-1] for own in block])
                if store is not None:
                    store.put({key: found})
            known |= zip(block, found.tolist(), strict=True)
            advance(self._work * len(block) / len(todo))
        if not todo:
            advance(self._work)
        if self._model.kept_logits is not None:
            self._model.kept_logits |= known
        return np.array([known[key] for key in keys], dtype=np.float32)

    def _contexts(self) -> tuple[dict[str, list[ReadingSequence]], dict[int, MentionContext]]:
        """The sequences of the documents of all candidates, by id, and the contexts of candidates by their number."""
        build, options = self._model.reading_builder(), self._model.settings.contexts
        documents = {document.id: document for document in self._corpus.documents}
        sequences: dict[str, list[ReadingSequence]] = {}
        of_documents: dict[str, DocumentContexts] = {}
        found: dict[int, MentionContext] = {}
        for number in np.unique(self._pairs).tolist():
            mention = self._corpus.mentions[number]
            if mention.document not in sequences:
                sequences[mention.document] = list(build(documents[mention.document]))
                own = documents[mention.document], sequences[mention.document], options
                of_documents[mention.document] = DocumentContexts(*own)
            context = of_documents[mention.document].of(mention)
            if context is not None:
                found[number] = context
        self._document_of = {number: self._corpus.mentions[number].document for number in found}
        return sequences, found

    def _kind(self, mention: int) -> int:
        return KINDS.index(self._corpus.mentions[mention].kind or "")

    def _ordered(self, contexts: dict[int, MentionContext], pair: int) -> list[tuple[str, MentionContext]]:
        """Document and context of both mentions of a pair, in the order of their contents."""
        both = [(self._document_of[n], contexts[n]) for n in self._pairs[pair].tolist()]
        return sorted(both, key=lambda own: own[1].digest)


class _Unread:
    """Reads contexts; the documents pass the lower layers when the first pair is read."""

    def __init__(
        self,
        model: CorefModel,
        sequences: dict[str, list[ReadingSequence]],
        contexts: dict[int, MentionContext],
        batch_tokens: int,
    ) -> None:
        self._model = model
        self._sequences = sequences
        self._batch_tokens = model.pieces_at_once(batch_tokens)
        self._states: Tensor | None = None
        self._row_of: dict[str, Integers] = {}

    def logits(self, pairs: Sequence[Sequence[tuple[str, MentionContext]]], kinds: Sequence[int]) -> Matrix:
        """Those of pairs, each of two documents with a context. *Shape:* (pairs,)"""
        states = self._read()
        result = np.zeros(len(pairs), dtype=np.float32)
        lengths = [sum(len(context) for _, context in pair) for pair in pairs]
        for positions in token_batches(lengths, self._batch_tokens):
            own = [side for position in positions for side in pairs[position]]
            rows = [torch.from_numpy(self._row_of[name][context.pieces]) for name, context in own]
            contexts = [context for _, context in own]
            batch = collate_contexts(states, rows, contexts, [kinds[position] for position in positions])
            with self._model.inference():
                found = self._model.context_logits(batch.to(self._model.device))
            result[positions] = found.cpu().numpy()
        return result

    def _read(self) -> Tensor:
        """What the lower layers say of all documents, in sixteen bits. *Shape:* (pieces, width)"""
        if self._states is not None:
            return self._states
        offset = 0
        everything: list[ReadingSequence] = []
        for name, sequences in self._sequences.items():
            size = sum(map(len, sequences))
            self._row_of[name] = np.arange(offset, offset + size)
            everything += sequences
            offset += size
        states = torch.zeros(offset, self._model.encoder.config.hidden_size, dtype=torch.bfloat16)
        starts = np.cumsum([0, *map(len, everything)])
        for numbers in _batches(everything, self._batch_tokens):
            batch = collate_readings([everything[n] for n in numbers], self._model.encoder.config.pad_token_id)
            with self._model.inference():
                read = self._model.lower_states(batch.to(self._model.device))
            for row, number in enumerate(numbers):
                length = len(everything[number])
                states[starts[number] : starts[number] + length] = read[row, :length].to(states)
        self._states = states
        return states


def _batches(sequences: Sequence[ReadingSequence], batch_tokens: int) -> Iterator[list[int]]:
    """Numbers of sequences, those of similar length together, `SEQUENCES_AT_ONCE` sorted at a time."""
    for start in range(0, len(sequences), SEQUENCES_AT_ONCE):
        block = sequences[start : start + SEQUENCES_AT_ONCE]
        for positions in token_batches([len(s) for s in block], batch_tokens):
            yield [start + position for position in positions]
