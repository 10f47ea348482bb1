"""The head that scores two mentions that were read together (paper, Appendix C.1)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from cdcoref.corpus import KINDS


class PairScorer(nn.Module):
    """A logit for two mentions, from ``[s, m_i, m_j, m_i * m_j]``: one hidden layer with tanh, an output per kind."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.hidden = nn.Linear(4 * width, hidden)
        self.output = nn.Linear(hidden, len(KINDS))

    def forward(self, sequences: Tensor, first: Tensor, second: Tensor, kinds: Tensor) -> Tensor:
        """Logits of the pairs. *Shape:* (pairs,)

        `sequences`: Vectors of ``[CLS]``. *Shape:* (pairs, width)
        `first`, `second`: Sums of the vectors of the mentions' pieces. *Shape:* (pairs, width)
        `kinds`: The number of each pair's kind. *Shape:* (pairs,)
        """
        compared = torch.cat([sequences, first, second, first * second], dim=1)
        logits: Tensor = self.output(torch.tanh(self.hidden(compared)))
        return logits.gather(1, kinds[:, None]).squeeze(1)
