"""The head that finds a pronoun's antecedent: word vectors and places of mentions in, one logit per candidate out.

A pronoun says next to nothing of what it refers to; where it stands does. So it is not compared with all mentions of a
story: the mentions around it in its own document are ranked as its antecedent, against none at all (Denis and Baldridge
2008; Lee et al. 2017).
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from cdcoref.model.config import ANAPHORS, ANTECEDENT_FEATURES
from cdcoref.model.mention_projection import MentionProjection

OF_MENTION = 6
"""Features of a mention besides its vectors and class."""
OF_PAIR = 7
"""Features of a pronoun and a candidate together."""
CLASS_WIDTH = 16


class AntecedentScorer(nn.Module):
    """A logit for a pronoun and each of its candidates; 0 is the logit of there being no antecedent.

    The mean over one or several networks, which differ only in their random initialisation and in what was drawn
    for them in training.

    Parameters
    ----------
    width
        Of what the encoder's layers say of a word, together.
    dimension
        Of the two vectors that a mention has: one as pronoun, one as candidate.
    hidden
        Units of the first hidden layer; the second has half as many.
    features
        Further features of mentions and pairs: names from `ANTECEDENT_FEATURES`.
    starts
        How many networks there are. The first is the same, whatever their number.

    Attributes
    ----------
    projection
        What makes the vectors of the first network.
    further
        The second network, the third and so on, each a scorer of its own.
    """

    def __init__(self, width: int, dimension: int, hidden: int, features: Sequence[str] = (), starts: int = 1) -> None:
        super().__init__()
        self.dimension = dimension
        self.projection = MentionProjection(width, 2 * dimension, 0.3)
        self.classes = nn.Embedding(len(ANAPHORS), CLASS_WIDTH)
        of_mention, of_pair = feature_counts(features)
        self.layers = nn.Sequential(
            nn.Linear(3 * dimension + 2 * (CLASS_WIDTH + of_mention) + of_pair, hidden),
            nn.GELU(),
            nn.Dropout(0.2),
            nn.Linear(hidden, half := max(1, hidden // 2)),
            nn.GELU(),
            nn.Linear(half, 1),
        )
        with torch.random.fork_rng(devices=[]):
            others = [AntecedentScorer(width, dimension, hidden, features) for _ in range(1, starts)]
        self.further = nn.ModuleList(others)

    @property
    def networks(self) -> list[AntecedentScorer]:
        """All of them, the first being the scorer itself."""
        return [self, *(network for network in self.further if isinstance(network, AntecedentScorer))]

    @property
    def columns(self) -> int:
        """Numbers of a mention's vectors, of all networks together."""
        return 2 * self.dimension * len(self.networks)

    def project(self, words: Tensor) -> Tensor:
        """The projections of words by all networks (:meth:`MentionProjection.project`), before mentions are known.

        *Shape:* (words, width) in, (words, 2 * columns) out
        """
        halves = [network.projection.project(words).unflatten(1, (2, -1)) for network in self.networks]
        return torch.cat(halves, dim=2).flatten(1)

    def forward(
        self, vectors: Tensor, classes: Tensor, features: Tensor, pronouns: Tensor, candidates: Tensor, pairs: Tensor
    ) -> Tensor:
        """Logits of pronouns and candidates: the mean of those of all networks.

        Parameters
        ----------
        vectors
            Of all mentions of a document, network by network. *Shape:* (mentions, columns)
        classes, features, pronouns, candidates, pairs
            As of :meth:`logits`.

        Returns
        -------
        Tensor
            *Shape:* (pairs,)
        """
        own = vectors.split(2 * self.dimension, dim=1)
        found = [
            network.logits(table, classes, features, pronouns, candidates, pairs)
            for network, table in zip(self.networks, own, strict=True)
        ]
        return torch.stack(found).mean(dim=0)

    def logits(
        self, vectors: Tensor, classes: Tensor, features: Tensor, pronouns: Tensor, candidates: Tensor, pairs: Tensor
    ) -> Tensor:
        """Logits of the first network alone.

        Parameters
        ----------
        vectors
            Of all mentions of a document by `projection`, as pronouns and as candidates, side by side.
            *Shape:* (mentions, 2 * dimension)
        classes
            The place of each in `ANAPHORS`. *Shape:* (mentions,)
        features
            Further features of each. *Shape:* (mentions, numbers of a mention)
        pronouns, candidates
            Numbers of mentions. *Shape:* (pairs,)
        pairs
            Features of both together. *Shape:* (pairs, numbers of a pair)

        Returns
        -------
        Tensor
            *Shape:* (pairs,)
        """
        one, other = vectors[pronouns, : self.dimension], vectors[candidates, self.dimension :]
        compared = [one * other, one, other, self.classes(classes[pronouns]), self.classes(classes[candidates])]
        logits: Tensor = self.layers(torch.cat([*compared, features[pronouns], features[candidates], pairs], dim=1))
        return logits.squeeze(-1)


def feature_counts(features: Sequence[str]) -> tuple[int, int]:
    """Numbers of a mention, and of a pronoun and a candidate together, with these further features."""
    sizes = [(OF_MENTION, OF_PAIR), *(ANTECEDENT_FEATURES[name] for name in features)]
    return sum(of_mention for of_mention, _ in sizes), sum(of_pair for _, of_pair in sizes)


def antecedent_loss(logits: Tensor, right: Tensor, sizes: Sequence[int]) -> Tensor:
    """Mean over pronouns of the negative log probability of all their right antecedents, or of none if they have none.

    Parameters
    ----------
    logits, right
        Of pronouns and candidates, pronoun by pronoun; whether they corefer. *Shape:* (pairs,)
    sizes
        Candidates of every pronoun.
    """
    losses = []
    for own, correct in zip(logits.split(list(sizes)), right.split(list(sizes)), strict=True):
        with_none = torch.cat([own.new_zeros(1), own])
        chosen = torch.cat([~correct.any()[None], correct])
        losses.append(with_none.logsumexp(0) - with_none[chosen].logsumexp(0))
    return torch.stack(losses).mean()
