"""Answers with their evidence from a trained model, which is in two paragraphs, as always in HotpotQA (after Groeneveld
et al. 2020); the official prediction file, written and read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from cdlm.config import read_json
from cdlm.sequences import in_batches
from cdlm.tasks.model import BATCH_TOKENS, Progress, written
from cdlm.tasks.qa.model import QALogits, QAModel, collate, split_logits
from cdlm.tasks.qa.questions import TITLE, Facts, Question
from cdlm.tasks.qa.scores import Prediction
from cdlm.tasks.qa.sequences import ANSWER_TYPES, SPAN_TYPE, QASequence, QuestionBuilder
from cdlm.validation import validated

PARAGRAPHS_OF_EVIDENCE = 2
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
    """Predict answer and evidence of every question.

    The encoder reads `batch_tokens` at once; `precision` is ``"fp32"``, ``"bf16"`` or ``"auto"``; `progress` is called
    with "questions", the number done, and the total.
    """
    predictions: dict[str, Prediction] = {}
    cut = 0
    for start in range(0, len(questions), QUESTIONS_AT_ONCE):
        some = questions[start : start + QUESTIONS_AT_ONCE]
        for question, sequence, logits in _read(model, some, batch_tokens, precision):
            predictions[question.id] = decode(question, sequence, logits, model.settings.max_answer_tokens)
            cut += sequence.cut
        if progress is not None:
            progress("questions", len(predictions), len(questions))
    return Answers(predictions, cut)


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
        for (question, sequence), own_logits in zip(batch, split_logits(logits, sequences), strict=True):
            yield question, sequence, own_logits


# -- decoding: first the evidence, then the answer in the same paragraphs --------------------------------------------


def decode(question: Question, sequence: QASequence, logits: QALogits, max_answer_tokens: int) -> Prediction:
    """Evidence and answer of one question, from logits on the CPU."""
    evidence = choose_evidence(sequence, logits)
    facts = tuple((question.paragraphs[paragraph].title, sentence) for paragraph, sentence in evidence)
    kind = int(logits.types.argmax())
    if kind != SPAN_TYPE:
        return Prediction(ANSWER_TYPES[kind], facts)
    chosen = {paragraph for paragraph, _ in evidence}
    return Prediction(choose_span(question, sequence, logits, chosen, max_answer_tokens), facts)


def choose_evidence(sequence: QASequence, logits: QALogits) -> list[tuple[int, int]]:
    """Paragraph and sentence numbers of the evidence, in the order of the text.

    A sentence is ranked by the sum of its own logit and its paragraph's. The best sentence and the best of another
    paragraph determine the two paragraphs; every other sentence in these with a positive logit is evidence too. If
    there is only one paragraph, all evidence is in that one.
    """
    sentence_logits = _array(logits.sentences)
    if not len(sentence_logits):
        return []
    ranked = sentence_logits + _array(logits.paragraphs)[sequence.end_paragraphs]
    best: list[int] = []
    for sentence in np.argsort(-ranked, kind="stable"):
        if sequence.end_paragraphs[sentence] not in sequence.end_paragraphs[best]:
            best.append(int(sentence))
        if len(best) == PARAGRAPHS_OF_EVIDENCE:
            break
    inside = np.isin(sequence.end_paragraphs, sequence.end_paragraphs[best])
    kept = (inside & (sentence_logits > 0)) | np.isin(np.arange(len(sentence_logits)), best)
    return [(int(sequence.end_paragraphs[n]), int(sequence.end_sentences[n])) for n in np.flatnonzero(kept)]


def choose_span(
    question: Question, sequence: QASequence, logits: QALogits, paragraphs: set[int], max_answer_tokens: int
) -> str:
    """The text of the best span within one sentence or title of the paragraphs; empty if there is no text."""
    starts, ends = _array(logits.starts), _array(logits.ends)
    best, span = -np.inf, None
    text_places = sequence.text_places
    # Runs of tokens of the same sentence or title.
    borders = np.flatnonzero(np.any(np.diff(text_places[:, :2], axis=0) != 0, axis=1)) + 1
    for run in np.split(np.arange(len(text_places)), borders):
        if not len(run) or int(text_places[run[0], 0]) not in paragraphs:
            continue
        sums = starts[run][:, None] + ends[run][None, :]
        length = np.arange(len(run))[None, :] - np.arange(len(run))[:, None]
        sums[(length < 0) | (length >= max_answer_tokens)] = -np.inf
        first, last = np.unravel_index(int(sums.argmax()), sums.shape)
        if sums[first, last] > best:
            best, span = sums[first, last], (run[first], run[last])
    if span is None:
        return ""
    paragraph, sentence, start, _ = text_places[span[0]]
    text = question.paragraphs[paragraph].title
    if sentence != TITLE:
        text = question.paragraphs[paragraph].sentences[sentence]
    return text[start : text_places[span[1], 3]].strip()


def _array(tensor: object) -> NDArray[np.float64]:
    return np.asarray(tensor, dtype=np.float64)


# -- the official prediction file ------------------------------------------------------------------------------------


def write_predictions(predictions: Mapping[str, Prediction], path: str | Path) -> None:
    """Write predictions in the format of HotpotQA's official script: one JSON object with ``answer`` and ``sp``."""
    values = {
        "answer": {name: p.answer for name, p in predictions.items() if p.answer is not None},
        "sp": {name: [list(fact) for fact in p.facts] for name, p in predictions.items() if p.facts is not None},
    }
    with written(path) as file:
        file.write(json.dumps(values, ensure_ascii=False) + "\n")


@dataclass(frozen=True, slots=True)
class _PredictionFile:
    answer: dict[str, str]
    sp: dict[str, Facts]


def read_predictions(path: str | Path) -> dict[str, Prediction]:
    """Read an official prediction file; see `write_predictions`."""
    read = validated(_PredictionFile, read_json(Path(path)), path)
    return {
        name: Prediction(read.answer.get(name), tuple(read.sp[name]) if name in read.sp else None)
        for name in {**read.answer, **read.sp}
    }
