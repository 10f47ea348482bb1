"""The scores of a cross-encoder of upper layers: pairs of candidates in, their logits out.

The documents of the candidates pass the lower layers once. Then the contexts of two candidates
(:mod:`cdcoref.inputs.mention_contexts`) are read side by side, pair after pair. What comes out depends on the contents
of the contexts alone, not on the order or the names of files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from cdcoref.inputs import DocumentContexts, Integers, MentionContext, ReadingSequence
from cdcoref.linking.mentions import SEQUENCES_AT_ONCE
from cdcoref.linking.pair_logits import DocumentPair, Matrix, kind_numbers, work
from cdcoref.linking.store import ResultStore
from cdcoref.model import CorefModel, collate_contexts, collate_readings, token_batches
from cdcoref.reading import Readings

PAIRS_AT_ONCE = 2048
"""Pairs that are sorted by length together, and stored together: what an interruption loses."""


@dataclass(frozen=True)
class MentionContexts:
    """The contexts of some mentions of a corpus, and the sequences in which their documents are read.

    `sequences`: Those of all documents, one document after the other.
    `first_rows`: By document id, the number of its first word piece among those of all sequences.
    `contexts`: By the mention's number in the corpus. A mention has none if the encoder reads no word of it.
    """

    sequences: list[ReadingSequence]
    first_rows: dict[str, int]
    contexts: dict[int, MentionContext]

    @classmethod
    def of_mentions(cls, model: CorefModel, readings: Readings, numbers: Iterable[int]) -> MentionContexts:
        """The contexts of mentions, by their numbers in a corpus, as a model's cross-encoder sees them."""
        build, options = model.reading_builder(syntax=False), model.settings.contexts
        read = cls([], {}, {})
        rows = 0
        of_documents: dict[str, DocumentContexts] = {}
        for number in numbers:
            mention = readings.corpus.mentions[number]
            if mention.document not in of_documents:
                reading = readings[mention.document]
                own = list(build(reading.document))
                of_documents[mention.document] = DocumentContexts(reading, own, options)
                read.first_rows[mention.document] = rows
                read.sequences.extend(own)
                rows += sum(map(len, own))
            context = of_documents[mention.document].of(mention)
            if context is not None:
                read.contexts[number] = context
        return read


def layer_states(
    model: CorefModel,
    sequences: Sequence[ReadingSequence],
    batches: Iterable[Sequence[int]],
    device: torch.device,
    *,
    upper: bool = False,
) -> list[Tensor]:
    """What the encoder's lower layers say of documents that are read by themselves, in sixteen bits.

    `batches` has the numbers of the sequences that pass the encoder together; each sequence is in one batch. With
    `upper`, what the upper layers say comes second. All word pieces of the first sequence, then those of the second and
    so on. *Shape:* (pieces, width) each
    """
    config, first = model.encoder.config, model.settings.contexts.lower_layers
    ends = np.cumsum([len(sequence) for sequence in sequences], dtype=np.int64).tolist()
    size = ends[-1] if ends else 0
    result = [torch.zeros(size, config.hidden_size, dtype=torch.bfloat16, device=device) for _ in range(1 + upper)]
    for numbers in batches:
        batch = collate_readings([sequences[number] for number in numbers], config.pad_token_id).to(model.device)
        with model.inference():
            found = [model.lower_states(batch)]
            if upper:
                masks = batch.attention_mask, batch.global_attention_mask
                found.append(model.encoder.upper_layers(found[0], *masks, first))
        for states, read in zip(result, found, strict=True):
            for row, number in enumerate(numbers):
                length = len(sequences[number])
                states[ends[number] - length : ends[number]] = read[row, :length].to(states)
    return result


class ContextReading:
    """Reads pairs of candidates side by side.

    `model`: Has a cross-encoder of upper layers.
    `readings`: Documents and mentions; every mention has a kind.
    `first`, `second`: Numbers of the mentions of each pair. *Shape:* (pairs,)
    `documents`: Pairs of documents that are compared, by id, each document with itself besides; None: all.
    """

    def __init__(
        self,
        model: CorefModel,
        readings: Readings,
        first: Integers,
        second: Integers,
        documents: Sequence[DocumentPair] | None = None,
    ) -> None:
        self._model = model
        self._readings = readings
        self._corpus = readings.corpus
        self._pairs = np.stack([first, second], axis=1)
        self._work = work(readings.corpus, documents)

    def run(self, batch_tokens: int, store: ResultStore | None, advance: Callable[[float], None]) -> Matrix:
        """The logits of the pairs; NaN where the encoder reads no word of one of the mentions. *Shape:* (pairs,)

        `advance` is called with the number of document pairs, or the share of one, done since the last call.
        """
        read = MentionContexts.of_mentions(self._model, self._readings, np.unique(self._pairs).tolist())
        contexts = read.contexts
        keys: list[bytes] = []
        pair_of: dict[bytes, int] = {}
        kinds = kind_numbers(self._corpus).tolist()
        for number, (one, other) in enumerate(self._pairs.tolist()):
            both = [contexts[n].digest for n in (one, other) if n in contexts]
            keys.append(b"".join(sorted(both)) + bytes([kinds[one]]) if len(both) == 2 else b"")
            pair_of.setdefault(keys[-1], number)
        kept = {} if self._model.kept_logits is None else self._model.kept_logits
        # In an order that depends on the contents alone; of equal contents one is read for all.
        todo = sorted(key for key in pair_of if key and key not in kept)
        known = {key: kept[key] for key in pair_of if key in kept} | {b"": np.nan}
        unread = _Unread(self._model, read, batch_tokens)
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

    def _ordered(self, contexts: dict[int, MentionContext], pair: int) -> list[tuple[str, MentionContext]]:
        """Document and context of both mentions of a pair, in the order of their contents."""
        both = [(self._corpus.mentions[n].document, contexts[n]) for n in self._pairs[pair].tolist()]
        return sorted(both, key=lambda own: own[1].digest)


class _Unread:
    """Reads contexts; the documents pass the lower layers when the first pair is read."""

    def __init__(self, model: CorefModel, read: MentionContexts, batch_tokens: int) -> None:
        self._model, self._read = model, read
        self._batch_tokens = model.pieces_at_once(batch_tokens)

    def logits(self, pairs: Sequence[Sequence[tuple[str, MentionContext]]], kinds: Sequence[int]) -> Matrix:
        """Those of pairs, each of two documents with a context. *Shape:* (pairs,)"""
        result = np.zeros(len(pairs), dtype=np.float32)
        lengths = [sum(len(context) for _, context in pair) for pair in pairs]
        for positions in token_batches(lengths, self._batch_tokens):
            own = [side for position in positions for side in pairs[position]]
            rows = [torch.from_numpy(context.pieces + self._read.first_rows[name]) for name, context in own]
            contexts = [context for _, context in own]
            batch = collate_contexts(self._states, rows, contexts, [kinds[position] for position in positions])
            with self._model.inference():
                found = self._model.context_logits(batch.to(self._model.device))
            result[positions] = found.cpu().numpy()
        return result

    @cached_property
    def _states(self) -> Tensor:
        """What the lower layers say of all documents. *Shape:* (pieces, width)"""
        sequences = self._read.sequences
        states = [self._model.lower.get(sequence.input_ids) for sequence in sequences]
        unread = [number for number, known in enumerate(states) if known is None]
        some = [sequences[number] for number in unread]
        (found,) = layer_states(self._model, some, _batches(some, self._batch_tokens), torch.device("cpu"))
        for number, part in zip(unread, found.split([len(sequence) for sequence in some]), strict=True):
            states[number] = part
        return torch.cat([part for part in states if part is not None])


def _batches(sequences: Sequence[ReadingSequence], batch_tokens: int) -> Iterator[list[int]]:
    """Numbers of sequences, those of similar length together, `SEQUENCES_AT_ONCE` sorted at a time."""
    for start in range(0, len(sequences), SEQUENCES_AT_ONCE):
        block = sequences[start : start + SEQUENCES_AT_ONCE]
        for positions in token_batches([len(s) for s in block], batch_tokens):
            yield [start + position for position in positions]
