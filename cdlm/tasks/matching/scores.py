"""Labels and predictions in, precision, recall, F1 and accuracy of the label 1 out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MatchScores:
    """The quality of predicted labels; every value from 0 to 1."""

    precision: float
    recall: float
    f1: float
    """Of the label 1; 0 if the denominator is 0."""
    accuracy: float
    """Share of the pairs with the right label."""


def match_scores(labels: Sequence[int], predicted: Sequence[int]) -> MatchScores:
    """Compare predicted labels with the true ones.

    >>> match_scores([1, 1, 1, 0], [1, 1, 0, 1])
    MatchScores(precision=0.6666666666666666, recall=0.6666666666666666, f1=0.6666666666666666, accuracy=0.5)
    """
    if len(labels) != len(predicted):
        raise ValueError(f"{len(labels)} labels, but {len(predicted)} predictions")
    both = sum(1 for label, guess in zip(labels, predicted, strict=True) if label and guess)
    guessed, true = sum(1 for guess in predicted if guess), sum(1 for label in labels if label)
    right = sum(1 for label, guess in zip(labels, predicted, strict=True) if label == guess)
    return MatchScores(
        precision=both / guessed if guessed else 0.0,
        recall=both / true if true else 0.0,
        f1=2 * both / (guessed + true) if guessed + true else 0.0,
        accuracy=right / len(labels) if labels else 0.0,
    )
