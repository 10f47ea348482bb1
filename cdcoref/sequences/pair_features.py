"""What is known about a pair of mentions besides the text that the encoder reads: two mentions in, numbers out.

A feature describes each mention once and then compares the descriptions of two. A model's configuration names the
features that it uses; a new one is an entry in `FEATURES`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cdcoref.corpus import Document, Mention


@dataclass(frozen=True, slots=True)
class PairFeature:
    """One number about a pair.

    Attributes
    ----------
    of_mention
        Describes one mention.
    of_pair
        The number, from the descriptions of both mentions; symmetric, and from -1 to 1.
    """

    of_mention: Callable[[Document, Mention], Any]
    of_pair: Callable[[Any, Any], float]


def _words(document: Document, mention: Mention) -> tuple[str, ...]:
    return tuple(document.tokens[token].casefold() for token in mention.tokens)


FEATURES: dict[str, PairFeature] = {
    "same_words": PairFeature(_words, lambda one, other: float(one == other)),
}
"""By name; saved models refer to these names, so the meaning of a name never changes."""


def pair_features(
    names: Sequence[str], described: Sequence[Sequence[Any]], pairs: NDArray[np.int64]
) -> NDArray[np.float32]:
    """The features of pairs.

    Parameters
    ----------
    names
        The features, in the order of the columns.
    described
        Each feature's description of every span (see :func:`describe`).
    pairs
        *Shape:* (pairs, 2)

    Returns
    -------
    NDArray
        *Shape:* (pairs, features)
    """
    table = np.zeros((len(pairs), len(names)), dtype=np.float32)
    for column, name in enumerate(names):
        compare = FEATURES[name].of_pair
        table[:, column] = [compare(described[i][column], described[j][column]) for i, j in pairs.tolist()]
    return table


def describe(names: Sequence[str], document: Document, mention: Mention) -> tuple[Any, ...]:
    """Each feature's description of one mention."""
    return tuple(FEATURES[name].of_mention(document, mention) for name in names)
