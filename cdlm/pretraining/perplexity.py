"""Cross-document perplexity (paper, section 3.1): a tokenised corpus and models in, a table with intervals out."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import tee

import numpy as np
import torch

from cdlm.intervals import interval, resampled_means
from cdlm.masked_lm import CDLMForMaskedLM
from cdlm.pretraining.batches import masked_batch, prediction_losses
from cdlm.pretraining.masking import IGNORED, MaskedSequence, Masking, Variant
from cdlm.pretraining.token_store import TokenStore
from cdlm.sequences import SequenceFrame, in_batches

BATCH_TOKENS = 8192
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class EvaluationSequences:
    """Every set of a corpus once, as one sequence, with masks that depend on the random seed and its number only."""

    store: TokenStore
    frame: SequenceFrame
    max_length: int
    masking: Masking
    seed: int = 0

    def __call__(self, variant: Variant) -> Iterator[MaskedSequence]:
        """The sequences with the global attention of a variant; documents are related for all, ``rand`` included."""
        for number in range(self.store.sets):
            documents = (self.store[document].tolist() for document in self.store.documents_of(number))
            ids = np.array(self.frame.enclose(documents, self.max_length))
            yield self.masking(ids, variant, np.random.default_rng([self.seed, number]))


@dataclass(frozen=True)
class SetLosses:
    """Cross-entropy summed over the masked tokens of each set, in nats, and their number. Both of *shape* (sets,)."""

    sums: np.ndarray
    counts: np.ndarray

    @property
    def mean(self) -> float:
        """The mean over all masked tokens."""
        return float(self.sums.sum() / self.counts.sum())


@dataclass(frozen=True)
class Perplexity:
    """The exponential of a mean cross-entropy, with 95 % bootstrap intervals over sets."""

    value: float
    low: float
    high: float
    """The model's perplexity and its interval."""
    ratio: float
    ratio_low: float
    ratio_high: float
    """Its ratio to the perplexity of the reference model and its interval, with the same sets drawn for both."""
    sets: int
    tokens: int
    """Number of sets and of masked tokens."""

    @classmethod
    def of(cls, losses: SetLosses, reference: SetLosses) -> Perplexity:
        """From the losses of a model and of the reference model, which may be the same."""
        means = resampled_means(losses.sums, losses.counts)
        differences = means - resampled_means(reference.sums, reference.counts)
        return cls(
            math.exp(losses.mean),
            *interval(np.exp(means)),
            math.exp(losses.mean - reference.mean),
            *interval(np.exp(differences)),
            len(losses.sums),
            int(losses.counts.sum()),
        )


@torch.inference_mode()
def set_losses(
    model: CDLMForMaskedLM, variant: Variant, sequences: EvaluationSequences, progress: Progress = lambda *_: None
) -> SetLosses:
    """Predict the masked tokens of every set with the global attention of a variant.

    In the paper, it is that of the model's pretraining. `progress` is called with the number of sets done and the
    total.
    """
    model.eval()
    device = model.lm_head.bias.device
    padding = model.longformer.config.pad_token_id
    sums, counts = [], []
    read, measured = tee(sequences(variant))
    for batch in in_batches(read, map(len, measured), BATCH_TOKENS):
        losses = prediction_losses(model, masked_batch(batch, padding).to(device)).double().cpu()
        sizes = [int((sequence.labels != IGNORED).sum()) for sequence in batch]
        sums += [float(part.sum()) for part in losses.split(sizes)]
        counts += sizes
        progress(len(sums), sequences.store.sets)
    return SetLosses(np.array(sums), np.array(counts))
