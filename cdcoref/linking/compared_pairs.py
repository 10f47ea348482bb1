"""What clusters were made of in, every pair of mentions that was compared with its probability out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cdcoref.linking.links import MentionLinks


@dataclass(frozen=True, slots=True)
class ComparedPairs:
    """Pairs of mentions and how probable it is that they corefer.

    Attributes
    ----------
    first, second
        Numbers of the two mentions in their corpus; of a pronoun and its antecedent, the pronoun first.
        *Shape:* (pairs,)
    probability
        Calibrated, from 0 to 1. *Shape:* (pairs,)
    antecedent
        Whether the first is a pronoun and the second the antecedent that was chosen for it. *Shape:* (pairs,)
    """

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    probability: NDArray[np.float64]
    antecedent: NDArray[np.bool_]

    @classmethod
    def of(cls, links: Iterable[MentionLinks]) -> ComparedPairs:
        """The pairs of several sets of links, such as those of events and of entities, by their first mention."""
        found = list(links)
        compared = [(one.compared.first, one.compared.second, one.compared.score) for one in found]
        chosen = [(one.pronouns, one.candidates, one.probability) for one in found]
        first, second, probability = (
            np.concatenate([np.zeros(0), *(part[column] for part in (*compared, *chosen))]) for column in range(3)
        )
        antecedent = np.zeros(len(first), dtype=bool)
        antecedent[len(first) - sum(len(part[0]) for part in chosen) :] = True
        order = np.lexsort((second, first))
        return cls(first[order].astype(np.int64), second[order].astype(np.int64), probability[order], antecedent[order])
