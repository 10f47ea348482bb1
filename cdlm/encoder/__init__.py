"""The encoder: token ids and a mask of globally attending tokens in, a vector a token out (Longformer, fast)."""

from cdlm.encoder.model import CDLMModel, EncoderOutput, SelfAttention
from cdlm.encoder.remainder import resized_rows

__all__ = ["CDLMModel", "EncoderOutput", "SelfAttention", "resized_rows"]
