"""Cross-document perplexity of models on the same masked tokens of the same sets (paper, section 3.1, Table 1)."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import tee
from pathlib import Path

import numpy as np
import torch

from cdlm.checkpoints import find_checkpoint
from cdlm.config import CONFIG_FILE, EncoderConfig, read_json
from cdlm.devices import resolve_device
from cdlm.errors import InputError
from cdlm.intervals import interval, resampled_means
from cdlm.masked_lm import CDLMForMaskedLM
from cdlm.pretraining.config import PretrainingConfig
from cdlm.pretraining.document_sets import SetSource, Tally
from cdlm.pretraining.masking import IGNORED, VARIANTS, MaskedSequence, Masking, Variant
from cdlm.pretraining.token_store import TokenStore, prepare
from cdlm.pretraining.training_sequences import masked_batch, prediction_losses
from cdlm.runs import RUN_FILE
from cdlm.sequences import ENDS, MARKERS, SequenceFrame, in_batches
from cdlm.tokens import load_tokenizer

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
    """Predict the masked tokens of every set with the global attention of a variant, which is that of pretraining."""
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


# -- comparing models --------------------------------------------------------------------------------------------------


LONGEST = 4096
"""Default length of a sequence in tokens (paper, section 2.3)."""


@dataclass(frozen=True)
class Contender:
    """A pretrained model, and the variant whose global attention it is measured with."""

    name: str
    variant: Variant

    @classmethod
    def parse(cls, text: str) -> Contender:
        """Read ``MODEL`` or ``MODEL=VARIANT``; the default variant is the one with which the model was pretrained.

        For models from elsewhere none is recorded: then no token attends globally, as in the paper's Longformer.
        """
        name, equals, variant = text.rpartition("=")
        if not equals or Path(text).exists():
            run = Path(text) / RUN_FILE
            configuration = read_json(run).get("configuration") if run.is_file() else None
            variant = configuration.get("variant", "local") if isinstance(configuration, dict) else "local"
            name = text
        if variant not in VARIANTS:
            raise InputError(f"the variant must be one of {', '.join(VARIANTS)}, not {variant!r}", name)
        return cls(name, variant)


def perplexities(
    contenders: Sequence[Contender],
    corpus: Sequence[SetSource],
    *,
    max_length: int | None = None,
    min_documents: int = 3,
    masked: float = 0.15,
    seed: int = 0,
    device: str | None = None,
    progress: Callable[[str, int, int], None] = lambda *_: None,
) -> tuple[list[Perplexity], Tally]:
    """The perplexity of each model, compared with that of the first; and what could not be used of the corpus.

    The maximum length of a sequence is by default the smallest limit of the models, and at most 4,096 tokens; `masked`
    is the share of the tokens to mask; `progress` is called with the model, the number of sets done, and the total.
    Raises `InputError` if a model has no head, or the models split text into different tokens.
    """
    PretrainingConfig(max_length=LONGEST if max_length is None else max_length, masked=masked)  # checks both
    folders = [find_checkpoint(contender.name) for contender in contenders]
    tokenizers = [load_tokenizer(folder) for folder in folders]
    first = tokenizers[0]
    for contender, tokenizer in zip(contenders, tokenizers, strict=True):
        if tokenizer.vocabulary() != first.vocabulary():
            raise InputError(
                f"its vocabulary differs from that of {contenders[0].name}, so their perplexities are not comparable",
                contender.name,
            )
    frame, masking = SequenceFrame.of_tokenizer(first), Masking.of_tokenizer(first, masked)
    chosen = resolve_device(device)
    longest = min([LONGEST, *(_positions(folder) for folder in folders)]) if max_length is None else max_length
    with tempfile.TemporaryDirectory(prefix="cdlm-tokens-") as folder:
        store = prepare(corpus, first, folder, longest=longest - ENDS - MARKERS, min_documents=min_documents)
        sequences = EvaluationSequences(store, frame, longest, masking, seed)
        losses: list[SetLosses] = []
        for contender, checkpoint in zip(contenders, folders, strict=True):
            torch.manual_seed(seed)
            model = CDLMForMaskedLM.from_pretrained(checkpoint).float().to(chosen)
            if len(first) > model.longformer.config.vocab_size:
                model.resize_token_embeddings(len(first))
            model.check_length(longest, contender.name)
            losses.append(set_losses(model, contender.variant, sequences, partial(progress, contender.name)))
    return [Perplexity.of(of_model, losses[0]) for of_model in losses], store.left_out


def _positions(folder: Path) -> int:
    return EncoderConfig.from_checkpoint(read_json(folder / CONFIG_FILE), folder / CONFIG_FILE).max_length
