"""A text file of any size in, chunks of whole lines out; gzip is recognised by content, bad input rejected by line.

Memory is bounded by the chunk size and by the longest line allowed, whatever the file contains.
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
"""Bytes read at a time."""

LONGEST_LINE = 1 << 28
"""The longest line accepted, in bytes (a line of JSON lines is a whole document)."""

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
    """Yield chunks of whole lines of a UTF-8 file or stream, each with the number of its first line (from 1).

    Each chunk ends with a newline, which is added to the last line if missing. A byte order mark is removed.

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
    """The name of a file or stream in messages."""
    return str(source) if isinstance(source, str | Path) else str(getattr(source, "name", "the stream"))


@contextmanager
def _opened(source: Source) -> Iterator[BinaryIO]:
    """The bytes, decompressed if they are gzip; any failure to read them is an InputError."""
    name = shown_name(source)
    try:
        if not isinstance(source, str | Path):
            with _decompressed(source) as stream:
                yield stream
        elif "\0" in name:
            raise InputError("the name contains a NUL character, which no file name can", name)
        else:
            with open(source, "rb") as file, _decompressed(file) as stream:
                yield stream
    except FileNotFoundError:
        raise InputError("the file does not exist", name) from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"the gzip data is corrupt or truncated ({error}); get the file again", name) from None
    except OSError as error:
        raise InputError(f"the file cannot be read ({error.strerror or error})", name) from None


@contextmanager
def _decompressed(stream: BinaryIO) -> Iterator[BinaryIO]:
    """The bytes of a stream, decompressed if they are gzip."""
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
            raise InputError(f"this is {what}; convert it to UTF-8 text, plain or gzipped", shown_name(path))
    return data.removeprefix(_UTF8_MARK)


def _check_text(piece: bytes, path: Source, number: int) -> None:
    if (place := piece.find(b"\0")) >= 0:
        line = number + piece.count(b"\n", 0, place)
        raise InputError("the line contains a NUL byte, so this is not UTF-8 text", shown_name(path), line)
    if piece.isascii():
        return
    try:
        piece.decode()
    except UnicodeDecodeError as error:
        line = number + piece.count(b"\n", 0, error.start)
        raise InputError("the line is not valid UTF-8; convert the file to UTF-8", shown_name(path), line) from None
