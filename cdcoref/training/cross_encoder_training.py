"""Training the cross-encoder of upper layers, a low-rank difference (LoRA, Hu et al. 2022) from an encoder that does
not change: a bi-encoder and annotated corpora in, the weights of :class:`cdcoref.model.ContextScorer` out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from sklearn.metrics import average_precision_score
from torch import Tensor, nn

from cdcoref.corpora import AnnotatedCorpus
from cdcoref.corpus import KINDS
from cdcoref.errors import InputError
from cdcoref.model import ContextScorer, CorefModel
from cdcoref.training.cross_encoder_data import ContextData, ContextTraining, LabelledContexts
from cdlm.checkpoints import WEIGHTS_FILE, read_safetensors, save_file
from cdlm.encoder import CDLMModel, SelfAttention
from cdlm.runs import Evaluation, Run, RunOptions

WARMUP = 0.05
"""Share of the steps in which the learning rates rise from 0; then they fall to 0."""
DEV_PAIRS = 2000
"""Of each corpus and kind of the dev split, at most this many pairs judge a pass."""


class ContextLearner(nn.Module):
    """The scorer of contexts and its loss; the encoder is no part of it, so that checkpoints are small."""

    def __init__(self, encoder: CDLMModel, scorer: ContextScorer, attention_dropout: float = 0.0) -> None:
        super().__init__()
        # By this name, they have the learning rate of an encoder; see cdlm.runs.
        self.encoder = nn.ModuleList([scorer.layers.matrices, scorer.layers.norms])
        self.scorer = scorer
        self._unchanged = [encoder.requires_grad_(False)]
        for module in encoder.modules():
            if isinstance(module, SelfAttention):
                module.dropout = attention_dropout

    def train(self, mode: bool = True) -> ContextLearner:
        """Switch to training, as for any module, with the encoder's dropout."""
        self._unchanged[0].train(mode)
        return super().train(mode)

    def forward(self, batch: LabelledContexts) -> Tensor:
        """Binary cross-entropy, the mean over the pairs. *Shape:* ()"""
        logits = self.scorer(self._unchanged[0], batch.inputs).float()
        return nn.functional.binary_cross_entropy_with_logits(logits, batch.labels)

    def average_precisions(self, data: ContextData, precision: str) -> dict[str, float]:
        """Average precision on pairs of each corpus and kind that has coreferent pairs and others."""
        device = self.scorer.marks.device
        logits = np.full(len(data.pairs), np.nan, dtype=np.float32)
        self.scorer.layers.forget_merged()
        with torch.inference_mode(), torch.autocast(device.type, torch.bfloat16, enabled=precision == "bf16"):
            for chosen, batch in data.sample(DEV_PAIRS):
                logits[chosen] = self.scorer(self._unchanged[0], batch.inputs.to(device)).float().cpu().numpy()
        self.scorer.layers.forget_merged()
        found: dict[str, float] = {}
        for place, part in enumerate(data.parts):
            for kind, name in enumerate(KINDS):
                own = (data.part_of == place) & (data.kind_of == kind) & ~np.isnan(logits)
                if data.labels[own].any() and not data.labels[own].all():
                    found[f"{part.info.name}_{name}"] = float(average_precision_score(data.labels[own], logits[own]))
        return found


def run_options(options: ContextTraining, run: RunOptions) -> RunOptions:
    """How the scorer of contexts is optimised, where the rest of a model is optimised by `run`."""
    return RunOptions(
        seed=run.seed,
        epochs=options.context_passes,
        learning_rate=options.upper_rate,
        head_learning_rate=options.new_rate,
        warmup=WARMUP,
        attention_dropout=run.attention_dropout,
        accumulation=options.batches_of_step,
        save_steps=run.save_steps,
        log_steps=run.log_steps,
    )


def train_contexts(
    run: Run,
    model: CorefModel,
    learnt: Sequence[AnnotatedCorpus],
    dev: Sequence[AnnotatedCorpus],
    options: ContextTraining,
    *,
    attention_dropout: float,
    seed: int,
) -> None:
    """Train a scorer of contexts; weights of the best epoch on dev are written, which :func:`load_contexts` reads."""
    torch.manual_seed(seed)
    scorer = ContextScorer(model.encoder, model.settings.contexts)
    model.eval()
    data = ContextData(model, learnt, options, seed=seed)
    if data.labels.all() or not data.labels.any():
        raise InputError("the cross-encoder needs coreferent mentions to learn from, and others that are not")
    candidates = replace(options, same_cluster=0, other_topics=0, corpus_shares={})
    unseen = ContextData(model, dev, candidates, seed=seed)
    learner = ContextLearner(model.encoder, scorer, attention_dropout)
    steps = math.ceil(len(data) / options.batches_of_step)
    run.say(
        f"contexts: {len(data.pairs)} pairs, {100 * data.labels.mean():.0f}% of them coreferent; {steps} steps a pass; "
        f"{sum(p.numel() for p in learner.parameters()) / 1e6:.1f}M parameters"
    )

    def evaluate(learner: ContextLearner) -> Evaluation[None]:
        metrics = learner.average_precisions(unseen, run.precision)
        mean = sum(metrics.values()) / max(1, len(metrics))
        each = ", ".join(f"{name.replace('_', ' ')} {100 * value:.1f}" for name, value in metrics.items())
        return Evaluation(mean, f"average precision {100 * mean:.1f} ({each})", metrics, metrics, None)

    def written(learner: ContextLearner, folder: Path, evaluation: Evaluation[None], epoch: float) -> None:
        weights = {name: tensor.detach().cpu().contiguous() for name, tensor in learner.scorer.state_dict().items()}
        save_file(weights, folder / WEIGHTS_FILE)

    run.train(learner, data, loss=lambda learner, batch: learner(batch), evaluate=evaluate, save=written)


def load_contexts(model: CorefModel, folder: Path) -> None:
    """Give the scorer of contexts of a model the weights that :func:`train_contexts` wrote."""
    assert model.context_scorer is not None
    model.context_scorer.load_state_dict(read_safetensors([folder / WEIGHTS_FILE]))
    model.context_scorer.layers.forget_merged()
