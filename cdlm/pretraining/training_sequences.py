"""Documents that are read together (paper, section 2.2): training sequences by number, which follow from the seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from cdlm.masked_lm import CDLMForMaskedLM
from cdlm.pretraining.masking import IGNORED, MaskedSequence, Masking, Variant
from cdlm.pretraining.token_store import TokenStore
from cdlm.sequences import EncoderBatch, SequenceFrame, side_by_side

DRAWN, ORDER, MASKED = range(3)
"""Separate streams of random numbers: for documents, sets and masks."""


@dataclass
class TrainingSequences:
    """The sequences of a run, by number; a data set for PyTorch.

    Every set is drawn once before any is drawn again. The variant ``rand`` takes as many documents as the set has, each
    from a different set; on average over many sequences they are as long as those of the other variants.
    """

    store: TokenStore
    frame: SequenceFrame
    max_length: int
    """Maximum length of a sequence in tokens."""
    masking: Masking
    variant: Variant
    seed: int
    count: int

    def __post_init__(self) -> None:
        self._order: tuple[int, np.ndarray] | None = None

    def __len__(self) -> int:
        return self.count

    def documents(self, number: int) -> list[int]:
        """The documents of a sequence, in order."""
        chosen = self._set(number)
        generator = np.random.default_rng([self.seed, DRAWN, number])
        related = self.store.documents_of(chosen)
        if self.variant != "rand":
            return generator.permutation(np.arange(related.start, related.stop)).tolist()
        sets: set[int] = set()
        drawn: list[int] = []
        while len(drawn) < min(len(related), self.store.sets):
            document = int(generator.integers(self.store.documents))
            other = self.store.set_of(document)
            if other not in sets:
                sets.add(other)
                drawn.append(document)
        return drawn

    def __getitem__(self, number: int) -> MaskedSequence:
        ids = self.frame.enclose(
            (self.store[document].tolist() for document in self.documents(number)), self.max_length
        )
        return self.masking(np.array(ids), self.variant, np.random.default_rng([self.seed, MASKED, number]))

    def _set(self, number: int) -> int:
        turn, index = divmod(number, self.store.sets)
        if self._order is None or self._order[0] != turn:
            self._order = turn, np.random.default_rng([self.seed, ORDER, turn]).permutation(self.store.sets)
        return int(self._order[1][index])


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
