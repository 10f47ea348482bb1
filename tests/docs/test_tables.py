"""The page with the paper's tables is what the command prints now."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cdlm.tables import CorpusFolders, filled_tables, markdown

PAGE = Path(__file__).resolve().parents[2] / "docs" / "tables.md"
COUNTED_HERE = 8


def sections() -> list[str]:
    text = PAGE.read_text(encoding="utf-8")
    return [section.rstrip("\n") for section in re.split(r"(?m)^(?=## Table )", text)[1:]]


@pytest.mark.parametrize("number", range(1, 11))
def test_a_table_of_the_page(number: int, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    folders = CorpusFolders(ecb=Path("ECB"))
    if number == COUNTED_HERE:
        shared: Path = request.getfixturevalue("shared")
        folders = CorpusFolders(ecb=shared / "corpora" / "ecbplus")
    (table,) = filled_tables([number], folders=folders)
    assert sections()[number - 1] == markdown([table])
    assert len(sections()) == 10
