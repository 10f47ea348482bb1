"""Where to compute, and in which numeric precision."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch


def resolve_device(name: str | None) -> torch.device:
    """The CPU if it was asked for (``"cpu"``), otherwise a GPU if there is one."""
    import torch

    return torch.device("cpu" if name == "cpu" or not torch.cuda.is_available() else "cuda")


def resolve_precision(precision: str, device: torch.device, *, int8: bool = False) -> str:
    """Replace ``"auto"`` by ``"bf16"`` if the device that computes products supports it, otherwise by ``"fp32"``.

    With `int8`, ``"int8"`` is a choice too: on processors that multiply 8-bit integers and have no AMX, which makes
    bf16 fast.
    """
    if precision != "auto":
        return precision
    if int8 and multiplies_int8(device) and not _has_any("amx_bf16"):
        return "int8"
    return "bf16" if multiplies_bf16(device) else "fp32"


def multiplies_bf16(device: torch.device) -> bool:
    """Whether a device has instructions for products in bf16; False if that is unknown."""
    import torch

    if device.type == "cuda":
        return torch.cuda.is_bf16_supported(including_emulation=False)
    return device.type == "cpu" and _has_any("avx512_bf16", "amx_bf16")


def multiplies_int8(device: torch.device) -> bool:
    """Whether a processor has instructions for sums of products of 8-bit integers; False if that is unknown."""
    return device.type == "cpu" and _has_any("avx512_vnni", "avx_vnni", "amx_int8")


def _has_any(*instructions: str) -> bool:
    """Whether the processor has one of some sets of instructions; False if that is unknown."""
    import torch

    if not hasattr(torch.cpu, "get_capabilities"):  # PyTorch below 2.10
        return False
    capabilities = torch.cpu.get_capabilities()
    return any(capabilities.get(name, False) for name in instructions)
