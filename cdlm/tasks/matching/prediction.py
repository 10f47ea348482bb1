"""The probability of the relation for each pair of texts, from a trained model, and scores."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from cdlm.sequences import in_batches
from cdlm.tasks.matching.model import MatchModel, PairBuilder, swapped
from cdlm.tasks.matching.pairs import TextPair
from cdlm.tasks.model import BATCH_TOKENS, Progress, written

PAIRS_AT_ONCE = 256
"""Pairs tokenised at a time, so that memory does not grow with the number of pairs."""


@dataclass(frozen=True, slots=True)
class Match:
    """The prediction for a pair."""

    id: str
    probability: float
    """The probability that the relation holds, from 0 to 1."""

    @property
    def label(self) -> int:
        """1 if the probability is at least one half, otherwise 0."""
        return int(self.probability >= 0.5)


@dataclass(frozen=True, slots=True)
class Matches:
    """Predictions in the order of the pairs, and the number of pairs that were cut because they were too long."""

    matches: tuple[Match, ...]
    cut: int


def predict_pairs(
    model: MatchModel,
    pairs: Sequence[TextPair],
    *,
    batch_tokens: int = BATCH_TOKENS,
    precision: str = "auto",
    progress: Progress | None = None,
) -> Matches:
    """Predict for every pair the probability that the relation holds.

    The encoder reads `batch_tokens` at once; `precision` is ``"fp32"``, ``"bf16"`` or ``"auto"``; `progress` is called
    with "pairs", the number done, and the total.
    """
    builder = PairBuilder(model.tokenizer, model.settings)
    orders = 2 if model.settings.both_orders else 1
    probabilities: list[float] = []
    with model.inference(precision):
        for start in range(0, len(pairs), PAIRS_AT_ONCE):
            some = pairs[start : start + PAIRS_AT_ONCE]
            sequences = [builder(ordered) for pair in some for ordered in (pair, swapped(pair))[:orders]]
            batches = in_batches(sequences, map(len, sequences), batch_tokens)
            logits = [model(model.collate(batch).to(model.device)).cpu() for batch in batches]
            means = torch.cat(logits).reshape(-1, orders).mean(dim=1)
            probabilities += torch.sigmoid(means).tolist()
            if progress is not None:
                progress("pairs", len(probabilities), len(pairs))
    matches = tuple(Match(pair.id, value) for pair, value in zip(pairs, probabilities, strict=True))
    return Matches(matches, builder.cut // orders)


def write_matches(matches: Sequence[Match], path: str | Path) -> None:
    """Write predictions as JSON lines: ``id``, ``label``, ``probability``.

    Raises `InputError` if the file cannot be written.
    """
    with written(path) as file:
        for match in matches:
            line = {"id": match.id, "label": match.label, "probability": round(match.probability, 6)}
            file.write(json.dumps(line, ensure_ascii=False) + "\n")


@dataclass(frozen=True, slots=True)
class MatchScores:
    """The quality of predicted labels; every value from 0 to 1, and 0 if its denominator is 0."""

    precision: float
    recall: float
    f1: float
    """Of the label 1."""
    accuracy: float
    """Share of the pairs with the right label."""


def match_scores(labels: Sequence[int], predicted: Sequence[int]) -> MatchScores:
    """Compare predicted labels with the true ones."""
    from sklearn.metrics import accuracy_score, precision_recall_fscore_support

    rates = precision_recall_fscore_support(labels, predicted, average="binary", zero_division=0.0)
    precision, recall, f1, accuracy = map(float, (*rates[:3], accuracy_score(labels, predicted)))
    return MatchScores(precision, recall, f1, accuracy)
