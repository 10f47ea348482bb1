"""Images, recordings, office documents and archives are told by their first bytes; text is not taken for one."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import tarfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdcoref.formats import first_bytes, format_of, read_corpus


def zip_of(*names: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name in names:
            archive.writestr(name, "x" * 50 if name != "mimetype" else "application/epub+zip")
    return stream.getvalue()


def tar_of(name: str) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        archive.addfile(tarfile.TarInfo(name))
    return stream.getvalue()


def image(format: str) -> bytes:
    """A picture of one pixel."""
    from PIL import Image

    stream = io.BytesIO()
    Image.new("RGB", (1, 1)).save(stream, format)
    return stream.getvalue()


FILES = {
    **{f"a {name} image": (lambda name=name: image(name)) for name in ("JPEG", "PNG", "GIF", "TIFF", "BMP")},
    "a WebP image": lambda: image("WEBP"),
    "an RTF document": lambda: b"{\\rtf1 text}",
    "a ZIP archive": lambda: zip_of("news/1.txt", "news/2.txt"),
    "a tar archive": lambda: tar_of("a.txt"),
    "compressed with bzip2": lambda: bz2.compress(b"text"),
    "compressed with xz": lambda: lzma.compress(b"text"),
    "a WAV recording": lambda: b"RIFF" + struct.pack("<I", 36) + b"WAVEfmt ",
    "an MP3 recording": lambda: b"ID3\x04\x00\x00",
    "a password-protected or old Microsoft Office file": lambda: bytes.fromhex("d0cf11e0a1b11ae1") + bytes(16),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_refused_by_what_it_is(tmp_path: Path, name: str) -> None:
    data = FILES[name]()
    advice = "unpack it first" if "archive" in name or "compressed" in name else "give its text"
    if "Office" in name:
        advice = "save it as .docx or .csv without a password"
    (tmp_path / "scan.txt").write_bytes(data)
    (tmp_path / "scan.txt.gz").write_bytes(gzip.compress(data))
    for encoding in (None, "cp1252"):
        assert read_corpus([tmp_path], encoding=encoding).problems == tuple(
            f"{tmp_path / file}: this is {name}; {advice}" for file in ("scan.txt", "scan.txt.gz")
        )


@pytest.mark.parametrize(
    "text", ["BMW sold more cars.", "MZ is a brand.", "GIF images", "ID3 tags", "PAR1 is a gene.", "Rar!", "II*"]
)
def test_texts_that_begin_like_other_files(tmp_path: Path, text: str) -> None:
    (tmp_path / "scan.txt").write_text(text)
    assert format_of(tmp_path / "scan.txt").name == "plain text"


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"])))
def test_text_is_text(text: str) -> None:
    if not text.lstrip().startswith(("%PDF-", "%!PS-Adobe", "{\\rtf")):
        assert first_bytes(io.BytesIO(text.encode())) == text.removeprefix("\ufeff").encode()
