"""The text of a PDF: pdfminer.six finds paragraphs and columns; here running headers go and broken lines are joined."""

import io
import itertools
import logging
import re
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from cdcoref.errors import InputError, first_line
from cdlm.packed import most_unpacked, too_much, unpacked_size
from cdlm.printing import counted

MOST_PAGES = 2000
"""Pages that are read; a note says if there are more."""
EDGE = 0.15
"""The share of a page, at its top and at its bottom, in which a header or footer may be."""
COLUMN = 0.75
"""Lines are joined only in blocks of at least this share of the median width."""
_STEP = 4
"""Points by which the height of a running line may differ from page to page."""
_WRAP = "\v"
"""Marks a line break that is there only because the next word did not fit."""
_LINE_END = re.compile(r"(\w+)([-\u2010]|\u00ad)[\n\v](\w+)")
"""A word with a hyphen at the end of a line, and the word that the next line begins with."""
_KEEP_HYPHEN = frozenset({"self", "well"})
"""First parts of compounds that are rarely the first part of a broken word."""
_YEAR = re.compile(r"\b\d{4}\b")
_SENTENCE_END = re.compile(r"[.!?:…][\"'”’)\]]*\Z")
_STREAM = re.compile(rb"<<(?:(?!endobj).){0,2000}?>>\s*stream\r?\n", re.DOTALL)
_UNKNOWN = re.compile(r"\(cid:\d+\)|\0")
"""Characters that the fonts of the file do not name."""


class _Line(NamedTuple):
    """A line with its height on the page, in steps, and the widths of its block, behind it and of its first word."""

    text: str
    height: int
    at_edge: bool
    column: float
    free: float
    first_word: float


Page = list[list[_Line]]
"""The paragraphs of a page, in reading order, each a list of lines."""


def pdf_text(data: bytes, path: Path) -> tuple[str, dict[str, Any], tuple[str, ...]]:
    """The text of a PDF, what it states about itself, and notes."""
    from pdfminer.encodingdb import EncodingDB
    from pdfminer.pdfdocument import PDFDocument, PDFPasswordIncorrect
    from pdfminer.pdfpage import PDFPage
    from pdfminer.pdfparser import PDFParser
    from pdfminer.psexceptions import PSException
    from pdfminer.utils import decode_text

    # What it remarks on damaged files is not for the user, unless somebody listens.
    logging.getLogger("pdfminer").addHandler(logging.NullHandler())
    logging.getLogger("pdfminer").propagate = False
    EncodingDB.win2unicode[0xAD] = "\u00ad"  # the second hyphen of WinAnsi, which pdfminer takes for a space
    _check_streams(data, path)
    try:
        document = PDFDocument(PDFParser(io.BytesIO(data)))
        found = list(itertools.islice(PDFPage.create_pages(document), MOST_PAGES + 1))
        pages = _without_running_lines(list(_pages(found[:MOST_PAGES])))
        known = document.info[0] if document.info else {}
        values = {ours: known.get(theirs) for theirs, ours in (("Title", "title"), ("Author", "author"))}
        stated = {name: decode_text(value) for name, value in values.items() if isinstance(value, bytes)}
    except PDFPasswordIncorrect:
        raise InputError("the PDF is encrypted; save it without a password, or give its text", path) from None
    except PSException as error:
        raise ValueError(first_line(error).partition(" - ")[0]) from error
    text = _UNKNOWN.sub(" ", _joined(_text(pages)).replace(_WRAP, " ")).encode("utf-8", "replace").decode()
    if not re.search(r"[^\W\d_]", text):
        raise InputError("the PDF has no text; if it is a scan, run OCR on it first, for example with ocrmypdf", path)
    more = len(found) > MOST_PAGES
    return text, stated, (f"only the first {counted(MOST_PAGES, 'page')} were read",) if more else ()


def _check_streams(data: bytes, path: Path) -> None:
    """Refuse a file whose streams, other than images, unpack to more than packed files may."""
    left = most_unpacked()
    for stream in _STREAM.finditer(data):
        if b"FlateDecode" in stream[0] and b"/Image" not in stream[0]:
            left -= unpacked_size(data[stream.end() :], left)
            if left < 0 or stream[0].count(b"FlateDecode") > 1:
                raise too_much(path)


def _pages(pages: Iterable[Any]) -> Iterator[Page]:
    from pdfminer.converter import PDFPageAggregator
    from pdfminer.layout import LAParams, LTFigure, LTTextBox
    from pdfminer.pdfinterp import PDFPageInterpreter, PDFResourceManager

    resources = PDFResourceManager()
    device = PDFPageAggregator(resources, laparams=LAParams(all_texts=True))
    interpreter = PDFPageInterpreter(resources, device)

    def boxes(items: Iterable[Any]) -> Iterator[Any]:
        for item in items:
            if isinstance(item, LTTextBox):
                yield item
            elif isinstance(item, LTFigure):
                yield from boxes(item)

    for page in pages:
        interpreter.process_page(page)
        layout = device.get_result()
        low, high = layout.y0 + EDGE * layout.height, layout.y1 - EDGE * layout.height
        yield [
            [
                _Line(text, round(line.y0 / _STEP), not low <= line.y0 <= high, box.width, box.x1 - line.x1, first)
                for line in box
                if (text := line.get_text().strip())
                for first in [line.width * len(text.split()[0]) / len(text)]
            ]
            for box in boxes(layout)
        ]


def _without_running_lines(pages: Sequence[Page]) -> list[Page]:
    """The pages without lines that most have at one height of an edge; on the first, a line with a year stays."""
    counts = Counter(
        key for page in pages for key in {_key(line) for paragraph in page for line in paragraph if line.at_edge}
    )
    running = {key for key, count in counts.items() if count > 1 and count > len(pages) / 2}
    return [
        [
            [line for line in paragraph if _key(line) not in running or (not number and _YEAR.search(line.text))]
            for paragraph in page
        ]
        for number, page in enumerate(pages)
    ]


def _key(line: _Line) -> tuple[str, int, bool]:
    return re.sub(r"\d+", "#", line.text).casefold(), line.height, line.at_edge


def _text(pages: Sequence[Page]) -> str:
    """The paragraphs; one goes on with the first of the next page if its sentence has not ended."""
    usual = statistics.median([line.column for page in pages for paragraph in page for line in paragraph] or [0])
    text, above = "", None
    for page in pages:
        for number, paragraph in enumerate(filter(None, page)):
            goes_on = number == 0 and not _SENTENCE_END.search(text)
            for place, line in enumerate(paragraph):
                if above is not None:
                    wrapped = above.free < line.first_word and above.column >= COLUMN * usual
                    text += "\n\n" if not (place or goes_on) else _WRAP if wrapped else "\n"
                text += line.text
                above = line
    return text


def _joined(text: str) -> str:
    """The text with words joined that were broken at the end of a line; compounds found elsewhere keep hyphens."""

    def join(broken: re.Match[str]) -> str:
        first, hyphen, second = broken.groups()
        if hyphen == "\u00ad":
            return first + second
        breaks = first[-1].islower() and second[0].islower()
        if breaks and first.casefold() not in _KEEP_HYPHEN and f"{first}-{second}" not in text:
            return first + second
        return f"{first}-{second}"

    return _LINE_END.sub(join, text).replace("\u00ad", "")
