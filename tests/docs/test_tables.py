"""The table on the page with the paper's tables is what the command prints now."""

from __future__ import annotations

from pathlib import Path

from cdlm.tables import CorpusFolders, filled_tables, markdown

PAGE = Path(__file__).resolve().parents[2] / "docs" / "tables.md"


def test_the_table_of_the_page(shared: Path) -> None:
    tables = filled_tables([8], folders=CorpusFolders(ecb=shared / "corpora" / "ecbplus"))
    assert markdown(tables) in PAGE.read_text(encoding="utf-8").replace("### Table", "## Table")
