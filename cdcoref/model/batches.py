"""Sequences in, batches for the encoder out, as tensors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import torch
from torch import Tensor

from cdcoref.inputs import Integers, PairSequence, ReadingSequence


def collate_pairs(sequences: Sequence[PairSequence], pad_token_id: int) -> dict[str, Tensor]:
    """Batch sequences with marked mentions.

    Returns
    -------
    dict
        ``input_ids``, ``attention_mask``, ``global_attention_mask`` (*Shape:* (sequences, length)); ``span_tokens``
        (positions in the flattened batch) and ``span_of_token``; ``span_count``; ``pairs`` of spans, and for every pair
        its ``pair_sequence``, ``pair_kinds`` and ``pair_features``.
    """
    arrays = _side_by_side(sequences, pad_token_id)
    length = arrays["input_ids"].shape[1]
    bounds = np.cumsum([0] + [len(s.mentions) for s in sequences])
    arrays |= {
        "span_tokens": np.concatenate([s.span_tokens + row * length for row, s in enumerate(sequences)]),
        "span_of_token": np.concatenate([s.span_of_token + n for s, n in zip(sequences, bounds, strict=False)]),
        "span_count": bounds[-1],
        "pairs": np.concatenate([s.pairs + n for s, n in zip(sequences, bounds, strict=False)]),
        "pair_sequence": np.repeat(np.arange(len(sequences)), [len(s.pairs) for s in sequences]),
        "pair_kinds": np.concatenate([np.maximum(s.kinds[s.pairs[:, 0]], 0) for s in sequences]),
    }
    features = torch.from_numpy(np.concatenate([s.features for s in sequences]))
    return {**_tensors(arrays), "pair_features": features}


def collate_readings(sequences: Sequence[ReadingSequence], pad_token_id: int) -> dict[str, Tensor]:
    """Batch unmarked sequences.

    Returns
    -------
    dict
        ``input_ids``, ``attention_mask``, ``global_attention_mask`` (*Shape:* (sequences, length)); ``word_places`` in
        the flattened batch; ``pieces``, the places of all pieces of words, and ``word_of_piece``; ``span_starts`` and
        ``span_ends`` of the candidates, in words of the batch, in the order of the sequences; and of words, whether a
        sentence ``begins`` with them, and their ``spelling`` (*Shape:* (words, `SPELLING`)).
    """
    arrays = _side_by_side(sequences, pad_token_id)
    length = arrays["input_ids"].shape[1]
    bounds = np.cumsum([0] + [len(s.words) for s in sequences])
    counts = [np.diff(s.word_places, append=len(s) - 1) for s in sequences]
    arrays |= {
        "word_places": np.concatenate([s.word_places + row * length for row, s in enumerate(sequences)]),
        "pieces": np.concatenate(
            [np.arange(s.word_places[0], len(s) - 1) + row * length for row, s in enumerate(sequences)]
        ),
        "word_of_piece": np.repeat(np.arange(bounds[-1]), np.concatenate(counts)),
        "span_starts": np.concatenate([s.starts + n for s, n in zip(sequences, bounds, strict=False)]),
        "span_ends": np.concatenate([s.ends + n for s, n in zip(sequences, bounds, strict=False)]),
    }
    of_words = {
        "begins": np.concatenate([s.begins for s in sequences]),
        "spelling": np.concatenate([s.spelling for s in sequences]),
    }
    return {**_tensors(arrays), **{name: torch.from_numpy(table) for name, table in of_words.items()}}


def _side_by_side(sequences: Sequence[PairSequence | ReadingSequence], pad_token_id: int) -> dict[str, Integers]:
    """The sequences padded to the length of the longest, and which of their pieces are read and attend globally."""
    shape = len(sequences), max(len(s) for s in sequences)
    ids = np.full(shape, pad_token_id, dtype=np.int64)
    mask, is_global = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    for row, sequence in enumerate(sequences):
        ids[row, : len(sequence)] = sequence.input_ids
        mask[row, : len(sequence)] = 1
        is_global[row, : len(sequence)] = sequence.is_global
    return {"input_ids": ids, "attention_mask": mask, "global_attention_mask": is_global}


def _tensors(arrays: Mapping[str, Integers]) -> dict[str, Tensor]:
    return {name: torch.from_numpy(np.asarray(array, dtype=np.int64)) for name, array in arrays.items()}


def token_batches(lengths: Sequence[int], batch_tokens: int) -> Iterator[list[int]]:
    """Positions of sequences, longest first, in batches of at most `batch_tokens` pieces including padding."""
    batch: list[int] = []
    for position in sorted(range(len(lengths)), key=lambda i: (-lengths[i], i)):
        if batch and (len(batch) + 1) * lengths[batch[0]] > batch_tokens:
            yield batch
            batch = []
        batch.append(position)
    if batch:
        yield batch
