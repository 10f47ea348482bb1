"""Training on questions: the joint loss, a run that is resumed, what the folder holds."""

from __future__ import annotations

import tomllib
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
import torch

from cdlm.settings import as_toml, with_settings
from cdlm.tasks import QA_PRESETS, Paragraph, QAModel, QASettings, Question, predict_answers
from cdlm.tasks.qa import LabelledQuestions, QuestionBuilder, collate, joint_loss, label_sequence


def test_the_loss_of_questions_without_sentences_is_finite(tiny_encoder: Path) -> None:
    model = QAModel.from_encoder(str(tiny_encoder), QASettings(max_length=200)).eval()
    question = Question("q", "Is it?", (Paragraph("Maren", ()), Paragraph("Pell", ())), "yes", ())
    sequences = [QuestionBuilder(model.tokenizer, 200)(question)]
    batch = LabelledQuestions.of(collate(sequences, 0), sequences, [label_sequence(question, sequences[0])])
    loss = joint_loss(model, batch)
    loss.backward()
    assert torch.isfinite(loss)
    assert predict_answers(model, [question]).predictions["q"].facts == ()


def test_the_loss_is_the_sum_of_four(tiny_encoder: Path, questions: tuple[Question, ...]) -> None:
    torch.manual_seed(0)
    model = QAModel.from_encoder(str(tiny_encoder), QASettings(max_length=200)).eval()
    builder = QuestionBuilder(model.tokenizer, 200)
    sequences = [builder(question) for question in questions]
    labels = [label_sequence(*one) for one in zip(questions, sequences, strict=True)]
    batch = LabelledQuestions.of(collate(sequences, 0), sequences, labels)
    with torch.no_grad():
        loss = float(joint_loss(model, batch))
        logits = {name: one.double().numpy() for name, one in vars(model(collate(sequences, 0))).items()}

    def binary(values: np.ndarray, true: np.ndarray) -> float:
        probability = 1 / (1 + np.exp(-values))
        return float(-np.log(np.where(true == 1, probability, 1 - probability)).mean())

    paragraphs = np.concatenate([one.paragraphs for one in labels])
    sentences = np.concatenate([one.sentences for one in labels])
    types = logits["types"] - np.log(np.exp(logits["types"]).sum(axis=1, keepdims=True))
    # Only the first question's answer is a span, at one place.
    length = len(sequences[0].texts)
    spans = []
    for name, places in (("starts", labels[0].starts), ("ends", labels[0].ends)):
        values = logits[name][:length]
        spans.append(float(np.log(np.exp(values).sum()) - values[np.flatnonzero(places)[0]]))
    expected = (
        binary(logits["paragraphs"], paragraphs)
        + binary(logits["sentences"], sentences)
        + float(np.mean(spans))
        - float(np.mean([types[0, 0], types[1, 2]]))
    )
    assert loss == pytest.approx(expected, rel=1e-5)


def test_the_papers_preset() -> None:
    paper = QA_PRESETS["paper"]
    assert with_settings(QA_PRESETS["small"], tomllib.loads(as_toml(asdict(paper)))) == paper
    assert paper.batch_size * paper.run.accumulation == 32
    assert (paper.run.epochs, paper.run.learning_rate, paper.run.warmup) == (5, 1e-4, 100)
    assert paper.model.max_length == 4096
