r"""Words as columns: a word that is empty or contains white space in, an escaped column out, and back.

A character that would break the line or the column is written as ``\u`` and four hexadecimal digits, an empty word as
``\e``. A backslash is escaped only if it would be read as one of these.
"""

from __future__ import annotations

import re

_UNSAFE = re.compile(r"[\s\x00-\x1f\x7f-\x9f\ufeff\ud800-\udfff]|\\(?=u[0-9a-f]{4})|^\\(?=e$)")
_ESCAPED = re.compile(r"\\u([0-9a-f]{4})")


def escape(word: str) -> str:
    """The word as one column."""
    return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", word) if word else "\\e"


def unescape(column: str) -> str:
    """The word that a column represents."""
    if "\\" not in column:
        return column
    return "" if column == "\\e" else _ESCAPED.sub(lambda match: chr(int(match[1], 16)), column)
