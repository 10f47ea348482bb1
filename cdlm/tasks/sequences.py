"""What the encoder reads for a task: token ids with a mask of globally attending tokens, one or many side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class TokenSequence:
    """One input of the encoder.

    Attributes
    ----------
    input_ids
        Token ids. *Shape:* (length,)
    is_global
        Which of the tokens attend globally. *Shape:* (length,)
    """

    input_ids: NDArray[np.int64]
    is_global: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.input_ids)


def side_by_side(sequences: Sequence[TokenSequence], pad_token_id: int) -> dict[str, Tensor]:
    """Put sequences into one padded batch.

    Returns
    -------
    dict
        ``input_ids``, ``attention_mask`` and ``global_attention_mask``, as the encoder takes them.
        *Shape:* (sequences, longest)
    """
    shape = len(sequences), max(len(sequence) for sequence in sequences)
    ids = np.full(shape, pad_token_id, dtype=np.int64)
    mask = np.zeros(shape, dtype=np.int64)
    is_global = np.zeros(shape, dtype=np.int64)
    for row, sequence in enumerate(sequences):
        ids[row, : len(sequence)] = sequence.input_ids
        mask[row, : len(sequence)] = 1
        is_global[row, : len(sequence)] = sequence.is_global
    arrays = {"input_ids": ids, "attention_mask": mask, "global_attention_mask": is_global}
    return {name: torch.from_numpy(array) for name, array in arrays.items()}


def on_device(batch: Mapping[str, Tensor], device: torch.device) -> dict[str, Tensor]:
    """A batch on another device."""
    return {name: tensor.to(device) for name, tensor in batch.items()}


def in_batches(items: Sequence[T], lengths: Sequence[int], batch_tokens: int) -> Iterator[list[T]]:
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
