"""Sequences side by side: what the encoder reads at once, as tensors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from torch import Tensor

from cdcoref.sequences import PairSequence


def collate(sequences: Sequence[PairSequence], pad_token_id: int) -> dict[str, Tensor]:
    """Put sequences side by side.

    Returns
    -------
    dict
        ``input_ids``, ``attention_mask``, ``global_attention_mask`` (*Shape:* (sequences, length)); ``span_tokens``
        (places in the flattened batch) and ``span_of_token``; ``span_count``; ``pairs`` of spans, and for every pair
        its ``pair_sequence`` and ``pair_kinds``.
    """
    length = max(len(s) for s in sequences)
    ids = np.full((len(sequences), length), pad_token_id, dtype=np.int64)
    mask = np.zeros((len(sequences), length), dtype=np.int64)
    is_global = np.zeros((len(sequences), length), dtype=np.int64)
    tokens, owners, pairs, numbers, kinds = [], [], [], [], []
    spans = 0
    for row, sequence in enumerate(sequences):
        ids[row, : len(sequence)] = sequence.input_ids
        mask[row, : len(sequence)] = 1
        is_global[row, : len(sequence)] = sequence.is_global
        tokens.append(sequence.span_tokens + row * length)
        owners.append(sequence.span_of_token + spans)
        pairs.append(sequence.pairs + spans)
        numbers.append(np.full(len(sequence.pairs), row))
        kinds.append(np.maximum(sequence.kinds[sequence.pairs[:, 0]], 0))
        spans += len(sequence.mentions)
    arrays = {
        "input_ids": ids,
        "attention_mask": mask,
        "global_attention_mask": is_global,
        "span_tokens": np.concatenate(tokens),
        "span_of_token": np.concatenate(owners),
        "span_count": np.array(spans),
        "pairs": np.concatenate(pairs),
        "pair_sequence": np.concatenate(numbers),
        "pair_kinds": np.concatenate(kinds),
    }
    return {name: torch.from_numpy(array.astype(np.int64)) for name, array in arrays.items()}


def token_batches(lengths: Sequence[int], batch_tokens: int) -> Iterator[list[int]]:
    """Positions of sequences, longest first, in batches of at most `batch_tokens` pieces with their padding."""
    batch: list[int] = []
    for position in sorted(range(len(lengths)), key=lambda i: (-lengths[i], i)):
        if batch and (len(batch) + 1) * lengths[batch[0]] > batch_tokens:
            yield batch
            batch = []
        batch.append(position)
    if batch:
        yield batch
