"""Packed files that hold more than they should are refused before they are unpacked, in every packed format."""

from __future__ import annotations

import gzip
import io
import tracemalloc
import zipfile
import zlib
from pathlib import Path

import pytest

from cdcoref.errors import InputError
from cdcoref.formats import read_docbin, read_file, read_mention_table

MEGABYTE = 1 << 20
REFUSED = r"unpacks to more than 1 MB; split it, or set the environment variable CDCOREF_MAX_UNPACKED_MB"


@pytest.fixture(autouse=True)
def one_megabyte(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CDCOREF_MAX_UNPACKED_MB", "1")


@pytest.mark.parametrize("name", ["a.txt.gz", "a.jsonl.gz", "a.conll.gz", "a.html.gz", "a.csv.gz"])
def test_gzip(tmp_path: Path, name: str) -> None:
    beginning = {"a.jsonl.gz": b'{"id": "a", "text": "', "a.conll.gz": b"#begin document (a)\n# "}.get(name, b"text\n")
    with gzip.open(tmp_path / name, "wb", compresslevel=1) as stream:
        stream.write(beginning)
        for _ in range(64):
            stream.write(b"word " * (MEGABYTE // 5))
    tracemalloc.start()
    with pytest.raises(InputError, match=REFUSED) as error:
        read_file(tmp_path / name)
    assert error.value.path == str(tmp_path / name)
    assert tracemalloc.get_traced_memory()[1] < 40 * MEGABYTE
    tracemalloc.stop()


BOMBS = {
    "a.conllu.gz": (b"# global.Entity = eid-etype-head-other\n# newdoc id = a\n", b"1\ta" + b"\t_" * 8 + b"\n\n"),
    "a.conll.gz": (b"#begin document (a); part 000\n", b"a 0 0 a (1)\n"),
    "a.jsonl.gz": (b'{"id": "a", "sentences": [["a"]], "mentions": [\n', b'{"id": "a"}\n'),
    "a.jsonlines.gz": (b'{"doc_key": "a", "sentences": [["a"]], "clusters": []}\n', b" \n"),
    "a.md.gz": (b"# Title\n", b"A b.\n\n"),
}


@pytest.mark.parametrize("name", BOMBS)
def test_nothing_is_kept_of_a_bomb_of_short_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("CDCOREF_MAX_UNPACKED_MB", "8")  # whose tokens would take some 200 MB
    beginning, line = BOMBS[name]
    with gzip.open(tmp_path / name, "wb") as stream:
        stream.write(beginning)
        for _ in range(9):
            stream.write(line * (MEGABYTE // len(line) + 1))
    for read in (read_file, read_mention_table):
        if read is read_mention_table and name == "a.md.gz":
            continue
        tracemalloc.start()
        with pytest.raises(InputError, match="unpacks to more than 8 MB"):
            read(tmp_path / name)
        assert tracemalloc.get_traced_memory()[1] < 12 * MEGABYTE
        tracemalloc.stop()


def test_a_docbin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = zlib.compress(b"\x88\xa7version" + bytes(64 * MEGABYTE))
    (tmp_path / "a.spacy").write_bytes(bomb)
    (tmp_path / "b.spacy.gz").write_bytes(gzip.compress(bomb))
    for name in ("a.spacy", "b.spacy.gz"):
        with pytest.raises(InputError, match=REFUSED):
            read_file(tmp_path / name)
        with pytest.raises(InputError, match=REFUSED):
            read_mention_table(tmp_path / name)
    monkeypatch.setenv("CDCOREF_MAX_UNPACKED_MB", "100")
    with pytest.raises(InputError, match="not a valid spaCy DocBin"):
        read_docbin(tmp_path / "a.spacy")


def word_file(path: Path, *, compression: int = zipfile.ZIP_DEFLATED, size: int = 0, encrypted: bool = False) -> None:
    """Write a Word document whose text is followed by `size` zeros, which the archive does not state."""
    docx = pytest.importorskip("docx")
    whole = io.BytesIO()
    word = docx.Document()
    word.add_paragraph("Ann Hale left Oslo.")
    word.save(whole)
    with zipfile.ZipFile(whole) as source, zipfile.ZipFile(path, "w", compression) as target:
        for entry in source.infolist():
            content = source.read(entry)
            if entry.filename == "word/document.xml":
                with target.open(entry.filename, "w") as stream:
                    stream.write(content)
                    for _ in range(0, size, MEGABYTE):
                        stream.write(bytes(MEGABYTE))
                stated = target.getinfo(entry.filename)
                stated.file_size, stated.CRC = len(content), zlib.crc32(content)
                stated.flag_bits |= int(encrypted)
            else:
                target.writestr(entry.filename, content)


def test_a_word_document_that_states_a_wrong_size(tmp_path: Path) -> None:
    word_file(tmp_path / "a.docx", size=64 * MEGABYTE)
    tracemalloc.start()
    [document] = read_file(tmp_path / "a.docx").documents
    assert document.tokens == ("Ann", "Hale", "left", "Oslo", ".")
    assert tracemalloc.get_traced_memory()[1] < 32 * MEGABYTE
    tracemalloc.stop()
