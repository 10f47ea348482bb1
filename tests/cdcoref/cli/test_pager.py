"""Output on a terminal goes through the user's pager, as far as it is read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cdcoref.cli.pager import show_in_pager


def test_lines_go_to_the_pager(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAGER", f"tee '{tmp_path / 'a file'}'")
    assert show_in_pager(["Fähre", "渡船"])
    assert (tmp_path / "a file").read_text(encoding="utf-8") == "Fähre\n渡船\n"


def test_no_more_is_formed_than_the_reader_wants(monkeypatch: pytest.MonkeyPatch) -> None:
    formed = 0

    def lines() -> Iterator[str]:
        nonlocal formed
        while True:
            formed += 1
            yield "x" * 100

    monkeypatch.setenv("PAGER", "head -n 2")
    assert show_in_pager(lines())
    assert formed < 100_000


def test_no_pager(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAGER", "less 'of a file")
    assert not show_in_pager(["a"])
    monkeypatch.setenv("PAGER", "no-such-program-here -x")
    assert not show_in_pager(["a"])
