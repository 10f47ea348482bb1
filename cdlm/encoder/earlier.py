"""An encoder as it was before it was fine-tuned: the difference of its layers in few numbers in, the encoder out.

Fine-tuning on a few thousand sequences changes every matrix by a few percent, and most of the change lies in few
directions. So the way back is kept as a product of two narrow matrices for each (as LoRA, Hu et al. 2022, keeps the way
there). The embeddings, which change least, are those of today.
"""

from __future__ import annotations

import torch
from torch import nn

from cdlm.checkpoints import shapes_only
from cdlm.encoder.model import CDLMModel

NARROW = "narrow"
WIDE = "wide"


class EarlierEncoder(nn.Module):
    """The difference of an earlier encoder's layers from the present ones.

    Parameters
    ----------
    now
        The present encoder, for the shapes of its weights.
    rank
        Width of the narrow matrices: more restore more of the earlier encoder.
    """

    def __init__(self, now: CDLMModel, rank: int) -> None:
        super().__init__()
        self.rank = rank
        self.matrices = nn.ParameterDict()
        self.vectors = nn.ParameterDict()
        for name, weight in now.encoder.named_parameters():
            if weight.ndim == 2:
                own = min(rank, *weight.shape)
                self.matrices[_key(name, NARROW)] = nn.Parameter(weight.new_zeros(own, weight.shape[1]))
                self.matrices[_key(name, WIDE)] = nn.Parameter(weight.new_zeros(own, weight.shape[0]))
            else:
                self.vectors[_key(name)] = nn.Parameter(weight.new_zeros(weight.shape))

    def fit(self, now: CDLMModel, earlier: CDLMModel) -> None:
        """Take the differences: the closest of this rank by singular values (Eckart and Young 1936)."""
        weights = dict(earlier.encoder.named_parameters())
        with torch.no_grad():
            for name, weight in now.encoder.named_parameters():
                difference = weights[name].to(weight) - weight
                if weight.ndim == 2:
                    left, values, right = torch.linalg.svd(difference.float(), full_matrices=False)
                    narrow, wide = self.matrices[_key(name, NARROW)], self.matrices[_key(name, WIDE)]
                    roots = values[: len(narrow), None].sqrt()
                    narrow.copy_(roots * right[: len(narrow)])
                    wide.copy_(roots * left[:, : len(narrow)].T)
                else:
                    self.vectors[_key(name)].copy_(difference)

    def restored(self, now: CDLMModel) -> CDLMModel:
        """The earlier encoder, with the embeddings of the present one."""
        with shapes_only():
            earlier = CDLMModel(now.config)
        weights = {}
        with torch.no_grad():
            for name, weight in now.encoder.named_parameters():
                if weight.ndim == 2:
                    narrow, wide = self.matrices[_key(name, NARROW)], self.matrices[_key(name, WIDE)]
                    weights[name] = torch.addmm(weight, wide.T, narrow)
                else:
                    weights[name] = weight + self.vectors[_key(name)]
        earlier.encoder.load_state_dict(weights, assign=True)
        earlier.encoder.requires_grad_(False)
        earlier.embeddings = now.embeddings
        return earlier.eval()


def _key(name: str, side: str = "") -> str:
    """The name of a weight as that of an entry, which has no dots."""
    return name.replace(".", "-") + (f"-{side}" if side else "")
