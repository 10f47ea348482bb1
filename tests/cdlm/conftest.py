"""Small random encoders, and the same weights in Hugging Face's implementation."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
import torch
from transformers import LongformerConfig, LongformerModel

from cdlm.encoder import CDLMModel

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
    models = []
    for number, windows in enumerate(([4, 4], [4, 12], [64, 8])):
        torch.manual_seed(number)
        config = LongformerConfig(
            vocab_size=40,
            hidden_size=24,
            num_hidden_layers=2,
            num_attention_heads=3,
            intermediate_size=32,
            attention_window=windows,
            max_position_embeddings=90,
            type_vocab_size=1,
            pad_token_id=PAD,
            hidden_dropout_prob=0.0,
            attention_probs_dropout_prob=0.0,
        )
        reference = LongformerModel(config, add_pooling_layer=number == 0)
        with torch.no_grad():
            for parameter in reference.parameters():
                parameter.normal_(std=0.3) if parameter.ndim == 2 else parameter.uniform_(0.2, 1.0)
        folder = tmp_path_factory.mktemp("longformer")
        reference.save_pretrained(folder)
        models.append((reference.eval(), CDLMModel.from_pretrained(folder)))
    return models


@pytest.fixture(scope="session")
def longformer_folder(pairs: list[tuple[LongformerModel, CDLMModel]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint that Hugging Face wrote, with a pooler."""
    folder = tmp_path_factory.mktemp("hugging-face")
    pairs[0][0].save_pretrained(folder)
    return folder
