"""Days found in ids and at the beginning of texts."""

from __future__ import annotations

import pytest

from cdcoref.language import date_of


@pytest.mark.parametrize(
    ("id", "text", "day"),
    [
        ("2024-03-05.txt", "", "2024-03-05"),
        ("archive/2024/3/5/a.txt", "", "2024-03-05"),
        ("news_20240305_2.txt", "", "2024-03-05"),
        ("2024.03.05", "1 May 1990", "2024-03-05"),
        ("a", "Tresk, 5 March 2024\n\nA ferry sank.", "2024-03-05"),
        ("a", "the 5th of March, 2024", "2024-03-05"),
        ("a", "Mar. 5, 2024: a ferry", "2024-03-05"),
        ("a", "Tresk, 5.3.2024", "2024-03-05"),
        ("a", "05.03.2024 | 10.30", "2024-03-05"),
        ("a", "version 1.5.3.2024", None),
        ("a", "on sept 30 1999", "1999-09-30"),
        ("a", "2024-03-05T10:00", "2024-03-05"),
        ("a", "(2024-03-05)", "2024-03-05"),
        ("a", "30 February 2024, then 1 March 2024", "2024-03-01"),
        ("2024-02-30", "", None),
        ("00412013", "", None),
        ("120240305", "", None),
        ("2024-03/05", "", None),
        ("3024-03-05", "", None),
        ("a", f"{'x' * 400} 5 March 2024", None),
        ("a", "in May 2024", None),
        ("a", "a bond due April 24, 1990", None),
        ("a", "notes that mature on 24 April 1990", None),
        ("a", "Six months ended March 31, 1987\n\nPaid May 3, 1987", "1987-05-03"),
        ("a", "", None),
    ],
)
def test_a_day(id: str, text: str, day: str | None) -> None:
    assert date_of(id, text) == day
