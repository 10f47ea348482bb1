"""What every reader of text needs: a file's lines, and whether a text is a number of reasonable length."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from cdcoref.formats import line_chunks

LONGEST_NUMBER = 9
"""In digits; Python refuses to parse numbers with thousands of them."""


def text_lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a UTF-8 file, plain or gzipped, with their numbers from 1 and without line breaks.

    Raises `InputError` if the file cannot be read or is not UTF-8 text.
    """
    for first, chunk in line_chunks(path):
        for number, line in enumerate(chunk.decode().removesuffix("\n").split("\n"), first):
            yield number, line.removesuffix("\r")


def is_number(text: str) -> bool:
    """Whether a text is a nonnegative number short enough for a sentence, a topic or a token."""
    return text.isascii() and text.isdecimal() and len(text) <= LONGEST_NUMBER
