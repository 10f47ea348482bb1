"""The coreference model: batches of sequences in, logits of mention pairs and of candidate mentions out.

An encoder, a scorer of pairs and a detector of mentions, with their configuration, their folder and its model card.
"""

from cdcoref.model.batches import collate_pairs, collate_readings, token_batches
from cdcoref.model.card import KindScores, model_card
from cdcoref.model.config import CorefConfig
from cdcoref.model.coref_model import CorefModel
from cdcoref.model.folder import CONFIG_FILE, DEFAULT_MODEL

__all__ = [
    "CONFIG_FILE",
    "DEFAULT_MODEL",
    "CorefConfig",
    "CorefModel",
    "KindScores",
    "collate_pairs",
    "collate_readings",
    "model_card",
    "token_batches",
]
