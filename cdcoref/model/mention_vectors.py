"""What two documents that were read alone say of a pair of their mentions: what is known in, a quick logit out.

Two mentions are compared by the cosines of their own vectors, of their sentences' and of their documents', and by what
is known about the pair besides the text (:mod:`cdcoref.sequences.pair_features`). The vectors are those of the encoder
as it was before it was fine-tuned for coreference (:class:`cdlm.encoder.EarlierEncoder`): fine-tuning on few topics
makes an encoder forget much of what it knew about others. Entities are also compared by vectors learnt from what the
fine-tuned encoder says of their words. All that costs next to nothing a pair, and says which pairs are worth reading
together.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from cdcoref.corpus import ENTITY, KINDS
from cdcoref.model.mention_projection import MentionProjection

PAIRS_AT_ONCE = 65_536
"""Pairs whose hidden layers are in memory at the same time."""

LEAST_SPREAD = 0.005
"""What differs less than this in training (a feature of one pair in some 60,000) is left out: standardised, it would
outweigh all the rest where it does differ."""


class KindScorer(nn.Module):
    """A logit for two mentions of one kind, from standardised numbers through two hidden layers.

    With learnt vectors a second network sees their products and differences too, and the logit is the mean of both: it
    knows more, and what it has learnt of few topics weighs less.
    """

    mean: Tensor
    scale: Tensor

    def __init__(self, features: int, hidden: int, width: int, dimension: int) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(features))
        self.register_buffer("scale", torch.ones(features))
        self.layers = _two_hidden_layers(features, hidden, max(1, hidden // 2), 0.1)
        self.projection: MentionProjection | None = None
        self.with_vectors: nn.Sequential | None = None
        if dimension:
            self.projection = MentionProjection(width, dimension, 0.3)
            self.with_vectors = _two_hidden_layers(features + 2 * dimension, 2 * dimension, dimension, 0.2)

    def standardise(self, known: Tensor) -> None:
        """Take mean and spread of what the scorer will be told from examples. *Shape:* (pairs, features)"""
        self.mean.copy_(known.mean(dim=0))
        self.scale.copy_(known.std(dim=0, correction=0) + 1e-3)

    def logits(self, known: Tensor, one: Tensor, other: Tensor) -> list[Tensor]:
        """Those of each of its networks.

        Parameters
        ----------
        known
            What is known of pairs. *Shape:* (pairs, features)
        one, other
            Learnt vectors of the two mentions. *Shape:* (pairs, dimension)

        Returns
        -------
        list
            *Shape* of each: (pairs,)
        """
        standard = ((known - self.mean) / self.scale).masked_fill(self.scale < LEAST_SPREAD, 0.0)
        found = [self.layers(standard).squeeze(-1)]
        if self.with_vectors is not None:
            told = torch.cat([standard, one * other, (one - other).abs()], dim=1)
            found.append(self.with_vectors(told).squeeze(-1))
        return found

    def forward(self, known: Tensor, one: Tensor, other: Tensor) -> Tensor:
        """Their mean. *Shape:* (pairs,)"""
        return torch.stack(self.logits(known, one, other)).mean(dim=0)


class VectorScorer(nn.Module):
    """A logit for two mentions that were read apart, from cosines, features and learnt vectors; networks a kind.

    Parameters
    ----------
    features
        How many numbers are known about a pair, cosines included.
    hidden
        Units of the first hidden layer; the second has half as many.
    width
        Of what the encoder's layers say of a word, together.
    dimension
        Of learnt vectors; 0: none. Only entities have them: of the few events that are annotated across documents they
        learn topics by heart.
    """

    def __init__(self, features: int, hidden: int, width: int, dimension: int) -> None:
        super().__init__()
        self.dimension = dimension
        self.kinds = nn.ModuleDict(
            {kind: KindScorer(features, hidden, width, dimension if kind == ENTITY else 0) for kind in KINDS}
        )

    def project(self, words: Tensor) -> Tensor:
        """What is kept of words for the learnt vectors of entities. *Shape:* (words, width), (words, 2 * dimension)"""
        scorer = self.kinds[ENTITY]
        assert isinstance(scorer, KindScorer)
        projection = scorer.projection
        return words[:, :0] if projection is None else projection.project(words)

    def forward(self, known: Tensor, vectors: Tensor, pairs: Tensor, kind: str) -> Tensor:
        """Logits of pairs of one kind.

        Parameters
        ----------
        known
            What is known of pairs. *Shape:* (pairs, features)
        vectors
            Learnt vectors of mentions. *Shape:* (mentions, dimension)
        pairs
            Positions of mentions in `vectors`. *Shape:* (pairs, 2)
        kind
            Of the mentions.

        Returns
        -------
        Tensor
            *Shape:* (pairs,)
        """
        logits = [
            self.kinds[kind](part, vectors[own[:, 0]], vectors[own[:, 1]])
            for part, own in zip(known.split(PAIRS_AT_ONCE), pairs.split(PAIRS_AT_ONCE), strict=True)
        ]
        return torch.cat(logits) if logits else known.new_zeros(0)


def _two_hidden_layers(inputs: int, hidden: int, second: int, dropout: float) -> nn.Sequential:
    return nn.Sequential(
        nn.Linear(inputs, hidden),
        nn.GELU(),
        nn.Dropout(dropout),
        nn.Linear(hidden, second),
        nn.GELU(),
        nn.Linear(second, 1),
    )
