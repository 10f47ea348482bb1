"""Annotated corpora and a configuration in, a model's folder out: data, training loop, and what is tuned on dev."""

from cdcoref.training.config import PRESETS, TrainingConfig
from cdcoref.training.data import Batch, TrainingData
from cdcoref.training.loop import sampling_options, train
from cdcoref.training.sources import linkable_groups
from cdcoref.training.tuning import span_scores, tune

__all__ = [
    "PRESETS",
    "Batch",
    "TrainingConfig",
    "TrainingData",
    "linkable_groups",
    "sampling_options",
    "span_scores",
    "train",
    "tune",
]
