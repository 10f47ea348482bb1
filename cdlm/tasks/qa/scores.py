"""HotpotQA's official metrics: exact match and F1 of answer, evidence and both, as the official script defines them. A
question without a prediction counts as wrong; ``yes``, ``no`` and ``noanswer`` get no partial credit."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from cdlm.tasks.qa.questions import Fact, Question

METRICS = tuple(f"{part}{name}" for part in ("", "sp_", "joint_") for name in ("em", "f1", "prec", "recall"))
"""Names of the metrics in the official script's output."""

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(a|an|the)\b")
_WHOLE = ("yes", "no", "noanswer")


@dataclass(frozen=True, slots=True)
class Prediction:
    """The prediction for a question."""

    answer: str | None
    """Text, ``"yes"`` or ``"no"``; None if there is none."""
    facts: tuple[Fact, ...] | None
    """Supporting facts, ``(title, number of the sentence)``; None if there are none."""


@dataclass(frozen=True, slots=True)
class Overlap:
    """Exact match (0 or 1), F1, precision and recall of one comparison."""

    em: float
    f1: float
    prec: float
    recall: float


def qa_scores(questions: Sequence[Question], predictions: Mapping[str, Prediction]) -> dict[str, float]:
    """Average every metric of `METRICS` over the questions; each from 0 to 1.

    Raises `ValueError` if a question has no answer or no supporting facts to compare with.
    """
    totals = dict.fromkeys(METRICS, 0.0)
    for question in questions:
        if question.answer is None or question.facts is None:
            raise ValueError(f"question {question.id!r} has no answer or no supporting facts to compare with")
        prediction = predictions.get(question.id, Prediction(None, None))
        answer = None if prediction.answer is None else answer_overlap(prediction.answer, question.answer)
        evidence = None if prediction.facts is None else evidence_overlap(prediction.facts, question.facts)
        both = joint(answer, evidence) if answer is not None and evidence is not None else None
        for part, overlap in (("", answer), ("sp_", evidence), ("joint_", both)):
            if overlap is not None:
                for name in ("em", "f1", "prec", "recall"):
                    totals[part + name] += getattr(overlap, name)
    return {name: total / len(questions) for name, total in totals.items()}


def normalise_answer(text: str) -> str:
    """Lower case, no punctuation, no articles, single spaces.

    >>> normalise_answer("The  Hague, (the Netherlands)")
    'hague netherlands'
    """
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def answer_overlap(predicted: str, true: str) -> Overlap:
    """Compare two answers as bags of normalised words."""
    guess, truth = normalise_answer(predicted), normalise_answer(true)
    em = float(guess == truth)
    if guess != truth and (guess in _WHOLE or truth in _WHOLE):
        return Overlap(em, 0.0, 0.0, 0.0)
    guessed, wanted = guess.split(), truth.split()
    same = (Counter(guessed) & Counter(wanted)).total()
    if not same:
        return Overlap(em, 0.0, 0.0, 0.0)
    return _overlap(em, same / len(guessed), same / len(wanted))


def evidence_overlap(predicted: Iterable[Fact], true: Iterable[Fact]) -> Overlap:
    """Compare two sets of supporting facts."""
    guessed, wanted = set(predicted), set(true)
    same = len(guessed & wanted)
    precision, recall = same / len(guessed) if guessed else 0.0, same / len(wanted) if wanted else 0.0
    return _overlap(float(guessed == wanted), precision, recall)


def joint(answer: Overlap, evidence: Overlap) -> Overlap:
    """Answer and evidence together: precision and recall are products."""
    return _overlap(answer.em * evidence.em, answer.prec * evidence.prec, answer.recall * evidence.recall)


def _overlap(em: float, precision: float, recall: float) -> Overlap:
    f1 = 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0
    return Overlap(em, f1, precision, recall)
