"""A trained model and pairs of texts in, the probability of the relation for each pair out."""

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

    Parameters
    ----------
    batch_tokens
        Tokens that the encoder reads at once.
    precision
        Numeric precision: ``"fp32"``, ``"bf16"``, or ``"auto"``: bf16 if the processor supports it, otherwise fp32.
    progress
        Called with "pairs", the number done, and the total.
    """
    builder = PairBuilder(model.tokenizer, model.settings)
    orders = 2 if model.settings.both_orders else 1
    probabilities: list[float] = []
    with model.inference(precision):
        for start in range(0, len(pairs), PAIRS_AT_ONCE):
            some = pairs[start : start + PAIRS_AT_ONCE]
            ordered = [one for pair in some for one in (pair, swapped(pair))[:orders]]
            sequences = [builder(pair) for pair in ordered]
            lengths = [sum(map(len, one)) for one in sequences]
            logits = []
            for batch in in_batches(sequences, lengths, batch_tokens):
                flat = [sequence for one in batch for sequence in one]
                logits.append(model(model.collate(flat).to(model.device)).cpu())
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
