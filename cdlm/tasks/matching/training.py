"""Fine-tuning for document matching (paper, section 3.3 and Appendix C.2): labelled pairs in, a model's folder out."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from cdlm.errors import InputError
from cdlm.runs import Evaluation, Run, RunOptions, Say, digest, say_on_stderr
from cdlm.sequences import Batch, EncoderBatch
from cdlm.tasks.matching.model import MatchModel, MatchSettings, PairBuilder, swapped
from cdlm.tasks.matching.pairs import TextPair
from cdlm.tasks.matching.prediction import MatchScores, match_scores, predict_pairs
from cdlm.tasks.training import ShuffledBatches, TaskTraining, fine_tune, task_card


@dataclass(frozen=True)
class MatchTraining(TaskTraining):
    """Everything that training for document matching depends on besides its pairs; see `TaskTraining`."""

    run: RunOptions = field(default_factory=lambda: RunOptions(epochs=3, head_learning_rate=5e-4))
    model: MatchSettings = field(default_factory=lambda: MatchSettings(max_length=512))
    """The model's own settings: how it reads pairs."""


MATCH_PRESETS: dict[str, MatchTraining] = {
    # For the small encoder.
    "small": MatchTraining(),
    # What the paper states: 8 epochs, batches of 32 (here 4, accumulated), mixed precision, sequences of up to 4,096
    # tokens; the rest follows Zhou et al. 2020: 2e-5, linear decay without warmup.
    "paper": MatchTraining(
        encoder="biu-nlp/cdlm",
        batch_size=4,
        run=RunOptions(
            epochs=8,
            accumulation=8,
            learning_rate=2e-5,
            head_learning_rate=2e-5,
            warmup=0.0,
            weight_decay=0.0,
            attention_dropout=0.1,
            precision="fp16",
            gradient_checkpointing=True,
        ),
        model=MatchSettings(max_length=4096),
    ),
}


def train_matcher(
    config: MatchTraining,
    train_pairs: list[TextPair],
    dev_pairs: list[TextPair],
    output: str | Path,
    *,
    resume: bool = False,
    device: str | None = None,
    tracker: str | None = None,
    say: Say = say_on_stderr,
) -> MatchModel:
    """Fine-tune an encoder on pairs of texts, and write the model of the epoch with the best F1 on dev.

    Some pairs must be labelled 0 and some 1. For the other arguments see :class:`cdlm.runs.Run`.
    """
    for name, pairs in (("training", train_pairs), ("dev", dev_pairs)):
        if {pair.label for pair in pairs} != {0, 1}:
            raise InputError(f"the {name} pairs must be labelled, some 0 and some 1")
    data = digest((*train_pairs, None, *dev_pairs))
    run = Run(output, config.run, config, data=data, resume=resume, device=device, tracker=tracker, say=say)
    if run.finished:
        return MatchModel.from_pretrained(output)
    untrained = MatchModel.from_encoder(config.encoder, config.model)
    builder = PairBuilder(untrained.tokenizer, untrained.settings)

    def collate(pairs: list[TextPair], random: np.random.Generator) -> LabelledPairs:
        if config.model.both_orders:
            pairs = [swapped(pair) if random.random() < 0.5 else pair for pair in pairs]
        batch = untrained.collate([builder(pair) for pair in pairs])
        return LabelledPairs(batch, torch.tensor([float(pair.label or 0) for pair in pairs]))

    def evaluate(model: MatchModel) -> Evaluation[MatchScores]:
        predicted = predict_pairs(model, dev_pairs, precision=run.precision)
        scores = match_scores([pair.label or 0 for pair in dev_pairs], [match.label for match in predicted.matches])
        summary = f"F1 {100 * scores.f1:.1f}, accuracy {100 * scores.accuracy:.1f}"
        if predicted.cut:
            summary += f"; cut {predicted.cut} of {len(dev_pairs)} pairs to {model.settings.max_length} tokens"
        return Evaluation(scores.f1, summary, asdict(scores), asdict(scores), scores)

    batches = ShuffledBatches(train_pairs, config.batch_size, config.run.seed, collate)
    examples = f"{len(train_pairs)} training pairs"
    fine_tune(run, untrained, examples, batches, _loss, evaluate, partial(match_card, config))
    return MatchModel.from_pretrained(output)


@dataclass(frozen=True)
class LabelledPairs(Batch):
    """Pairs of texts to train on, and 1 or 0 for each. *Shape* of the labels: (pairs,)"""

    inputs: EncoderBatch
    labels: Tensor


def _loss(model: nn.Module, batch: LabelledPairs) -> Tensor:
    return nn.functional.binary_cross_entropy_with_logits(model(batch.inputs), batch.labels)


def match_card(config: MatchTraining, model: MatchModel, scores: MatchScores, epoch: float) -> str:
    """The text of the model card."""
    return task_card(
        *(config, model, epoch),
        title="A document matching model",
        purpose="Predicts whether the relation on which it was trained holds between two texts.",
        command="cdlm match predict --model THIS_FOLDER pairs.jsonl -o matches.jsonl",
        scores=", ".join(f"{name} {100 * value:.1f}" for name, value in asdict(scores).items()),
    )
