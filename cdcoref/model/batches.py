"""Sequences in, batches for the encoder out, as tensors."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from cdcoref.inputs import Integers, PairSequence, ReadingSequence
from cdlm.sequences import Batch, EncoderBatch, side_by_side


@dataclass(frozen=True)
class PairBatch(EncoderBatch):
    """Sequences with two marked mentions each.

    `span_tokens`, `span_of_token`: The pieces of the mentions as positions in the flattened batch, and the mention of
        each: twice the number of the sequence, plus one for the second. *Shape:* (pieces,)
    `kinds`: The number of each pair's kind. *Shape:* (sequences,)
    """

    span_tokens: Tensor
    span_of_token: Tensor
    kinds: Tensor


@dataclass(frozen=True)
class ReadingBatch(EncoderBatch):
    """Sequences of documents that are read alone, and the candidate spans in them.

    `word_places`: The first piece of each word, as a position in the flattened batch. *Shape:* (words,)
    `pieces`, `word_of_piece`: All pieces of words, likewise, and the word of each. *Shape:* (pieces,)
    `span_starts`, `span_ends`: The first word of each candidate span and the one past its last, in words of the batch,
        in the order of the sequences. *Shape:* (spans,)
    `begins`: Whether a sentence begins with a word. *Shape:* (words,)
    `spelling`: How each word is spelt; see :mod:`cdcoref.inputs.span_features`. *Shape:* (words, `SPELLING`)
    `syntax`: Syntactic features of each span; see :mod:`cdcoref.inputs.span_features`.
        *Shape:* (spans, `SYNTAX_FEATURES`)
    """

    word_places: Tensor
    pieces: Tensor
    word_of_piece: Tensor
    span_starts: Tensor
    span_ends: Tensor
    begins: Tensor
    spelling: Tensor
    syntax: Tensor


@dataclass(frozen=True)
class LabelledBatch(Batch):
    """Sequences with two marked mentions, and whether they corefer: 1 or 0. *Shape:* (sequences,)"""

    inputs: PairBatch
    labels: Tensor


def collate_pairs(sequences: Sequence[PairSequence], pad_token_id: int) -> PairBatch:
    """Batch sequences with two marked mentions."""
    padded = side_by_side(sequences, pad_token_id)
    length = padded.input_ids.shape[1]
    return PairBatch(
        **vars(padded),
        span_tokens=_joined([s.span_tokens + row * length for row, s in enumerate(sequences)]),
        span_of_token=_joined([s.side + 2 * row for row, s in enumerate(sequences)]),
        kinds=torch.tensor([s.kind for s in sequences], dtype=torch.long),
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
        syntax=torch.from_numpy(np.concatenate([s.syntax for s in sequences])),
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
