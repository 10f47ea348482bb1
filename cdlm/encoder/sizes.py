"""Whether stored weights match a configuration, judged by their shapes before anything of its size is built.

A configuration is a file that anyone may have written, and may demand a billion layers: nothing is built that the
weights do not contain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cdlm.config import EncoderConfig

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
    """Check the sizes in a configuration against the shapes of stored weights, named as in the encoder.

    Raises
    ------
    ValueError
        If one differs, or there are fewer layers than in the configuration.
    """
    stored = {name.removeprefix(LAYER).partition(".")[0] for name in shapes if name.startswith(LAYER)}
    sizes = dict(SIZES)
    if config.relative_attention_num_buckets is not None:
        sizes[BIAS_TABLE] = ("relative_attention_num_buckets", "num_attention_heads")
    for layer in range(config.num_hidden_layers):
        if str(layer) not in stored:
            raise ValueError(f"num_hidden_layers is {config.num_hidden_layers}, but layer {layer} has no weights")
    check_shapes({name: [getattr(config, size) for size in of_name] for name, of_name in sizes.items()}, shapes)


def check_shapes(expected: Mapping[str, Sequence[int]], shapes: Mapping[str, Sequence[int]]) -> None:
    """Check shapes by name; `shapes` may have more names.

    Raises
    ------
    ValueError
        If one is missing or differs.
    """
    missing = [name for name in expected if name not in shapes]
    if missing:
        others = f" and {len(missing) - 1} others" if len(missing) > 1 else ""
        raise ValueError(f"weights are missing: {missing[0]}{others}")
    for name, shape in expected.items():
        if tuple(shapes[name]) != tuple(shape):
            raise ValueError(f"{name} has shape {tuple(shapes[name])}, but the configuration requires {tuple(shape)}")
