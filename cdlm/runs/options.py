"""How a run is optimised and how often it is saved: every setting with its default, whatever is trained."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from cdlm.errors import InputError

PRECISIONS = ("auto", "fp32", "bf16", "fp16")
LARGEST_SEED = 2**32 - 1


@dataclass(frozen=True)
class RunOptions:
    """How a run is optimised, evaluated and saved.

    Attributes
    ----------
    seed
        Random seed, from 0 to 2^32 - 1.
    epochs
        Passes over the training data.
    steps
        Steps of the optimiser, however many epochs they take; 0: as many as `epochs` take.
    evaluate_steps
        Steps between evaluations; 0: at the end of every epoch. The last step is always evaluated.
    learning_rate
        Highest learning rate. The rate rises linearly from 0 over the warmup and then falls to 0.
    head_learning_rate
        Highest learning rate of all parameters outside the model's encoder; None: `learning_rate`.
    decay_power
        After the warmup the rate falls as this power of the share of steps that are left: 1 is linear decay, 3 is what
        the CDLM paper pretrains with (appendix "CDLM Pretraining Hyperparameters").
    warmup
        Over which the learning rate rises: a share of all steps if below 1, else a number of steps.
    weight_decay
        Of AdamW, for matrices; vectors do not decay.
    adam_beta2, adam_epsilon
        Of AdamW: decay of the mean of squared gradients, and what is added to its root.
    max_gradient_norm
        Gradients are scaled down to this norm; 0: they never are.
    attention_dropout
        Dropout of attention probabilities in the encoder (hidden dropout is the checkpoint's).
    accumulation
        Batches whose gradients are summed for one step, in each process.
    precision
        ``"fp32"``, automatic mixed precision ``"bf16"`` or ``"fp16"`` (GPU only), or ``"auto"``: bf16 where the
        processor has instructions for it, else fp32.
    gradient_checkpointing
        Recompute the encoder's activations in the backward pass: less memory, more time.
    data_workers
        Processes that make batches ahead of time; 0: they are made where the model is trained.
    save_steps, log_steps
        Steps between checkpoints, and between lines of progress.

    Raises
    ------
    InputError
        If a value is out of its range.
    """

    seed: int = 0
    epochs: int = 1
    steps: int = 0
    evaluate_steps: int = 0
    learning_rate: float = 1e-4
    head_learning_rate: float | None = None
    decay_power: float = 1.0
    warmup: float = 0.1
    weight_decay: float = 0.01
    adam_beta2: float = 0.999
    adam_epsilon: float = 1e-8
    max_gradient_norm: float = 1.0
    attention_dropout: float = 0.0
    accumulation: int = 1
    precision: Literal["auto", "fp32", "bf16", "fp16"] = "auto"
    gradient_checkpointing: bool = False
    data_workers: int = 0
    save_steps: int = 100
    log_steps: int = 20

    def __post_init__(self) -> None:
        least = {
            "seed": 0, "epochs": 1, "steps": 0, "evaluate_steps": 0, "learning_rate": 0, "head_learning_rate": 0,
            "decay_power": 0, "warmup": 0, "weight_decay": 0, "attention_dropout": 0, "accumulation": 1,
            "adam_beta2": 0, "adam_epsilon": 0, "max_gradient_norm": 0, "data_workers": 0,
            "save_steps": 1, "log_steps": 1,
        }  # fmt: skip
        for name, bound in least.items():
            value = getattr(self, name)
            if value is not None and not value >= bound:  # so that nan is refused too
                raise InputError(f"{name} must be {bound} or more, not {value}")
        if self.adam_beta2 >= 1:
            raise InputError(f"adam_beta2 must be less than 1, not {self.adam_beta2}")
        if self.attention_dropout > 1:
            raise InputError(f"attention_dropout is a share and must be at most 1, not {self.attention_dropout}")
        if self.seed > LARGEST_SEED:
            raise InputError(f"seed must be {LARGEST_SEED} or less, not {self.seed}")
        if self.precision not in PRECISIONS:
            raise InputError(f"precision must be one of {', '.join(PRECISIONS)}, not {self.precision!r}")
