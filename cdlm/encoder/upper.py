"""The upper layers of an encoder over states that its lower layers computed, as in PreTTR (MacAvaney et al. 2020),
changed by a low-rank difference (LoRA, Hu et al. 2022); one learnt bias is between parts of a sequence."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from cdlm.encoder.layout import TokenLayout
from cdlm.encoder.model import CDLMModel, Layer, SelfAttention
from cdlm.encoder.relative import MAX_DISTANCE, PositionBias
from cdlm.quantization import round_to_int8

NARROW = "narrow"
WIDE = "wide"
PART_SPACING = 8 * MAX_DISTANCE
"""How far apart the places of different parts are: more than any distance that the bias distinguishes."""
_MATRICES = (
    "attention.self.query",
    "attention.self.key",
    "attention.self.value",
    "attention.output.dense",
    "intermediate.dense",
    "output.dense",
)
_NORMS = ("attention.output.LayerNorm", "output.LayerNorm")


class UpperLayers(nn.Module):
    """A low-rank difference for the last layers of an encoder with relative positions, which is not part of it.

    `first` is the number of the first layer, from 0; `rank` the width of the narrow matrices; `unrelated`, *shape*
    (heads,), the bias between places that are further apart than the encoder distinguishes. Raises `ValueError` if the
    encoder has no relative positions, or no layer from `first` on.
    """

    def __init__(self, encoder: CDLMModel, first: int, rank: int) -> None:
        super().__init__()
        table = encoder.encoder.relative_attention_bias
        if table is None:
            raise ValueError("only layers of an encoder with relative positions can read parts of texts side by side")
        if not 0 <= first < encoder.config.num_hidden_layers:
            raise ValueError(f"the encoder has {encoder.config.num_hidden_layers} layers and none with number {first}")
        self.first = first
        self.matrices = nn.ParameterDict()
        self.norms = nn.ParameterDict()
        for number, layer in self._layers(encoder):
            for name in _MATRICES:
                weight = layer.get_parameter(f"{name}.weight")
                narrow = torch.empty(rank, weight.shape[1], device=weight.device)
                nn.init.normal_(narrow, std=1 / math.sqrt(weight.shape[1]))
                self.matrices[_key(number, name, NARROW)] = nn.Parameter(narrow)
                self.matrices[_key(number, name, WIDE)] = nn.Parameter(weight.new_zeros(rank, weight.shape[0]))
            for norm in _NORMS:
                for side in ("weight", "bias"):
                    norm_weight = layer.get_parameter(f"{norm}.{side}").detach().clone()
                    self.norms[_key(number, norm, side)] = nn.Parameter(norm_weight)
        half = len(table.weight) // 2
        unrelated = table.weight.detach()[-1]
        if not unrelated.is_meta:  # there, arithmetic and indices would import PyTorch's compiler
            unrelated = table.weight.detach()[[half - 1, -1]].mean(0)
        self.unrelated = nn.Parameter(unrelated.clone())
        self._merged: list[nn.ModuleList] = []
        self._merged_dtype = torch.float32
        self._learning: list[nn.ModuleList] = []
        self._learning_dtype = torch.float32

    def forward(
        self, encoder: CDLMModel, states: Tensor, places: Tensor, lengths: Sequence[int], rows: Tensor | None = None
    ) -> Tensor:
        """Read states of the encoder's layer before `first`, *shape* (tokens, width), one sequence after the other.

        `places` says where each token is (see `PART_SPACING`), *shape* (tokens,); `lengths` how many tokens each
        sequence has, at most half of the attention window. The output is that of some `rows`, by default of all.
        """
        layout = _side_by_side(lengths, states.device)
        everything = _DenseAttention(layout, PositionBias(self._table(encoder), places))
        states, wanted = everything.padded(states), layout.kept if rows is None else layout.kept[rows]
        layers = self._while_learning(encoder) if torch.is_grad_enabled() else self.merged(encoder)
        for upper in layers:
            assert isinstance(upper, Layer)
            attended = everything(upper.attention.self, states)
            if upper is layers[-1]:
                attended, states = attended[wanted], states[wanted]
            states = upper.feed_forward(upper.attention.output(attended, states))
        return states

    def merged(self, encoder: CDLMModel) -> nn.ModuleList:
        """The layers with their difference, for inference; made once.

        Within autocast their matrices have its precision, so that they are not cast again for every product.
        """
        dtype = self._precision()
        if not self._merged or self._merged_dtype != dtype:
            layers = nn.ModuleList()
            # In full precision: a small difference would be lost beside a weight that is rounded to sixteen bits.
            with torch.no_grad(), torch.autocast(self.unrelated.device.type, enabled=False):
                for number, layer in self._layers(encoder):
                    own = {name: weight.detach() for name, weight in self._norms(number).items()}
                    for name in _MATRICES:
                        weight, (wide, narrow) = layer.get_parameter(f"{name}.weight"), self._difference(number, name)
                        own[f"{name}.weight"] = torch.addmm(weight, wide.T, narrow).to(dtype)
                    parameters = {n: nn.Parameter(w, requires_grad=False) for n, w in own.items()}
                    layers.append(_changed(layer, parameters))
            self._merged, self._merged_dtype = [layers.eval()], dtype
        return self._merged[0]

    def _while_learning(self, encoder: CDLMModel) -> nn.ModuleList:
        """The layers with the difference beside their matrices, which themselves need no gradients; made once."""
        dtype = self._precision()
        if not self._learning or self._learning_dtype != dtype:
            layers = nn.ModuleList()
            for number, layer in self._layers(encoder):
                own: dict[str, nn.Module | nn.Parameter] = dict(self._norms(number))
                for name in _MATRICES:
                    linear = layer.get_submodule(name)
                    assert isinstance(linear, nn.Linear)
                    own[name] = _LinearWithDifference(linear, *self._difference(number, name), dtype)
                layers.append(_changed(layer, own))
            self._learning, self._learning_dtype = [layers], dtype
        for changed, (_, layer) in zip(self._learning[0], self._layers(encoder), strict=True):
            changed.train(layer.training)
        return self._learning[0]

    def _precision(self) -> torch.dtype:
        device = self.unrelated.device.type
        return torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else torch.float32

    def compute_in_int8(self, encoder: CDLMModel) -> None:
        """Round the weights of the merged layers to eight bits; see :meth:`CDLMModel.compute_in_int8`."""
        round_to_int8(self.merged(encoder))

    def _apply(self, fn: Callable[..., Any], recurse: bool = True) -> UpperLayers:
        self._learning.clear()
        for made in self._merged:
            made._apply(fn, recurse)
        return super()._apply(fn, recurse)

    def forget_merged(self) -> None:
        """Make the merged layers anew when they are next needed, since weights have changed."""
        self._merged.clear()

    def _layers(self, encoder: CDLMModel) -> Iterator[tuple[int, Layer]]:
        """The encoder's layers from the first one on, with their numbers."""
        for number, layer in enumerate(encoder.encoder.layer):
            if number >= self.first:
                assert isinstance(layer, Layer)
                yield number, layer

    def _difference(self, number: int, name: str) -> tuple[nn.Parameter, nn.Parameter]:
        """The wide and the narrow matrix that belong to a matrix of a layer."""
        return self.matrices[_key(number, name, WIDE)], self.matrices[_key(number, name, NARROW)]

    def _norms(self, number: int) -> dict[str, nn.Parameter]:
        sides = [(norm, side) for norm in _NORMS for side in ("weight", "bias")]
        return {f"{norm}.{side}": self.norms[_key(number, norm, side)] for norm, side in sides}

    def _table(self, encoder: CDLMModel) -> Tensor:
        """The encoder's table of distances, with :attr:`unrelated` for the largest ones, forward and backward."""
        table = encoder.encoder.relative_attention_bias
        assert table is not None
        half = len(table.weight) // 2
        near, far = table.weight, self.unrelated[None].to(table.weight)
        return torch.cat([near[: half - 1], far, near[half:-1], far])


class _DenseAttention:
    """Attention of all tokens of each sequence to all others, padded to one length; none has global tokens."""

    def __init__(self, layout: TokenLayout, bias: PositionBias) -> None:
        self._layout = layout
        count, length = layout.shape
        places = layout.padded(bias.places[:, None])[..., 0]
        real = layout.padded(torch.ones_like(bias.places, dtype=torch.bool)[:, None])[..., 0]
        scores = bias.of_distances(places[:, None, :] - places[:, :, None]).permute(0, 3, 1, 2)
        # Padded rows attend to all tokens, since a softmax over nothing is undefined; their output is not used.
        self._bias = scores.masked_fill((~real)[:, None, None, :], torch.finfo(torch.bfloat16).min).contiguous()
        self._shape = count, length

    def padded(self, states: Tensor) -> Tensor:
        """*Shape* (tokens, width) in, (padded tokens, width) out."""
        return self._layout.padded(states).flatten(0, 1)

    def __call__(self, attention: SelfAttention, hidden: Tensor) -> Tensor:
        """*Shape* (padded tokens, width) in and out."""
        if isinstance(attention.query, _LinearWithDifference):
            hidden = hidden.to(attention.query.weight.dtype)  # once for three products
        query, key, value = attention.local_projections(hidden).unflatten(0, self._shape).permute(2, 0, 3, 1, 4)
        self._bias = self._bias.to(query.dtype)
        dropout = attention.dropout if attention.training else 0.0
        attended = nn.functional.scaled_dot_product_attention(query, key, value, self._bias, dropout)
        return attended.transpose(1, 2).flatten(0, 1).flatten(-2)


class _LinearWithDifference(nn.Module):
    """A linear layer that stays as it is, plus the product with a narrow and a wide matrix, which are learnt."""

    def __init__(self, linear: nn.Linear, wide: nn.Parameter, narrow: nn.Parameter, dtype: torch.dtype) -> None:
        super().__init__()
        self.weight, self.bias = linear.weight.detach().to(dtype), linear.bias.detach().to(dtype)
        self.wide, self.narrow = wide, narrow

    def forward(self, inputs: Tensor) -> Tensor:
        """*Shape:* (tokens, width) in, (tokens, rows of the weight) out."""
        inputs, wide, narrow = (values.to(self.weight.dtype) for values in (inputs, self.wide, self.narrow))
        return nn.functional.linear(inputs, self.weight, self.bias).addmm_(inputs @ narrow.T, wide)


def _changed(layer: Layer, own: Mapping[str, nn.Module | nn.Parameter]) -> Layer:
    """A copy of a layer with some modules and parameters of its own; all others are the layer's."""
    replaced: dict[int, object] = {id(weight): weight for weight in layer.parameters()}
    for name, part in own.items():
        parent, _, last = name.rpartition(".")
        replaced[id(getattr(layer.get_submodule(parent), last))] = part
    return copy.deepcopy(layer, replaced)


def _key(number: int, name: str, side: str) -> str:
    return f"{number}-{name.replace('.', '-')}-{side}"


def _side_by_side(lengths: Sequence[int], device: torch.device) -> TokenLayout:
    """The layout of sequences without padding, all of whose tokens see each other."""
    longest = max(lengths, default=0)
    mask = torch.arange(longest, device=device) < torch.tensor(lengths, device=device)[:, None]
    return TokenLayout.from_masks(mask.to(torch.int64), None)
