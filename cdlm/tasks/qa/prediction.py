"""A trained model and questions in, answers with their evidence out; the official prediction file, written and read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch

from cdlm.config import read_json
from cdlm.errors import InputError
from cdlm.sequences import in_batches
from cdlm.tasks.model import BATCH_TOKENS, Progress, written
from cdlm.tasks.qa.decoding import PARAGRAPHS_OF_EVIDENCE, decode
from cdlm.tasks.qa.model import QALogits, QAModel, collate, split_logits
from cdlm.tasks.qa.questions import Question, parse_facts
from cdlm.tasks.qa.scores import Prediction
from cdlm.tasks.qa.sequences import QASequence, QuestionBuilder

QUESTIONS_AT_ONCE = 64
"""Questions tokenised at a time, so that memory does not grow with the number of questions."""


@dataclass(frozen=True, slots=True)
class Answers:
    """Predictions by question id, and the number of questions that were cut because they were too long."""

    predictions: dict[str, Prediction]
    cut: int


def predict_answers(
    model: QAModel,
    questions: Sequence[Question],
    *,
    batch_tokens: int = BATCH_TOKENS,
    precision: str = "auto",
    progress: Progress | None = None,
) -> Answers:
    """Predict answer and evidence of every question; a model's first stage, if any, selects the paragraphs first.

    Parameters
    ----------
    batch_tokens
        Tokens that the encoder reads at once.
    precision
        Numeric precision: ``"fp32"``, ``"bf16"``, or ``"auto"``: bf16 if the processor supports it, otherwise fp32.
    progress
        Called with "questions", the number done, and the total.
    """
    predictions: dict[str, Prediction] = {}
    cut = 0
    for start in range(0, len(questions), QUESTIONS_AT_ONCE):
        some: Sequence[Question] = questions[start : start + QUESTIONS_AT_ONCE]
        if model.first_stage is not None:
            model.first_stage.to(model.device)
            keep = model.settings.keep_paragraphs, model.settings.keep_score
            some = shorten(model.first_stage, some, *keep, batch_tokens=batch_tokens, precision=precision)
        for question, sequence, logits in _read(model, some, batch_tokens, precision):
            predictions[question.id] = decode(question, sequence, logits, model.settings.max_answer_tokens)
            cut += sequence.cut
        if progress is not None:
            progress("questions", len(predictions), len(questions))
    return Answers(predictions, cut)


def shorten(
    model: QAModel,
    questions: Sequence[Question],
    most: int,
    score: float,
    *,
    batch_tokens: int = BATCH_TOKENS,
    precision: str = "auto",
) -> list[Question]:
    """Keep the paragraphs that a model considers relevant: the first of Longformer's two stages.

    Parameters
    ----------
    most, score
        At most `most` paragraphs of every question are kept, those with the highest logits above `score`; the two best
        are always kept. Their order stays.
    """
    shortened = []
    for question, _, logits in _read(model, questions, batch_tokens, precision):
        values = logits.paragraphs.tolist()
        ranked = sorted(range(len(values)), key=lambda number: -values[number])[:most]
        kept = {n for rank, n in enumerate(ranked) if rank < PARAGRAPHS_OF_EVIDENCE or values[n] > score}
        paragraphs = tuple(p for number, p in enumerate(question.paragraphs) if number in kept)
        shortened.append(replace(question, paragraphs=paragraphs))
    return shortened


def _read(
    model: QAModel, questions: Sequence[Question], batch_tokens: int, precision: str
) -> Iterator[tuple[Question, QASequence, QALogits]]:
    """Every question with its sequence and that sequence's logits, on the CPU."""
    builder = QuestionBuilder(model.tokenizer, model.settings.max_length)
    read = [(question, builder(question)) for question in questions]
    for batch in in_batches(read, [len(sequence) for _, sequence in read], batch_tokens):
        sequences = [sequence for _, sequence in batch]
        inputs = collate(sequences, model.encoder.config.pad_token_id).to(model.device)
        with model.inference(precision):
            logits = model(inputs).to(torch.device("cpu"))
        for (question, sequence), one in zip(batch, split_logits(logits, sequences), strict=True):
            yield question, sequence, one


# -- the official prediction file ------------------------------------------------------------------------------------


def write_predictions(predictions: Mapping[str, Prediction], path: str | Path) -> None:
    """Write predictions in the format of HotpotQA's official script: one JSON object with ``answer`` and ``sp``.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    values = {
        "answer": {name: one.answer for name, one in predictions.items() if one.answer is not None},
        "sp": {name: [list(fact) for fact in one.facts] for name, one in predictions.items() if one.facts is not None},
    }
    with written(path) as file:
        file.write(json.dumps(values, ensure_ascii=False) + "\n")


def read_predictions(path: str | Path) -> dict[str, Prediction]:
    """Read an official prediction file.

    Raises
    ------
    InputError
        If it does not have the format that `write_predictions` describes.
    """
    path = Path(path)
    values = read_json(path)
    answers, evidence = values.get("answer"), values.get("sp")
    if not isinstance(answers, dict) or not isinstance(evidence, dict):
        raise InputError("a prediction file must be an object with answer and sp, both objects by question id", path)
    predictions: dict[str, Prediction] = {}
    for name in {**answers, **evidence}:
        answer, facts = answers.get(name), evidence.get(name)
        if not isinstance(answer, str | None):
            raise InputError(f"the answer to question {name!r} is {answer!r}, not text", path)
        try:
            read = None if facts is None else parse_facts(facts)
        except ValueError as error:
            raise InputError(f"the evidence for question {name!r} has {error}", path) from error
        predictions[name] = Prediction(answer, read)
    return predictions
