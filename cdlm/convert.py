"""A BERT or RoBERTa checkpoint in, a long encoder out (Longformer paper, section 5).

The position table is tiled to the new length, the local attention keeps the weights of the full attention, and the
global projections start as copies of the local ones. A head for masked language modelling is kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from cdlm.checkpoints import find_checkpoint, read_weights
from cdlm.config import CONFIG_FILE, EncoderConfig, read_json
from cdlm.encoder import CDLMModel
from cdlm.errors import InputError
from cdlm.tokens import load_tokenizer

MODEL_TYPES = ("bert", "roberta", "xlm-roberta", "camembert")
POSITIONS = "embeddings.position_embeddings.weight"
LONG_HEAD = {
    "cls.predictions.bias": "lm_head.bias",
    "cls.predictions.transform.dense.": "lm_head.dense.",
    "cls.predictions.transform.LayerNorm.": "lm_head.layer_norm.",
    "cls.predictions.decoder.": "lm_head.decoder.",
    "lm_head.": "lm_head.",
}
"""How names of the heads for masked language modelling of BERT and RoBERTa begin, and how those of Longformer."""


def convert(source: str | Path, output_folder: str | Path, max_length: int = 4096, window: int = 256) -> CDLMModel:
    """Convert a checkpoint and its tokenizer, and write both to a folder.

    Parameters
    ----------
    source
        Folder or hub name of a BERT or RoBERTa checkpoint.
    max_length
        Tokens that the converted encoder has positions for.
    window
        Total width of the attention window of every layer.

    Returns
    -------
    CDLMModel
        The converted encoder, with embeddings for the special tokens of `cdlm.tokens`.

    Raises
    ------
    InputError
        If the checkpoint cannot be read, or is neither BERT nor RoBERTa, or the window is not even.
    """
    folder = find_checkpoint(source)
    config = read_json(folder / CONFIG_FILE)
    if config.get("model_type") not in MODEL_TYPES or config.get("is_decoder"):
        raise InputError(
            f"model_type is {config.get('model_type')!r}; what can be converted is {', '.join(MODEL_TYPES)}",
            folder / CONFIG_FILE,
        )
    if config.get("position_embedding_type", "absolute") != "absolute":
        raise InputError("only absolute position embeddings can be tiled", folder / CONFIG_FILE)
    try:
        model = convert_weights(config, read_weights(folder), max_length, window)
    except ValueError as error:
        raise InputError(str(error), folder) from error
    tokenizer = load_tokenizer(folder)
    tokenizer.model_max_length = max_length
    if len(tokenizer) > model.config.vocab_size:
        model.resize_token_embeddings(len(tokenizer))
    model.save_pretrained(output_folder)
    tokenizer.save_pretrained(str(output_folder))
    return model


def convert_weights(
    config: Mapping[str, Any], weights: Mapping[str, Tensor], max_length: int, window: int
) -> CDLMModel:
    """Build the long encoder from a BERT or RoBERTa configuration and state dict.

    Raises
    ------
    ValueError
        If weights are missing or of another shape than the configuration says.
    """
    bare = {name.removeprefix("bert.").removeprefix("roberta."): tensor for name, tensor in weights.items()}
    if POSITIONS not in bare:
        raise ValueError(f"{POSITIONS} is missing among the weights")
    head = _masked_lm_head(bare) if config.get("hidden_act") == "gelu" else {}
    bare = {name: tensor for name, tensor in bare.items() if name.startswith(("embeddings.", "encoder.", "pooler."))}
    padding = int(config.get("pad_token_id") or 0)
    # RoBERTa counts positions from pad_token_id + 1 already, BERT from 0; Longformer always as RoBERTa.
    unused = padding + 1
    used = bare[POSITIONS][unused if config["model_type"] != "bert" else 0 :]
    bare[POSITIONS] = tile_positions(used, max_length, unused)
    for name in [name for name in bare if ".attention.self." in name]:
        for projection in ("query", "key", "value"):
            bare[name.replace(f".{projection}.", f".{projection}_global.")] = bare[name].clone()
    long_config = EncoderConfig.from_dict(
        {
            **config,
            "pad_token_id": padding,
            "attention_window": [window] * int(config["num_hidden_layers"]),
            "max_position_embeddings": max_length + unused,
        }
    )
    model = CDLMModel(long_config)
    model.load_checkpoint_weights(bare | head)
    if head:
        model.remainder = model.remainder.with_masked_lm_head(model.remainder.masked_lm_head())
    return model.eval()


def _masked_lm_head(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The head for masked language modelling by Longformer's names; its activation is always gelu there."""
    return {
        new + name.removeprefix(old): tensor
        for name, tensor in weights.items()
        for old, new in LONG_HEAD.items()
        if name.startswith(old)
    }


def tile_positions(table: Tensor, max_length: int, unused: int) -> Tensor:
    """Repeat a position table until it is long enough, after ``unused`` rows of zeros.

    *Shape:* (positions, width) in, (unused + max_length, width) out.
    """
    copies = -(-max_length // len(table))
    return torch.cat([table.new_zeros(unused, table.shape[1]), table.repeat(copies, 1)[:max_length]])
