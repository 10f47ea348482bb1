"""Masked sequences side by side: numbered sequences in, the batches of a training run and its loss out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from cdlm.masked_lm import CDLMForMaskedLM
from cdlm.pretraining.masking import IGNORED, MaskedSequence
from cdlm.pretraining.training_sequences import TrainingSequences

Batch = dict[str, Any]
"""``input_ids``, ``attention_mask``, ``global_attention_mask`` and ``labels``, all of *shape* (sequences, longest); and
``tokens``, the number of tokens that are not padding."""


def side_by_side(sequences: Sequence[MaskedSequence], pad_token_id: int) -> Batch:
    """Put sequences into one padded batch; padding is neither attended to nor predicted."""
    shape = len(sequences), max(len(sequence.labels) for sequence in sequences)
    ids, labels = np.full(shape, pad_token_id, np.int64), np.full(shape, IGNORED, np.int64)
    mask, is_global = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    for row, sequence in enumerate(sequences):
        length = len(sequence.labels)
        ids[row, :length] = sequence.input_ids
        labels[row, :length] = sequence.labels
        mask[row, :length] = 1
        is_global[row, :length] = sequence.global_attention
    arrays = {"input_ids": ids, "attention_mask": mask, "global_attention_mask": is_global, "labels": labels}
    return {**{name: torch.from_numpy(array) for name, array in arrays.items()}, "tokens": int(mask.sum())}


@dataclass
class TrainingBatches:
    """The batches of a run, by number (see :class:`cdlm.runs.TrainingData`): so many sequences each."""

    sequences: TrainingSequences
    size: int
    pad_token_id: int

    def __len__(self) -> int:
        return len(self.sequences) // self.size

    def __getitem__(self, number: int) -> Batch:
        if not 0 <= number < len(self):
            raise IndexError(number)
        numbers = range(number * self.size, (number + 1) * self.size)
        return side_by_side([self.sequences[n] for n in numbers], self.pad_token_id)

    def set_epoch(self, epoch: int) -> None:
        """Nothing to choose: a run is one pass over numbered sequences."""


def prediction_losses(model: CDLMForMaskedLM, batch: Batch) -> Tensor:
    """The cross-entropy of each masked token, in nats. *Shape:* (masked tokens,), in the order of the batch."""
    predicted = batch["labels"] != IGNORED
    logits = model(batch["input_ids"], batch["attention_mask"], batch["global_attention_mask"], predicted)
    return torch.nn.functional.cross_entropy(logits.float(), batch["labels"][predicted], reduction="none")


def mean_loss(model: CDLMForMaskedLM, batch: Batch) -> Tensor:
    """What is minimised: the mean cross-entropy of the masked tokens of a batch."""
    return prediction_losses(model, batch).mean()
