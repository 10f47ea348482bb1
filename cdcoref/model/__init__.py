"""The coreference model: batches of sequences in, logits of mention pairs and of candidate mentions out.

An encoder, a pair scorer and a mention detector; their configuration, the folder that holds them, its model card, and
its upload to the Hugging Face hub. The configuration can be read without PyTorch: what needs it is imported on first
use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from cdcoref.model.card import CurvePoint, KindScores, Metadata, model_card
from cdcoref.model.config import (
    ALIKE,
    ALL,
    ANAPHORS,
    ANTECEDENT_FEATURES,
    AROUND,
    LEARNT,
    SIMILARITIES,
    UNSEEN,
    Combination,
    Combinations,
    CorefConfig,
    DetectorOptions,
    VectorOptions,
)

if TYPE_CHECKING:
    from cdcoref.model.antecedents import AntecedentScorer, antecedent_loss
    from cdcoref.model.batches import (
        EncoderBatch,
        LabelledBatch,
        PairBatch,
        ReadingBatch,
        collate_pairs,
        collate_readings,
        token_batches,
    )
    from cdcoref.model.coref_model import BatchReading, CorefModel
    from cdcoref.model.fingerprint import model_fingerprint
    from cdcoref.model.folder import CARD_FILE, CONFIG_FILE, DEFAULT_MODEL
    from cdcoref.model.mention_vectors import KindScorer, VectorScorer
    from cdcoref.model.publishing import publish
    from cdcoref.model.span_detector import words_of_layers

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
    "words_of_layers",
]

_LAZY = {
    "AntecedentScorer": "cdcoref.model.antecedents",
    "antecedent_loss": "cdcoref.model.antecedents",
    "EncoderBatch": "cdcoref.model.batches",
    "LabelledBatch": "cdcoref.model.batches",
    "PairBatch": "cdcoref.model.batches",
    "ReadingBatch": "cdcoref.model.batches",
    "collate_pairs": "cdcoref.model.batches",
    "collate_readings": "cdcoref.model.batches",
    "token_batches": "cdcoref.model.batches",
    "BatchReading": "cdcoref.model.coref_model",
    "CorefModel": "cdcoref.model.coref_model",
    "model_fingerprint": "cdcoref.model.fingerprint",
    "CARD_FILE": "cdcoref.model.folder",
    "CONFIG_FILE": "cdcoref.model.folder",
    "DEFAULT_MODEL": "cdcoref.model.folder",
    "KindScorer": "cdcoref.model.mention_vectors",
    "VectorScorer": "cdcoref.model.mention_vectors",
    "publish": "cdcoref.model.publishing",
    "words_of_layers": "cdcoref.model.span_detector",
}
"""Where the names are defined that need PyTorch."""


def __getattr__(name: str) -> Any:
    """Import what is slow to import on first use."""
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
