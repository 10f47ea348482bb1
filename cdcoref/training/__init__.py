"""Annotated corpora and a configuration in, a model's folder out: data, training loop, and tuning on dev."""

from cdcoref.training.antecedent_training import AntecedentTraining, fit_antecedents
from cdcoref.training.bi_encoder_data import BiEncoderData, BiEncoderTraining
from cdcoref.training.bi_encoder_training import BiEncoderLearner, contrastive_loss, distillation_loss
from cdcoref.training.cross_encoder_data import ContextData, ContextTraining, ReadContexts, hard_pairs
from cdcoref.training.cross_encoder_training import ContextLearner
from cdcoref.training.data import SamplingOptions, TrainingData
from cdcoref.training.detector import DetectorTraining, fit_detector
from cdcoref.training.loop import fit_contexts, fit_heads, train
from cdcoref.training.mention_words import ReadWords, read_words
from cdcoref.training.roles import CorpusRoles
from cdcoref.training.sources import linkable_groups
from cdcoref.training.styles import in_style, span_targets, tune_styles
from cdcoref.training.training_config import PRESETS, TrainingConfig
from cdcoref.training.tuning import (
    DISTANCE_THRESHOLDS,
    Cuts,
    best_distance_threshold,
    calibration_error,
    fit_temperature,
    fit_weights,
    same_cluster,
    smoothed_best,
    span_scores,
    threshold_curve,
    tune,
    weigh,
)
from cdcoref.training.vector_training import PairExamples, VectorTraining, fit_vectors

__all__ = [
    "DISTANCE_THRESHOLDS",
    "PRESETS",
    "AntecedentTraining",
    "BiEncoderData",
    "BiEncoderLearner",
    "BiEncoderTraining",
    "ContextData",
    "ContextLearner",
    "ContextTraining",
    "CorpusRoles",
    "Cuts",
    "DetectorTraining",
    "PairExamples",
    "ReadContexts",
    "ReadWords",
    "SamplingOptions",
    "TrainingConfig",
    "TrainingData",
    "VectorTraining",
    "best_distance_threshold",
    "calibration_error",
    "contrastive_loss",
    "distillation_loss",
    "fit_antecedents",
    "fit_contexts",
    "fit_detector",
    "fit_heads",
    "fit_temperature",
    "fit_vectors",
    "fit_weights",
    "hard_pairs",
    "in_style",
    "linkable_groups",
    "read_words",
    "same_cluster",
    "smoothed_best",
    "span_scores",
    "span_targets",
    "threshold_curve",
    "train",
    "tune",
    "tune_styles",
    "weigh",
]
