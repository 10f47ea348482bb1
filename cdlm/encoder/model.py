"""The encoder, equivalent to Hugging Face's ``LongformerModel`` and with its names of parameters; every layer sees one
flat (tokens, width) array of all sequences. ``docs/speed.md`` has what each idea gains."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from cdlm.checkpoints import find_checkpoint, read_weights, shapes_only, write_checkpoint
from cdlm.config import CONFIG_FILE, EncoderConfig, read_json
from cdlm.encoder.attention import GlobalAttention, sparse_attention
from cdlm.encoder.folding import FEW_GLOBAL, folded_attention
from cdlm.encoder.layout import TokenLayout
from cdlm.encoder.operations import Linear, add_dropped, product
from cdlm.encoder.relative import PositionBias
from cdlm.encoder.stored_weights import WORD_TABLE, Remainder, check_shapes, check_sizes, without_prefix
from cdlm.errors import InputError
from cdlm.quantization import Int8Linear, round_to_int8

ROWS_AT_ONCE = 512
"""Tokens that pass the wide part of a layer together on the CPU without gradients: bounds the memory."""
PRECISIONS = (torch.float32, torch.float16, torch.bfloat16, torch.float64)
"""Numeric precisions in which weights may be stored."""
ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "gelu": nn.functional.gelu,
    "gelu_new": functools.partial(nn.functional.gelu, approximate="tanh"),
    "relu": nn.functional.relu,
}


class Embeddings(nn.Module):
    """Word, position and type embeddings of a flat batch."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        width, padding = config.hidden_size, config.pad_token_id
        self.word_embeddings = nn.Embedding(config.vocab_size, width, padding_idx=padding)
        self.position_embeddings = nn.Embedding(config.max_position_embeddings, width, padding_idx=padding)
        self.token_type_embeddings = nn.Embedding(config.type_vocab_size, width)
        self.LayerNorm = nn.LayerNorm(width, eps=config.layer_norm_eps)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(self, input_ids: Tensor, position_ids: Tensor) -> Tensor:
        """Both *shape* (tokens,); returns *shape* (tokens, width)."""
        total = self.word_embeddings(input_ids) + self.position_embeddings(position_ids)
        return self.dropout(self.LayerNorm(total + self.token_type_embeddings.weight[0]))


class SelfAttention(nn.Module):
    """Projections for local and for global rows, and the attention between them."""

    def __init__(self, config: EncoderConfig, window: int) -> None:
        super().__init__()
        width = config.hidden_size
        self.window = window
        self.heads = config.num_attention_heads
        self.dropout = config.attention_probs_dropout_prob
        self.query = Linear(width, width)
        self.key = Linear(width, width)
        self.value = Linear(width, width)
        self.query_global = Linear(width, width)
        self.key_global = Linear(width, width)
        self.value_global = Linear(width, width)
        self._joined: dict[int, Int8Linear] = {}

    def forward(
        self,
        hidden: Tensor,
        layout: TokenLayout,
        record: GlobalAttention | None = None,
        bias: PositionBias | None = None,
    ) -> Tensor:
        """*Shape* (tokens, width) in and out."""
        heads = (self.heads, hidden.shape[-1] // self.heads)
        dropout = self.dropout if self.training else 0.0
        if not len(layout.global_rows):
            projected = self.local_projections(hidden)
            return sparse_attention(projected, None, layout, self.window, dropout, record, bias).flatten(-2)
        query = self.query_global(hidden[layout.global_rows]).unflatten(-1, heads)
        if not self._folds(layout):
            projections = [self.query, self.key, self.value, self.key_global, self.value_global]
            projected = self._project(hidden, projections)
            return sparse_attention(projected, query, layout, self.window, dropout, record, bias).flatten(-2)
        attended = sparse_attention(self.local_projections(hidden), None, layout, self.window, dropout, record, bias)
        observe = None if record is None else functools.partial(record.put_rows, layout)
        of_rows = None if bias is None else bias.of_global_rows
        rows = folded_attention(
            hidden, query, self.key_global, self.value_global, layout.sequences, dropout, observe, of_rows
        )
        return attended.index_copy(0, layout.global_rows, rows.to(attended.dtype)).flatten(-2)

    def local_projections(self, hidden: Tensor) -> Tensor:
        """Query, key and value of local rows. *Shape* (tokens, width) in, (tokens, 3, heads, width of a head) out."""
        return self._project(hidden, [self.query, self.key, self.value])

    def _project(self, hidden: Tensor, projections: Sequence[Any]) -> Tensor:
        """*Shape* (tokens, width) in, (tokens, projections, heads, width of a head) out.

        One product for all projections: the input is cast once, and its gradient summed within the product.
        """
        if isinstance(self.query, Int8Linear):
            if len(projections) not in self._joined:
                self._joined[len(projections)] = Int8Linear.joined(projections)
            projected = self._joined[len(projections)](hidden)
        elif not isinstance(self.query, nn.Linear):
            projected = torch.cat([projection(hidden) for projection in projections], dim=-1)
        else:
            weight = torch.cat([projection.weight for projection in projections])
            projected = product(hidden, weight, torch.cat([projection.bias for projection in projections]))
        return projected.unflatten(-1, (len(projections), self.heads, -1))

    def _folds(self, layout: TokenLayout) -> bool:
        """Whether the global rows are folded: there are few of them, and the weights are not rounded to int8."""
        return 0 < layout.most_global <= FEW_GLOBAL and not isinstance(self.query, Int8Linear)


class AddAndNorm(nn.Module):
    """Projection, dropout, residual sum and layer norm: the end of each half of a layer."""

    def __init__(self, width_in: int, config: EncoderConfig) -> None:
        super().__init__()
        self.dense = Linear(width_in, config.hidden_size)
        self.LayerNorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.dropout = config.hidden_dropout_prob

    def forward(self, inner: Tensor, residual: Tensor) -> Tensor:
        """*Shape* (tokens, inner width) and (tokens, width) in, (tokens, width) out."""
        return self.LayerNorm(add_dropped(residual, self.dense(inner), self.dropout if self.training else 0.0))


class Attention(nn.Module):
    """First half of a layer."""

    def __init__(self, config: EncoderConfig, window: int) -> None:
        super().__init__()
        self.self = SelfAttention(config, window)
        self.output = AddAndNorm(config.hidden_size, config)

    def forward(
        self,
        hidden: Tensor,
        layout: TokenLayout,
        record: GlobalAttention | None = None,
        bias: PositionBias | None = None,
        rows: Tensor | None = None,
    ) -> Tensor:
        """*Shape* (tokens, width) in and out; of some rows alone, if they are given."""
        attended = self.self(hidden, layout, record, bias)
        return self.output(attended, hidden) if rows is None else self.output(attended[rows], hidden[rows])


class Intermediate(nn.Module):
    """The wide part of the feed-forward network."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.dense = Linear(config.hidden_size, config.intermediate_size)
        self.activation = ACTIVATIONS[config.hidden_act]

    def forward(self, hidden: Tensor) -> Tensor:
        """*Shape* (tokens, width) in, (tokens, inner width) out."""
        return self.activation(self.dense(hidden))


class Layer(nn.Module):
    """One transformer layer with its own attention window."""

    def __init__(self, config: EncoderConfig, window: int) -> None:
        super().__init__()
        self.attention = Attention(config, window)
        self.intermediate = Intermediate(config)
        self.output = AddAndNorm(config.intermediate_size, config)

    def forward(
        self,
        hidden: Tensor,
        layout: TokenLayout,
        record: GlobalAttention | None = None,
        bias: PositionBias | None = None,
        rows: Tensor | None = None,
    ) -> Tensor:
        """*Shape* (tokens, width) in and out, or (rows, width) out if only some tokens are wanted.

        The layer's attention is stored in the record, if there is one.
        """
        return self.feed_forward(self.attention(hidden, layout, record, bias, rows))

    def feed_forward(self, hidden: Tensor) -> Tensor:
        """The second half of the layer. *Shape* (tokens, width) in and out."""
        if torch.is_grad_enabled() or hidden.device.type != "cpu":
            return self._feed_forward(hidden)
        return torch.cat([self._feed_forward(part) for part in hidden.split(ROWS_AT_ONCE)])

    def _feed_forward(self, hidden: Tensor) -> Tensor:
        return self.output(self.intermediate(hidden), hidden)


class Layers(nn.Module):
    """The stack of layers."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.layer = nn.ModuleList(Layer(config, window) for window in config.attention_window)
        self.relative_attention_bias: nn.Embedding | None = None
        if config.relative_attention_num_buckets:
            self.relative_attention_bias = nn.Embedding(
                config.relative_attention_num_buckets, config.num_attention_heads
            )
        self.gradient_checkpointing = False

    def forward(
        self,
        hidden: Tensor,
        layout: TokenLayout,
        records: Sequence[GlobalAttention] = (),
        kept: dict[int, Tensor] | None = None,
    ) -> Tensor:
        """*Shape* (tokens, width) in and out; each layer's attention is stored in its record, if there are any, and its
        output in `kept`, if that has its number, from 1."""
        bias = self._position_bias(layout)
        for number, (layer, record) in enumerate(zip_longest(self.layer, records), start=1):
            if self.gradient_checkpointing and self.training:
                hidden = checkpoint(layer, hidden, layout, record, bias, use_reentrant=False)
            else:
                hidden = layer(hidden, layout, record, bias)
            if kept is not None and number in kept:
                kept[number] = hidden
        return hidden

    def between(self, hidden: Tensor, layout: TokenLayout, first: int, end: int) -> Tensor:
        """The output of the layers from `first` to before `end`. *Shape* (tokens, width) in and out."""
        bias = self._position_bias(layout)
        for layer in list(self.layer)[first:end]:
            hidden = layer(hidden, layout, None, bias)
        return hidden

    def _position_bias(self, layout: TokenLayout) -> PositionBias | None:
        """The bias on the scores of a batch, the same in all layers; None if the encoder has none."""
        table = self.relative_attention_bias
        return None if table is None else PositionBias(table.weight, layout.kept)


@dataclass(frozen=True)
class EncoderOutput:
    """The output of the encoder."""

    last_hidden_state: Tensor
    """*Shape:* (batch, length, width). Vectors of padding tokens are zero."""
    global_attentions: tuple[GlobalAttention, ...] | None = None
    """For each layer the attention of and towards the global tokens; None when it was not asked for."""
    hidden_states: tuple[Tensor, ...] | None = None
    """The embeddings and the output of every layer, or of those wanted, shaped like the last; None without any."""


class CDLMModel(nn.Module):
    """A Longformer encoder that spends no time on padding.

    Its weights are drawn from PyTorch's random number generator (normal with the configuration's ``initializer_range``,
    biases zero). `remainder` holds the parts of a checkpoint that the encoder does not use.
    """

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.config = config
        self.embeddings = Embeddings(config)
        self.encoder = Layers(config)
        self.remainder = Remainder()
        self._initialise()

    def _initialise(self) -> None:
        for module in self.modules():
            if isinstance(module, nn.Linear | nn.Embedding):
                nn.init.normal_(module.weight, std=self.config.initializer_range)
            if isinstance(module, nn.Linear):
                nn.init.zeros_(module.bias)
            if isinstance(module, nn.Embedding) and module.padding_idx is not None:
                nn.init.zeros_(module.weight[module.padding_idx])

    @classmethod
    def from_pretrained(cls, name_or_folder: str | Path) -> CDLMModel:
        """Read any Hugging Face Longformer checkpoint, in evaluation mode and in the checkpoint's numeric precision.

        It is a folder with ``config.json`` and ``model.safetensors``, or a name on the Hugging Face hub. Raises
        `InputError` if there is none, it is not a Longformer, or weights are missing or have the wrong shape.
        """
        folder = find_checkpoint(name_or_folder)
        values = read_json(folder / CONFIG_FILE)
        config = EncoderConfig.from_checkpoint(values, folder / CONFIG_FILE)
        try:
            weights = read_weights(folder, lambda shapes: check_sizes(config, without_prefix(shapes)))
            with shapes_only():
                model = cls(config)
            model.load_checkpoint_weights(weights, values, assign=True)
        except ValueError as error:
            raise InputError(str(error), folder) from error
        return model.eval()

    def load_checkpoint_weights(
        self, weights: Mapping[str, Tensor], config: Mapping[str, Any] | None = None, *, assign: bool = False
    ) -> None:
        """Take the encoder's weights from a Hugging Face state dict, with or without the ``longformer.`` prefix.

        All else becomes the model's `remainder`. With `assign`, tensors are used instead of copied. A `ValueError` if a
        weight is missing, has the wrong shape, or is no floating-point tensor.
        """
        bare = without_prefix(weights)
        needed = self.state_dict()
        check_shapes({name: tensor.shape for name, tensor in needed.items()}, {n: t.shape for n, t in bare.items()})
        for name in needed:
            if bare[name].dtype not in PRECISIONS:
                raise ValueError(f"{name} is of type {bare[name].dtype}; expected floating-point numbers")
        # Some checkpoints store a few weights in a higher precision than the rest; products need the same for all.
        dtype = bare[WORD_TABLE].dtype
        self.load_state_dict({name: bare[name].to(dtype) for name in needed}, assign=assign)
        self.remainder = Remainder.of(weights, config or {}, needed)

    def save_pretrained(self, folder: str | Path) -> None:
        """Write ``config.json`` and ``model.safetensors``, which Hugging Face's ``AutoModel`` reads too.

        Heads and settings of the checkpoint from which the encoder was read are written back with it.
        """
        write_checkpoint(Path(folder), *self.remainder.checkpoint(self.config, self.state_dict()))

    def resize_token_embeddings(self, vocab_size: int) -> None:
        """Add or remove rows at the end of the word table; new rows are drawn like the initial ones."""
        old = self.embeddings.word_embeddings.weight
        kept = min(vocab_size, len(old))
        table = nn.Embedding(vocab_size, old.shape[1], padding_idx=self.config.pad_token_id).to(old.device, old.dtype)
        with torch.no_grad():
            table.weight.normal_(std=self.config.initializer_range)
            table.weight[:kept] = old[:kept]
        table.weight.requires_grad_(old.requires_grad)
        self.embeddings.word_embeddings = table
        self.config = replace(self.config, vocab_size=vocab_size)
        self.remainder = self.remainder.resized(vocab_size)

    def compute_in_int8(self) -> None:
        """Round the weights of all layers to eight bits, and compute their products in eight bits from now on.

        For inference in fp32 on a CPU; afterwards the model cannot be trained or saved.
        """
        round_to_int8(self.encoder)

    def gradient_checkpointing_enable(self) -> None:
        """Keep only each layer's input for the backward pass and recompute the rest: less memory, more time."""
        self.encoder.gradient_checkpointing = True

    def lower_layers(
        self, input_ids: Tensor, attention_mask: Tensor, global_attention_mask: Tensor, count: int
    ) -> Tensor:
        """The output of the first `count` layers, for :meth:`upper_layers`; masks as in :meth:`forward`.

        *Shape:* (batch, length, width), zeros for padding
        """
        layout, position_ids = self._lay_out(input_ids, attention_mask, global_attention_mask)
        hidden = self.embeddings(input_ids.flatten()[layout.kept], position_ids)
        return layout.padded(self.encoder.between(hidden, layout, 0, count))

    def upper_layers(self, hidden: Tensor, attention_mask: Tensor, global_attention_mask: Tensor, first: int) -> Tensor:
        """The output of the last layer, from the output of the first `first` layers.

        *Shape:* (batch, length, width) in and out, zeros for padding
        """
        layout = TokenLayout.from_masks(attention_mask, global_attention_mask)
        flat = hidden.flatten(0, 1)[layout.kept]
        return layout.padded(self.encoder.between(flat, layout, first, self.config.num_hidden_layers))

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor | None = None,
        global_attention_mask: Tensor | None = None,
        output_attentions: bool = False,
        output_hidden_states: bool | Iterable[int] = False,
    ) -> EncoderOutput:
        """Encode a padded batch. *Shape* of all inputs: (batch, length)

        `attention_mask`: 0 for padding, 1 for tokens, 2 for global tokens; by default all are tokens.
        `global_attention_mask`: Nonzero for further global tokens. `output_attentions`: Return their attention, without
            gradients. `output_hidden_states`: Return the output of every layer, or of some by number in ascending
            order; 0 stands for the embeddings.

        A `ValueError` if a shape is wrong, a mask has other values, or a sequence is longer than ``config.max_length``.
        """
        if attention_mask is None:
            attention_mask = torch.ones_like(input_ids)
        layout, position_ids = self._lay_out(input_ids, attention_mask, global_attention_mask)
        hidden = self.embeddings(input_ids.flatten()[layout.kept], position_ids)
        records = tuple(
            GlobalAttention.empty(layout, self.config.num_attention_heads, hidden.dtype)
            for _ in range(self.config.num_hidden_layers if output_attentions else 0)
        )
        if output_hidden_states is True:
            output_hidden_states = range(self.config.num_hidden_layers + 1)
        states = dict.fromkeys(sorted(output_hidden_states or ()), hidden)
        hidden = self.encoder(hidden, layout, records, states)
        attentions = records if output_attentions else None
        kept = tuple(map(layout.padded, states.values())) if states else None
        return EncoderOutput(layout.padded(hidden), attentions, kept)

    def _lay_out(
        self, input_ids: Tensor, attention_mask: Tensor, global_attention_mask: Tensor | None
    ) -> tuple[TokenLayout, Tensor]:
        """Check the inputs of `forward`, and return the layout of the flat batch and its position ids."""
        if input_ids.ndim != 2:
            raise ValueError(f"input_ids must have shape (batch, length), not {tuple(input_ids.shape)}")
        for name, mask in (("attention_mask", attention_mask), ("global_attention_mask", global_attention_mask)):
            if mask is not None and mask.shape != input_ids.shape:
                raise ValueError(f"{name} has shape {tuple(mask.shape)}, input_ids {tuple(input_ids.shape)}")
        if not bool(((attention_mask == 0) | (attention_mask == 1) | (attention_mask == 2)).all()):
            raise ValueError("attention_mask must be 0 (padding), 1 (a token) or 2 (a global token) everywhere")
        layout = TokenLayout.from_masks(attention_mask, global_attention_mask)
        # Like Hugging Face, count by ids, not by the mask: a padding id has the padding position.
        padding = self.config.pad_token_id
        counted = (input_ids != padding).long()
        position_ids = (counted.cumsum(1) * counted + padding).flatten()[layout.kept]
        if len(position_ids) and int(position_ids.max()) >= self.config.max_position_embeddings:
            raise ValueError(f"a sequence is longer than the encoder's {self.config.max_length} positions")
        return layout, position_ids
