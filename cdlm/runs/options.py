"""How a run is optimised and how often it is saved: settings and defaults, whatever is trained."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from cdlm.validation import Checked, Count, Flag, Index, Probability, number, whole_number

LARGEST_SEED = 2**32 - 1

Amount = Annotated[float, number(0, most=10**9)]


@dataclass(frozen=True)
class RunOptions(Checked):
    """How a run is optimised, evaluated and saved."""

    seed: Annotated[int, whole_number(0, LARGEST_SEED)] = 0
    """Random seed, from 0 to 2^32 - 1."""
    epochs: Count = 1
    """Passes over the training data."""
    steps: Index = 0
    """Optimiser steps, however many epochs they take; 0: as many as `epochs` take."""
    evaluate_steps: Index = 0
    """Steps between evaluations; 0: at the end of every epoch. The last step is always evaluated."""
    learning_rate: Amount = 1e-4
    """Peak learning rate. The rate rises linearly from 0 during the warmup and then falls to 0."""
    head_learning_rate: Amount | None = None
    """Peak learning rate of all parameters outside the model's encoder; None: `learning_rate`."""
    decay_power: Amount = 1.0
    """After the warmup the rate falls with this power of the share of remaining steps: 1 is linear decay; the CDLM
    paper pretrains with 3 (appendix "CDLM Pretraining Hyperparameters")."""
    warmup: Amount = 0.1
    """Length of the warmup: a share of all steps if below 1, otherwise a number of steps. It ends before the last step
    at the latest."""
    weight_decay: Amount = 0.01
    """AdamW's weight decay, for matrices; vectors do not decay."""
    adam_beta2: Annotated[float, number(0, below=1)] = 0.999
    adam_epsilon: Amount = 1e-8
    """AdamW's decay of the mean of squared gradients, and the term added to its root."""
    max_gradient_norm: Amount = 1.0
    """Gradients are clipped to this norm; 0: never."""
    attention_dropout: Probability = 0.0
    """Dropout of attention probabilities in the encoder (hidden dropout is the checkpoint's)."""
    accumulation: Count = 1
    """Batches whose gradients are accumulated for one step, in each process."""
    precision: Literal["auto", "fp32", "bf16", "fp16"] = "auto"
    """Numeric precision: ``"fp32"``, automatic mixed precision ``"bf16"`` or ``"fp16"`` (GPU only), or ``"auto"``: bf16
    if the processor supports it, otherwise fp32."""
    gradient_checkpointing: Flag = False
    """Recompute the encoder's activations in the backward pass: less memory, more time."""
    data_workers: Annotated[int, whole_number(0, 1000)] = 0
    """Processes that prepare batches ahead of time; 0: the training process prepares them."""
    save_steps: Count = 100
    log_steps: Count = 20
    """Steps between checkpoints, and between lines of progress."""
