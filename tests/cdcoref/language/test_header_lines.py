"""Bylines and dates above a report, and lines that look like them."""

from __future__ import annotations

import pytest

from cdcoref.language import byline_author, is_date_line, is_header_line, is_line_of_writers
from tests.tables import rows_of


def test_header_lines() -> None:
    """`header_lines.tsv`: dates above a report, and lines that look like them."""
    for row in rows_of(__file__, "header_lines.tsv"):
        assert is_header_line(row["line"]) is (row["header"] == "yes"), row
        assert is_date_line(row["line"]) or row["header"] == "no", row


def test_authors() -> None:
    assert byline_author("By Ann Lee and Tom de Vries, Herald staff") == "Ann Lee and Tom de Vries"
    assert byline_author("BY ANN LEE") == "ANN LEE"
    assert byline_author("By Monday night the water had risen") is None
    assert byline_author(f"By Ann Lee, {'x' * 100}") is None


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Ann Lee in Oslo", True),
        ("Ann Lee in Rio de Janeiro and Tom de Vries in Quito", True),
        ("By Ann Lee and Tom Fry in New York , and agencies", True),
        ("Ann Lee", False),
        ("Ann Lee in Oslo for talks", False),
        ("A ferry sank in Bergen", False),
    ],
)
def test_lines_that_say_where_writers_were(line: str, expected: bool) -> None:
    assert is_line_of_writers(line) is expected
