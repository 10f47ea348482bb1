"""The encoder with a head for masked language modelling (paper, section 2), as Hugging Face's
``LongformerForMaskedLM``."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor, nn

from cdlm.checkpoints import shapes_only
from cdlm.encoder import CDLMModel, resized_rows
from cdlm.errors import InputError


class MaskedLMHead(nn.Module):
    """Hidden layer, normalisation, and the bias of the output layer; the names are Hugging Face's."""

    def __init__(self, width: int, vocab_size: int, layer_norm_eps: float) -> None:
        super().__init__()
        self.dense = nn.Linear(width, width)
        self.layer_norm = nn.LayerNorm(width, eps=layer_norm_eps)
        self.bias = nn.Parameter(torch.zeros(vocab_size))

    def forward(self, hidden: Tensor, words: Tensor) -> Tensor:
        """*Shape:* the encoder's output (..., width), word embeddings (vocabulary, width); returns (..., vocabulary)"""
        return nn.functional.linear(self.layer_norm(nn.functional.gelu(self.dense(hidden))), words, self.bias)


class CDLMForMaskedLM(nn.Module):
    """A Longformer encoder that predicts masked tokens.

    The encoder becomes part of this model. Any head in its checkpoint is ignored: the new head's weights are drawn from
    PyTorch's random number generator. Encoder and head are named as in Hugging Face's checkpoints.
    """

    def __init__(self, encoder: CDLMModel) -> None:
        super().__init__()
        config = encoder.config
        self.longformer = encoder
        self.lm_head = MaskedLMHead(config.hidden_size, config.vocab_size, config.layer_norm_eps)
        nn.init.normal_(self.lm_head.dense.weight, std=config.initializer_range)
        nn.init.zeros_(self.lm_head.dense.bias)
        words = encoder.embeddings.word_embeddings.weight
        self.lm_head.to(words.device, words.dtype)

    @classmethod
    def from_pretrained(cls, name_or_folder: str | Path, *, new_head: bool = False) -> CDLMForMaskedLM:
        """Read a Hugging Face ``LongformerForMaskedLM`` checkpoint, in evaluation mode and in its numeric precision.

        It is a folder, or a name on the Hugging Face hub. With `new_head`, a head is drawn if it has none.
        """
        encoder = CDLMModel.from_pretrained(name_or_folder)
        head = encoder.remainder.masked_lm_head()
        if not head and new_head:
            return cls(encoder).eval()
        with shapes_only():
            expected = MaskedLMHead(encoder.config.hidden_size, encoder.config.vocab_size, 0.0).state_dict()
        if not head:
            raise InputError("this checkpoint has no head for masked language modelling (lm_head)", name_or_folder)
        for name in sorted({*head, *expected}):
            if name not in expected:
                raise InputError(f"lm_head.{name} differs from the weights that it must share", name_or_folder)
            if name not in head or head[name].shape != expected[name].shape:
                raise InputError(f"lm_head.{name} is missing or has the wrong shape", name_or_folder)
        model = cls(encoder)
        model.lm_head.load_state_dict(head)
        return model.eval()

    def save_pretrained(self, folder: str | Path) -> None:
        """Write ``config.json`` and ``model.safetensors``, which Hugging Face's ``LongformerForMaskedLM`` reads too."""
        head = {name: tensor.detach() for name, tensor in self.lm_head.state_dict().items()}
        self.longformer.remainder = self.longformer.remainder.with_masked_lm_head(head)
        self.longformer.save_pretrained(folder)

    def resize_token_embeddings(self, vocab_size: int) -> None:
        """Add or remove words at the end of the vocabulary; new words have a bias of zero."""
        self.longformer.resize_token_embeddings(vocab_size)
        bias = self.lm_head.bias
        self.lm_head.bias = nn.Parameter(resized_rows(bias.detach(), vocab_size), requires_grad=bias.requires_grad)

    def check_length(self, max_length: int, name: str) -> None:
        """Refuse sequences longer than the encoder's position table; `name` is that of the model."""
        longest = self.longformer.config.max_length
        if max_length > longest:
            message = f"max_length is {max_length}, but the encoder has positions for {longest} tokens only"
            raise InputError(message, name)

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor | None = None,
        global_attention_mask: Tensor | None = None,
        predicted: Tensor | None = None,
    ) -> Tensor:
        """Logits over the vocabulary; see :meth:`cdlm.encoder.CDLMModel.forward`.

        With `predicted`, booleans of *shape* (batch, length), those of some tokens only, *shape* (predicted tokens,
        vocabulary); otherwise of all, *shape* (batch, length, vocabulary), those of padding meaningless.
        """
        hidden = self.longformer(input_ids, attention_mask, global_attention_mask).last_hidden_state
        if predicted is not None:
            hidden = hidden[predicted]
        return self.lm_head(hidden, self.longformer.embeddings.word_embeddings.weight)
