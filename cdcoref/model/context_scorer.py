"""The cross-encoder of upper layers: states of two mentions' contexts in, a logit of the pair out.

The lower layers of the encoder read every document once, alone. The upper ones, with a low-rank difference
(:class:`cdlm.encoder.UpperLayers`), read the contexts of two candidates (:mod:`cdcoref.inputs.mention_contexts`) side
by side, with the pieces of the two mentions marked. Which of the two comes first makes no difference.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import torch
from torch import Tensor, nn

from cdcoref.corpus import KINDS
from cdcoref.errors import InputError
from cdcoref.inputs import ContextOptions, MentionContext
from cdlm.config import EncoderConfig
from cdlm.encoder import PART_SPACING, CDLMModel, UpperLayers
from cdlm.sequences import Batch

T = TypeVar("T")

DROPOUT = 0.1
_PARTS = 3


@dataclass(frozen=True)
class ContextBatch(Batch):
    """Pairs of contexts, one after the other.

    `states`: What the lower layers say of their pieces. *Shape:* (pieces, width)
    `places`: Where each piece is; see :class:`cdlm.encoder.UpperLayers`. *Shape:* (pieces,)
    `lengths`: Pieces of every pair.
    `own`, `own_of`: The pieces of the mentions, as rows of `states`, and the mention of each: twice the number of the
        pair, plus one for the second. *Shape:* (own pieces,)
    `kinds`: The number of each pair's kind. *Shape:* (pairs,)
    """

    states: Tensor
    places: Tensor
    lengths: Sequence[int]
    own: Tensor
    own_of: Tensor
    kinds: Tensor


def collate_contexts(
    states: Tensor, rows: Sequence[Tensor], contexts: Sequence[MentionContext], kinds: Sequence[int]
) -> ContextBatch:
    """Batch pairs of contexts.

    `states`: What the lower layers say of pieces. *Shape:* (all pieces, width)
    `rows`: For every context its pieces as rows of `states`; the two of a pair follow each other.
    `kinds`: The number of each pair's kind.
    """
    both = [
        (first.places(PART_SPACING), second.places(PART_SPACING) + _PARTS * PART_SPACING)
        for first, second in _pairs(contexts)
    ]
    own = np.concatenate([context.own for context in contexts])
    sizes = [len(context) for context in contexts]
    return ContextBatch(
        states[torch.cat(list(rows))].float(),
        torch.from_numpy(np.concatenate([places for pair in both for places in pair])),
        [first + second for first, second in _pairs(sizes)],
        torch.from_numpy(np.flatnonzero(own)),
        torch.from_numpy(np.repeat(np.arange(len(sizes)), sizes)[own]),
        torch.tensor(list(kinds), dtype=torch.long),
    )


def _pairs(items: Sequence[T]) -> list[tuple[T, T]]:
    return list(zip(items[::2], items[1::2], strict=True))


def check_contexts(encoder: EncoderConfig, options: ContextOptions) -> None:
    """Refuse an encoder whose upper layers cannot read contexts side by side."""
    if encoder.relative_attention_num_buckets is None:
        raise InputError("model.contexts needs an encoder with relative positions, such as mpnet; this one has none")
    if options.lower_layers >= encoder.num_hidden_layers:
        raise InputError(
            f"contexts.lower_layers is {options.lower_layers}, but the encoder has {encoder.num_hidden_layers} layers; "
            "at least one must be left to read contexts together"
        )
    reach = min(encoder.attention_window) // 2
    if options.longest > reach:
        raise InputError(
            f"two contexts have up to {options.longest} word pieces, more than half the encoder's window of attention, "
            f"{reach}; make contexts.opening, contexts.names or contexts.sentence smaller"
        )


class ContextScorer(nn.Module):
    """Marks, upper layers and a scorer that is the same for both orders of a pair."""

    def __init__(self, encoder: CDLMModel, options: ContextOptions) -> None:
        super().__init__()
        width = encoder.config.hidden_size
        self.layers = UpperLayers(encoder, options.lower_layers, options.rank)
        self.marks = nn.Parameter(torch.empty(len(KINDS), width))
        nn.init.normal_(self.marks, std=0.02)
        self.hidden = nn.Linear(3 * width, options.width)
        self.output = nn.Linear(options.width, len(KINDS))
        self.dropout = nn.Dropout(DROPOUT)

    def forward(self, encoder: CDLMModel, batch: ContextBatch) -> Tensor:
        """Logits of the pairs. *Shape:* (pairs,)"""
        marked = batch.states.index_add(0, batch.own, self.marks[batch.kinds[batch.own_of // 2]])
        states = self.layers(encoder, marked, batch.places, batch.lengths, batch.own)
        with torch.autocast(states.device.type, enabled=False):
            sums = states.new_zeros(2 * len(batch.lengths), states.shape[1], dtype=torch.float32)
            sums = sums.index_add(0, batch.own_of, states.float())
            counts = torch.bincount(batch.own_of, minlength=len(sums)).clamp(min=1)
            first, second = (sums / counts[:, None]).unflatten(0, (-1, 2)).unbind(1)
            compared = torch.cat([first + second, first * second, (first - second).abs()], dim=1)
            logits = self.output(self.dropout(nn.functional.gelu(self.hidden(compared))))
        return logits.gather(1, batch.kinds[:, None])[:, 0]
