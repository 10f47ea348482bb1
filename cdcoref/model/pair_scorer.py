"""The head that scores pairs of mentions (paper, Appendix C.1): vectors in, one logit per pair out."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from cdcoref.corpus import KINDS

PAIRS_AT_ONCE = 16_384
"""Pairs whose hidden layer is held in memory at the same time outside training."""


class PairScorer(nn.Module):
    """The probability that two mentions corefer, from ``[s, m_i, m_j, m_i * m_j]`` (Appendix C.1).

    What is known about a pair besides the text (`features` numbers) is appended to the concatenation. There is one
    hidden layer with tanh, and one output per kind of mention. The hidden layer's product with the concatenation is
    computed as the sum of four products, of which only that with ``m_i * m_j`` has one row per pair.
    """

    def __init__(self, width: int, hidden: int, features: int = 0) -> None:
        super().__init__()
        self.hidden = nn.Linear(4 * width + features, hidden)
        self.output = nn.Linear(hidden, len(KINDS))

    def forward(
        self,
        sequences: Tensor,
        mentions: Tensor,
        pairs: Tensor,
        pair_sequence: Tensor,
        kinds: Tensor,
        features: Tensor,
    ) -> Tensor:
        """Logits of the pairs.

        Parameters
        ----------
        sequences
            Vectors of ``[CLS]``. *Shape:* (sequences, width)
        mentions
            Vectors of the mentions. *Shape:* (spans, width)
        pairs, pair_sequence, kinds
            Spans, sequence and kind of every pair. *Shape:* (pairs, 2), (pairs,), (pairs,)
        features
            What is known about every pair. *Shape:* (pairs, features)
        """
        width = mentions.shape[1]
        of_sequence, of_first, of_second, of_product, of_features = self.hidden.weight.split(
            [width, width, width, width, self.hidden.in_features - 4 * width], dim=1
        )
        base = nn.functional.linear(sequences, of_sequence, self.hidden.bias)
        left = nn.functional.linear(mentions, of_first)
        right = nn.functional.linear(mentions, of_second)
        at_once = len(pairs) if torch.is_grad_enabled() else PAIRS_AT_ONCE
        logits = []
        for chunk in torch.arange(len(pairs), device=pairs.device).split(max(1, at_once)):
            i, j = pairs[chunk, 0], pairs[chunk, 1]
            product = nn.functional.linear(mentions[i] * mentions[j], of_product)
            total = base[pair_sequence[chunk]] + left[i] + right[j] + product
            if of_features.shape[1]:
                total = total + nn.functional.linear(features[chunk], of_features)
            activation = torch.tanh(total)
            both = self.output(activation)
            logits.append(both.gather(1, kinds[chunk, None]).squeeze(1))
        return torch.cat(logits) if logits else sequences.new_zeros(0)
