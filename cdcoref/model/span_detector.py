"""The head that finds mentions: the vectors of words and candidate spans in, a logit a span and kind out."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from cdcoref.corpus import KINDS


class SpanDetector(nn.Module):
    """Scores every span of up to `max_words` words of a sentence as an event, as an entity, or as neither.

    A span is its first word, its last word, the mean of its words and its length, through one hidden layer.
    """

    def __init__(self, width: int, hidden: int, max_words: int) -> None:
        super().__init__()
        self.max_words = max_words
        self.first = nn.Linear(width, hidden)
        self.last = nn.Linear(width, hidden)
        self.mean = nn.Linear(width, hidden)
        self.length = nn.Embedding(max_words, hidden)
        self.output = nn.Linear(hidden, len(KINDS))
        # About one span in a hundred is a mention: start from there.
        nn.init.constant_(self.output.bias, -4.6)

    def forward(self, words: Tensor, starts: Tensor, ends: Tensor) -> Tensor:
        """Logits of the spans, one a kind.

        Parameters
        ----------
        words
            Vectors of all words. *Shape:* (words, width)
        starts, ends
            First word of every span and one past its last. *Shape:* (spans,)

        Returns
        -------
        Tensor
            *Shape:* (spans, kinds)
        """
        projected = self.mean(words).float()
        total = torch.cat([projected.new_zeros(1, projected.shape[1]), projected.cumsum(0)])
        count = ends - starts
        mean = (total[ends] - total[starts]) / count[:, None]
        hidden = self.first(words)[starts] + self.last(words)[ends - 1] + mean + self.length(count - 1)
        return self.output(nn.functional.gelu(hidden))
