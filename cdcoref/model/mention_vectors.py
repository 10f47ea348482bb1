"""What a document says of its mentions when it is read alone: layers of the encoder in, vectors and a quick logit out.

The vectors are those that the encoder gave before it was fine-tuned for coreference, as far as a linear map of several
of its layers can restore them: fine-tuning on few topics makes an encoder forget much of what it knew about others. Two
mentions are compared by the cosines of their own vectors, of their sentences' and of their documents', and by what is
known about the pair besides the text (:mod:`cdcoref.sequences.pair_features`). That costs next to nothing a pair, and
says which pairs are worth reading together.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from cdcoref.corpus import KINDS

PAIRS_AT_ONCE = 65_536
"""Pairs whose hidden layers are in memory at the same time."""


class VectorHead(nn.Module):
    """Word vectors from several layers of the encoder.

    Parameters
    ----------
    width
        Of the encoder's layers, and of the vectors.
    layers
        How many of the last layers.
    """

    def __init__(self, width: int, layers: int) -> None:
        super().__init__()
        self.layers = layers
        self.projection = nn.Linear(width * layers, width)

    def gathered(self, hidden_states: Sequence[Tensor], pieces: Tensor, word_of_piece: Tensor, words: int) -> Tensor:
        """What the layers say of words, each the mean over its pieces.

        Parameters
        ----------
        hidden_states
            Of all layers. *Shape* of each: (batch, length, width)
        pieces, word_of_piece
            Positions in the flattened batch, and the word that each belongs to. *Shape:* (pieces,)
        words
            How many words there are.

        Returns
        -------
        Tensor
            *Shape:* (words, layers * width)
        """
        chosen = hidden_states[-self.layers :]
        said = torch.cat([state.reshape(-1, state.shape[-1])[pieces] for state in chosen], dim=-1).float()
        sums = said.new_zeros(words, said.shape[-1]).index_add(0, word_of_piece, said)
        return sums / torch.bincount(word_of_piece, minlength=words).clamp(min=1)[:, None]

    def forward(self, gathered: Tensor) -> Tensor:
        """Vectors of words. *Shape:* (words, layers * width) in, (words, width) out"""
        vectors: Tensor = self.projection(gathered)
        return vectors


class KindScorer(nn.Module):
    """A logit for two mentions of one kind, from standardised numbers through two hidden layers."""

    mean: Tensor
    scale: Tensor

    def __init__(self, features: int, hidden: int) -> None:
        super().__init__()
        half = max(1, hidden // 2)
        self.register_buffer("mean", torch.zeros(features))
        self.register_buffer("scale", torch.ones(features))
        self.layers = nn.Sequential(
            nn.Linear(features, hidden),
            nn.GELU(),
            nn.Dropout(0.1),
            nn.Linear(hidden, half),
            nn.GELU(),
            nn.Linear(half, 1),
        )

    def standardise(self, known: Tensor) -> None:
        """Take mean and spread of what the scorer will be told from examples. *Shape:* (pairs, features)"""
        self.mean.copy_(known.mean(dim=0))
        self.scale.copy_(known.std(dim=0, correction=0) + 1e-3)

    def forward(self, known: Tensor) -> Tensor:
        """*Shape:* (pairs, features) in, (pairs,) out"""
        logits: Tensor = self.layers((known - self.mean) / self.scale).squeeze(-1)
        return logits


class VectorScorer(nn.Module):
    """A logit for two mentions that were read apart, from cosines and features; one small network a kind.

    Parameters
    ----------
    features
        How many numbers are known about a pair, cosines included.
    hidden
        Units of the first hidden layer; the second has half as many.
    """

    def __init__(self, features: int, hidden: int) -> None:
        super().__init__()
        self.kinds = nn.ModuleDict({kind: KindScorer(features, hidden) for kind in KINDS})

    def forward(self, known: Tensor, kind: str) -> Tensor:
        """Logits of pairs of one kind. *Shape:* (pairs, features) in, (pairs,) out"""
        at_once = max(1, len(known) if torch.is_grad_enabled() else PAIRS_AT_ONCE)
        logits = [self.kinds[kind](part) for part in known.split(at_once)]
        return torch.cat(logits) if logits else known.new_zeros(0)
