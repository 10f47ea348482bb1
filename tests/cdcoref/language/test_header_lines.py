"""Bylines and dates above a report, and lines that look like them."""

from __future__ import annotations

import pytest

from cdcoref.language import byline_author, is_date_line, is_header_line, is_line_of_writers


@pytest.mark.parametrize(
    "line",
    [
        "2014-06-15",
        "Published November 02, 2016",
        "Updated 5:30pm EDT, Tue November 8, 2016",
        "POSTED : 1052 GMT ( 1852 HKT ) , April 10 , 2007",
        "Fri., May 3, 2013 11:45 AM PDT",
        "8 / 2 / 13 at 1 : 30 PM",
        "4th of March 2020",
    ],
)
def test_dates(line: str) -> None:
    assert is_date_line(line)
    assert is_header_line(line)


@pytest.mark.parametrize(
    "line",
    [
        "Ferry sinks on 5 May",
        "In 2016, 14 died.",
        "Monday",
        "Sunday on the march",
        "31 killed",
        "By noon the ferry had sunk",
        "By the river, 12 people waited.",
        "",
    ],
)
def test_reports(line: str) -> None:
    assert not is_header_line(line)


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
