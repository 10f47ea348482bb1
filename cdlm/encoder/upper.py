"""The upper layers of an encoder over states that its lower layers computed, as in PreTTR (MacAvaney et al. 2020),
changed by a low-rank difference (LoRA, Hu et al. 2022); one learnt bias is between parts of a sequence."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.func import functional_call

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

    def forward(
        self, encoder: CDLMModel, states: Tensor, places: Tensor, lengths: Sequence[int], rows: Tensor | None = None
    ) -> Tensor:
        """Read states of the encoder's layer before `first`, *shape* (tokens, width), one sequence after the other.

        `places` says where each token is (see `PART_SPACING`), *shape* (tokens,); `lengths` how many tokens each
        sequence has, at most half of the attention window. The output is that of some `rows`, by default of all.
        """
        layout = _side_by_side(lengths, states.device)
        bias = PositionBias(self._table(encoder), places)
        if torch.is_grad_enabled():
            for number, layer in self._layers(encoder):
                last = number + 1 == encoder.config.num_hidden_layers
                given = states, layout, None, bias, rows if last else None
                states = functional_call(layer, self._weights(number, layer), given)
            return states
        everything = _DenseAttention(layout, bias)
        states, wanted = everything.padded(states), layout.kept if rows is None else layout.kept[rows]
        merged = self.merged(encoder)
        for upper in merged:
            assert isinstance(upper, Layer)
            attended = everything(upper.attention.self, states)
            if upper is merged[-1]:
                attended, states = attended[wanted], states[wanted]
            states = upper.feed_forward(upper.attention.output(attended, states))
        return states

    def merged(self, encoder: CDLMModel) -> nn.ModuleList:
        """The layers with their difference, for inference; made once.

        Within autocast their matrices have its precision, so that they are not cast again for every product.
        """
        device = self.unrelated.device.type
        dtype = torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else torch.float32
        if not self._merged or self._merged_dtype != dtype:
            layers = nn.ModuleList()
            with torch.no_grad():
                for number, layer in self._layers(encoder):
                    shared: dict[int, object] = {}
                    for name, weight in self._weights(number, layer).items():
                        merged_weight = weight.to(dtype) if weight.ndim == 2 else weight.detach()
                        shared[id(layer.get_parameter(name))] = nn.Parameter(merged_weight, requires_grad=False)
                    # Everything else is the encoder's own: no second copy of what does not differ.
                    shared |= {id(weight): weight for weight in layer.parameters() if id(weight) not in shared}
                    layers.append(copy.deepcopy(layer, shared))
            self._merged, self._merged_dtype = [layers.eval()], dtype
        return self._merged[0]

    def compute_in_int8(self, encoder: CDLMModel) -> None:
        """Round the weights of the merged layers to eight bits; see :meth:`CDLMModel.compute_in_int8`."""
        round_to_int8(self.merged(encoder))

    def _apply(self, fn: Callable[..., Any], recurse: bool = True) -> UpperLayers:
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

    def _weights(self, number: int, layer: Layer) -> dict[str, Tensor]:
        weights = {}
        # In full precision: a small difference would be lost beside a weight that is rounded to sixteen bits.
        with torch.autocast(self.unrelated.device.type, enabled=False):
            for name in _MATRICES:
                weight = layer.get_parameter(f"{name}.weight")
                narrow, wide = self.matrices[_key(number, name, NARROW)], self.matrices[_key(number, name, WIDE)]
                weights[f"{name}.weight"] = torch.addmm(weight, wide.T, narrow)
        for norm in _NORMS:
            weights |= {f"{norm}.{side}": self.norms[_key(number, norm, side)] for side in ("weight", "bias")}
        return weights

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
        query, key, value = attention.local_projections(hidden).unflatten(0, self._shape).permute(2, 0, 3, 1, 4)
        self._bias = self._bias.to(query.dtype)
        attended = nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=self._bias)
        return attended.transpose(1, 2).flatten(0, 1).flatten(-2)


def _key(number: int, name: str, side: str) -> str:
    return f"{number}-{name.replace('.', '-')}-{side}"


def _side_by_side(lengths: Sequence[int], device: torch.device) -> TokenLayout:
    """The layout of sequences without padding, all of whose tokens see each other."""
    longest = max(lengths, default=0)
    mask = torch.arange(longest, device=device) < torch.tensor(lengths, device=device)[:, None]
    return TokenLayout.from_masks(mask.to(torch.int64), None)
