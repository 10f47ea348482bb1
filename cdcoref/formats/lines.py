"""Reading text files of any size: whole lines in chunks, gzip recognised by content, hostile input refused by line.

Memory is bounded by the chunk and by the longest line that is allowed, whatever the file holds.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from cdcoref.errors import InputError

CHUNK = 1 << 22
"""Bytes that are read at a time."""

LONGEST_LINE = 1 << 28
"""Bytes of the longest line that is accepted (JSON lines hold a whole document each)."""

_GZIP = b"\x1f\x8b"
_UTF8_MARK = b"\xef\xbb\xbf"
_OTHER = {
    b"PK\x03\x04": "a zip archive",
    b"BZh": "compressed with bzip2",
    b"\xfd7zXZ": "compressed with xz",
    b"\x28\xb5\x2f\xfd": "compressed with zstd",
    b"\xff\xfe": "UTF-16 text",
    b"\xfe\xff": "UTF-16 text",
}


Source = str | Path | BinaryIO
"""A file, or a stream of bytes."""


def line_chunks(path: Source, longest_line: int = LONGEST_LINE) -> Iterator[tuple[int, bytes]]:
    """Yield pieces of a UTF-8 file or stream that hold whole lines, each with the number of its first line (from 1).

    Every piece ends with a newline (one is added to a last line without). A byte order mark is left out.

    Raises
    ------
    InputError
        If the file cannot be read, is not UTF-8 text, or has a line longer than `longest_line` bytes.
    """
    number = 1
    started: list[bytes] = []  # pieces of a line whose end has not been read
    with _opened(path) as stream:
        data = _without_mark(stream.read(CHUNK), path)
        while data:
            end = data.rfind(b"\n") + 1
            if end == 0:
                started.append(data)
                if sum(map(len, started)) > longest_line:
                    raise InputError(
                        f"the line is longer than {longest_line >> 20} MB; is this the right file?",
                        shown_name(path),
                        number,
                    )
            else:
                piece = b"".join([*started, data[:end]])
                started = [data[end:]] if end < len(data) else []
                _check_text(piece, path, number)
                yield number, piece
                number += piece.count(b"\n")
            data = stream.read(CHUNK)
    if started:
        piece = b"".join([*started, b"\n"])
        _check_text(piece, path, number)
        yield number, piece


def first_bytes(path: Source, size: int = 1 << 16) -> bytes:
    """The beginning of a file, decompressed, without a byte order mark.

    Raises
    ------
    InputError
        If the file cannot be read.
    """
    with _opened(path) as stream:
        return _without_mark(stream.read(size), path)


def shown_name(source: Source) -> str:
    """What messages call a file or stream."""
    return str(source) if isinstance(source, str | Path) else str(getattr(source, "name", "the stream"))


@contextmanager
def _opened(source: Source) -> Iterator[BinaryIO]:
    """The bytes, decompressed if they are gzip; every failure of reading is an InputError."""
    name = shown_name(source)
    try:
        if not isinstance(source, str | Path):
            with _decompressed(source) as stream:
                yield stream
        elif "\0" in name:
            raise InputError("no file can have this name: it holds a NUL character", name)
        else:
            with open(source, "rb") as file, _decompressed(file) as stream:
                yield stream
    except FileNotFoundError:
        raise InputError("there is no such file", name) from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"the gzip data is damaged or cut off ({error}); fetch the file again", name) from None
    except OSError as error:
        raise InputError(f"the file cannot be read ({error.strerror or error})", name) from None


@contextmanager
def _decompressed(stream: BinaryIO) -> Iterator[BinaryIO]:
    """The bytes of a stream, or what gzip made them from."""
    file = stream if isinstance(stream, io.BufferedReader) else io.BufferedReader(stream)  # type: ignore[type-var]
    try:
        if file.peek(len(_GZIP)).startswith(_GZIP):
            with gzip.open(file) as decompressed:
                yield decompressed  # type: ignore[misc]
        else:
            yield file
    finally:
        if file is not stream:
            file.detach()  # the stream stays open


def _without_mark(data: bytes, path: Source) -> bytes:
    for magic, what in _OTHER.items():
        if data.startswith(magic):
            raise InputError(f"this is {what}; give UTF-8 text, plain or compressed with gzip", shown_name(path))
    return data.removeprefix(_UTF8_MARK)


def _check_text(piece: bytes, path: Source, number: int) -> None:
    if (place := piece.find(b"\0")) >= 0:
        line = number + piece.count(b"\n", 0, place)
        raise InputError("the line holds a NUL byte: this is not UTF-8 text", shown_name(path), line)
    if piece.isascii():
        return
    try:
        piece.decode()
    except UnicodeDecodeError as error:
        line = number + piece.count(b"\n", 0, error.start)
        raise InputError("the line is not UTF-8; convert the file to UTF-8", shown_name(path), line) from None
