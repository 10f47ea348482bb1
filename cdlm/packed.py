"""How much a packed file (gzip, DocBin, PDF, Word, Excel) may hold, checked before it is unpacked."""

import io
import os
import zipfile
import zlib
from contextlib import suppress
from pathlib import Path

from cdlm.errors import InputError

MOST_UNPACKED = 64
"""Megabytes; as much as an upload may have."""
SETTING = "CDCOREF_MAX_UNPACKED_MB"
DAMAGE = (
    *(ArithmeticError, AssertionError, AttributeError, EOFError, LookupError, MemoryError, OSError, RuntimeError),
    *(StopIteration, SyntaxError, TypeError, ValueError, zipfile.BadZipFile, zlib.error),
)
"""What damaged files make the libraries raise that read them."""
_STEP = 1 << 20


def most_unpacked() -> int:
    """The limit in bytes."""
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


def unpacked_size(data: bytes, limit: int) -> int:
    """How many bytes compressed data at the beginning of `data` holds, counted no further than beyond the limit."""
    decompressor = zlib.decompressobj()
    size = 0
    with suppress(zlib.error):
        while data and not decompressor.eof and size <= limit:
            size += len(decompressor.decompress(data, _STEP))
            data = decompressor.unconsumed_tail
    return size


def unpacked_zip(data: bytes, path: str | Path) -> io.BytesIO:
    """A ZIP archive with the same entries, none of them compressed; an `InputError` if they hold more than the limit.
    What an archive states about the sizes of its entries may be wrong, and a reader that asks for a whole entry may
    unpack far more than it gets. So each is unpacked here in small steps, up to the size that is stated."""
    unpacked = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as archive, zipfile.ZipFile(unpacked, "w") as copy:
        entries = {entry.filename: entry for entry in archive.infolist()}
        if sum(entry.file_size for entry in entries.values()) > most_unpacked():
            raise too_much(path)
        for name, entry in entries.items():
            if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise NotImplementedError(f"the entry {name[:40]!r} is packed in a way that such files never are")
            with archive.open(entry) as stream, copy.open(name, "w") as target:
                while step := stream.read(_STEP):
                    target.write(step)
    unpacked.seek(0)
    return unpacked


def bounded_zlib(data: bytes) -> bytes | None:
    """What zlib data holds; None if that is beyond the limit, or ends too early. Raises `zlib.error` for other data."""
    decompressor = zlib.decompressobj()
    content = decompressor.decompress(data, most_unpacked())
    return content if decompressor.eof else None
