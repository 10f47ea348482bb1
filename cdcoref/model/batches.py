"""Sequences in, batches for the encoder out, as tensors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from cdcoref.inputs import Integers, PairSequence, ReadingSequence
from cdlm.sequences import Batch, EncoderBatch, side_by_side


@dataclass(frozen=True)
class PairBatch(EncoderBatch):
    """Sequences with marked mentions, and the pairs to score.

    Attributes
    ----------
    span_tokens, span_of_token
        The pieces of the mentions as positions in the flattened batch, and the mention of each. *Shape:* (pieces,)
    span_count
        Number of mentions.
    pairs
        Two mentions each. *Shape:* (pairs, 2)
    pair_sequence, pair_kinds
        The sequence of each pair, and the number of its kind. *Shape:* (pairs,)
    pair_features
        What is known about each pair besides the text. *Shape:* (pairs, features)
    """

    span_tokens: Tensor
    span_of_token: Tensor
    span_count: int
    pairs: Tensor
    pair_sequence: Tensor
    pair_kinds: Tensor
    pair_features: Tensor


@dataclass(frozen=True)
class ReadingBatch(EncoderBatch):
    """Sequences of documents that are read alone, and the candidate spans in them.

    Attributes
    ----------
    word_places
        The first piece of each word, as a position in the flattened batch. *Shape:* (words,)
    pieces, word_of_piece
        All pieces of words, likewise, and the word of each. *Shape:* (pieces,)
    span_starts, span_ends
        The first word of each candidate span and the one past its last, in words of the batch, in the order of the
        sequences. *Shape:* (spans,)
    begins
        Whether a sentence begins with a word. *Shape:* (words,)
    spelling
        How each word is spelt; see :mod:`cdcoref.inputs.spelling`. *Shape:* (words, `SPELLING`)
    """

    word_places: Tensor
    pieces: Tensor
    word_of_piece: Tensor
    span_starts: Tensor
    span_ends: Tensor
    begins: Tensor
    spelling: Tensor


@dataclass(frozen=True)
class LabelledBatch(Batch):
    """A batch to train on.

    Attributes
    ----------
    inputs
        The sequences, with pairs or candidate spans.
    labels, weights
        The targets, and how much each counts (0: not annotated). *Shape:* (pairs,) or (spans, kinds)
    normaliser
        Divisor of the sum of the losses. *Shape:* ()
    """

    inputs: PairBatch | ReadingBatch
    labels: Tensor
    weights: Tensor
    normaliser: Tensor


def collate_pairs(sequences: Sequence[PairSequence], pad_token_id: int) -> PairBatch:
    """Batch sequences with marked mentions."""
    padded = side_by_side(sequences, pad_token_id)
    length = padded.input_ids.shape[1]
    bounds = np.cumsum([0] + [len(s.mentions) for s in sequences])
    return PairBatch(
        **vars(padded),
        span_tokens=_joined([s.span_tokens + row * length for row, s in enumerate(sequences)]),
        span_of_token=_joined([s.span_of_token + n for s, n in zip(sequences, bounds, strict=False)]),
        span_count=int(bounds[-1]),
        pairs=_joined([s.pairs + n for s, n in zip(sequences, bounds, strict=False)]),
        pair_sequence=_integers(np.repeat(np.arange(len(sequences)), [len(s.pairs) for s in sequences])),
        pair_kinds=_joined([np.maximum(s.kinds[s.pairs[:, 0]], 0) for s in sequences]),
        pair_features=torch.from_numpy(np.concatenate([s.features for s in sequences])),
    )


def collate_readings(sequences: Sequence[ReadingSequence], pad_token_id: int) -> ReadingBatch:
    """Batch unmarked sequences."""
    padded = side_by_side(sequences, pad_token_id)
    length = padded.input_ids.shape[1]
    bounds = np.cumsum([0] + [len(s.words) for s in sequences])
    counts = [np.diff(s.word_places, append=len(s) - 1) for s in sequences]
    return ReadingBatch(
        **vars(padded),
        word_places=_joined([s.word_places + row * length for row, s in enumerate(sequences)]),
        pieces=_joined([np.arange(s.word_places[0], len(s) - 1) + row * length for row, s in enumerate(sequences)]),
        word_of_piece=_integers(np.repeat(np.arange(bounds[-1]), np.concatenate(counts))),
        span_starts=_joined([s.starts + n for s, n in zip(sequences, bounds, strict=False)]),
        span_ends=_joined([s.ends + n for s, n in zip(sequences, bounds, strict=False)]),
        begins=torch.from_numpy(np.concatenate([s.begins for s in sequences])),
        spelling=torch.from_numpy(np.concatenate([s.spelling for s in sequences])),
    )


def _joined(arrays: Sequence[Integers]) -> Tensor:
    return _integers(np.concatenate(arrays))


def _integers(array: Integers) -> Tensor:
    return torch.from_numpy(np.asarray(array, dtype=np.int64))


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
