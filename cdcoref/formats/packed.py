"""How much a packed file (gzip, DocBin, Parquet, Word) may hold: found out before it is unpacked as a whole.

A file of a few kilobytes can unpack to gigabytes. The limit is `MOST_UNPACKED` megabytes, or those that the environment
variable `CDCOREF_MAX_UNPACKED_MB` states.
"""

from __future__ import annotations

import os
import zlib
from pathlib import Path

from cdcoref.errors import InputError

MOST_UNPACKED = 64
"""Megabytes; as much as an upload may have."""
SETTING = "CDCOREF_MAX_UNPACKED_MB"
_STEP = 1 << 20


def most_unpacked() -> int:
    """The limit in bytes.

    Raises
    ------
    InputError
        If the setting is not a number of megabytes.
    """
    stated = os.environ.get(SETTING)
    if stated is None:
        return MOST_UNPACKED << 20
    if not (stated.isascii() and stated.isdigit() and 0 < int(stated) < 10**9):
        raise InputError(f"the environment variable {SETTING} is {stated[:40]!r}; it must be a number of megabytes")
    return int(stated) << 20


def too_much(path: str | Path) -> InputError:
    """The error for a file that holds more than the limit."""
    limit = most_unpacked() >> 20
    return InputError(
        f"the file unpacks to more than {limit} MB; split it, or set the environment variable {SETTING} to more", path
    )


def check_zlib(data: bytes, path: str | Path) -> None:
    """Refuse compressed data that holds more than the limit; what is no such data is left to its reader.

    Raises
    ------
    InputError
        If it does.
    """
    limit = most_unpacked()
    decompressor = zlib.decompressobj()
    size = 0
    rest = data
    try:
        while rest and not decompressor.eof:
            size += len(decompressor.decompress(rest, _STEP))
            rest = decompressor.unconsumed_tail
            if size > limit:
                raise too_much(path)
    except zlib.error:
        return
