"""Bytes in any encoding in, UTF-8 out: by the byte order mark, or in an encoding that is named."""

from __future__ import annotations

import codecs
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from cdcoref.errors import InputError

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
    """Text that is not in the encoding that was expected; `suggestion` is one that it may be in, if there is any."""

    def __init__(
        self, message: str, path: str | Path | None = None, line: int | None = None, suggestion: str | None = None
    ) -> None:
        super().__init__(message, path, line)
        self.suggestion = suggestion


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
    """Chunks of text in an encoding, cut anywhere, as chunks of UTF-8, none of them empty.

    `marked` says whether it is the encoding that the file's byte order mark states.
    """
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
