"""Small random encoders, and the same weights in Hugging Face's implementation."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer as Backend
from tokenizers import models, pre_tokenizers
from transformers import LongformerConfig, LongformerModel

from cdlm.config import EncoderConfig
from cdlm.encoder import CDLMModel
from cdlm.tokens import SPECIAL_TOKENS, Tokenizer

PAD = 1


@pytest.fixture(scope="session", autouse=True)
def quiet_transformers() -> None:
    """Hugging Face's Longformer announces each time that it pads its input."""
    logging.getLogger("transformers").setLevel(logging.ERROR)


@pytest.fixture(scope="session")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[LongformerModel, CDLMModel]]:
    """Encoders with narrow, mixed and wide windows, each in both implementations, without dropout.

    The weights are larger than usual, so that the attention is far from uniform and mistakes in it are seen.
    """
    both = []
    for number, windows in enumerate(([4, 4], [4, 12], [64, 8])):
        torch.manual_seed(number)
        config = LongformerConfig(
            vocab_size=40, hidden_size=24, num_hidden_layers=2, num_attention_heads=3, intermediate_size=32,
            attention_window=windows, max_position_embeddings=90, type_vocab_size=1, pad_token_id=PAD,
            hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0,
        )  # fmt: skip
        reference = LongformerModel(config, add_pooling_layer=number == 0)
        with torch.no_grad():
            for parameter in reference.parameters():
                parameter.normal_(std=0.3) if parameter.ndim == 2 else parameter.uniform_(0.2, 1.0)
        folder = tmp_path_factory.mktemp("longformer")
        reference.save_pretrained(folder)
        both.append((reference.eval(), CDLMModel.from_pretrained(folder)))
    return both


@pytest.fixture(scope="session")
def longformer_folder(pairs: list[tuple[LongformerModel, CDLMModel]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint that Hugging Face wrote, with a pooler."""
    folder = tmp_path_factory.mktemp("hugging-face")
    pairs[0][0].save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def word_tokenizer() -> Tokenizer:
    """A tokenizer with a token for each of the words ``w0`` to ``w99``, and those of BERT and of this project."""
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *(f"w{number}" for number in range(100))]
    backend = Backend(models.WordLevel({word: number for number, word in enumerate(words)}, unk_token="[UNK]"))
    backend.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    names = ("pad_token", "unk_token", "cls_token", "sep_token", "mask_token")
    return Tokenizer(backend, dict(zip(names, words, strict=False)) | {"extra_special_tokens": SPECIAL_TOKENS})


@pytest.fixture(scope="session")
def word_encoder(word_tokenizer: Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a Longformer checkpoint for `word_tokenizer`: two layers, windows of 8, no head."""
    torch.manual_seed(3)
    config = EncoderConfig(
        vocab_size=len(word_tokenizer), hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=64, attention_window=(8, 8), max_position_embeddings=129, pad_token_id=0,
        hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, initializer_range=0.1,
    )  # fmt: skip
    folder = tmp_path_factory.mktemp("word-encoder")
    CDLMModel(config).save_pretrained(folder)
    word_tokenizer.save(folder)
    return folder
