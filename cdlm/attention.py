"""Sliding-window and global attention over a flat batch: no padding, no work for rows that are thrown away.

In: the tokens of all sequences one after the other (`TokenLayout` says where each sequence begins and which tokens are
global), and their query, key and value vectors. Out: one vector a token. The pattern is Longformer's (Beltagy et al.
2020, section 3.1; paper, section 2): a local token attends to its window and to every global token, a global token
attends, through projections of its own, to every token of its sequence.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention


@dataclass(frozen=True)
class TokenLayout:
    """Where the real tokens of a padded batch are, and which of them are global.

    Parameters
    ----------
    shape
        (batch, length) of the padded batch.
    kept
        *Shape:* (tokens,). Index of each real token in the padded batch, flattened.
    position
        *Shape:* (tokens,). Place of each real token in its row of the padded batch.
    lengths
        Real tokens of each sequence.
    global_rows
        *Shape:* (global tokens,). Index of each global token among the real ones.
    global_places
        *Shape:* (global tokens,) for each sequence. Index of its global tokens within the sequence.
    gaps
        Whether padding stands between real tokens somewhere.
    """

    shape: tuple[int, int]
    kept: Tensor
    position: Tensor
    lengths: list[int]
    global_rows: Tensor
    global_places: list[Tensor]
    gaps: bool

    @classmethod
    def from_masks(cls, attention_mask: Tensor, global_attention_mask: Tensor | None) -> TokenLayout:
        """Build the layout of a batch from its masks, both of *shape* (batch, length); zero means no."""
        real = attention_mask != 0
        batch, length = real.shape
        kept = real.flatten().nonzero().squeeze(1)
        position = kept % length
        lengths = real.sum(1).tolist()
        if global_attention_mask is None:
            is_global = torch.zeros_like(kept, dtype=torch.bool)
        else:
            is_global = (global_attention_mask != 0).flatten()[kept]
        places = [flags.nonzero().squeeze(1) for flags in is_global.split(lengths)]
        inside = (position.diff() != 1) & (kept.diff() < length) & (kept[1:] // length == kept[:-1] // length)
        return cls(
            shape=(batch, length),
            kept=kept,
            position=position,
            lengths=lengths,
            global_rows=is_global.nonzero().squeeze(1),
            global_places=places,
            gaps=bool(inside.any()),
        )


def sparse_attention(
    local: tuple[Tensor, Tensor, Tensor],
    to_all: tuple[Tensor, Tensor, Tensor] | None,
    layout: TokenLayout,
    window: int,
    dropout: float = 0.0,
) -> Tensor:
    """Attend as Longformer does.

    Parameters
    ----------
    local
        Query, key and value of every token. *Shape:* (tokens, heads, width of a head).
    to_all
        Query of the global tokens, *shape* (global tokens, heads, width of a head), and key and value for them of every
        token, shaped like ``local``; None when there is no global token.
    window
        Total width of the window: half of it on either side.
    dropout
        Probability with which an attention weight is dropped.

    Returns
    -------
    Tensor
        *Shape:* (tokens, heads, width of a head).
    """
    reach = window // 2
    pieces = zip(
        *(part.split(layout.lengths) for part in local),
        layout.position.split(layout.lengths),
        layout.global_places,
        strict=True,
    )
    output = torch.cat([_local_rows(*piece, reach=reach, dropout=dropout) for piece in pieces])
    if to_all is None:
        return output
    query, key, value = to_all
    counts = [len(places) for places in layout.global_places]
    rows = [
        _attend(q, k, v, None, dropout)
        for q, k, v in zip(query.split(counts), key.split(layout.lengths), value.split(layout.lengths), strict=True)
    ]
    return output.index_copy(0, layout.global_rows, torch.cat(rows).to(output.dtype))


def _attend(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, dropout: float) -> Tensor:
    """One softmax attention; all *shape* (tokens, heads, width of a head)."""
    output = scaled_dot_product_attention(
        query.transpose(0, 1)[None],
        key.transpose(0, 1)[None],
        value.transpose(0, 1)[None],
        attn_mask=mask,
        dropout_p=dropout,
    )
    return output[0].transpose(0, 1)


def _local_rows(
    query: Tensor, key: Tensor, value: Tensor, position: Tensor, places: Tensor, reach: int, dropout: float
) -> Tensor:
    """Rows of one sequence over its windows and its global tokens."""
    length = len(query)
    if length == 0 or int(position[-1] - position[0]) <= reach:
        return _attend(query, key, value, None, dropout)
    is_global = torch.zeros(length, dtype=torch.bool, device=query.device).index_fill(0, places, True)
    global_key, global_value = key[places], value[places]
    blocks = []
    for start in range(0, length, reach):
        end = min(start + reach, length)
        low, high = max(0, start - reach), min(length, end + reach)
        near = (position[start:end, None] - position[None, low:high]).abs() <= reach
        mask = torch.cat([near.new_ones(end - start, len(places)), near & ~is_global[low:high]], dim=1)
        blocks.append(
            _attend(
                query[start:end],
                torch.cat([global_key, key[low:high]]),
                torch.cat([global_value, value[low:high]]),
                mask,
                dropout,
            )
        )
    return torch.cat(blocks)
