"""Files that can be read only once (standard input, pipes), made available as files that can be read again."""

from __future__ import annotations

import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from cdcoref.errors import InputError
from cdcoref.formats.encodings import EncodingError

STANDARD_INPUT = "-"


@contextmanager
def readable_twice(path: str | Path, standard_input: BinaryIO | None = None) -> Iterator[Path]:
    """The file itself, or a copy of one that can be read only once; errors in the copy name the original.

    Raises `InputError` if the copy cannot be made.
    """
    source = Path(path)
    if str(path) != STANDARD_INPUT and not _is_special(source):
        yield source
        return
    with tempfile.NamedTemporaryFile() as copy:
        try:
            if str(path) == STANDARD_INPUT:
                if standard_input is None and sys.stdin is None:
                    raise InputError("it is closed; name files, or give it a text", path)
                shutil.copyfileobj(standard_input or sys.stdin.buffer, copy)
            else:
                with source.open("rb") as stream:
                    if _is_endless(stream):
                        raise InputError("this is a device, which has no end; name a file", path)
                    shutil.copyfileobj(stream, copy)
            copy.flush()
        except OSError as error:
            raise InputError(f"the file cannot be read ({error.strerror})", path) from None
        try:
            yield Path(copy.name)
        except InputError as error:
            if error.path != copy.name:
                raise
            if isinstance(error, EncodingError):
                raise EncodingError(error.message, path, error.line, error.suggestion) from None
            raise InputError(error.message, path, error.line) from None


def _is_endless(stream: BinaryIO) -> bool:
    """Whether it is a device such as ``/dev/zero``: neither a pipe, a terminal nor the device without content."""
    is_device = stat.S_ISCHR(os.fstat(stream.fileno()).st_mode)
    return is_device and not stream.isatty() and not os.path.samefile(stream.fileno(), os.devnull)


def _is_special(path: Path) -> bool:
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return False  # opening it will report the reason
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))
