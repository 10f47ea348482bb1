"""Where to compute: what the user asked for in, the device to use out."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch


def resolve_device(name: str | None) -> torch.device:
    """The CPU if it was asked for (``"cpu"``), otherwise a GPU if there is one."""
    import torch

    return torch.device("cpu" if name == "cpu" or not torch.cuda.is_available() else "cuda")
