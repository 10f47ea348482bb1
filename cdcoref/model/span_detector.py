"""The head that finds mentions: word vectors and candidate spans in, one logit per span and kind out."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from cdcoref.corpus import KINDS

LEAST_ROWS = 16
"""With this many rows or more, MKL and oneDNN sum a product in the same order whatever their number."""


class SpanDetector(nn.Module):
    """Scores every span of up to `max_words` words of a sentence as an event, as an entity, or as neither.

    A span is represented by its first word, its last word, the mean of its words and its length, through one hidden
    layer. Its logits depend on the vectors of its words alone, to the last bit: the rest of the batch does not matter.
    """

    def __init__(self, width: int, hidden: int, max_words: int) -> None:
        super().__init__()
        self.max_words = max_words
        self.first = nn.Linear(width, hidden)
        self.last = nn.Linear(width, hidden)
        self.mean = nn.Linear(width, hidden)
        self.length = nn.Embedding(max_words, hidden)
        self.output = nn.Linear(hidden, len(KINDS))
        # About one span in a hundred is a mention: the bias starts there.
        nn.init.constant_(self.output.bias, -4.6)

    def forward(self, words: Tensor, starts: Tensor, ends: Tensor) -> Tensor:
        """Logits of the spans, one per kind.

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
        first, last, mean = (_product(layer, words) for layer in (self.first, self.last, self.mean))
        order = (ends - starts).argsort(stable=True)
        of_length = order.split(torch.bincount(ends - starts, minlength=self.max_words + 1).tolist())
        # From one length to the next, every position adds one word: a sum is independent of the rest of the batch.
        sums = single = mean.float()
        logits = []
        for length, spans in enumerate(of_length[1:], start=1):
            start = starts[spans]
            hidden = first[start] + last[start + length - 1] + sums[start] / length + self.length.weight[length - 1]
            logits.append(_product(self.output, nn.functional.gelu(hidden)))
            sums = sums[:-1] + single[length:]
        unordered = torch.cat(logits)
        return torch.empty_like(unordered).index_copy(0, order, unordered)


def _product(layer: nn.Linear, rows: Tensor) -> Tensor:
    """Apply the layer so that a row gives the same sums whatever the number of rows.

    For very few rows PyTorch's libraries sum in another order, so rows of zeros are added.
    """
    missing = max(0, LEAST_ROWS - len(rows))
    return layer(nn.functional.pad(rows, (0, 0, 0, missing)))[: len(rows)]
