"""PDF, Word and Excel files: their texts and metadata, and one sentence about a file that cannot be read."""

from __future__ import annotations

import datetime
import gzip
import io
import re
import sys
import zipfile
from pathlib import Path
from typing import Any

import docx
import openpyxl
import pypdf
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from cdcoref.errors import InputError
from cdcoref.formats import read_corpus, read_file


def pdf(*lines: str, title: str = "Captain held") -> bytes:
    """A PDF of one page with these lines of Helvetica."""
    shown = " ".join(f"({line}) Tj T*" for line in lines)
    return pdf_of(f"BT /F1 12 Tf 50 780 Td 14 TL {shown} ET".encode(), title)


def pdf_of(content: bytes, title: str = "untitled") -> bytes:
    """A PDF of one page with these instructions."""
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


def pages(path: Path, *texts: tuple[str, ...], title: str = "untitled") -> None:
    writer = pypdf.PdfWriter()
    for lines in texts:
        writer.append(io.BytesIO(pdf(*lines)))
    writer.add_metadata({"/Title": title, "/Author": "(anonymous)"})
    writer.write(path)


def test_running_headers_and_footers_divide_no_sentence(tmp_path: Path) -> None:
    header = "The Tresk Courier", "6 March 2024"
    first = "Ferry sinks off Tresk", "A ferry sank on Tuesday. Its captain was"
    second = "held by the police.", "19 people died."
    third = "The company apologised.", "It will pay."
    bodies = (first, second, third)
    numbered = [(*header, *body, f"Page {number} of 3") for number, body in enumerate(bodies, 1)]
    pages(tmp_path / "a.pdf", *numbered)
    [document] = read_file(tmp_path / "a.pdf").documents
    assert document.text == "\n".join(
        ("6 March 2024", first[0], f"{first[1]} {second[0]}", second[1])
    ) + "\n\n" + " ".join(third)
    assert "Its captain was held by the police ." in [" ".join(document.tokens[a:b]) for a, b in document.sentences]
    assert document.metadata == {"title": "Ferry sinks off Tresk", "date": "2024-03-06"}
    # What differs from page to page stays, and so does a line of text that two of many pages happen to begin with.
    pages(tmp_path / "b.pdf", *bodies, ("held by the police.", "In May."), title="Microsoft Word - draft.docx")
    [document] = read_file(tmp_path / "b.pdf").documents
    assert document.text.split("\n\n") == [
        "\n".join((first[0], " ".join((first[1], *second)))), " ".join(third), "held by the police. In May."
    ]  # fmt: skip
    assert document.metadata == {"title": "Ferry sinks off Tresk"}


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        (("the storm des-", "troyed it"), "the storm destroyed it"),
        (("the well-", "known keeper"), "the well-known keeper"),
        (("a state-owned bank and a state-", "owned ship"), "a state-owned bank and a state-owned ship"),
        (("Ida North-", "Larsen"), "Ida North-Larsen"),
        (("the 1990-", "91 season"), "the 1990-91 season"),
    ],
)
def test_words_at_the_end_of_a_line(tmp_path: Path, lines: tuple[str, ...], text: str) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(pdf(*lines).replace(b"/Helvetica >>", b"/Helvetica /Encoding /WinAnsiEncoding >>", 1))
    assert read_file(path).documents[0].text == text


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
    pages(tmp_path / "numbers.pdf", ("1",), ("2",))
    with pytest.raises(InputError, match="the PDF has no text; if it is a scan, run OCR on it first"):
        read_file(tmp_path / "numbers.pdf")
    (tmp_path / "numbers.pdf").unlink()
    problems = read_corpus([tmp_path]).problems
    assert re.search(r"half\.pdf: .*\); open it in another program and save it again, or give its text$", problems[0])
    assert re.search(r"scan\.pdf: .* run OCR on it first, for example with ocrmypdf$", problems[1])
    assert re.search(r"secret\.pdf: .* encrypted; save it without a password, or give its text$", problems[2])


COLUMNS = (
    (
        "A ferry sank on Tuesday night near",
        "Tresk. 19 people died, said the",
        "coastguard.",
        "",
        "The captain was held.",
    ),
    (
        "The company apologised. It",
        "will pay for the funerals.",
        "",
        "Divers search the wreck today;",
        "the storm ended.",
    ),
)


@pytest.mark.parametrize("by_row", [False, True])
def test_columns_and_paragraphs(tmp_path: Path, by_row: bool) -> None:
    """However the lines follow each other in the file."""
    lines = [(50 + 270 * x, 760 - 14 * y, line) for x, column in enumerate(COLUMNS) for y, line in enumerate(column)]
    ordered = sorted(lines, key=lambda line: (-line[1], line[0])) if by_row else lines
    shown = " ".join(f"BT /F1 11 Tf {x} {y} Td ({line}) Tj ET" for x, y, line in ordered if line)
    (tmp_path / "a.pdf").write_bytes(pdf_of(shown.encode()))
    assert read_file(tmp_path / "a.pdf").documents[0].text.split("\n\n") == [
        "A ferry sank on Tuesday night near Tresk. 19 people died, said the coastguard.",
        "The captain was held.",
        "The company apologised. It will pay for the funerals.",
        "Divers search the wreck today; the storm ended.",
    ]


def test_lines_that_end_on_purpose_stay_lines(tmp_path: Path) -> None:
    """A line with room for the next word, and the lines of a block that is narrower than the text."""
    blocks = (
        (780, ("By Ann Lee", "5 March 2024")),
        (
            740,
            ("The ferry that sank on Tuesday hit a reef near", "Tresk, say divers who went down to it on", "Thursday."),
        ),
        (680, ("Dead: 19", "Rescued from the water by other ships: 31")),
    )
    shown = (f"BT /F1 11 Tf 50 {y - 13 * n} Td ({line}) Tj ET" for y, lines in blocks for n, line in enumerate(lines))
    (tmp_path / "a.pdf").write_bytes(pdf_of(" ".join(shown).encode()))
    assert read_file(tmp_path / "a.pdf").documents[0].text.split("\n\n") == [
        "By Ann Lee\n5 March 2024",
        "The ferry that sank on Tuesday hit a reef near Tresk, say divers who went down to it on Thursday.",
        "Dead: 19\nRescued from the water by other ships: 31",
    ]


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


def in_word(xml: str) -> Any:
    return parse_xml(xml.replace(">", f" {nsdecls('w')}>", 1))


def test_what_is_in_a_word_document_beside_its_paragraphs(tmp_path: Path) -> None:
    document = docx.Document()
    document.sections[0].header.paragraphs[0].text = "Confidential"
    tracked = document.add_paragraph("It sank. ")
    changed = 'w:id="1" w:author="Ed"'
    for tag, word in (("ins", "t"), ("del", "delText"), ("moveFrom", "t"), ("smartTag", "t")):
        run = f'<w:r><w:{word} xml:space="preserve">{tag} </w:{word}></w:r>'
        tracked._p.append(in_word(f"<w:{tag} {changed if tag != 'smartTag' else ''}>{run}</w:{tag}>"))
    tracked.add_run("Done.")
    document.add_comment(tracked.runs, text="Check this", author="Ed")
    body = document.element.body
    body.insert(
        1, in_word("<w:sdt><w:sdtContent><w:p><w:r><w:t>In a control.</w:t></w:r></w:p></w:sdtContent></w:sdt>")
    )
    contents = '<w:sdtPr><w:docPartObj><w:docPartGallery w:val="Table of Contents"/></w:docPartObj></w:sdtPr>'
    body.insert(2, in_word(f"<w:sdt>{contents}<w:sdtContent><w:p><w:r><w:t>1</w:t></w:r></w:p></w:sdtContent></w:sdt>"))
    table = document.add_table(2, 2)
    table.cell(0, 0).merge(table.cell(1, 0)).text = "merged"
    table.cell(0, 1).add_table(1, 1).cell(0, 0).text = "inner"
    table.cell(1, 1).text = "19"
    document.save(str(tmp_path / "a.docx"))
    [read] = read_file(tmp_path / "a.docx").documents
    assert read.text.split("\n\n") == ["It sank. ins smartTag Done.", "In a control.", "merged", "inner", "19"]


def test_a_workbook(tmp_path: Path) -> None:
    workbook = openpyxl.Workbook()
    workbook.active.append(["Title", "Date", "Text", "Deaths"])
    workbook.active.append(["Ferry sinks", datetime.datetime(2024, 3, 5), "A ferry sank.", 19])
    workbook.active.append(["Nothing"])
    workbook.save(tmp_path / "a.xlsx")
    corpus = read_file(tmp_path / "a.xlsx")
    assert [document.text for document in corpus.documents] == ["A ferry sank."]
    assert corpus.documents[0].metadata == {"title": "Ferry sinks", "date": "2024-03-05T00:00:00", "Deaths": 19}
    assert corpus.notes == (f"{tmp_path / 'a.xlsx'}: 1 row without text left out",)


@pytest.mark.parametrize("name", ["a.pdf", "a.docx", "a.xlsx"])
def test_what_is_damaged(tmp_path: Path, name: str) -> None:
    entries = {"a.docx": "word/document.xml", "a.xlsx": "xl/workbook.xml"}
    if name == "a.pdf":
        (tmp_path / name).write_bytes(b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages")
    else:
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            archive.writestr("[Content_Types].xml", "x")
            archive.writestr(entries.get(name, "META-INF/container.xml"), "<x/>")
    with pytest.raises(InputError, match=r"cannot be read \(.*\); (open it|save it)"):
        read_file(tmp_path / name)


@pytest.mark.parametrize(("name", "module"), [("a.pdf", "pdfminer.high_level"), ("a.docx", "docx")])
def test_what_only_its_name_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, module: str) -> None:
    """Whether its package is installed or not."""
    (tmp_path / name).write_bytes(b"<Error><Message>The request has expired</Message></Error>")
    for installed in (True, False):
        if not installed:
            monkeypatch.setitem(sys.modules, module, None)
        with pytest.raises(InputError, match=r"the file is damaged, or no .*, although its name says so; open it"):
            read_file(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "module", "package"), [("a.pdf", "pdfminer.high_level", "pdfminer.six"), ("a.docx", "docx", "python-docx")]
)
def test_missing_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, module: str, package: str) -> None:
    word(tmp_path / "a.docx")
    (tmp_path / "a.pdf").write_bytes(pdf(*LINES))
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(InputError, match=f"needs {package}; install it with: pip install {package}$"):
        read_file(tmp_path / name)
