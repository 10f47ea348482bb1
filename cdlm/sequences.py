"""What the encoder reads: documents as one sequence, and sequences as padded batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Sized
from dataclasses import dataclass, fields, replace
from typing import Protocol, Self, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from cdlm.errors import InputError
from cdlm.tokens import DOC_END, DOC_START, Tokenizer

T = TypeVar("T")
ENDS = 2
"""Special tokens enclose a sequence."""
MARKERS = 2
"""Special tokens enclose a document."""


@dataclass(frozen=True)
class SequenceFrame:
    """The special tokens around documents that are read together, and around each of them (paper, section 2.2)."""

    first: int
    last: int
    document_start: int
    document_end: int

    @classmethod
    def of_tokenizer(cls, tokenizer: Tokenizer) -> SequenceFrame:
        """The frame in the ids of a tokenizer that knows the special tokens of `cdlm.tokens`."""
        first, last = tokenizer.first_id, tokenizer.last_id
        if first is None or last is None:
            raise InputError("the tokenizer has no token that begins a sequence, or none that ends one")
        return cls(first, last, *tokenizer.ids((DOC_START, DOC_END)))

    def enclose(self, documents: Iterable[Sequence[int]], max_length: int) -> list[int]:
        """Concatenate documents up to `max_length` tokens, special ones included; the last document may be cut."""
        ids = [self.first]
        for document in documents:
            kept = document[: max(0, max_length - len(ids) - 1 - MARKERS)]
            if not len(kept):
                break
            ids.append(self.document_start)
            ids.extend(kept)
            ids.append(self.document_end)
        ids.append(self.last)
        return ids


@dataclass(frozen=True, slots=True)
class TokenSequence:
    """One input of the encoder."""

    input_ids: NDArray[np.int64]
    """Token ids. *Shape:* (length,)"""
    is_global: NDArray[np.bool_]
    """Which tokens attend globally. *Shape:* (length,)"""

    def __len__(self) -> int:
        return len(self.input_ids)


@dataclass(frozen=True)
class Batch:
    """A batch whose fields are tensors, other batches, or plain values."""

    def to(self, device: torch.device) -> Self:
        """The batch on a device."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return replace(self, **{n: v.to(device) for n, v in values.items() if isinstance(v, Tensor | Batch)})


@dataclass(frozen=True)
class EncoderBatch(Batch):
    """Sequences padded to one length, as the encoder accepts them."""

    input_ids: Tensor
    """Token ids. *Shape:* (sequences, length)"""
    attention_mask: Tensor
    global_attention_mask: Tensor
    """1 for tokens that are read, and for those that attend globally. *Shape:* (sequences, length)"""


class EncoderSequence(Sized, Protocol):
    """A :class:`TokenSequence`, or an object with the same attributes."""

    @property
    def input_ids(self) -> NDArray[np.int64]:
        """Token ids. *Shape:* (length,)"""

    @property
    def is_global(self) -> NDArray[np.bool_]:
        """Which tokens attend globally. *Shape:* (length,)"""


def side_by_side(sequences: Sequence[EncoderSequence], pad_token_id: int) -> EncoderBatch:
    """Combine sequences into one padded batch."""
    ids, mask, is_global = np.zeros((3, len(sequences), max(map(len, sequences))), dtype=np.int64)
    ids[:] = pad_token_id
    for row, sequence in enumerate(sequences):
        ids[row, : len(sequence)] = sequence.input_ids
        mask[row, : len(sequence)] = 1
        is_global[row, : len(sequence)] = sequence.is_global
    return EncoderBatch(*map(torch.from_numpy, (ids, mask, is_global)))


def in_batches(items: Iterable[T], lengths: Iterable[int], batch_tokens: int) -> Iterator[list[T]]:
    """Items in order, in batches of at most `batch_tokens` tokens, or of one item that is longer."""
    batch: list[T] = []
    tokens = 0
    for item, length in zip(items, lengths, strict=True):
        if batch and tokens + length > batch_tokens:
            yield batch
            batch, tokens = [], 0
        batch.append(item)
        tokens += length
    if batch:
        yield batch
