"""Annotated corpora come from whoever announces readers of them."""

from __future__ import annotations

import configparser
import importlib
import sys
from pathlib import Path

import pytest

from cdlm.documents import READERS, AnnotatedDocument, annotated_documents
from cdlm.errors import InputError

ROOT = Path(__file__).resolve().parents[2]


def announce(folder: Path, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install a distribution that announces one reader, in place of all others."""
    metadata = folder / "readers-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: readers\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text(f"[{READERS}]\nmine = {value}\n")
    (folder / "my_readers.py").write_text(
        "from cdlm.documents import AnnotatedDocument\n"
        "def read(corpus, folder, split):\n"
        "    return [AnnotatedDocument(f'{corpus} {split}', str(folder), ('word',))]\n"
    )
    monkeypatch.setattr(sys, "path", [str(folder)])


def test_a_reader_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    announce(tmp_path, "my_readers:read", monkeypatch)
    assert annotated_documents("ecb", "there", "dev") == [AnnotatedDocument("ecb dev", "there", ("word",))]


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
