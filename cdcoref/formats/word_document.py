"""Word documents (DOCX) in, documents with their text, title and author out; python-docx (extra ``documents``) reads
them."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
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

_WORD = re.compile(rb"(?=PK\x03\x04).*PK\x03\x04.{26}word/", re.DOTALL)
_DAMAGE = (AttributeError, LookupError, OSError, TypeError, ValueError, SyntaxError, NotImplementedError)


def read_docx(path: str | Path, options: ReadOptions | None = None) -> Corpus:
    """Read a Word document: its paragraphs and the cells of its tables, in order, separated by blank lines.

    Raises
    ------
    InputError
        If python-docx is not installed, the file cannot be read, or holds more than packed files may.
    """
    options = options or ReadOptions()
    docx = _docx(path)
    data = whole_file(path)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > most_unpacked():
                raise too_much(path)
        word = docx.Document(io.BytesIO(data))
        text = "\n\n".join(_paragraphs(word))
        stated = {"title": word.core_properties.title, "author": word.core_properties.author}
    except (zipfile.BadZipFile, docx.opc.exceptions.OpcError, *_DAMAGE) as error:
        raise InputError(f"the Word document cannot be read ({first_line(error)})", path) from error
    document = tokenise_text(text, options.id or Path(path).name, options.pipeline, path=str(path))
    plain = {name: " ".join(value.split()) for name, value in stated.items() if isinstance(value, str)}
    # What python-docx writes where nobody named an author.
    stated = {name: value for name, value in plain.items() if value and value != "python-docx"}
    return Corpus((with_stated(document, stated),))


def _paragraphs(part: Any) -> Iterator[str]:
    """The paragraphs of a document or a cell that have words, those in tables among them."""
    for block in part.iter_inner_content():
        if hasattr(block, "rows"):
            seen = set()
            for row in block.rows:
                for cell in row.cells:
                    if cell._tc not in seen:  # a merged cell is in several rows and columns
                        seen.add(cell._tc)
                        yield from _paragraphs(cell)
        elif text := block.text.strip():
            yield text


def _docx(path: str | Path) -> ModuleType:
    try:
        import docx
        import docx.opc.exceptions
    except ImportError:
        command = install_command("documents")
        raise InputError(f"reading Word documents needs python-docx; install it with: {command}", path) from None
    return docx


WORD = Format(
    name="Word",
    suffixes=(".docx",),
    recognise=lambda start: _WORD.match(start) is not None,
    read=read_docx,
)
