"""Masked tokens and the global attention that goes with them (paper, section 2.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from cdlm.errors import InputError
from cdlm.sequences import TokenSequence
from cdlm.tokens import Tokenizer

IGNORED = -100
"""The label of a token that is not predicted."""
Variant = Literal["cdlm", "rand", "prefix", "local"]
VARIANTS: tuple[Variant, ...] = get_args(Variant)
"""CDLM and its ablations (paper, section 3, baseline language models)."""
VARIANT_WORDS: Mapping[Variant, str] = {
    "cdlm": "sets of related documents; masked tokens attend globally (CDLM)",
    "rand": "unrelated documents; masked tokens attend globally (Rand CDLM)",
    "prefix": "sets of related documents; equally many tokens at the start attend globally (Prefix CDLM)",
    "local": "sets of related documents; no token attends globally (Local CDLM)",
}
"""The description of each variant in model cards."""


@dataclass(frozen=True, slots=True)
class MaskedSequence(TokenSequence):
    """One sequence with some of its tokens masked."""

    labels: NDArray[np.int64]
    """The original ids of the tokens to predict, and `IGNORED` elsewhere. *Shape:* (length,)"""


@dataclass(frozen=True)
class Masking:
    """Masks tokens as in BERT (Devlin et al. 2019, section 3.1), but never special tokens.

    Of the chosen tokens, 80 % become the mask token, 10 % a random ordinary token, and 10 % stay as they are; all of
    them are predicted. The number of chosen tokens is exact, so that all variants have equally many.
    """

    mask_id: int
    ordinary: np.ndarray
    """*Shape:* (vocabulary,). Whether an id is not that of a special token."""
    rate: float = 0.15
    """Share of the ordinary tokens of a sequence that are chosen; at least one."""

    @classmethod
    def of_tokenizer(cls, tokenizer: Tokenizer, rate: float = 0.15) -> Masking:
        """Masking with the mask token and the special tokens of a tokenizer; `InputError` if it has no mask token."""
        if tokenizer.mask_id is None:
            raise InputError("the encoder's tokenizer has no mask token, so it cannot be pretrained")
        ordinary = np.ones(len(tokenizer), bool)
        ordinary[tokenizer.special_ids] = False
        return cls(tokenizer.mask_id, ordinary, rate)

    def __call__(self, ids: np.ndarray, variant: Variant, generator: np.random.Generator) -> MaskedSequence:
        """Mask tokens of a sequence; which ones, and how, depends on the generator, not on the variant.

        Special tokens are never chosen. *Shape:* (length,)
        """
        maskable = np.flatnonzero(self.ordinary[ids])
        count = min(len(maskable), max(1, round(self.rate * len(maskable))))
        chosen = generator.choice(maskable, count, replace=False)
        labels = np.full(len(ids), IGNORED, np.int64)
        labels[chosen] = ids[chosen]
        hidden = ids.astype(np.int64)
        fate = generator.random(count)
        hidden[chosen[fate < 0.8]] = self.mask_id
        swapped = chosen[fate >= 0.9]
        hidden[swapped] = generator.choice(np.flatnonzero(self.ordinary), len(swapped))
        return MaskedSequence(hidden, global_attention(labels != IGNORED, variant), labels)


def global_attention(chosen: np.ndarray, variant: Variant) -> np.ndarray:
    """Which tokens attend globally: the chosen ones, equally many at the start of the sequence, or none.

    *Shape:* (length,) in and out.
    """
    if variant == "local":
        return np.zeros_like(chosen)
    return np.arange(len(chosen)) < chosen.sum() if variant == "prefix" else chosen
