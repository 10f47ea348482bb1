"""A long encoder from a BERT, RoBERTa or MPNet checkpoint (Longformer paper, section 5): the position table is tiled,
global projections start as copies of the local ones, and a masked language modelling head is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import torch
from safetensors import SafetensorError
from torch import Tensor

from cdlm.checkpoints import find_checkpoint, read_weights
from cdlm.config import CONFIG_FILE, EncoderConfig, read_json
from cdlm.encoder import CDLMModel, check_sizes
from cdlm.errors import InputError, first_line
from cdlm.files import output_folder
from cdlm.tokens import SPECIAL_TOKENS, Tokenizer, load_tokenizer
from cdlm.validation import shown

T = TypeVar("T")

MOST_POSITIONS = 1_000_000
"""Limit for the converted encoder: at a width of 768 the position table takes 3 GB."""
TRAINED = "training.json"
"""The file that every training run leaves beside its model."""
MPNET = "mpnet"
MODEL_TYPES = ("bert", "roberta", "xlm-roberta", "camembert", MPNET)
POSITIONS = "embeddings.position_embeddings.weight"
TYPES = "embeddings.token_type_embeddings.weight"
BUCKETS = "relative_attention_num_buckets"
PREFIXES = ("bert.", "roberta.", "mpnet.")
OF_MPNET = {
    ".attention.attn.q.": ".attention.self.query.",
    ".attention.attn.k.": ".attention.self.key.",
    ".attention.attn.v.": ".attention.self.value.",
    ".attention.attn.o.": ".attention.output.dense.",
    ".attention.LayerNorm.": ".attention.output.LayerNorm.",
}
"""Parts of the names of MPNet's weights, and those of BERT, RoBERTa and Longformer."""
LONG_HEAD = {
    "cls.predictions.bias": "lm_head.bias",
    "cls.predictions.transform.dense.": "lm_head.dense.",
    "cls.predictions.transform.LayerNorm.": "lm_head.layer_norm.",
    "cls.predictions.decoder.": "lm_head.decoder.",
    "lm_head.": "lm_head.",
}
"""Prefixes of the weights of masked language modelling heads: in BERT, in RoBERTa and MPNet, and in Longformer."""


def convert(source: str | Path, output: str | Path, max_length: int = 4096, window: int = 256) -> CDLMModel:
    """Convert a BERT, RoBERTa or MPNet checkpoint, a folder or a hub name, and write it with its tokenizer to a folder.

    The encoder, with embeddings for the special tokens of `cdlm.tokens`, is returned. The attention window of every
    layer has the total width `window`. Files of the same name in the folder are replaced, unless they are of a trained
    model. Raises `InputError` if the output cannot be written, the checkpoint cannot be read or is of another type, or
    a size is out of range.
    """
    if not 1 <= max_length <= MOST_POSITIONS:
        raise InputError(f"the number of positions must be from 1 to {MOST_POSITIONS:,}, not {max_length:,}")
    if not 2 <= window <= MOST_POSITIONS or window % 2:
        raise InputError(f"the attention window must be an even number from 2 to {MOST_POSITIONS:,}, not {window:,}")
    with output_folder(Path(output)) as folder:
        model, tokenizer = _converted(find_checkpoint(source), folder, max_length, window)
        try:
            model.save_pretrained(folder)
            tokenizer.save(folder)
        except (OSError, SafetensorError) as error:
            raise InputError(f"the converted checkpoint cannot be written ({first_line(error)})", folder) from error
    return model


def _converted(source: Path, output: Path, max_length: int, window: int) -> tuple[CDLMModel, Tokenizer]:
    if source.resolve() == output.resolve():
        raise InputError("the output would replace the checkpoint; choose another folder", output)
    if (output / TRAINED).exists():
        raise InputError("the output would replace a trained model; choose another folder", output)
    path = source / CONFIG_FILE
    values = read_json(path)
    model_type = values.get("model_type")
    if model_type not in MODEL_TYPES or values.get("is_decoder"):
        raise InputError(f"model_type is {shown(model_type)}; it must be one of {', '.join(MODEL_TYPES)}", path)
    if values.get("position_embedding_type", "absolute") != "absolute":
        raise InputError("only absolute position embeddings can be tiled", path)
    pad_token_id = 0 if values.get("pad_token_id") is None else values["pad_token_id"]
    if model_type != MPNET:
        values = {name: value for name, value in values.items() if name != BUCKETS}
    elif BUCKETS not in values:
        raise InputError(f"{BUCKETS} is missing; an MPNet checkpoint has it", path)
    config = EncoderConfig.from_dict({**values, "pad_token_id": pad_token_id, "attention_window": window}, path)
    tokenizer = load_tokenizer(source)
    tokenizer.settings["model_max_length"] = max_length
    if len(tokenizer) > config.vocab_size + len(SPECIAL_TOKENS):
        raise InputError("the tokenizer has more entries than the encoder; it belongs to another model", source)
    try:
        weights = read_weights(source, lambda shapes: check_sizes(config, _with_types(config, _bare(shapes))))
        model = convert_weights(config, weights, max_length, counts_from_padding=model_type != "bert")
    except ValueError as error:
        raise InputError(str(error), source) from error
    if len(tokenizer) > config.vocab_size:
        model.resize_token_embeddings(len(tokenizer))
    return model, tokenizer


def convert_weights(
    config: EncoderConfig, weights: Mapping[str, Tensor], max_length: int, *, counts_from_padding: bool
) -> CDLMModel:
    """Build the long encoder from the state dict of a short one, whose sizes `config` has, with the new windows.

    The first position is ``pad_token_id + 1``, as in RoBERTa and Longformer, if it `counts_from_padding`; or 0, as in
    BERT.
    """
    bare = _bare(weights)
    head = _masked_lm_head(bare) if config.hidden_act == "gelu" else {}
    bare = {name: tensor for name, tensor in bare.items() if name.startswith(("embeddings.", "encoder.", "pooler."))}
    if config.relative_attention_num_buckets is not None:
        bare.setdefault(TYPES, bare[POSITIONS].new_zeros(config.type_vocab_size, config.hidden_size))
    unused = config.pad_token_id + 1
    used = bare[POSITIONS][unused if counts_from_padding else 0 :]
    bare[POSITIONS] = tile_positions(used, max_length, unused)
    for name in [name for name in bare if ".attention.self." in name]:
        for projection in ("query", "key", "value"):
            bare[name.replace(f".{projection}.", f".{projection}_global.")] = bare[name].clone()
    model = CDLMModel(replace(config, max_position_embeddings=max_length + unused))
    model.load_checkpoint_weights(bare | head)
    if head:
        model.remainder = model.remainder.with_masked_lm_head(model.remainder.masked_lm_head())
    return model.eval()


def _bare(named: Mapping[str, T]) -> dict[str, T]:
    """The same, by the encoder's own names."""
    return {_own_name(name): value for name, value in named.items()}


def _own_name(name: str) -> str:
    for prefix in PREFIXES:
        name = name.removeprefix(prefix)
    for part, replacement in OF_MPNET.items():
        name = name.replace(part, replacement)
    return name


def _with_types(config: EncoderConfig, shapes: Mapping[str, Sequence[int]]) -> dict[str, Sequence[int]]:
    """The same with the table of token types, which MPNet does not have."""
    types = {TYPES: (config.type_vocab_size, config.hidden_size)}
    return {**(types if config.relative_attention_num_buckets is not None else {}), **shapes}


def _masked_lm_head(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The masked language modelling head by Longformer's names; its activation is always gelu there."""
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
