"""Text for the cells of a CSV file, which spreadsheets open."""

from __future__ import annotations

_FORMULA_STARTS = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n")


def as_text(value: str) -> str:
    """The value, after an apostrophe if a spreadsheet would take it for a formula.

    What cannot be seen before the first character, such as spaces and byte order marks, does not count.
    """
    unseen = next((place for place, c in enumerate(value) if c.isprintable() and not c.isspace()), 0)
    return f"'{value}" if value[unseen:].startswith(_FORMULA_STARTS) or value.startswith(_FORMULA_STARTS) else value
