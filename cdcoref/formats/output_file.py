"""Writing a file whole or not at all: what stood there before stays until the new one is complete."""

from __future__ import annotations

import gzip
import io
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from cdcoref.errors import InputError


@contextmanager
def output_file(path: str | Path) -> Iterator[TextIO]:
    """A text file (UTF-8, lines ending in a newline) that takes the place of `path` when the block ends without error.

    A name that ends in ``.gz`` is compressed, with the same bytes for the same text. What is no regular file, such as
    ``/dev/stdout`` or a pipe, is written to directly.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    target = Path(path)
    if target.exists() and not target.is_file() and not target.is_dir():
        with target.open("w", encoding="utf-8", newline="\n") as stream:
            yield stream
        return
    target = Path(os.path.realpath(target))  # a link stays a link
    try:
        if target.is_dir():
            raise IsADirectoryError(None, "it is a folder")
        descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}-", suffix=".part")
    except OSError as error:
        raise InputError(f"the file cannot be written ({error.strerror}); choose another place", path) from None
    part = Path(name)
    try:
        with open(descriptor, "wb") as file:
            if target.suffix == ".gz":
                with (
                    gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as compressed,
                    io.TextIOWrapper(compressed, encoding="utf-8", newline="\n") as stream,
                ):
                    yield stream
            else:
                with io.TextIOWrapper(file, encoding="utf-8", newline="\n", write_through=False) as stream:
                    yield stream
                    stream.flush()
                    os.fsync(file.fileno())
        part.chmod(_usual_mode(target))
        part.replace(target)
    except OSError as error:
        raise InputError(f"the file cannot be written ({error.strerror}); choose another place", path) from error
    finally:
        part.unlink(missing_ok=True)


def _usual_mode(target: Path) -> int:
    """The permissions of the file that is replaced, else those that a new file gets."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
