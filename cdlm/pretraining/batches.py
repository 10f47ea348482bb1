"""Batches of masked sequences: numbered sequences in, the batches of a training run and its loss out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from cdlm.masked_lm import CDLMForMaskedLM
from cdlm.pretraining.masking import IGNORED, MaskedSequence
from cdlm.pretraining.training_sequences import TrainingSequences
from cdlm.sequences import EncoderBatch, side_by_side


@dataclass(frozen=True)
class MaskedBatch(EncoderBatch):
    """Sequences with masked tokens."""

    labels: Tensor
    """The original ids of the tokens to predict, and `IGNORED` elsewhere. *Shape:* (sequences, length)"""
    tokens: int
    """Number of tokens, padding not counted."""


def masked_batch(sequences: Sequence[MaskedSequence], pad_token_id: int) -> MaskedBatch:
    """Combine sequences into one padded batch; padding is not predicted."""
    labels = [torch.from_numpy(sequence.labels) for sequence in sequences]
    padded = torch.nn.utils.rnn.pad_sequence(labels, batch_first=True, padding_value=IGNORED)
    return MaskedBatch(**vars(side_by_side(sequences, pad_token_id)), labels=padded, tokens=sum(map(len, sequences)))


@dataclass
class TrainingBatches:
    """The batches of a run, by number (see :class:`cdlm.runs.TrainingData`), of `size` sequences each."""

    sequences: TrainingSequences
    size: int
    pad_token_id: int

    def __len__(self) -> int:
        return len(self.sequences) // self.size

    def __getitem__(self, number: int) -> MaskedBatch:
        if not 0 <= number < len(self):
            raise IndexError(number)
        drawn = [self.sequences[n] for n in range(number * self.size, (number + 1) * self.size)]
        return masked_batch(drawn, self.pad_token_id)

    def set_epoch(self, epoch: int) -> None:
        """Does nothing: a run is one pass over numbered sequences."""


def prediction_losses(model: CDLMForMaskedLM, batch: MaskedBatch) -> Tensor:
    """The cross-entropy of each masked token, in nats. *Shape:* (masked tokens,), in the order of the batch."""
    predicted = batch.labels != IGNORED
    logits = model(batch.input_ids, batch.attention_mask, batch.global_attention_mask, predicted)
    return torch.nn.functional.cross_entropy(logits.float(), batch.labels[predicted], reduction="none")


def mean_loss(model: CDLMForMaskedLM, batch: MaskedBatch) -> Tensor:
    """The loss: the mean cross-entropy of the masked tokens of a batch."""
    return prediction_losses(model, batch).mean()
