"""The encoder: token ids and a mask of globally attending tokens in, one vector per token out (a fast Longformer)."""

import cdlm.forking  # noqa: F401  whoever has an encoder may fork
from cdlm.encoder.earlier import EarlierEncoder
from cdlm.encoder.model import PRECISIONS, CDLMModel, EncoderOutput, SelfAttention
from cdlm.encoder.remainder import resized_rows
from cdlm.encoder.sizes import check_shapes, check_sizes
from cdlm.encoder.upper import PART_SPACING, UpperLayers

__all__ = [
    "PART_SPACING",
    "PRECISIONS",
    "CDLMModel",
    "EarlierEncoder",
    "EncoderOutput",
    "SelfAttention",
    "UpperLayers",
    "check_shapes",
    "check_sizes",
    "resized_rows",
]
