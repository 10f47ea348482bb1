"""PDF and Word documents in: their text, title and author; what cannot be read is said in one sentence."""

from __future__ import annotations

import gzip
import io
import sys
import zipfile
from pathlib import Path

import docx
import pypdf
import pytest

from cdcoref.errors import InputError
from cdcoref.formats import read_corpus, read_file, word_document


def pdf(*lines: str, title: str = "Captain held") -> bytes:
    """A PDF of one page with these lines of Helvetica."""
    shown = " ".join(f"({line}) Tj T*" for line in lines)
    content = f"BT /F1 12 Tf 50 780 Td 14 TL {shown} ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
        b"/Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< /Title (%s) /Author (Ann Lee) >>" % title.encode(),
    ]
    written = b"%PDF-1.4\n"
    offsets = []
    for number, part in enumerate(objects, 1):
        offsets.append(len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, part)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    trailer = b"trailer\n<< /Size 7 /Root 1 0 R /Info 6 0 R >>\nstartxref\n%d\n%%%%EOF\n" % len(written)
    return written + b"xref\n0 7\n0000000000 65535 f \n" + table + trailer


LINES = ("Police on Thursday arrested the captain of the Lady Ma-", "ren, the ferry that sank off Tresk.")


@pytest.mark.parametrize("packed", [False, True])
def test_a_pdf(tmp_path: Path, packed: bool) -> None:
    path = tmp_path / ("a.pdf.gz" if packed else "a.pdf")
    path.write_bytes(gzip.compress(pdf(*LINES)) if packed else pdf(*LINES))
    [document] = read_file(path).documents
    assert document.text == "Police on Thursday arrested the captain of the Lady Maren, the ferry that sank off Tresk."
    assert document.metadata == {"title": "Captain held", "author": "Ann Lee"}
    assert len(document.sentences) == 1


def test_a_pdf_whose_pages_unpack_to_more_than_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CDCOREF_MAX_UNPACKED_MB", "1")
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(pdf(*["The ferry sank."] * 60_000)))
    for page in writer.pages:
        page.compress_content_streams()
    writer.write(tmp_path / "bomb.pdf")
    assert (tmp_path / "bomb.pdf").stat().st_size < 100_000
    with pytest.raises(InputError, match="unpacks to more than 1 MB"):
        read_file(tmp_path / "bomb.pdf")


def test_a_pdf_without_text_or_with_a_password(tmp_path: Path) -> None:
    (tmp_path / "scan.pdf").write_bytes(pdf())
    writer = pypdf.PdfWriter()
    writer.add_blank_page(100, 100)
    writer.encrypt("secret", algorithm="RC4-128")
    writer.write(tmp_path / "secret.pdf")
    (tmp_path / "half.pdf").write_bytes(pdf(*LINES)[:300])
    problems = read_corpus([tmp_path]).problems
    assert ["half.pdf" in problems[0], "scan" in problems[1], "encrypted" in problems[2]] == [True] * 3


def word(path: Path) -> None:
    document = docx.Document()
    document.core_properties.title = "Storm sinks ferry"
    document.add_heading("Storm sinks island ferry", 1)
    document.add_paragraph("A ferry overturned near Tresk on Tuesday.")
    table = document.add_table(1, 2)
    table.cell(0, 0).text = "Dead"
    table.cell(0, 1).text = "19"
    document.save(str(path))


def test_a_word_document(tmp_path: Path) -> None:
    word(tmp_path / "a.docx")
    [document] = read_file(tmp_path / "a.docx").documents
    assert document.text == "Storm sinks island ferry\n\nA ferry overturned near Tresk on Tuesday.\n\nDead\n\n19"
    assert document.metadata == {"title": "Storm sinks ferry"}


def test_a_word_document_that_is_damaged_or_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    word(tmp_path / "a.docx")
    whole = (tmp_path / "a.docx").read_bytes()
    (tmp_path / "b.docx").write_bytes(whole[:2000])
    with zipfile.ZipFile(tmp_path / "c.docx", "w") as archive:
        archive.writestr("[Content_Types].xml", "<x")
        archive.writestr("word/document.xml", "<x/>")
    for name in ("b.docx", "c.docx"):
        with pytest.raises(InputError, match="the Word document cannot be read"):
            read_file(tmp_path / name)
    monkeypatch.setattr(word_document, "most_unpacked", lambda: 1000)
    with pytest.raises(InputError, match="unpacks to more than"):
        read_file(tmp_path / "a.docx")


@pytest.mark.parametrize(("name", "module"), [("a.pdf", "pypdf"), ("a.docx", "docx")])
def test_what_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, module: str) -> None:
    word(tmp_path / "a.docx")
    (tmp_path / "a.pdf").write_bytes(pdf(*LINES))
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(InputError, match="pip install"):
        read_file(tmp_path / name)
