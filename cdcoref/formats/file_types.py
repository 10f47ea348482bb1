"""The first bytes of a file in, what it is if it cannot be read as text out."""

from __future__ import annotations

import re

_GIVE_TEXT = "give its text"
_UNPACK = "unpack it first"
_SAVE = "save it as .docx or .csv without a password"

_TYPES: tuple[tuple[bytes, str, str], ...] = (
    (rb"\xff\xd8\xff", "a JPEG image", _GIVE_TEXT),
    (rb"\x89PNG\r\n\x1a\n", "a PNG image", _GIVE_TEXT),
    (rb"GIF8[79]a", "a GIF image", _GIVE_TEXT),
    (rb"II\*\x00|MM\x00\*", "a TIFF image", _GIVE_TEXT),
    (rb"RIFF....WEBP", "a WebP image", _GIVE_TEXT),
    (rb"BM.{4}\x00{4}", "a BMP image", _GIVE_TEXT),
    (rb"\x00{3}.ftyp(?:avif|heic|heix|mif1)", "a HEIF image", _GIVE_TEXT),
    (rb"\x00{3}.ftyp", "an MP4 recording", _GIVE_TEXT),
    (rb"ID3[\x02-\x04]\x00|\xff\xfb", "an MP3 recording", _GIVE_TEXT),
    (rb"RIFF....WAVE", "a WAV recording", _GIVE_TEXT),
    (rb"\s*%PDF-", "a PDF document", _GIVE_TEXT),
    (rb"%!PS-Adobe", "a PostScript document", _GIVE_TEXT),
    (rb"\s*\{\\rtf", "an RTF document", _GIVE_TEXT),
    (rb"PK\x03\x04.{26}mimetypeapplication/vnd\.oasis\.opendocument", "an OpenDocument file", _GIVE_TEXT),
    (rb"PK\x03\x04.{26}mimetypeapplication/epub", "an EPUB book", _GIVE_TEXT),
    (rb"(?=PK\x03\x04).*PK\x03\x04.{26}word/", "a Word document", _GIVE_TEXT),
    (rb"(?=PK\x03\x04).*PK\x03\x04.{26}xl/", "an Excel workbook", _GIVE_TEXT),
    (rb"(?=PK\x03\x04).*PK\x03\x04.{26}ppt/", "a PowerPoint presentation", _GIVE_TEXT),
    (rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a password-protected or old Microsoft Office file", _SAVE),
    (rb"PK\x03\x04|PK\x05\x06", "a ZIP archive", _UNPACK),
    (rb"7z\xbc\xaf\x27\x1c", "a 7z archive", _UNPACK),
    (rb"Rar!\x1a\x07", "a RAR archive", _UNPACK),
    (rb".{257}ustar", "a tar archive", _UNPACK),
    (rb"BZh[1-9]\x31\x41\x59\x26\x53\x59", "compressed with bzip2", _UNPACK),
    (rb"\xfd7zXZ\x00", "compressed with xz", _UNPACK),
    (rb"\x28\xb5\x2f\xfd", "compressed with zstd", _UNPACK),
    (rb"PAR1\x15", "a Parquet file", _GIVE_TEXT),
    (rb"\x7fELF|MZ.{1,200}\x00{8}", "a program", _GIVE_TEXT),
)
"""Pattern at the beginning, name, and what to do; a specific type before a general one.

Signatures that could begin a text (``BM``, ``MZ``) are joined by what follows them in such files.
"""

_PATTERNS = tuple((re.compile(pattern, re.DOTALL), name, advice) for pattern, name, advice in _TYPES)


def unsuitable(start: bytes) -> str | None:
    """What a file is that cannot be read as text, and what to do about it; None if it may be text.

    >>> unsuitable(bytes.fromhex("ffd8ffe000104a464946"))
    'a JPEG image; give its text'
    """
    for pattern, name, advice in _PATTERNS:
        if pattern.match(start):
            return f"{name}; {advice}"
    return None
