"""The bi-encoder's head: features and vectors of two mentions, each read alone, in; a logit of the pair out.

Two mentions are compared by the cosines of their own vectors, of their sentences' and of their documents', and by what
is known about the pair besides the text (:mod:`cdcoref.language.pair_features`). Mentions may also be compared by
vectors learnt from what the encoder says of their words. All that costs next to nothing a pair, and says which pairs
are worth reading together.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import torch
from torch import Tensor, nn

from cdcoref.corpus import KINDS
from cdcoref.model.model_config import ALL, LEARNT, UNSEEN

PAIRS_AT_ONCE = 2048
"""Pairs whose hidden layers are in memory at the same time: they stay in the processor's cache."""
_PROJECTION = {ALL: "projection", UNSEEN: "projection_of_unseen"}
_NETWORK = {ALL: "with_vectors", UNSEEN: "with_vectors_of_unseen"}

MIN_SPREAD = 0.005
"""Features whose spread in training is smaller (those of one pair in some 60,000) are left out: standardised, they
would outweigh all others in the few pairs that have them."""


class MentionProjection(nn.Module):
    """Two linear maps: of the mean of a mention's words, and of its last word or that of its head.

    Both can be applied to all words of a document before its mentions are known.

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
        """Projections of words until mentions are known: halves for mean and last. *Shape:* (words, 2 * dimension)"""
        return torch.cat([self.mean(words), self.last(words)], dim=1)

    def forward(self, mean: Tensor, last: Tensor) -> Tensor:
        """Vectors of mentions from the mean and the last (or head) of their words. *Shape:* (mentions, dimension)"""
        return self.mean(self.dropout(mean)) + self.last(self.dropout(last))


class MonotoneNetwork(nn.Module):
    """A network with one output that never falls when an input marked as evidence rises.

    It is the sum of two networks. One sees all inputs but the evidence, and is free. The other sees all; on the paths
    from evidence to its output there are only weights of at least 0, and tanh.

    `evidence`: Which of the first inputs are evidence.
    `others`: Inputs behind these, which are not.
    `hidden`, `second`: Units of the hidden layers of both networks.
    `dropout`: Share of the units of the first hidden layer of the free network that are left out in training.
    """

    def __init__(self, evidence: Sequence[bool], others: int, hidden: int, second: int, dropout: float) -> None:
        super().__init__()
        self._evidence = [place for place, raising in enumerate(evidence) if raising]
        self._others = [place for place in range(len(evidence) + others) if place not in set(self._evidence)]
        free = len(self._others)
        self.free = two_hidden_layers(free, hidden, second, dropout)
        self.first_given = nn.Linear(free, hidden)
        self.first = nn.Linear(len(self._evidence), hidden, bias=False)
        self.second_given = nn.Linear(free, second)
        self.second = nn.Linear(hidden, second, bias=False)
        self.last = nn.Linear(second, 1, bias=False)

    def forward(self, inputs: Tensor) -> Tensor:
        """*Shape:* (rows, inputs) in, (rows,) out"""
        others = inputs[:, self._others]
        first = torch.tanh(_raised(self.first, inputs[:, self._evidence]) + self.first_given(others))
        second = torch.tanh(_raised(self.second, first) + self.second_given(others))
        return (self.free(others) + _raised(self.last, second)).squeeze(-1)


def _raised(layer: nn.Linear, inputs: Tensor) -> Tensor:
    """What a layer makes of inputs if its weights have no signs."""
    return nn.functional.linear(inputs, layer.weight.abs())


class KindScorer(nn.Module):
    """A logit for two mentions of one kind, which no agreement lowers and no conflict raises.

    Features that training shows in too few pairs to learn from have a weight of their own (`prior`). The others are
    standardised and pass a network. Further networks see the products and differences of learnt vectors too, each of
    vectors of its own (`LEARNT`). The logit is the weighted mean of all: those know more, and what they have learnt of
    few topics weighs less.

    `evidence`: Which of the numbers that are compared of a pair, cosines included, are evidence of coreference.
    `hidden`: Units of the first hidden layer; the second has half as many.
    `width`: Of what the encoder's layers say of a word, together.
    `dimension`: Of learnt vectors.
    `shares`: What each further network counts in the mean, by name; together at most 1.
    `columns`: Which of the learnt vectors of a mention are those of each.
    """

    mean: Tensor
    scale: Tensor
    prior: Tensor

    def __init__(
        self,
        evidence: Sequence[bool],
        hidden: int,
        width: int,
        dimension: int,
        shares: Mapping[str, float] = MappingProxyType({}),
        columns: Mapping[str, slice] = MappingProxyType({}),
    ) -> None:
        super().__init__()
        self.shares, self.columns = dict(shares), dict(columns)
        features = len(evidence)
        self.register_buffer("mean", torch.zeros(features))
        self.register_buffer("scale", torch.ones(features))
        self.register_buffer("prior", torch.zeros(features))
        self.layers = MonotoneNetwork(evidence, 0, hidden, max(1, hidden // 2), 0.1)
        for name in self.shares:
            self.add_module(_PROJECTION[name], MentionProjection(width, dimension, 0.3))
            network = MonotoneNetwork(evidence, 2 * dimension, 2 * dimension, dimension, 0.2)
            self.add_module(_NETWORK[name], network)

    def projection_of(self, name: str) -> MentionProjection:
        """The projection that makes the vectors of one of the further networks."""
        found = self.get_submodule(_PROJECTION[name])
        assert isinstance(found, MentionProjection)
        return found

    def network_of(self, name: str) -> nn.Module:
        """One of the further networks."""
        return self.get_submodule(_NETWORK[name])

    def standardise(self, features: Tensor, rare: Tensor | None = None, prior: Tensor | None = None) -> None:
        """Take mean and spread of features from examples; `rare` ones get their `prior`. *Shapes:* (pairs, features)"""
        self.mean.copy_(features.mean(dim=0))
        self.scale.copy_(features.std(dim=0, correction=0) + 1e-3)
        if rare is not None and prior is not None:
            self.scale.masked_fill_(rare, 0.0)
            self.prior.copy_(prior * rare)

    def standardised(self, features: Tensor) -> Tensor:
        """Features as networks see them, of mean 0 and spread 1; rare ones are 0. *Shape:* (pairs, features)"""
        seen = self.scale >= MIN_SPREAD
        return torch.where(seen, (features - self.mean) / self.scale.masked_fill(~seen, 1.0), 0.0)

    def by_vectors(self, name: str, standard: Tensor, one: Tensor, other: Tensor) -> Tensor:
        """Logits of one of the further networks. *Shape:* (pairs,)

        `name`: Which one, of `LEARNT`.
        `standard`: As :meth:`standardised` gives it. *Shape:* (pairs, features)
        `one`, `other`: Its vectors of the two mentions. *Shape:* (pairs, dimension)
        """
        return self.network_of(name)(torch.cat([standard, one * other, (one - other).abs()], dim=1))

    def forward(self, features: Tensor, one: Tensor, other: Tensor) -> Tensor:
        """The weighted mean of all networks for features and learnt vectors, and the priors. *Shape:* (pairs,)"""
        standard = self.standardised(features)
        logits = (1 - sum(self.shares.values())) * self.layers(standard) + features @ self.prior
        for name, share in self.shares.items():
            own = self.columns[name]
            logits = logits + share * self.by_vectors(name, standard, one[:, own], other[:, own])
        return logits


class VectorScorer(nn.Module):
    """The bi-encoder's logit for two mentions, from cosines, features and learnt vectors: a scorer for each kind.

    `evidence`, `hidden`, `width`: As of :class:`KindScorer`.
    `dimension`: Of learnt vectors; 0: none.
    `shares`: By kind, what its networks with learnt vectors count, by their names in `LEARNT`; a kind has those that
        are named for it.
    `columns`: Numbers of all learnt vectors of a mention.
    `learning`: The kinds of mention that have any.
    `kinds`: The scorer of each kind.
    """

    def __init__(
        self,
        evidence: Sequence[bool],
        hidden: int,
        width: int,
        dimension: int,
        shares: Mapping[str, Mapping[str, float]],
    ) -> None:
        super().__init__()
        of_kinds = {kind: dict(shares.get(kind, {})) if dimension else {} for kind in KINDS}
        names = [name for name in LEARNT if any(name in own for own in of_kinds.values())]
        self.columns = dimension * len(names)
        self.learning = tuple(kind for kind in KINDS if of_kinds[kind])
        places = {name: slice(n * dimension, (n + 1) * dimension) for n, name in enumerate(names)}
        self.kinds = nn.ModuleDict(
            {kind: KindScorer(evidence, hidden, width, dimension, own, places) for kind, own in of_kinds.items()}
        )

    def of_kind(self, kind: str) -> KindScorer:
        """The scorer of one kind of mention."""
        found = self.kinds[kind]
        assert isinstance(found, KindScorer)
        return found

    def project(self, words: Tensor) -> Tensor:
        """Projections of words for learnt vectors, by kind. *Shape:* (words, kinds that learn * 2 * columns)"""
        kept = [words[:, :0]]
        for kind in self.learning:
            halves, scorer = words.new_zeros(len(words), 2, self.columns), self.of_kind(kind)
            for name in scorer.shares:
                halves[:, :, scorer.columns[name]] = scorer.projection_of(name).project(words).unflatten(1, (2, -1))
            kept.append(halves.flatten(1))
        return torch.cat(kept, dim=1)

    def forward(self, features: Tensor, vectors: Tensor, pairs: Tensor, kind: str) -> Tensor:
        """Logits of pairs of one kind. *Shape:* (pairs,)

        `features`: What is compared of pairs besides learnt vectors. *Shape:* (pairs, features)
        `vectors`: Learnt vectors of mentions. *Shape:* (mentions, columns)
        `pairs`: Positions of mentions in `vectors`. *Shape:* (pairs, 2)
        """
        scorer = self.of_kind(kind)
        parts = [
            scorer(part, vectors[own[:, 0]], vectors[own[:, 1]])
            for part, own in zip(features.split(PAIRS_AT_ONCE), pairs.split(PAIRS_AT_ONCE), strict=True)
        ]
        return torch.cat(parts) if parts else features.new_zeros(0)


def two_hidden_layers(inputs: int, hidden: int, second: int, dropout: float) -> nn.Sequential:
    """A network for one number, with dropout behind the first of its hidden layers."""
    return nn.Sequential(
        nn.Linear(inputs, hidden),
        nn.GELU(),
        nn.Dropout(dropout),
        nn.Linear(hidden, second),
        nn.GELU(),
        nn.Linear(second, 1),
    )
