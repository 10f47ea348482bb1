"""Text of any size and encoding in, chunks of whole lines of UTF-8 out, in bounded memory."""

import codecs
import gzip
import io
import os
import shutil
import stat
import sys
import tempfile
import zlib
from bisect import bisect_left
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from itertools import chain
from pathlib import Path
from typing import BinaryIO, cast

from cdcoref.errors import InputError
from cdcoref.formats.file_types import unsuitable
from cdlm.packed import most_unpacked, too_much

USUAL_ENCODINGS = ("cp1252", "latin-1", "cp1250", "cp1251", "utf-16-le")
"""What text that is neither UTF-8 nor has a byte order mark is in, the most frequent first."""
USUAL = USUAL_ENCODINGS[0]
"""What text that is not UTF-8 most often is: Windows' encoding of Western European languages."""
_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",  # before UTF-16, with whose mark it begins
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


class EncodingError(InputError):
    """Text that is not in the encoding that was expected."""


class Utf16Units:
    """Positions in a text, from characters to UTF-16 units, in which Java and JavaScript count."""

    def __init__(self, text: str) -> None:
        wide = text and max(text) > "\uffff"
        self._wide = [n for n, character in enumerate(text) if character > "\uffff"] if wide else []

    def __call__(self, character: int) -> int:
        return character + bisect_left(self._wide, character) if self._wide else character


def check_encoding(name: str) -> None:
    """Refuse the name of a text encoding that Python does not know with an `InputError`."""
    try:
        codecs.getincrementaldecoder(name)
        "a".encode(name)
    except (LookupError, ValueError):  # no encoding, none of text, or not even a name
        *most, last = USUAL_ENCODINGS
        raise InputError(f"there is no encoding {name!r}; usual ones are {', '.join(most)} or {last}") from None


def marked_encoding(start: bytes) -> str | None:
    """The encoding that a byte order mark at the beginning states, UTF-8 excepted; None if there is none."""
    return next((encoding for mark, encoding in _MARKS.items() if start.startswith(mark)), None)


def recoded(chunks: Iterable[bytes], encoding: str, name: str, *, marked: bool = False) -> Iterator[bytes]:
    """Chunks of text in an encoding, cut anywhere, as UTF-8, none empty; `marked`: by the file's byte order mark."""
    decoder = codecs.getincrementaldecoder(encoding)()
    line = 1
    for data, last in chain(((chunk, False) for chunk in chunks), [(b"", True)]):
        state = decoder.getstate()
        try:
            piece = decoder.decode(data, last).encode()
        except UnicodeError as error:
            if isinstance(error, UnicodeDecodeError):
                lenient = codecs.getincrementaldecoder(encoding)("ignore")
                lenient.setstate(state)
                line += lenient.decode(data[: max(0, error.start - len(state[0]))]).count("\n")
            doubt = (
                f"{encoding}, which the byte order mark at the beginning of the file states; convert the file to UTF-8"
                if marked
                else f"{encoding}; is the text in this encoding?"
            )
            raise EncodingError(f"the line cannot be decoded as {doubt}", name, line) from None
        line += piece.count(b"\n")
        if piece:
            yield piece


CHUNK = 1 << 22
"""Bytes read at a time."""
LONGEST_LINE = 1 << 28
"""The longest line accepted, in bytes (a line of JSON lines is a whole document)."""
_STEP = 1 << 18
"""Bytes of a packed file that are held while it is measured."""
_GZIP = b"\x1f\x8b"
_UTF8_MARK = b"\xef\xbb\xbf"

Source = str | Path | BinaryIO
"""A file, or a stream of bytes."""


def line_chunks(path: Source, encoding: str | None = None) -> Iterator[tuple[int, bytes]]:
    """Yield chunks of whole lines of a file or stream in UTF-8, each with the number of its first line (from 1).

    Each ends with a newline. A byte order mark is removed; text that has that of UTF-16 or UTF-32 is recoded.
    `encoding` is that of text without such a mark, None for UTF-8.
    """
    _check_unpacked(path)
    number = 1
    started: list[bytes] = []  # pieces of a line whose end has not been read
    for data in _utf8(path, CHUNK, encoding):
        end = data.rfind(b"\n") + 1
        if end == 0:
            started.append(data)
            if sum(map(len, started)) > LONGEST_LINE:
                raise InputError(
                    f"the line is longer than {LONGEST_LINE >> 20} MB; is this the right file?",
                    shown_name(path),
                    number,
                )
        else:
            piece = b"".join([*started, data[:end]])
            started = [data[end:]] if end < len(data) else []
            _check_text(piece, path, number)
            yield number, piece
            number += piece.count(b"\n")
    if started:
        piece = b"".join([*started, b"\n"])
        _check_text(piece, path, number)
        yield number, piece


def first_bytes(path: Source, size: int = 1 << 16, *, any_type: bool = False) -> bytes:
    """The beginning of a file, decompressed, in UTF-8 if it has a byte order mark, which is removed."""
    with closing(_utf8(path, size, any_type=any_type)) as chunks:
        return next(chunks, b"")


def whole_file(path: str | Path) -> bytes:
    """Everything in a file of any type, decompressed if it is gzip."""
    with _opened(path) as stream:
        return b"".join(iter(lambda: stream.read(CHUNK), b""))


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
    file = stream if isinstance(stream, io.BufferedReader) else io.BufferedReader(stream)  # type: ignore[type-var]
    try:
        if file.peek(len(_GZIP)).startswith(_GZIP):
            with gzip.open(file) as decompressed:
                yield cast(BinaryIO, _Unpacked(decompressed, stream))
        else:
            yield file
    finally:
        if file is not stream:
            file.detach()  # the stream stays open


class _Unpacked:
    """The decompressed bytes of a gzip file, up to the limit for packed files."""

    def __init__(self, stream: gzip.GzipFile, source: BinaryIO) -> None:
        self._stream = stream
        self._source = source
        self._left = most_unpacked()

    def read(self, size: int) -> bytes:
        """Read at most `size` bytes."""
        data = self._stream.read(size)
        self._left -= len(data)
        if self._left < 0:
            raise too_much(shown_name(self._source))
        return data


def _check_unpacked(source: Source) -> None:
    """Refuse a gzip file that unpacks to more than the limit for packed files, before any of it is kept."""
    if not isinstance(source, str | Path):
        return  # a stream may be readable only once; it is refused where it is past the limit
    with _opened(source) as stream:
        if isinstance(stream, _Unpacked):
            while stream.read(_STEP):
                pass


def _utf8(path: Source, size: int, encoding: str | None = None, *, any_type: bool = False) -> Generator[bytes]:
    """A text in UTF-8, in chunks that are not empty and that have at most `size` bytes before they are recoded."""
    with _opened(path) as stream:
        start = stream.read(size)
        if not any_type and (what := unsuitable(start)) is not None:
            raise InputError(f"this is {what}", shown_name(path))
        marked = marked_encoding(start)
        stated = None if start.startswith(_UTF8_MARK) else marked or encoding
        chunks = filter(None, chain([start.removeprefix(_UTF8_MARK)], iter(lambda: stream.read(size), b"")))
        name = shown_name(path)
        yield from chunks if stated is None else recoded(chunks, stated, name, marked=marked is not None)


def _check_text(piece: bytes, path: Source, number: int) -> None:
    if (place := piece.find(b"\0")) >= 0:
        line = number + piece.count(b"\n", 0, place)
        raise EncodingError("the line contains a NUL byte, so this is not UTF-8 text", shown_name(path), line)
    if piece.isascii():
        return
    try:
        piece.decode()
    except UnicodeDecodeError as error:
        line = number + piece.count(b"\n", 0, error.start)
        raise EncodingError("the line is not valid UTF-8; convert the file to UTF-8", shown_name(path), line) from None


STANDARD_INPUT = "-"


@contextmanager
def readable_twice(path: str | Path) -> Iterator[Path]:
    """The file itself, or a copy of one that can be read only once; errors in the copy name the original."""
    source = Path(path)
    try:
        mode = source.stat().st_mode
    except (OSError, ValueError):
        mode = stat.S_IFREG  # opening it will report the reason
    if str(path) != STANDARD_INPUT and (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        yield source
        return
    with tempfile.NamedTemporaryFile() as copy:
        try:
            if str(path) == STANDARD_INPUT:
                if sys.stdin is None:
                    raise InputError("it is closed; name files, or give it a text", path)
                shutil.copyfileobj(sys.stdin.buffer, copy)
            else:
                with source.open("rb") as stream:
                    # Neither a pipe, a terminal nor the device without content.
                    is_device = stat.S_ISCHR(os.fstat(stream.fileno()).st_mode)
                    if is_device and not stream.isatty() and not os.path.samefile(stream.fileno(), os.devnull):
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
            raise InputError(error.message, path, error.line) from None
