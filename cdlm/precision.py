"""Numeric precision: the requested one and a device in, the one to use out."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch


def resolve_precision(precision: str, device: torch.device) -> str:
    """Replace ``"auto"`` by ``"bf16"`` if the device supports it, otherwise by ``"fp32"``."""
    if precision != "auto":
        return precision
    return "bf16" if multiplies_bf16(device) else "fp32"


def multiplies_bf16(device: torch.device) -> bool:
    """Whether a device has instructions for products in bf16; False if that is unknown."""
    import torch

    if device.type == "cuda":
        return torch.cuda.is_bf16_supported(including_emulation=False)
    if device.type != "cpu" or not hasattr(torch.cpu, "get_capabilities"):  # PyTorch below 2.10
        return False
    capabilities = torch.cpu.get_capabilities()
    return any(capabilities.get(name, False) for name in ("avx512_bf16", "amx_bf16"))
