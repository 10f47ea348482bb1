"""How weights change: a model and the options of its run in, the optimiser and the course of its learning rates out."""

from __future__ import annotations

import math

import torch
from torch import nn
from torch.optim.lr_scheduler import LambdaLR

from cdlm.runs.options import RunOptions

ENCODERS = ("encoder.", "longformer.")
"""Prefixes of an encoder's parameters: in this project's models, and in Hugging Face's."""


def make_optimizer(model: nn.Module, options: RunOptions) -> torch.optim.AdamW:
    """AdamW with one learning rate for the encoder and one for the rest, without weight decay for vectors."""
    groups: dict[tuple[bool, bool], list[nn.Parameter]] = {}
    for name, parameter in model.named_parameters():
        if parameter.requires_grad:
            groups.setdefault((name.startswith(ENCODERS), parameter.ndim > 1), []).append(parameter)
    rate, head_rate = options.learning_rate, options.head_learning_rate
    rates = {True: rate, False: rate if head_rate is None else head_rate}
    return torch.optim.AdamW(
        [
            {"params": parameters, "lr": rates[encoder], "weight_decay": options.weight_decay if matrix else 0.0}
            for (encoder, matrix), parameters in groups.items()
        ],
        betas=(0.9, options.adam_beta2),
        eps=options.adam_epsilon,
    )


def learning_rates(optimizer: torch.optim.Optimizer, options: RunOptions, steps: int) -> LambdaLR:
    """The course of the learning rates over a run of `steps` steps: up to their peaks, then down to 0.

    The warmup leaves at least the last step for the decay.
    """
    warmup = int(options.warmup) if options.warmup >= 1 else math.ceil(steps * options.warmup)
    warmup = min(warmup, steps - 1)

    def share(step: int) -> float:
        if step < warmup:
            return step / warmup
        if step > steps:
            return 0.0
        return float((1 - (step - warmup) / (steps - warmup)) ** options.decay_power)

    return LambdaLR(optimizer, share)
