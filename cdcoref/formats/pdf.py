"""PDF documents in, documents with their text, title and author out; pypdf (extra ``documents``) reads them."""

from __future__ import annotations

import io
import logging
import re
from pathlib import Path
from types import ModuleType
from typing import Any

from cdcoref.corpus import Corpus
from cdcoref.errors import InputError, first_line
from cdcoref.formats.format import Format, ReadOptions
from cdcoref.formats.found_metadata import with_stated
from cdcoref.formats.lines import whole_file
from cdcoref.formats.packed import most_unpacked, too_much
from cdcoref.formats.text import tokenise_text
from cdlm.extras import install_command

_BROKEN_WORD = re.compile(r"(?<=[a-z])-\n(?=[a-z])")
"""A hyphen at the end of a line, between lower-case letters, that breaks a word."""
_DAMAGE = (
    *(ArithmeticError, AssertionError, AttributeError, LookupError, NotImplementedError, RecursionError, TypeError),
    *(ValueError, OSError, EOFError, MemoryError),
)
"""What a damaged file makes pypdf raise beside its own errors."""


def read_pdf(path: str | Path, options: ReadOptions | None = None) -> Corpus:
    """Read a PDF document; character offsets are those of the text that was taken out of it.

    Words that were broken at the end of a line are joined; pages are separated by a line break.

    Raises
    ------
    InputError
        If pypdf is not installed, the file cannot be read or is encrypted, it has no text, as a scan has none, or its
        pages hold more than packed files may.
    """
    options = options or ReadOptions()
    pypdf = _pypdf(path)
    data = whole_file(path)
    try:
        reader = pypdf.PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise InputError("the PDF is encrypted; remove its password first", path)
        _check_contents(reader, path)
        pages = [page.extract_text() for page in reader.pages]
        known = reader.metadata
        stated = {"title": known.title, "author": known.author} if known is not None else {}
    except (pypdf.errors.PyPdfError, *_DAMAGE) as error:
        if type(error).__name__ == "LimitReachedError":  # which pypdf has since version 6
            raise too_much(path) from None
        raise InputError(f"the PDF cannot be read ({first_line(error)})", path) from error
    text = "\n".join(_BROKEN_WORD.sub("", page).strip() for page in pages if page.strip())
    text = text.encode("utf-8", "replace").decode().replace("\0", " ")
    if not text:
        raise InputError("the PDF has no text; if it is a scan, recognise its text first", path)
    document = tokenise_text(text, options.id or Path(path).name, options.pipeline, path=str(path))
    plain = {name: " ".join(value.split()) for name, value in stated.items() if isinstance(value, str)}
    return Corpus((with_stated(document, {name: value for name, value in plain.items() if value}),))


def _check_contents(reader: Any, path: str | Path) -> None:
    """Refuse a file whose pages unpack to more than packed files may; of each, one page is held at a time."""
    left = most_unpacked()
    for page in reader.pages:
        contents = page.get_contents()
        left -= 0 if contents is None else len(contents.get_data())
        if left < 0:
            raise too_much(path)


def _pypdf(path: str | Path) -> ModuleType:
    try:
        import pypdf
        import pypdf.errors
    except ImportError:
        command = install_command("documents")
        raise InputError(f"reading PDF needs pypdf; install it with: {command}", path) from None
    # What it remarks on damaged files is not for the user, unless somebody listens.
    logging.getLogger("pypdf").addHandler(logging.NullHandler())
    return pypdf


PDF = Format(
    name="PDF",
    suffixes=(".pdf",),
    recognise=lambda start: start.lstrip()[:5] == b"%PDF-",
    read=read_pdf,
)
