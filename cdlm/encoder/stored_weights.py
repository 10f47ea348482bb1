"""What a checkpoint holds: whether its weights have the sizes of its configuration, which is checked before anything of
these sizes is built, and what it has besides the encoder."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar

import torch
from torch import Tensor

from cdlm.config import EncoderConfig

T = TypeVar("T")


PREFIX = "longformer."
"""Hugging Face's prefix of the encoder's names in a checkpoint with a head."""


WORD_TABLE = "embeddings.word_embeddings.weight"


MASKED_LM_HEAD = "lm_head."


MASKED_LM_ARCHITECTURE = "LongformerForMaskedLM"


_SHARED = {MASKED_LM_HEAD + "decoder.weight": WORD_TABLE, MASKED_LM_HEAD + "decoder.bias": MASKED_LM_HEAD + "bias"}
"""Names under which some checkpoints store a tensor a second time, and the name under which it is kept."""


_A_ROW_PER_WORD = (MASKED_LM_HEAD + "bias", *_SHARED)


# The weights have a precision of their own; the configuration's entry would be wrong after a cast.
_NOT_KEPT = {"model_type", "dtype", "torch_dtype", *(f.name for f in fields(EncoderConfig))}


@dataclass(frozen=True)
class Remainder:
    """The contents of a checkpoint besides the encoder."""

    weights: Mapping[str, Tensor] = field(default_factory=dict)
    """By name as in the checkpoint, without `PREFIX`."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Fields of ``config.json``, including ``architectures``."""
    prefixed: bool = False
    """Whether the names of the encoder's weights begin with `PREFIX` in the checkpoint."""

    @classmethod
    def of(cls, weights: Mapping[str, Tensor], config: Mapping[str, Any], own: Collection[str]) -> Remainder:
        """Take what a checkpoint holds besides the encoder's weights, whose names without `PREFIX` are `own`."""
        bare = without_prefix(weights)
        rest = {name: tensor for name, tensor in bare.items() if name not in own}
        if config.get("tie_word_embeddings", True):
            for name, kept in _SHARED.items():
                if name in rest and kept in bare and torch.equal(rest[name], bare[kept]):
                    del rest[name]
        settings = {name: value for name, value in config.items() if name not in _NOT_KEPT}
        return cls(rest, settings, any(name.startswith(PREFIX) for name in weights))

    def checkpoint(
        self, config: EncoderConfig, encoder: Mapping[str, Tensor]
    ) -> tuple[dict[str, Any], dict[str, Tensor]]:
        """The complete checkpoint: ``config.json`` and state dict, the remainder in the encoder's precision."""
        dtype = encoder[WORD_TABLE].dtype
        weights = {(PREFIX if self.prefixed else "") + name: tensor for name, tensor in encoder.items()}
        for name, tensor in self.weights.items():
            weights[name] = tensor.to(dtype) if tensor.is_floating_point() else tensor
        return {**config.to_dict(), **self.settings}, weights

    def masked_lm_head(self) -> dict[str, Tensor]:
        """Weights of the masked language modelling head, named without ``lm_head.``; empty if there is none."""
        return {
            name.removeprefix(MASKED_LM_HEAD): tensor
            for name, tensor in self.weights.items()
            if name.startswith(MASKED_LM_HEAD)
        }

    def with_masked_lm_head(self, head: Mapping[str, Tensor]) -> Remainder:
        """The remainder with another masked language modelling head, named without ``lm_head.``."""
        others = {name: tensor for name, tensor in self.weights.items() if not name.startswith(MASKED_LM_HEAD)}
        return Remainder(
            others | {MASKED_LM_HEAD + name: tensor for name, tensor in head.items()},
            {**self.settings, "architectures": [MASKED_LM_ARCHITECTURE]},
            prefixed=True,
        )

    def resized(self, vocab_size: int) -> Remainder:
        """The remainder for a vocabulary of another size; new rows of the output layer are zero."""
        changed = dict(self.weights)
        for name in _A_ROW_PER_WORD:
            if name in changed:
                changed[name] = resized_rows(changed[name], vocab_size)
        return replace(self, weights=changed)


def without_prefix(named: Mapping[str, T]) -> dict[str, T]:
    """The weights under the encoder's own names."""
    return {name.removeprefix(PREFIX): value for name, value in named.items()}


def resized_rows(table: Tensor, rows: int) -> Tensor:
    """Cut a table or vector at the end, or extend it with zeros. *Shape:* (any, ...) in, (rows, ...) out."""
    kept = min(rows, len(table))
    return torch.cat([table[:kept], table.new_zeros(rows - kept, *table.shape[1:])])


LAYER = "encoder.layer."


BIAS_TABLE = "encoder.relative_attention_bias.weight"


SIZES = {
    "embeddings.word_embeddings.weight": ("vocab_size", "hidden_size"),
    "embeddings.position_embeddings.weight": ("max_position_embeddings", "hidden_size"),
    "embeddings.token_type_embeddings.weight": ("type_vocab_size", "hidden_size"),
    LAYER + "0.intermediate.dense.weight": ("intermediate_size", "hidden_size"),
}
"""Weights whose shapes together determine all sizes in a configuration."""


def check_sizes(config: EncoderConfig, shapes: Mapping[str, Sequence[int]]) -> None:
    """Raise `ValueError` if stored weights, named as in the encoder, do not have the sizes of a configuration."""
    stored = {name.removeprefix(LAYER).partition(".")[0] for name in shapes if name.startswith(LAYER)}
    sizes = dict(SIZES)
    if config.relative_attention_num_buckets is not None:
        sizes[BIAS_TABLE] = ("relative_attention_num_buckets", "num_attention_heads")
    for layer in range(config.num_hidden_layers):
        if str(layer) not in stored:
            raise ValueError(f"num_hidden_layers is {config.num_hidden_layers}, but layer {layer} has no weights")
    check_shapes({name: [getattr(config, size) for size in of_name] for name, of_name in sizes.items()}, shapes)


def check_shapes(expected: Mapping[str, Sequence[int]], shapes: Mapping[str, Sequence[int]]) -> None:
    """Raise `ValueError` if an expected shape is missing or differs; `shapes` may have more names."""
    missing = [name for name in expected if name not in shapes]
    if missing:
        others = f" and {len(missing) - 1} others" if len(missing) > 1 else ""
        raise ValueError(f"weights are missing: {missing[0]}{others}")
    for name, shape in expected.items():
        if tuple(shapes[name]) != tuple(shape):
            raise ValueError(f"{name} has shape {tuple(shapes[name])}, but the configuration requires {tuple(shape)}")
