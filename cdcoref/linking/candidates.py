"""Which pairs the cross-encoder reads: the bi-encoder's logits in, candidates out.

The candidates of a mention are the most likely others of its kind, up to a limit, and those that it is a candidate of.
Pairs whose probability is near 0 or 1 can be left out. The limit is per mention and symmetric, and does not depend on
the order of files. A pronoun and its antecedent are no candidates: that is settled within their document; nor are
mentions of a kind that the cross-encoder does not read.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cdcoref.corpus import KINDS
from cdcoref.linking.pair_logits import PairEvidence
from cdcoref.model import VectorOptions

DIGITS = 4
"""Decimal places to which logits are compared; those that differ by less are ties."""


def candidate_pairs(evidence: PairEvidence, options: VectorOptions) -> NDArray[np.bool_]:
    """Which pairs are candidates. *Shape:* (pairs,)

    Parameters
    ----------
    evidence
        Pairs with the bi-encoder's logits.
    options
        How many candidates a mention has, between which probabilities one lies, and how logits become probabilities.
    """
    of_kinds = np.isin(evidence.kinds, [KINDS.index(kind) for kind in options.cross_encoder_kinds])
    possible = of_kinds & ~evidence.antecedents
    if not options.candidates:
        return possible
    by_kind = [options.combine.of_kind(kind) for kind in KINDS]
    weight = np.array([own.unread_weight for own in by_kind])[evidence.kinds]
    bias = np.array([own.unread_bias for own in by_kind])[evidence.kinds]
    logits = weight * evidence.bi_encoder + bias
    with np.errstate(divide="ignore"):
        least, most = (np.log(p) - np.log1p(-p) for p in (options.min_probability, options.max_probability))
    likely = np.flatnonzero((logits >= least) & (logits <= most) & possible)
    # Logits of equal mentions differ in the last digits, depending on what else is computed in the same batch.
    logits = np.round(logits, DIGITS)
    chosen = np.zeros(len(logits), dtype=bool)
    mentions = np.concatenate([evidence.first[likely], evidence.second[likely]])
    places = np.concatenate([likely, likely])
    chosen[places[_first_of_each(mentions, logits[places], options.candidates)]] = True
    return chosen


def _first_of_each(owners: NDArray[np.integer], values: NDArray[np.floating], limit: int) -> NDArray[np.intp]:
    """Positions of the `limit` largest values of every owner, and of those equal to the least of them.

    So the choice does not depend on the order in which equal values come.
    """
    order = np.lexsort((-values, owners))
    sorted_owners, sorted_values = owners[order], values[order]
    starts = np.searchsorted(sorted_owners, sorted_owners, side="left")
    ends = np.searchsorted(sorted_owners, sorted_owners, side="right")
    last = np.minimum(starts + limit, ends) - 1
    return order[sorted_values >= sorted_values[last]]
