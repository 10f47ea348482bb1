"""Fine-tuning for question answering (paper, section 3.4 and Appendix C.3): questions in, a model's folder out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from cdlm.errors import InputError
from cdlm.runs import Evaluation, Run, RunOptions, Say, digest, say_on_stderr
from cdlm.sequences import Batch
from cdlm.tasks.qa.model import QABatch, QALogits, QAModel, QASettings, collate
from cdlm.tasks.qa.prediction import predict_answers
from cdlm.tasks.qa.questions import Question
from cdlm.tasks.qa.scores import qa_scores
from cdlm.tasks.qa.sequences import SPAN_TYPE, QALabels, QASequence, QuestionBuilder, label_sequence
from cdlm.tasks.training import ShuffledBatches, TaskTraining, fine_tune, task_card

SCORED = {"f1": "answer F1", "sp_f1": "evidence F1", "joint_f1": "joint F1"}


@dataclass(frozen=True)
class QATraining(TaskTraining):
    """Everything that training for question answering depends on besides its questions; see `TaskTraining`."""

    run: RunOptions = field(default_factory=lambda: RunOptions(epochs=3, learning_rate=2e-4, head_learning_rate=5e-4))
    model: QASettings = field(default_factory=QASettings)
    """The model's own settings: how it reads and answers questions."""


QA_PRESETS: dict[str, QATraining] = {
    # For the small encoder.
    "small": QATraining(),
    # What the paper states: 5 epochs, batches of 32 (here 2, accumulated), 1e-4, 100 warmup steps, up to 4,096
    # tokens. Linear decay and the four losses are Longformer's (Appendix D); they are summed, as no weights are stated.
    "paper": QATraining(
        encoder="biu-nlp/cdlm",
        batch_size=2,
        run=RunOptions(
            epochs=5,
            accumulation=16,
            learning_rate=1e-4,
            head_learning_rate=1e-4,
            warmup=100.0,
            attention_dropout=0.1,
            precision="fp16",
            gradient_checkpointing=True,
        ),
    ),
}


def train_reader(
    config: QATraining,
    train_questions: Sequence[Question],
    dev_questions: Sequence[Question],
    output: str | Path,
    *,
    resume: bool = False,
    device: str | None = None,
    tracker: str | None = None,
    say: Say = say_on_stderr,
) -> QAModel:
    """Fine-tune an encoder on questions, and write the model of the epoch with the best joint F1 on dev.

    Every question needs its answer and its supporting facts. For the other arguments see :class:`cdlm.runs.Run`.
    """
    for question in (*train_questions, *dev_questions):
        if question.answer is None or question.facts is None:
            raise InputError(f"question {question.id!r} has no answer or no supporting facts; both are needed to train")
    data = digest((*train_questions, None, *dev_questions))
    run = Run(output, config.run, config, data=data, resume=resume, device=device, tracker=tracker, say=say)
    if run.finished:
        return QAModel.from_pretrained(output)
    untrained = QAModel.from_encoder(config.encoder, config.model)
    builder = QuestionBuilder(untrained.tokenizer, untrained.settings.max_length)

    def collate_labelled(questions: list[Question], _: np.random.Generator) -> LabelledQuestions:
        sequences = [builder(question) for question in questions]
        labels = [label_sequence(*pair) for pair in zip(questions, sequences, strict=True)]
        return LabelledQuestions.of(collate(sequences, untrained.encoder.config.pad_token_id), sequences, labels)

    def evaluate(model: QAModel) -> Evaluation[dict[str, float]]:
        answers = predict_answers(model, dev_questions, precision=run.precision)
        scores = qa_scores(dev_questions, answers.predictions)
        summary = ", ".join(f"{words} {100 * scores[name]:.1f}" for name, words in SCORED.items())
        if answers.cut:
            summary += f"; cut {answers.cut} of {len(dev_questions)} questions to {builder.max_length} tokens"
        return Evaluation(scores["joint_f1"], summary, scores, scores, scores)

    batches = ShuffledBatches(train_questions, config.batch_size, config.run.seed, collate_labelled)
    examples = f"{len(train_questions)} training questions"
    fine_tune(run, untrained, examples, batches, joint_loss, evaluate, partial(qa_card, config))
    return QAModel.from_pretrained(output)


@dataclass(frozen=True)
class LabelledQuestions(Batch):
    """Questions to train on."""

    inputs: QABatch
    paragraphs: Tensor
    sentences: Tensor
    """1 for those that support the answer, 0 for others. *Shapes:* (paragraphs,), (sentences,)"""
    types: Tensor
    """Positions in `ANSWER_TYPES`. *Shape:* (questions,)"""
    starts: Tensor
    ends: Tensor
    """Whether the answer may begin or end with a token. *Shape:* (text tokens,)"""
    text_counts: Sequence[int]
    """Number of text tokens of each question."""

    @classmethod
    def of(cls, inputs: QABatch, sequences: Sequence[QASequence], labels: Sequence[QALabels]) -> LabelledQuestions:
        """A batch of sequences with their labels."""

        def concatenated(name: str) -> Tensor:
            return torch.from_numpy(np.concatenate([getattr(of_sequence, name) for of_sequence in labels]))

        return cls(
            inputs,
            concatenated("paragraphs").float(),
            concatenated("sentences").float(),
            torch.tensor([of_sequence.type for of_sequence in labels]),
            concatenated("starts").bool(),
            concatenated("ends").bool(),
            [len(sequence.texts) for sequence in sequences],
        )


def joint_loss(model: nn.Module, batch: LabelledQuestions) -> Tensor:
    """The sum of the four heads' losses on a batch.

    Binary cross-entropy, averaged over paragraphs and over sentences, if there are any; cross-entropy of the type; and
    for span answers, the negative logarithm of the total probability of all positions at which the answer may begin,
    and likewise end, averaged over the two and over the questions.
    """
    logits: QALogits = model(batch.inputs)
    binary = nn.functional.binary_cross_entropy_with_logits
    sentences = logits.sentences
    spans = []
    counts = list(batch.text_counts)
    for scores, labels in ((logits.starts, batch.starts), (logits.ends, batch.ends)):
        for values, true, kind in zip(scores.split(counts), labels.split(counts), batch.types.tolist(), strict=True):
            if kind == SPAN_TYPE and bool(true.any()):
                spans.append(values.logsumexp(0) - values[true].logsumexp(0))
    return (
        binary(logits.paragraphs, batch.paragraphs)
        + (binary(sentences, batch.sentences) if len(sentences) else sentences.sum())
        + nn.functional.cross_entropy(logits.types, batch.types)
        + (torch.stack(spans).mean() if spans else logits.starts.sum() * 0.0)
    )


def qa_card(config: QATraining, model: QAModel, scores: dict[str, float], epoch: float) -> str:
    """The text of the model card."""
    return task_card(
        *(config, model, epoch),
        title="A question answering model",
        purpose="Answers questions over several paragraphs with a span of their text, yes or no, and its evidence.",
        command="cdlm qa predict --model THIS_FOLDER questions.json -o predictions.json",
        scores=", ".join(f"{words} {100 * scores[name]:.1f}" for name, words in SCORED.items()),
    )
