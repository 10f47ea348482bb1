"""The coreference model: batches of sequences in, logits of mention pairs and of candidate mentions out.

An encoder, a pair scorer and a mention detector; their configuration, the folder that holds them, its model card, and
its upload to the Hugging Face hub. The configuration can be read without PyTorch: what needs it is imported on first
use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cdcoref.model.card import CurvePoint, KindScores, Metadata, model_card
from cdcoref.model.model_config import (
    ALL,
    ANAPHORS,
    ANTECEDENT_FEATURES,
    CONTEXT_SIMILARITIES,
    SIMILARITIES,
    SYMMETRIC_SIMILARITIES,
    UNSEEN,
    Combination,
    Combinations,
    CorefConfig,
    DetectorOptions,
    VectorOptions,
)
from cdlm.lazy_imports import on_first_use

if TYPE_CHECKING:
    from cdcoref.model.antecedent_scorer import AntecedentScorer, antecedent_loss
    from cdcoref.model.batches import (
        LabelledBatch,
        PairBatch,
        ReadingBatch,
        collate_pairs,
        collate_readings,
        token_batches,
    )
    from cdcoref.model.context_scorer import ContextBatch, ContextScorer, check_contexts, collate_contexts
    from cdcoref.model.coref_model import CorefModel
    from cdcoref.model.fingerprint import model_fingerprint
    from cdcoref.model.folder import CARD_FILE, CONFIG_FILE, DEFAULT_MODEL, find_model
    from cdcoref.model.mention_projection import MentionProjection
    from cdcoref.model.mention_vectors import KindScorer, VectorScorer
    from cdcoref.model.pair_scorer import PairScorer
    from cdcoref.model.publishing import publish
    from cdcoref.model.span_detector import SpanDetector, words_of_layers

__all__ = [
    "ALL",
    "ANAPHORS",
    "ANTECEDENT_FEATURES",
    "CARD_FILE",
    "CONFIG_FILE",
    "CONTEXT_SIMILARITIES",
    "DEFAULT_MODEL",
    "SIMILARITIES",
    "SYMMETRIC_SIMILARITIES",
    "UNSEEN",
    "AntecedentScorer",
    "Combination",
    "Combinations",
    "ContextBatch",
    "ContextScorer",
    "CorefConfig",
    "CorefModel",
    "CurvePoint",
    "DetectorOptions",
    "KindScorer",
    "KindScores",
    "LabelledBatch",
    "MentionProjection",
    "Metadata",
    "PairBatch",
    "PairScorer",
    "ReadingBatch",
    "SpanDetector",
    "VectorOptions",
    "VectorScorer",
    "antecedent_loss",
    "check_contexts",
    "collate_contexts",
    "collate_pairs",
    "collate_readings",
    "find_model",
    "model_card",
    "model_fingerprint",
    "publish",
    "token_batches",
    "words_of_layers",
]

__getattr__ = on_first_use(
    __name__,
    {
        "antecedent_scorer": "AntecedentScorer antecedent_loss",
        "batches": "LabelledBatch PairBatch ReadingBatch collate_pairs collate_readings token_batches",
        "context_scorer": "ContextBatch ContextScorer check_contexts collate_contexts",
        "coref_model": "CorefModel",
        "fingerprint": "model_fingerprint",
        "folder": "CARD_FILE CONFIG_FILE DEFAULT_MODEL find_model",
        "mention_projection": "MentionProjection",
        "mention_vectors": "KindScorer VectorScorer",
        "pair_scorer": "PairScorer",
        "publishing": "publish",
        "span_detector": "SpanDetector words_of_layers",
    },
)
