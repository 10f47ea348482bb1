"""What a pretraining run depends on besides its corpus, and the presets."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import gcd
from typing import Annotated, Literal

from cdlm.errors import InputError
from cdlm.pretraining.masking import Variant
from cdlm.runs import RunOptions
from cdlm.validation import Count, check_fields, number, whole_number

Length = Annotated[int, whole_number(16, 10**6)]
"""Length of a sequence in tokens; shorter ones are of no use."""
Share = Annotated[float, number(0.01, below=1)]


@dataclass(frozen=True)
class PretrainingConfig:
    """Everything that a run depends on besides the corpus; it is written beside the weights."""

    encoder: str = "minilm"
    """The encoder to pretrain further; see :func:`cdlm.starting_encoders.encoder_folder`."""
    variant: Variant = "cdlm"
    """``"cdlm"``: related documents, masked tokens attend globally. ``"rand"``: unrelated documents. ``"prefix"``:
    equally many tokens at the start attend globally. ``"local"``: none does (paper, section 3)."""
    trained: Literal["all", "head"] = "all"
    """``"all"`` parameters, or only the ``"head"``: a baseline for encoders without a head."""
    max_length: Length = 4096
    """Maximum length of a sequence in tokens."""
    min_documents: Count = 3
    """Sets with fewer documents are skipped."""
    masked: Share = 0.15
    """Share of tokens to mask and predict."""
    batch_size: Count = 16
    """Sequences per optimiser step, over all processes."""
    sequences_at_once: Count = 4
    """Sequences per batch in one process; the rest is accumulated."""
    run: RunOptions = field(default_factory=lambda: RunOptions(steps=1000))
    """How the run is optimised and saved. It lasts ``steps``, which must be given, and is evaluated at its end;
    ``accumulation`` follows from the above."""

    def __post_init__(self) -> None:
        check_fields(self)
        if self.run.steps < 1:
            raise InputError(f"run.steps must be 1 or more, not {self.run.steps}")
        for name in ("epochs", "accumulation", "evaluate_steps"):
            if getattr(self.run, name) != getattr(RunOptions(), name):
                raise InputError(
                    f"run.{name} has no effect: pretraining lasts run.steps, of batch_size sequences each, and is "
                    "evaluated at its end; leave this setting out"
                )
        if self.batch_size % self.sequences_at_once:
            raise InputError(
                f"batch_size {self.batch_size} must be a multiple of sequences_at_once {self.sequences_at_once}; "
                f"choose another, as in --set sequences_at_once={gcd(self.batch_size, self.sequences_at_once)}"
            )

    def accumulation(self, processes: int) -> int:
        """Batches per step in each process.

        Raises `InputError` if the processes cannot share the work evenly.
        """
        batches = self.batch_size // self.sequences_at_once
        if batches % processes:
            raise InputError(
                f"{batches} batches of {self.sequences_at_once} sequences per step cannot be shared evenly by "
                f"{processes} processes; choose another batch_size or sequences_at_once"
            )
        return batches // processes


PRESETS: dict[str, PretrainingConfig] = {
    # For all-MiniLM-L6-v2 converted to a long encoder, which has no head, on a CPU.
    "small": PretrainingConfig(
        max_length=1024,
        batch_size=8,
        sequences_at_once=4,
        run=RunOptions(
            steps=400,
            learning_rate=2e-4,
            head_learning_rate=2e-3,
            warmup=40,
            decay_power=1.0,
            save_steps=50,
            log_steps=10,
        ),
    ),
    # Appendix B of the paper: 4,096 tokens, 64 sequences per step in batches of 8, 3e-5 after 500 warmup steps, cubic
    # decay, 25k steps (section 2.3), 16 bits; the rest as in RoBERTa (Liu et al. 2019, Table 9).
    "paper": PretrainingConfig(
        encoder="allenai/longformer-base-4096",
        batch_size=64,
        sequences_at_once=8,
        run=RunOptions(
            steps=25_000,
            learning_rate=3e-5,
            warmup=500,
            decay_power=3.0,
            adam_beta2=0.98,
            adam_epsilon=1e-6,
            max_gradient_norm=0.0,
            weight_decay=0.01,
            attention_dropout=0.1,
            precision="fp16",
            data_workers=2,
            save_steps=250,
            log_steps=50,
        ),
    ),
}
