"""Word documents (DOCX) in, documents with their text, title and author out; python-docx (extra ``documents``) reads
them."""

from __future__ import annotations

import itertools
import re
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cdcoref.corpus import Corpus
from cdcoref.errors import InputError, first_line
from cdcoref.formats.format import Format, ReadOptions
from cdcoref.formats.found_metadata import with_stated
from cdcoref.formats.lines import whole_file
from cdcoref.formats.packed import unpacked_zip
from cdcoref.formats.plain_text import tokenise_text
from cdlm.extras import optional_module

_WORD = re.compile(rb"(?=PK\x03\x04).*PK\x03\x04.{26}word/", re.DOTALL)
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_LEFT_OUT = frozenset(f"{_W}{name}" for name in ("del", "moveFrom", "txbxContent"))
_GALLERY = f"{_W}sdtPr/{_W}docPartObj/{_W}docPartGallery"
"""Where a content control says that it is a table of contents."""
_DAMAGE = (AttributeError, EOFError, LookupError, OSError, RuntimeError, TypeError, ValueError, SyntaxError, zlib.error)


def read_docx(path: Path, options: ReadOptions) -> Corpus:
    """Read a Word document: its paragraphs and the cells of its tables, in order, separated by blank lines.

    Tracked changes are taken as accepted. Headers, footers, comments, notes, text boxes and tables of contents are left
    out. Raises `InputError` if python-docx is not installed, the file cannot be read, or holds more than packed files
    may.
    """
    docx = optional_module("docx", "reading Word documents", "python-docx", path)
    data = whole_file(path)
    try:
        word = docx.Document(unpacked_zip(data, path))
        text = "\n\n".join(_paragraphs(word.element.body))
        stated = {"title": word.core_properties.title, "author": word.core_properties.author}
    except (zipfile.BadZipFile, docx.opc.exceptions.OpcError, *_DAMAGE) as error:
        remedy = "open it in a word processor and save it again as .docx, or give its text"
        raise InputError(f"the Word document cannot be read ({first_line(error)}); {remedy}", path) from error
    document = tokenise_text(text, options.id or path.name, options.pipeline, path=str(path))
    plain = {name: " ".join(value.split()) for name, value in stated.items() if isinstance(value, str)}
    # What python-docx writes where nobody named an author.
    stated = {name: value for name, value in plain.items() if value and value != "python-docx"}
    return Corpus((with_stated(document, stated),))


def _paragraphs(part: Any) -> Iterator[str]:
    """The paragraphs in an element of a document's body that have words, those in tables and controls among them."""
    for child in part.iterchildren(f"{_W}*"):
        if child.tag == f"{_W}p":
            runs = (run for run in child.iter(f"{_W}r") if not _is_left_out(run, child))
            if text := "".join(run.text for run in runs).strip():
                yield text
        elif not any("Contents" in str(entry.get(f"{_W}val")) for entry in child.iterfind(_GALLERY)):
            yield from _paragraphs(child)


def _is_left_out(run: Any, paragraph: Any) -> bool:
    """Whether a run of a paragraph was deleted or moved elsewhere, or is in a text box."""
    inside = itertools.takewhile(lambda parent: parent is not paragraph, run.iterancestors())
    return any(parent.tag in _LEFT_OUT for parent in inside)


WORD = Format(
    name="Word",
    suffixes=(".docx",),
    recognise=lambda start: _WORD.match(start) is not None,
    read=read_docx,
)
