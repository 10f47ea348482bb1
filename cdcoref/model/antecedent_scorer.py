"""The head that finds a pronoun's antecedent: word vectors and places of mentions in, one logit per candidate out.

A pronoun says next to nothing of what it refers to; where it stands does. So it is not compared with all mentions of a
story: the mentions around it in its own document are ranked as its antecedent, against none at all (Denis and Baldridge
2008; Lee et al. 2017).
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from cdcoref.model.mention_vectors import MentionProjection, two_hidden_layers
from cdcoref.model.model_config import ANAPHORS, ANTECEDENT_FEATURES

OF_MENTION = 6
"""Features of a mention besides its vectors and class."""
OF_PAIR = 7
"""Features of a pronoun and a candidate together."""
CLASS_WIDTH = 16


class AntecedentScorer(nn.Module):
    """A logit for a pronoun and each of its candidates; 0 is the logit of there being no antecedent.

    `width`: Of what the encoder's layers say of a word, together.
    `dimension`: Of the two vectors that a mention has: one as pronoun, one as candidate.
    `hidden`: Units of the first hidden layer; the second has half as many.
    `features`: Further features of mentions and pairs: names from `ANTECEDENT_FEATURES`.
    `projection`: What makes the two vectors of a mention.
    """

    def __init__(self, width: int, dimension: int, hidden: int, features: Sequence[str] = ()) -> None:
        super().__init__()
        self.dimension = dimension
        self.projection = MentionProjection(width, 2 * dimension, 0.3)
        self.classes = nn.Embedding(len(ANAPHORS), CLASS_WIDTH)
        of_mention, of_pair = feature_counts(features)
        inputs = 3 * dimension + 2 * (CLASS_WIDTH + of_mention) + of_pair
        self.layers = two_hidden_layers(inputs, hidden, max(1, hidden // 2), 0.2)

    @property
    def columns(self) -> int:
        """Numbers of a mention's two vectors."""
        return 2 * self.dimension

    def project(self, words: Tensor) -> Tensor:
        """The projections of words (:meth:`MentionProjection.project`), before mentions are known.

        *Shape:* (words, width) in, (words, 2 * columns) out
        """
        return self.projection.project(words)

    def forward(
        self, vectors: Tensor, classes: Tensor, features: Tensor, pronouns: Tensor, candidates: Tensor, pairs: Tensor
    ) -> Tensor:
        """Logits of pronouns and candidates. *Shape:* (pairs,)

        `vectors`: Of all mentions of a document by `projection`, as pronouns and as candidates, side by side.
            *Shape:* (mentions, columns)
        `classes`: The place of each in `ANAPHORS`. *Shape:* (mentions,)
        `features`: Further features of each. *Shape:* (mentions, numbers of a mention)
        `pronouns`, `candidates`: Numbers of mentions. *Shape:* (pairs,)
        `pairs`: Features of both together. *Shape:* (pairs, numbers of a pair)
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

    `logits`, `right`: Of pronouns and candidates, pronoun by pronoun; whether they corefer. *Shape:* (pairs,)
    `sizes`: Candidates of every pronoun.
    """
    losses = []
    for own, correct in zip(logits.split(list(sizes)), right.split(list(sizes)), strict=True):
        with_none = torch.cat([own.new_zeros(1), own])
        chosen = torch.cat([~correct.any()[None], correct])
        losses.append(with_none.logsumexp(0) - with_none[chosen].logsumexp(0))
    return torch.stack(losses).mean()
