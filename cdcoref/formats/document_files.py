"""Files with one document (PDF, Word, Markdown) in, their text and the metadata that they state out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cdcoref.corpus import Corpus
from cdcoref.errors import InputError, first_line
from cdcoref.formats.format import Format, ReadOptions
from cdcoref.formats.lines import whole_file
from cdcoref.formats.many_documents import is_nexis, nexis_parts
from cdcoref.formats.metadata import stated_date, with_stated
from cdcoref.formats.pdf_text import pdf_text
from cdcoref.formats.plain_text import documents_of, text_content, tokenise_text
from cdlm.extras import optional_module
from cdlm.packed import DAMAGE, unpacked_zip

if TYPE_CHECKING:
    from markdown_it.token import Token

Extracted = tuple[str, dict[str, Any], tuple[str, ...]]
"""A text, what the file states about it, and notes."""
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_LEFT_OUT = frozenset(f"{_W}{name}" for name in ("del", "moveFrom", "txbxContent"))
_GALLERY = f"{_W}sdtPr/{_W}docPartObj/{_W}docPartGallery"
"""Where a content control says that it is a table of contents."""
_NOT_STATED = re.compile(
    r"\(?(?:anonymous|unspecified|unknown|untitled)\)?|Microsoft Word - .*|Word Document|python-docx|"
    r"\S+\.(?:docx?|dvi|indd|odt|pdf|pptx?|rtf|tex)",
    re.I,
)
"""What programs write where nobody named a title or an author."""


def _word(data: bytes, path: Path) -> Extracted:
    """Paragraphs and cells of tables, in order; tracked changes are taken as accepted."""
    import docx
    from docx.opc.exceptions import OpcError

    try:
        word = docx.Document(unpacked_zip(data, path))
    except OpcError as error:
        raise ValueError(first_line(error)) from error
    known = word.core_properties
    return "\n\n".join(_paragraphs(word.element.body)), {"title": known.title, "author": known.author}, ()


def _paragraphs(part: Any) -> Iterator[str]:
    """The paragraphs in an element of a document's body that have words, those in tables and controls among them."""
    for child in part.iterchildren(f"{_W}*"):
        if child.tag == f"{_W}p":
            inside = set(child.iter())
            # Runs that were deleted or moved elsewhere, or are in a text box, are left out.
            runs = (
                run
                for run in child.iter(f"{_W}r")
                if _LEFT_OUT.isdisjoint(parent.tag for parent in run.iterancestors() if parent in inside)
            )
            if text := "".join(run.text for run in runs).strip():
                yield text
        elif not any("Contents" in str(entry.get(f"{_W}val")) for entry in child.iterfind(_GALLERY)):
            yield from _paragraphs(child)


def _document_format(
    name: str,
    suffix: str,
    begins: re.Pattern[bytes],
    module: str,
    package: str,
    extract: Callable[[bytes, Path], Extracted],
) -> Format:
    """The format of files that are a document each; character offsets are those of the text that is taken out."""

    def read(path: Path, options: ReadOptions) -> Corpus:
        data = whole_file(path)
        remedy = "open it in another program and save it again, or give its text"
        if (b"%PDF-" if name == "PDF" else b"PK\x03\x04") not in data[:1024]:  # readers of PDF skip what is before it
            raise InputError(f"the file is damaged, or no {name}, although its name says so; {remedy}", path)
        optional_module(module, f"reading {name}", package, path)
        try:
            text, known, notes = extract(data, path)
        except DAMAGE as error:
            raise InputError(f"the {name} cannot be read ({first_line(error)}); {remedy}", path) from error
        if is_nexis(text):
            return documents_of(nexis_parts(text), path, options, "article")
        document = tokenise_text(text, options.id or path.name, options.pipeline, path=str(path))
        plain = {name: " ".join(value.split()) for name, value in known.items() if isinstance(value, str)}
        stated = {name: value for name, value in plain.items() if value and not _NOT_STATED.fullmatch(value)}
        return Corpus((with_stated(document, stated),), notes=tuple(f"{path}: {note}" for note in notes))

    return Format(name, (suffix,), read, begins.match)


def _packed(entry: bytes) -> re.Pattern[bytes]:
    """The beginning of a ZIP archive with an entry whose name begins so."""
    return re.compile(rb"(?=PK\x03\x04).*PK\x03\x04.{26}" + entry, re.DOTALL)


DOCUMENTS = (
    _document_format("PDF", ".pdf", re.compile(rb"\s*%PDF-"), "pdfminer.high_level", "pdfminer.six", pdf_text),
    _document_format("Word document", ".docx", _packed(b"word/"), "docx", "python-docx", _word),
)

OWN_REPORT = "<!-- a report that cdcoref wrote -->"
"""The first line of a report, which tells it from a document."""
_FRONT = re.compile(
    r"\A---[ \t]*\r?\n(?P<fields>(?:[ \t]*(?:#[^\n]*)?\r?\n)*[A-Za-z][\w-]*[ \t]*:\s.*?)^(?:---|\.\.\.)[ \t]*\r?$\n?",
    re.DOTALL | re.MULTILINE,
)
"""Fields at the beginning; other lines between two of ``---`` are a part of the text."""
_NO_PROSE = re.compile(r"\{\{[<%].*?[%>]\}\}|\[\^[^\]\s]+\]:?")
"""Short codes of Hugo, and the signs of footnotes."""
_FIELD = re.compile(r"(?P<name>[A-Za-z][\w-]*)\s*:\s+(?P<value>\S.*?)\s*")


def read_markdown(path: Path, options: ReadOptions) -> Corpus:
    """Read a Markdown file: every heading, paragraph, item and cell is a paragraph; code blocks, HTML and the addresses
    of links are left out. ``NAME: VALUE`` lines between two lines of ``---`` at the beginning are metadata. The title
    is the first heading unless they state another."""
    source = text_content(path, options.encoding).decode()
    if source.startswith(OWN_REPORT):
        raise InputError("this is a report that cdcoref wrote; give the documents that it was made from", path)
    stated: dict[str, str] = {}
    if front := _FRONT.match(source):
        source = source[front.end() :]
        for line in front["fields"].splitlines():
            if field := _FIELD.fullmatch(line):
                stated[field["name"].lower()] = _unquoted(field["value"])
    blocks = list(_blocks(_NO_PROSE.sub("", source)))
    headings = [text for heading, text in blocks if heading]
    if headings:
        stated.setdefault("title", headings[0])
    if "date" in stated:
        stated["date"] = str(stated_date(stated["date"]))
    text = "\n\n".join(text for _, text in blocks)
    document = tokenise_text(text, options.id or path.name, options.pipeline, path=str(path))
    return Corpus((with_stated(document, stated),))


def _unquoted(value: str) -> str:
    """A value of YAML without quotation marks; between double ones a backslash stands before what is literal."""
    if len(value) > 1 and value[0] == value[-1] == '"':
        return re.sub(r"\\(.)", r"\1", value[1:-1])
    if len(value) > 1 and value[0] == value[-1] == "'":
        return value[1:-1].replace("''", "'")
    return value


def _blocks(source: str) -> Iterator[tuple[bool, str]]:
    from markdown_it import MarkdownIt

    before = ""
    for token in MarkdownIt("commonmark").enable("table").parse(source):
        if token.type == "inline":
            text = "".join(_plain_words(token.children or ())).strip()
            if text:
                yield before == "heading_open", text
        before = token.type


def _plain_words(tokens: Sequence[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type in ("text", "code_inline"):
            yield token.content
        elif token.type == "softbreak":
            yield " "
        elif token.type == "hardbreak":
            yield "\n"


MARKDOWN = Format("Markdown", (".md", ".markdown"), read_markdown)
