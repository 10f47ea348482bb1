"""Comparing models (paper, Table 1): their names and held-out document sets in, their perplexities out."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import torch

from cdlm.checkpoints import find_checkpoint
from cdlm.config import CONFIG_FILE, EncoderConfig, read_json
from cdlm.devices import resolve_device
from cdlm.errors import InputError
from cdlm.masked_lm import CDLMForMaskedLM
from cdlm.pretraining.config import PretrainingConfig
from cdlm.pretraining.document_sets import SetSource, Tally
from cdlm.pretraining.loop import check_length
from cdlm.pretraining.masking import VARIANTS, Masking, Variant
from cdlm.pretraining.perplexity import EvaluationSequences, Perplexity, SetLosses, set_losses
from cdlm.pretraining.token_store import prepare
from cdlm.runs import RUN_FILE
from cdlm.sequences import ENDS, MARKERS, SequenceFrame
from cdlm.tokens import load_tokenizer

LONGEST = 4096
"""Default length of a sequence in tokens (paper, section 2.3)."""
Progress = Callable[[str, int, int], None]


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
    progress: Progress = lambda *_: None,
) -> tuple[list[Perplexity], Tally]:
    """Measure models on the same masked tokens of the same sequences.

    Parameters
    ----------
    max_length
        Maximum length of a sequence in tokens; by default the smallest limit of the models, and at most 4,096.
    masked, seed
        Share of the tokens to mask, and the random seed for masking.
    progress
        Called with the model, the number of sets done, and the total.

    Returns
    -------
    tuple
        The perplexity of each model, compared with that of the first; and what could not be used of the corpus.

    Raises
    ------
    InputError
        If a length or share is out of range, a model cannot be read or has no head, the models split text into
        different tokens, or the corpus has no usable set.
    """
    PretrainingConfig(max_length=LONGEST if max_length is None else max_length, masked=masked)  # checks both
    folders = [find_checkpoint(contender.name) for contender in contenders]
    tokenizers = [load_tokenizer(folder) for folder in folders]
    first = tokenizers[0]
    for contender, tokenizer in zip(contenders, tokenizers, strict=True):
        if tokenizer.get_vocab() != first.get_vocab():
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
            check_length(model, longest, contender.name)
            losses.append(set_losses(model, contender.variant, sequences, partial(progress, contender.name)))
    return [Perplexity.of(own, losses[0]) for own in losses], store.left_out


def _positions(folder: Path) -> int:
    return EncoderConfig.from_checkpoint(read_json(folder / CONFIG_FILE), folder / CONFIG_FILE).max_length
