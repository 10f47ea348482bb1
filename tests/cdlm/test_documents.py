"""Annotated corpora come from whoever announces readers of them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from cdlm.documents import annotated_documents
from cdlm.errors import InputError


def test_without_a_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    with pytest.raises(InputError, match="there: no installed package registers"):
        annotated_documents("ecb", "there", "dev")
