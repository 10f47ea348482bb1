"""PDF documents in, documents with their text, title and author out; pypdf (extra ``documents``) reads them."""

from __future__ import annotations

import io
import itertools
import logging
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cdcoref.corpus import Corpus
from cdcoref.errors import InputError, first_line
from cdcoref.formats.format import Format, ReadOptions
from cdcoref.formats.found_metadata import with_stated
from cdcoref.formats.lines import whole_file
from cdcoref.formats.packed import most_unpacked, too_much
from cdcoref.formats.plain_text import tokenise_text
from cdlm.extras import optional_module

_LINE_END = re.compile(r"(\w+)([-\u2010]|\u00ad)\n(\w+)")
"""A word with a hyphen at the end of a line, and the word that the next line begins with."""
_KEEP_HYPHEN = frozenset({"self", "well"})
"""First parts of compounds that are rarely the first part of a broken word."""
EDGE = 4
"""Lines at the top and at the bottom of a page that may be a running header or footer."""
_NO_TITLE = re.compile(
    r"\(?(?:anonymous|unspecified|unknown|untitled)\)?|Microsoft Word - .*|\S+\.(?:docx?|dvi|indd|odt|pdf|rtf|tex)",
    re.I,
)
"""What programs write where nobody named a title or an author."""
_YEAR = re.compile(r"\b\d{4}\b")
_DAMAGE = (
    *(ArithmeticError, AssertionError, AttributeError, LookupError, NotImplementedError, RecursionError, TypeError),
    *(ValueError, OSError, EOFError, MemoryError),
)
"""What a damaged file makes pypdf raise beside its own errors."""


def read_pdf(path: Path, options: ReadOptions) -> Corpus:
    """Read a PDF document; character offsets are those of the text that was taken out of it.

    Words that were broken at the end of a line are joined; pages are separated by a line break. Running headers and
    footers are left out, but for a header of the first page that has a year, since it states the date. Raises
    `InputError` if pypdf is not installed, the file cannot be read or is encrypted, it has no words, as a scan has
    none, or its pages hold more than packed files may.
    """
    pypdf = optional_module("pypdf", "reading PDF", "pypdf", path)
    # What it remarks on damaged files is not for the user, unless somebody listens.
    logging.getLogger("pypdf").addHandler(logging.NullHandler())
    data = whole_file(path)
    try:
        reader = pypdf.PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise InputError("the PDF is encrypted; save it without a password, or give its text", path)
        _check_contents(reader, path)
        pages = [page.extract_text() for page in reader.pages]
        known = reader.metadata
        stated = {"title": known.title, "author": known.author} if known is not None else {}
    except pypdf.errors.DependencyError:
        raise InputError(
            "the PDF is encrypted in a way that needs another package; install it with: pip install cryptography", path
        ) from None
    except (pypdf.errors.PyPdfError, *_DAMAGE) as error:
        if type(error).__name__ == "LimitReachedError":  # which pypdf has since version 6
            raise too_much(path) from None
        remedy = "open it in another program and save it again, or give its text"
        raise InputError(f"the PDF cannot be read ({first_line(error)}); {remedy}", path) from error
    text = _joined("\n".join(_without_running_lines(pages)))
    text = text.encode("utf-8", "replace").decode().replace("\0", " ")
    if not re.search(r"[^\W\d_]", text):
        raise InputError("the PDF has no text; if it is a scan, run OCR on it first, for example with ocrmypdf", path)
    document = tokenise_text(text, options.id or path.name, options.pipeline, path=str(path))
    plain = {name: " ".join(value.split()) for name, value in stated.items() if isinstance(value, str)}
    named = {name: value for name, value in plain.items() if value and not _NO_TITLE.fullmatch(value)}
    return Corpus((with_stated(document, named),))


def _without_running_lines(texts: Sequence[str]) -> list[str]:
    """The texts of pages without the headers and footers that repeat, whose numbers may differ.

    A line runs if most pages have it in the same place, counted from the edge.
    """
    pages = [[line.strip() for line in text.splitlines() if line.strip()] for text in texts]
    pages = [page for page in pages if page]
    if len(pages) > 1:
        tops = [_running([page[place] for page in pages if len(page) > place]) for place in range(EDGE)]
        ends = [_running([page[-1 - place] for page in pages if len(page) > place]) for place in range(EDGE)]
        for number, page in enumerate(pages):
            top = _edge(page[:EDGE], tops)
            end = _edge(page[::-1][:EDGE], ends)
            header = [line for line in page[:top] if number == 0 and _YEAR.search(line)]
            page[:] = header + page[top : max(top, len(page) - end)]
    return ["\n".join(page) for page in pages if page]


def _running(lines: Sequence[str]) -> frozenset[str]:
    """Those of the lines at one place of every page, without their numbers, that more than half of the pages have."""
    counts = Counter(map(_without_numbers, lines))
    return frozenset(line for line, count in counts.items() if count > 1 and count > len(lines) / 2)


def _edge(lines: Sequence[str], running: Sequence[frozenset[str]]) -> int:
    """How many lines run, counted from the edge to the first that does not."""
    runs = (_without_numbers(line) in known for line, known in zip(lines, running, strict=False))
    return sum(itertools.takewhile(bool, runs))


def _without_numbers(line: str) -> str:
    return re.sub(r"\d+", "#", line).casefold()


def _joined(text: str) -> str:
    """The text with words joined that were broken at the end of a line.

    Between lower-case letters the hyphen goes, unless the text has the compound elsewhere or its first part is one
    of `_KEEP_HYPHEN`; elsewhere it stays ("North-" and "Larsen"). Soft hyphens always go.
    """

    def join(found: re.Match[str]) -> str:
        first, hyphen, second = found.groups()
        if hyphen == "\u00ad":
            return first + second
        breaks = first[-1].islower() and second[0].islower()
        if breaks and first.casefold() not in _KEEP_HYPHEN and f"{first}-{second}" not in text:
            return first + second
        return f"{first}-{second}"

    return _LINE_END.sub(join, text).replace("\u00ad", "")


def _check_contents(reader: Any, path: str | Path) -> None:
    """Refuse a file whose pages unpack to more than packed files may; of each, one page is held at a time."""
    left = most_unpacked()
    for page in reader.pages:
        contents = page.get_contents()
        left -= 0 if contents is None else len(contents.get_data())
        if left < 0:
            raise too_much(path)


PDF = Format(
    name="PDF",
    suffixes=(".pdf",),
    recognise=lambda start: start.lstrip()[:5] == b"%PDF-",
    read=read_pdf,
)
