"""Learnt vectors of mentions: what the encoder's layers say of words in, a short vector per mention out.

A mention's vector is a linear map of the mean of its words plus another of its last word or that of its head.
Both maps can be applied to all words of a document before its mentions are known.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class MentionProjection(nn.Module):
    """Two linear maps.

    `width`: Of what the layers say of a word, together.
    `dimension`: Of a mention's vector.
    `dropout`: Share of the input that is left out in training.
    """

    def __init__(self, width: int, dimension: int, dropout: float) -> None:
        super().__init__()
        self.mean = nn.Linear(width, dimension)
        self.last = nn.Linear(width, dimension, bias=False)
        self.dropout = nn.Dropout(dropout)

    def project(self, words: Tensor) -> Tensor:
        """The projections of words, kept until the mentions are known.

        The vector of a mention is the mean over its words of the first half, plus the second half of one word.
        *Shape:* (words, width) in, (words, 2 * dimension) out
        """
        return torch.cat([self.mean(words), self.last(words)], dim=1)

    def forward(self, mean: Tensor, last: Tensor) -> Tensor:
        """Vectors of mentions whose words are known. *Shape:* (mentions, dimension)

        `mean`, `last`: The mean of a mention's words, and the last of them or of its head. *Shape:* (mentions, width)
        """
        vectors: Tensor = self.mean(self.dropout(mean)) + self.last(self.dropout(last))
        return vectors
