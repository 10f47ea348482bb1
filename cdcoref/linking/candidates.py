"""Which pairs the cross-encoder reads: the bi-encoder's logits in, candidates out.

Mentions that the bi-encoder links with confidence form a group (average linkage). Candidates of a group are the most
likely other groups, up to a limit, and those that it is a candidate of. Of the mentions of two groups only the most
likely pair is read, and its result counts for all of them: there is one decision to make, and it needs one reading.
Groups whose probability is near 0 are not compared.

The limit is symmetric and does not depend on the order of files. A pronoun and its antecedent are no candidates: their
document settles that.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cdcoref.clustering import PairScores, dendrogram
from cdcoref.corpus import KINDS, Mention
from cdcoref.linking.pair_logits import Matrix, PairEvidence, pair_keys
from cdcoref.model import VectorOptions

DIGITS = 4
"""Decimal places to which logits are compared; those that differ by less are ties."""


@dataclass(frozen=True, slots=True)
class CandidatePairs:
    """The pairs to read, and those that each stands for.

    `chosen`: Which pairs are read. *Shape:* (pairs,)
    `groups`: The number of the two groups that each pair belongs to; -1 where no pair of the two is read.
        *Shape:* (pairs,)
    """

    chosen: NDArray[np.bool_]
    groups: NDArray[np.integer]

    def of_all(self, logits: Matrix) -> Matrix:
        """The logits of all pairs, the mean over those of two groups that were read; NaN where nothing was read.

        `logits` are NaN for pairs that were not read. *Shape:* (pairs,)
        """
        read = np.flatnonzero(self.chosen & ~np.isnan(logits))
        size = int(self.groups.max(initial=-1)) + 1
        count = np.bincount(self.groups[read], minlength=size)
        total = np.bincount(self.groups[read], logits[read].astype(np.float64), minlength=size)
        mean = np.append(np.divide(total, count, out=np.full(size, np.nan), where=count > 0), np.nan)
        found: Matrix = mean[self.groups].astype(np.float32)
        return found


def candidate_pairs(evidence: PairEvidence, mentions: Sequence[Mention], options: VectorOptions) -> CandidatePairs:
    """Choose the pairs to read; documents and places of `mentions` settle ties between groups."""
    possible = ~evidence.antecedents
    if not options.candidates:
        return CandidatePairs(possible, np.where(possible, np.arange(len(possible)), -1))
    by_kind = [options.combine.of_kind(kind) for kind in KINDS]
    weight = np.array([own.unread_weight for own in by_kind])[evidence.kinds]
    bias = np.array([own.unread_bias for own in by_kind])[evidence.kinds]
    # Logits of equal mentions differ in the last digits, depending on what else is computed in the same batch.
    logits = np.round(weight * evidence.bi_encoder.astype(np.float64) + bias, DIGITS)
    probability = 0.5 * (1.0 + np.tanh(0.5 * logits))
    places = np.flatnonzero(possible)
    first, second = evidence.first[places].astype(np.int64), evidence.second[places].astype(np.int64)
    group_of = np.arange(evidence.size)
    if options.group_probability < 1:
        keys = [(mention.document, mention.tokens, mention.kind or "") for mention in mentions]
        scores = PairScores(evidence.size, first, second, probability[places])
        group_of = dendrogram(scores, keys=keys).cut(1 - options.group_probability)
    first, second = group_of[first], group_of[second]
    between = first != second
    places, first, second = places[between], first[between], second[between]
    found, number = np.unique(pair_keys(first, second, evidence.size), return_inverse=True)
    of_groups = np.bincount(number, probability[places], minlength=len(found)) / np.bincount(number)
    of_groups = np.round(of_groups, DIGITS) if options.group_probability < 1 else of_groups
    likely = np.flatnonzero(of_groups >= options.min_probability)
    owners = np.concatenate([found[likely] // evidence.size, found[likely] % evidence.size])
    both = np.concatenate([likely, likely])
    compared = np.zeros(len(found), dtype=bool)
    compared[both[_first_of_each(owners, of_groups[both], options.candidates)]] = True
    inside = compared[number]
    places, number = places[inside], number[inside]
    groups = np.full(len(possible), -1, dtype=np.int64)
    groups[places] = number
    chosen = np.zeros(len(possible), dtype=bool)
    chosen[places[_first_of_each(number, logits[places], 1)]] = True
    return CandidatePairs(chosen, groups)


def _first_of_each(owners: NDArray[np.integer], values: NDArray[np.floating], limit: int) -> NDArray[np.intp]:
    """Positions of the `limit` largest values of every owner, and of all that equal the least of them."""
    order = np.lexsort((-values, owners))
    sorted_owners, sorted_values = owners[order], values[order]
    starts = np.searchsorted(sorted_owners, sorted_owners, side="left")
    ends = np.searchsorted(sorted_owners, sorted_owners, side="right")
    last = np.minimum(starts + limit, ends) - 1
    return order[sorted_values >= sorted_values[last]]
