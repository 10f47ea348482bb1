"""Pretraining on sets of related documents (paper, sections 2 and 3.1).

Paths go in, and a model's folder comes out: corpora are recognised and read as sets of texts (`open_source`), tokenised
once (`prepare`) and sampled as sequences whose masked tokens are predicted (`pretrain`); models are compared by their
perplexity on masked tokens of held-out sets (`perplexities`).
"""

from cdlm.pretraining.comparison import Contender, perplexities
from cdlm.pretraining.config import PRESETS, PretrainingConfig
from cdlm.pretraining.document_sets import SetSource, open_source
from cdlm.pretraining.loop import pretrain
from cdlm.pretraining.masking import IGNORED, VARIANTS, Masking, Variant
from cdlm.pretraining.perplexity import Perplexity
from cdlm.pretraining.token_store import TokenStore, in_words, prepare
from cdlm.pretraining.training_sequences import TrainingSequences

__all__ = [
    "IGNORED",
    "PRESETS",
    "VARIANTS",
    "Contender",
    "Masking",
    "Perplexity",
    "PretrainingConfig",
    "SetSource",
    "TokenStore",
    "TrainingSequences",
    "Variant",
    "in_words",
    "open_source",
    "perplexities",
    "prepare",
    "pretrain",
]
