"""The encoder: token ids and a mask of globally attending tokens in, a vector a token out (Longformer, fast)."""

from cdlm.encoder.model import CDLMModel, EncoderOutput, SelfAttention

__all__ = ["CDLMModel", "EncoderOutput", "SelfAttention"]
