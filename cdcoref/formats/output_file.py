"""Writing a text file whole or not at all: what stood there before stays until the new one is complete."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import BinaryIO, TextIO, cast

from cdcoref.errors import InputError
from cdlm.files import replaced_file


class OutputFile:
    """A file that is being written; made by :func:`output_file`."""

    def __init__(self, stream: TextIO, path: str | Path) -> None:
        self._stream = stream
        self._path = path

    def write(self, text: str) -> None:
        """Add text.

        Raises
        ------
        InputError
            If it cannot be written, or is not Unicode text.
        """
        try:
            self._stream.write(text)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise _cannot_be_written(error, self._path) from error
        except UnicodeEncodeError:
            raise InputError(
                "a text to be written has half of a surrogate pair, which is no character", self._path
            ) from None


@contextmanager
def output_file(path: str | Path) -> Iterator[OutputFile]:
    """A text file (UTF-8, lines ending in a newline) that takes the place of `path` when the block ends without error.

    A name that ends in ``.gz`` is compressed, with the same bytes for the same text. What is not a regular file, such
    as ``/dev/stdout`` or a pipe, is written to directly.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    with ExitStack() as stack:
        try:
            stream = stack.enter_context(_text_stream(Path(path)))
        except OSError as error:
            raise _cannot_be_written(error, path) from None
        # Errors of the block are its own: only those of opening, writing and closing are told as the file's.
        yield OutputFile(stream, path)
        try:
            stack.close()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise _cannot_be_written(error, path) from error


def _cannot_be_written(error: OSError, path: str | Path) -> InputError:
    return InputError(f"the file cannot be written ({error.strerror or error}); choose another place", path)


@contextmanager
def _text_stream(target: Path) -> Iterator[TextIO]:
    if target.is_dir():
        raise IsADirectoryError(None, "it is a folder")
    special = target.exists() and not target.is_file()
    with nullcontext(target) if special else replaced_file(target) as part:
        file: BinaryIO = part.open("wb")
        binary = file
        if target.suffix == ".gz":
            binary = cast(BinaryIO, gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0))
        stream = io.TextIOWrapper(binary, encoding="utf-8", newline="\n")
        try:
            yield stream
        except BaseException:
            # The disk may be full: what ended the block is to be told, and not that closing fails too.
            for opened in (stream, file):
                with suppress(OSError):
                    opened.close()
            raise
        stream.close()
        file.close()
