"""The output of the encoder."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from cdlm.encoder.attention import GlobalAttention


@dataclass(frozen=True)
class EncoderOutput:
    """The output of the encoder.

    Parameters
    ----------
    last_hidden_state
        *Shape:* (batch, length, width). Vectors of padding tokens are zero.
    global_attentions
        For each layer the attention of and towards the global tokens; None when it was not asked for.
    hidden_states
        The embeddings and the output of every layer, shaped like the last; None when they were not asked for.
    """

    last_hidden_state: Tensor
    global_attentions: tuple[GlobalAttention, ...] | None = None
    hidden_states: tuple[Tensor, ...] | None = None
