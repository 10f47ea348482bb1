"""What every reader of text needs: a file's lines, and whether a text is a number that may be read as one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from cdcoref.formats import line_chunks

LONGEST_NUMBER = 9
"""Digits. Python refuses to read numbers of thousands."""


def text_lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a UTF-8 file, plain or compressed with gzip, with their numbers from 1 and without line breaks.

    Raises
    ------
    InputError
        If the file cannot be read or is not UTF-8 text.
    """
    for first, chunk in line_chunks(path):
        for number, line in enumerate(chunk.decode().removesuffix("\n").split("\n"), first):
            yield number, line.removesuffix("\r")


def is_number(text: str) -> bool:
    """Whether a text is a number from 0 of a length that a sentence, a topic or a token may have."""
    return text.isascii() and text.isdecimal() and len(text) <= LONGEST_NUMBER
