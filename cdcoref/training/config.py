"""What a training run depends on: every setting with its default, the presets, and a TOML file read into them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal

from cdcoref.corpus import KINDS
from cdcoref.errors import InputError
from cdcoref.model import CorefConfig
from cdcoref.sequences import SMALLEST_LENGTH
from cdlm.runs import RunOptions


@dataclass(frozen=True)
class TrainingConfig:
    """Everything that a run depends on beside the corpus; written beside the weights.

    Attributes
    ----------
    encoder
        Folder or hub name of a Longformer, BERT or RoBERTa checkpoint, or ``"minilm"``; see
        :func:`cdlm.starting_encoders.encoder_folder`.
    mention_type
        ``"event"``, ``"entity"``, or ``"both"`` from one encoder pass.
    seed
        Of everything random.
    epochs
        Passes over the training data; the one that is best on dev is kept.
    learning_rate, head_learning_rate
        Highest rates of the encoder and of the two heads; both rise linearly over the first `warmup` of all steps and
        then fall linearly to zero.
    weight_decay, warmup, attention_dropout
        Of AdamW; share of the steps; dropout of attention probabilities (hidden dropout is the checkpoint's).
    batch_tokens, batch_sequences, accumulation
        Most word pieces of a batch, about the most sequences of one, and batches a step of the optimiser.
    negatives, other_subtopics, detection_passes, weights
        See :class:`cdcoref.training.data.SamplingOptions`.
    precision
        ``"fp32"``, or automatic mixed precision ``"bf16"`` or ``"fp16"``.
    gradient_checkpointing
        Less memory, more time.
    save_steps, log_steps
        Steps between checkpoints, and between lines of the log.
    marking, context, max_length, mention_vector, both_orders, linkage, detector_max_length
        See :class:`cdcoref.model.coref_model.CorefConfig`.
    """

    encoder: str = "minilm"
    mention_type: Literal["event", "entity", "both"] = "both"
    seed: int = 0
    epochs: int = 2
    learning_rate: float = 1e-4
    head_learning_rate: float = 5e-4
    weight_decay: float = 0.01
    warmup: float = 0.1
    attention_dropout: float = 0.0
    batch_tokens: int = 4096
    batch_sequences: int = 64
    accumulation: int = 1
    negatives: float = 0.0
    other_subtopics: float = 0.3
    detection_passes: int = 2
    precision: Literal["fp32", "bf16", "fp16"] = "bf16"
    gradient_checkpointing: bool = False
    save_steps: int = 100
    log_steps: int = 20
    marking: Literal["all", "pair"] = "all"
    context: int | Literal["document", "sentence"] = "sentence"
    max_length: int = 512
    mention_vector: Literal["sum", "mean"] = "sum"
    both_orders: bool = True
    linkage: Literal["average", "single", "complete"] = "average"
    detector_max_length: int = 256
    weights: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        least = {
            "epochs": 1, "batch_tokens": 1, "batch_sequences": 1, "accumulation": 1, "save_steps": 1, "log_steps": 1,
            "seed": 0, "learning_rate": 0, "head_learning_rate": 0, "weight_decay": 0, "warmup": 0, "negatives": 0,
            "attention_dropout": 0, "other_subtopics": 0, "detection_passes": 0, "detector_max_length": SMALLEST_LENGTH,
        }  # fmt: skip
        for name, bound in least.items():
            if not getattr(self, name) >= bound:  # so that nan is refused too
                raise InputError(f"{name} must be {bound} or more, not {getattr(self, name)}")
        for name in ("warmup", "other_subtopics", "attention_dropout"):
            if getattr(self, name) > 1:
                raise InputError(f"{name} is a share and must be at most 1, not {getattr(self, name)}")
        for name, weight in self.weights.items():
            if type(weight) not in (int, float) or not 0 < weight <= 1:
                raise InputError(f"the weight of {name} is a share and must be above 0 and at most 1, not {weight!r}")
        allowed: dict[str, tuple[str, ...]] = {"mention_type": (*KINDS, "both"), "precision": ("fp32", "bf16", "fp16")}
        allowed |= {"mention_vector": ("sum", "mean"), "linkage": ("average", "single", "complete")}
        for name, values in allowed.items():
            if getattr(self, name) not in values:
                raise InputError(f"{name} must be one of {', '.join(values)}, not {getattr(self, name)!r}")
        self.coref_config().sequence_options()

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], path: Path | None = None) -> TrainingConfig:
        """Make a configuration from named values; an unknown name or a wrong type is an `InputError`."""
        known = [setting.name for setting in fields(cls)]
        standard = cls()
        for name, value in values.items():
            if name not in known:
                raise InputError(f"there is no setting {name!r}; the settings are {', '.join(known)}", path)
            default = getattr(standard, name)
            types = (int, float) if isinstance(default, float) else (type(default),)
            if type(value) not in types and name != "context":
                raise InputError(f"{name} must be of type {type(default).__name__}, not {value!r}", path)
        try:
            return cls(**values)
        except InputError as error:
            raise InputError(error.message, path) from error

    @classmethod
    def from_toml(cls, path: Path, preset: Mapping[str, Any], overrides: Mapping[str, Any]) -> TrainingConfig:
        """Read a TOML file over a preset; `overrides` have the last word."""
        try:
            values = tomllib.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise InputError(f"the configuration cannot be read ({error.strerror})", path) from error
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise InputError(f"this is not TOML ({error})", path) from error
        cls.from_dict({**preset, **values}, path)  # what is wrong in the file is said of the file
        return cls.from_dict({**preset, **values, **overrides})

    def coref_config(self) -> CorefConfig:
        """The part that the model itself keeps."""
        names = {field.name for field in fields(CorefConfig)} & {field.name for field in fields(self)}
        return CorefConfig(**{name: getattr(self, name) for name in names})

    def run_options(self) -> RunOptions:
        """The part that every training run has."""
        names = {field.name for field in fields(RunOptions)} & {field.name for field in fields(self)}
        return RunOptions(**{name: getattr(self, name) for name in names})

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of mention that are trained."""
        return KINDS if self.mention_type == "both" else (self.mention_type,)


PRESETS: dict[str, dict[str, Any]] = {
    # For the embedded encoder, chosen on dev.
    "small": {},
    # What the paper states: CDLM, whole documents, one candidate pair a sequence, sums of token vectors, one hidden
    # layer of 1024 with tanh, 10 epochs, 128 pairs a step. It leaves open the learning rate, the number of negatives,
    # the schedule and the clustering threshold: those here are this project's (the threshold is tuned on dev).
    "paper": {
        "encoder": "biu-nlp/cdlm",
        "epochs": 10,
        "learning_rate": 1e-5,
        "head_learning_rate": 1e-4,
        "attention_dropout": 0.1,
        "batch_tokens": 16_384,
        "batch_sequences": 4,
        "accumulation": 32,
        "negatives": 20.0,
        "other_subtopics": 0.0,
        "detection_passes": 1,
        "precision": "fp16",
        "gradient_checkpointing": True,
        "marking": "pair",
        "context": "document",
        "max_length": 4096,
        "both_orders": False,
        "detector_max_length": 4096,
    },
}
