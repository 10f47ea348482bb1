"""Text for the cells of a CSV file, which spreadsheets open."""

from __future__ import annotations

_FORMULA_STARTS = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n")


def as_text(value: str) -> str:
    """The value, after an apostrophe if a spreadsheet would take it for a formula."""
    return f"'{value}" if value.lstrip(" ").startswith(_FORMULA_STARTS) else value
