"""Text files that are written completely or not at all: an existing file stays until the new one is complete."""

import gzip
import io
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, TextIO, cast

from cdlm.errors import InputError
from cdlm.files import replaced_file


class OutputFile:
    """A text file being written, from :func:`output_file`."""

    def __init__(self, stream: TextIO, path: str | Path) -> None:
        self._stream = stream
        self._path = path

    def write(self, text: str) -> None:
        with _errors(self._path):
            self._stream.write(text)


@contextmanager
def output_file(path: str | Path) -> Iterator[OutputFile]:
    """A text file that replaces `path` when the block ends without an error, gzipped as .gz; pipes are written to."""
    with ExitStack() as stack:
        with _errors(path):
            stream = stack.enter_context(_text_stream(Path(path)))
        # Errors in the block are not the file's: only failures to open, write and close it are reported as such.
        yield OutputFile(stream, path)
        with _errors(path):
            stack.close()


def write_bytes(path: str | Path, data: bytes) -> None:
    """Write a file of bytes, which replaces `path` when it is complete."""
    with _errors(path), replaced_file(Path(path)) as part:
        part.write_bytes(data)


@contextmanager
def _errors(path: str | Path) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        message = f"the file cannot be written ({error.strerror or error}); choose another location"
        raise InputError(message, path) from error
    except UnicodeEncodeError:
        raise InputError("the text contains half of a surrogate pair, which is not a character", path) from None


@contextmanager
def _text_stream(target: Path) -> Iterator[TextIO]:
    if target.is_dir():
        raise IsADirectoryError(None, "it is a folder")
    with replaced_file(target) as part:
        file: BinaryIO = part.open("wb")
        binary = file
        if target.suffix == ".gz":
            binary = cast(BinaryIO, gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0))
        stream = io.TextIOWrapper(binary, encoding="utf-8", newline="\n")
        try:
            yield stream
        except BaseException:
            # If the disk is full, closing fails too: report the first error.
            for opened in (stream, file):
                with suppress(OSError):
                    opened.close()
            raise
        stream.close()
        file.close()
