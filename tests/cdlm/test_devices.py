"""What "auto" is on processors with and without instructions for products in 16 and 8 bits."""

from __future__ import annotations

import pytest
import torch

from cdlm.devices import resolve_precision

CPU = torch.device("cpu")


@pytest.mark.parametrize(
    ("instructions", "plain", "with_int8"),
    [
        (set(), "fp32", "fp32"),
        ({"avx512_vnni"}, "fp32", "int8"),
        ({"avx_vnni"}, "fp32", "int8"),
        ({"avx512_vnni", "avx512_bf16"}, "bf16", "int8"),
        ({"amx_bf16", "amx_int8"}, "bf16", "bf16"),
    ],
)
def test_auto_precision(monkeypatch: pytest.MonkeyPatch, instructions: set[str], plain: str, with_int8: str) -> None:
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: dict.fromkeys(instructions, True), raising=False)
    assert resolve_precision("auto", CPU) == plain
    assert resolve_precision("auto", CPU, int8=True) == with_int8
    assert resolve_precision("fp32", CPU, int8=True) == "fp32"


def test_without_knowledge_of_the_processor_it_is_fp32(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(torch.cpu, "get_capabilities", raising=False)
    assert resolve_precision("auto", CPU, int8=True) == "fp32"
