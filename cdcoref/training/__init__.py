"""Annotated corpora and a configuration in, a model's folder out: data, training loop, and what is tuned on dev."""

from cdcoref.training.config import PRESETS, TrainingConfig
from cdcoref.training.data import Batch, TrainingData
from cdcoref.training.loop import RUN_FILE, sampling_options, say_on_stderr, train
from cdcoref.training.tuning import span_scores, tune

__all__ = [
    "PRESETS",
    "RUN_FILE",
    "Batch",
    "TrainingConfig",
    "TrainingData",
    "sampling_options",
    "say_on_stderr",
    "span_scores",
    "train",
    "tune",
]
