"""The coreference model: batches of sequences in, logits of mention pairs and of candidate mentions out.

An encoder, a pair scorer and a mention detector; their configuration, the folder that holds them, its model card, and
its upload to the Hugging Face hub.
"""

from cdcoref.model.antecedents import ANAPHORS, ANTECEDENT_FEATURES, AntecedentScorer, antecedent_loss
from cdcoref.model.batches import (
    EncoderBatch,
    LabelledBatch,
    PairBatch,
    ReadingBatch,
    collate_pairs,
    collate_readings,
    token_batches,
)
from cdcoref.model.card import CurvePoint, KindScores, Metadata, model_card
from cdcoref.model.config import (
    ALIKE,
    AROUND,
    SIMILARITIES,
    Combination,
    Combinations,
    CorefConfig,
    DetectorOptions,
    VectorOptions,
)
from cdcoref.model.coref_model import BatchReading, CorefModel
from cdcoref.model.fingerprint import model_fingerprint
from cdcoref.model.folder import CARD_FILE, CONFIG_FILE, DEFAULT_MODEL
from cdcoref.model.mention_vectors import ALL, LEARNT, UNSEEN, KindScorer, VectorScorer
from cdcoref.model.publishing import publish

__all__ = [
    "ALIKE",
    "ALL",
    "ANAPHORS",
    "ANTECEDENT_FEATURES",
    "AROUND",
    "CARD_FILE",
    "CONFIG_FILE",
    "DEFAULT_MODEL",
    "LEARNT",
    "SIMILARITIES",
    "UNSEEN",
    "AntecedentScorer",
    "BatchReading",
    "Combination",
    "Combinations",
    "CorefConfig",
    "CorefModel",
    "CurvePoint",
    "DetectorOptions",
    "EncoderBatch",
    "KindScorer",
    "KindScores",
    "LabelledBatch",
    "Metadata",
    "PairBatch",
    "ReadingBatch",
    "VectorOptions",
    "VectorScorer",
    "antecedent_loss",
    "collate_pairs",
    "collate_readings",
    "model_card",
    "model_fingerprint",
    "publish",
    "token_batches",
]
