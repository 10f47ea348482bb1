"""Annotated corpora come from whoever announces readers of them."""

from __future__ import annotations

import configparser
import importlib
import sys
from pathlib import Path

import pytest

from cdlm.documents import READERS, annotated_documents
from cdlm.errors import InputError

ROOT = Path(__file__).resolve().parents[2]


def test_without_a_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    with pytest.raises(InputError, match="there: no installed package registers"):
        annotated_documents("ecb", "there", "dev")


def test_what_this_project_announces_is_there() -> None:
    config = configparser.ConfigParser()
    config.read_string((ROOT / "setup.cfg").read_text(encoding="utf-8"))
    (line,) = config["options.entry_points"][READERS].split("\n")[1:]
    module, name = line.partition("=")[2].strip().split(":")
    assert callable(getattr(importlib.import_module(module), name))
