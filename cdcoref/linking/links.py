"""What ties mentions to each other, and how sure that is: probabilities of pairs in, a confidence of every mention out.

Mentions are tied in two ways. Pairs are compared, and clusters are made of them; a pronoun, where the model finds the
antecedents of pronouns, follows its antecedent alone. People may tie mentions too, or deny that they are the same. The
confidences of :mod:`cdcoref.predict.predictor` and of a corrected :mod:`cdcoref.collection` are both defined here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from cdcoref.clustering import PairScores

Integers = NDArray[np.integer]
Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class MentionLinks:
    """The pairs of mentions that were compared, and pronouns with their antecedents.

    `compared`: Probabilities that two mentions corefer, neither of them a pronoun whose antecedent was sought.
    `pronouns`, `candidates`, `probability`: Pronouns, their antecedents, and how probable it is that they refer to what
        those do. *Shapes:* (pronouns,)
    """

    compared: PairScores
    pronouns: Integers
    candidates: Integers
    probability: Numbers

    @classmethod
    def of(cls, scores: PairScores, sought: NDArray[np.bool_], keys: Sequence[tuple[object, ...]]) -> MentionLinks:
        """Separate compared pairs from pronouns and their candidates.

        `scores`: Of all pairs.
        `sought`: Which mentions are pronouns whose antecedents were sought. *Shape:* (mentions,)
        `keys`: Of the mentions, in the order of the text. Of two pronouns the later refers to the earlier.
        """
        of_pronouns = sought[scores.first] | sought[scores.second]
        best: dict[int, tuple[int, float]] = {}
        candidates = _chosen(scores, of_pronouns)
        for one, other, score in zip(
            candidates.first.tolist(), candidates.second.tolist(), candidates.score.tolist(), strict=True
        ):
            later = sought[one] and not (sought[other] and keys[one] < keys[other])
            pronoun, candidate = (one, other) if later else (other, one)
            if score > best.get(pronoun, (0, -1.0))[1]:
                best[pronoun] = candidate, score
        return cls(
            _chosen(scores, ~of_pronouns),
            np.array(list(best), dtype=np.int64),
            np.array([candidate for candidate, _ in best.values()], dtype=np.int64),
            np.array([score for _, score in best.values()], dtype=np.float64),
        )

    @classmethod
    def joined(cls, parts: Sequence[MentionLinks], offsets: Sequence[int], size: int) -> MentionLinks:
        """The links of several sets as one of `size` mentions; `offsets` are added to the numbers of each."""
        shifted = list(zip(parts, offsets, strict=True))
        nobody = np.zeros(0, dtype=np.int64)
        return cls(
            PairScores(
                size,
                np.concatenate([nobody, *(part.compared.first + offset for part, offset in shifted)]),
                np.concatenate([nobody, *(part.compared.second + offset for part, offset in shifted)]),
                np.concatenate([np.zeros(0), *(part.compared.score for part in parts)]),
            ),
            np.concatenate([nobody, *(part.pronouns + offset for part, offset in shifted)]),
            np.concatenate([nobody, *(part.candidates + offset for part, offset in shifted)]),
            np.concatenate([np.zeros(0), *(part.probability for part in parts)]),
        )

    @property
    def size(self) -> int:
        """How many mentions there are."""
        return self.compared.size

    @cached_property
    def antecedents(self) -> dict[int, tuple[int, float]]:
        """The antecedent of every pronoun that has one, and how probable it is."""
        found = zip(self.pronouns.tolist(), self.candidates.tolist(), self.probability.tolist(), strict=True)
        return {pronoun: (one, probability) for pronoun, one, probability in found}

    @cached_property
    def refers(self) -> NDArray[np.bool_]:
        """Which mentions are pronouns with an antecedent. *Shape:* (mentions,)"""
        found = np.zeros(self.size, dtype=bool)
        found[list(self.antecedents)] = True
        return found

    def pair_matrix(self, members: Integers) -> Numbers:
        """Probabilities of the pairs of some mentions; 0 for a pair not compared. *Shape:* (members, members)"""
        place = np.full(self.size, -1, dtype=np.int64)
        place[members] = np.arange(len(members))
        one, other = place[self.compared.first], place[self.compared.second]
        there = (one >= 0) & (other >= 0)
        matrix = np.zeros((len(members), len(members)))
        matrix[one[there], other[there]] = matrix[other[there], one[there]] = self.compared.score[there]
        return matrix

    def confidences(
        self, labels: Integers, found: Integers | None = None, confirmed: Integers | None = None
    ) -> Numbers:
        """How probably each mention belongs to its cluster; NaN where nothing is known. *Shape:* (mentions,)

        That of a pronoun is its antecedent's, or 0 where that is in another cluster; that of another mention the mean
        probability that it corefers with the others that are no pronouns, or else with the pronouns that refer to it. A
        pair that people confirmed counts as 1. Of two clusters that people made one, pairs across them are known
        through people alone and count only if confirmed.

        `labels`: The cluster of every mention. *Shape:* (mentions,)
        `found`: The cluster that the model found it in, where people changed clusters. *Shape:* (mentions,)
        `confirmed`: A number for every mention, the same for mentions that people confirmed to be the same, directly or
            through others; they are in one cluster. *Shape:* (mentions,)
        """
        own = labels if found is None else _numbered(labels, found)
        people = np.arange(self.size) if confirmed is None else confirmed
        first, second = self.compared.first, self.compared.second
        counted = (own[first] == own[second]) & (people[first] != people[second])
        sums = np.zeros(self.size)
        for side in (first, second):
            np.add.at(sums, side[counted], self.compared.score[counted])
        confirmed = np.bincount(people, minlength=1)[people] - 1
        alike = _numbered(own, people)
        others = _sizes(own, ~self.refers) - _sizes(alike, ~self.refers) + confirmed
        result = np.full(self.size, np.nan)
        of_others = ~self.refers & (others > 0)
        result[of_others] = (sums + confirmed)[of_others] / others[of_others]
        sizes = np.bincount(labels, minlength=1)[labels]
        of_antecedent: dict[int, list[float]] = {}
        for pronoun, (antecedent, probability) in self.antecedents.items():
            if labels[pronoun] == labels[antecedent]:
                result[pronoun] = probability
                of_antecedent.setdefault(antecedent, []).append(probability)
            elif sizes[pronoun] > 1:
                result[pronoun] = 0.0
            if confirmed[pronoun]:
                result[pronoun] = 1.0
        for antecedent, values in of_antecedent.items():
            if np.isnan(result[antecedent]):
                result[antecedent] = sum(values) / len(values)
        return result


def compared_pairs(links: Iterable[MentionLinks]) -> list[tuple[int, int, float, bool]]:
    """The pairs of several sets of links, such as those of events and of entities, by their first mention.

    Numbers of the two mentions, of a pronoun and its antecedent the pronoun first; how probable it is that they
    corefer; and whether the second is the antecedent that was chosen for the first.
    """
    pairs: list[tuple[int, int, float, bool]] = []
    for one in links:
        compared = one.compared.first, one.compared.second, one.compared.score
        for columns, chosen in ((compared, False), ((one.pronouns, one.candidates, one.probability), True)):
            pairs += zip(*(column.tolist() for column in columns), repeat(chosen), strict=False)
    return sorted(pairs)


def _chosen(scores: PairScores, chosen: NDArray[np.bool_]) -> PairScores:
    return PairScores(scores.size, scores.first[chosen], scores.second[chosen], scores.score[chosen])


def _numbered(one: Integers, other: Integers) -> Integers:
    """A number for every mention, the same for those with both labels the same. *Shape:* (mentions,)"""
    codes = one.astype(np.int64) * (int(other.max(initial=0)) + 1) + other
    numbers: Integers = np.unique(codes, return_inverse=True)[1]
    return numbers


def _sizes(labels: Integers, chosen: NDArray[np.bool_]) -> Integers:
    """How many of the chosen mentions have the label of each mention. *Shape:* (mentions,)"""
    sizes: Integers = np.bincount(labels[chosen], minlength=int(labels.max(initial=0)) + 1)[labels]
    return sizes
