"""The encoder: token ids and a mask of globally attending tokens in, one vector per token out (a fast Longformer).

What it computes with can be called by itself: sparse attention over a flat batch (:class:`TokenLayout`), with a bias by
distance or without, in tiles for a CPU (:func:`sparse_attention`) or stacked for a GPU (:func:`fused_attention`);
products and dropout.
"""

import cdlm.forking  # noqa: F401  whoever has an encoder may fork
from cdlm.encoder.attention import TokenLayout, sparse_attention
from cdlm.encoder.dropout import add_dropped
from cdlm.encoder.earlier import EarlierEncoder
from cdlm.encoder.fused import fused_attention
from cdlm.encoder.model import PRECISIONS, CDLMModel, EncoderOutput, SelfAttention
from cdlm.encoder.products import Linear
from cdlm.encoder.relative import PositionBias
from cdlm.encoder.remainder import resized_rows
from cdlm.encoder.sizes import check_shapes, check_sizes
from cdlm.encoder.upper import PART_SPACING, UpperLayers

__all__ = [
    "PART_SPACING",
    "PRECISIONS",
    "CDLMModel",
    "EarlierEncoder",
    "EncoderOutput",
    "Linear",
    "PositionBias",
    "SelfAttention",
    "TokenLayout",
    "UpperLayers",
    "add_dropped",
    "check_shapes",
    "check_sizes",
    "fused_attention",
    "resized_rows",
    "sparse_attention",
]
