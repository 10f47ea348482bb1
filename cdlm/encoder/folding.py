"""Rows of a few global tokens without keys and values of every token: their query is multiplied by the key projection
once, and the value projection waits until hidden states are averaged."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

from cdlm.encoder.layout import SequencePlace

FEW_GLOBAL = 8
"""Folding is used up to this many global tokens per sequence; with a quarter of a head's width, it gains 3/4."""

Observe = Callable[[int, Tensor], None]
"""Called with a sequence's number and its weights, *shape* (global tokens, heads, tokens), before dropout."""


def folded_attention(
    hidden: Tensor,
    global_query: Tensor,
    key: nn.Linear,
    value: nn.Linear,
    sequences: Sequence[SequencePlace],
    dropout: float = 0.0,
    observe: Observe | None = None,
    bias: Callable[[SequencePlace], Tensor] | None = None,
) -> Tensor:
    """Attention of global tokens to all tokens of their sequence.

    *Shape:* hidden states (tokens, width) and queries (global tokens, heads, width of a head) in, like the queries out.
    The bias gives what is added to the scores of a sequence, *shape* (global tokens, heads, tokens).
    """
    heads, width = global_query.shape[1:]
    query = global_query / math.sqrt(width)
    folded = torch.einsum("ghw,hwd->ghd", query, key.weight.unflatten(0, (heads, width)))
    # The same for all tokens, so it changes no weight; it is added so that the bias gets its gradient of zeros.
    shift = torch.einsum("ghw,hw->gh", query, key.bias.unflatten(0, (heads, width)))[..., None]
    means, totals = [], []
    for number, sequence in enumerate(sequences):
        states = hidden[sequence.tokens]
        scores = torch.einsum("ghd,nd->ghn", folded[sequence.global_tokens], states)
        scores = scores + shift[sequence.global_tokens]
        if bias is not None:
            scores = scores + bias(sequence).to(scores.dtype)
        weights = torch.softmax(scores, dim=-1)
        if observe is not None:
            observe(number, weights)
        weights = nn.functional.dropout(weights, dropout)
        means.append(torch.einsum("ghn,nd->ghd", weights, states))
        totals.append(weights.sum(-1))
    values = torch.einsum("ghd,hwd->ghw", torch.cat(means), value.weight.unflatten(0, (heads, width)))
    constant = value.bias.unflatten(0, (heads, width))
    return values + torch.cat(totals)[..., None].to(values.dtype) * constant.to(values.dtype)
