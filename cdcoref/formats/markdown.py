"""Markdown in, documents with its words, without marks, and with the fields at its beginning as metadata, out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cdcoref.corpus import Corpus
from cdcoref.errors import InputError
from cdcoref.formats.format import Format, ReadOptions
from cdcoref.formats.metadata import with_stated
from cdcoref.formats.plain_text import text_content, tokenise_text

if TYPE_CHECKING:
    from markdown_it.token import Token

OWN_REPORT = "<!-- a report that cdcoref wrote -->"
"""The first line of a report, which tells it from a document."""
_FRONT = re.compile(
    r"\A---[ \t]*\r?\n(?P<fields>(?:[ \t]*(?:#[^\n]*)?\r?\n)*[A-Za-z][\w-]*[ \t]*:\s.*?)^(?:---|\.\.\.)[ \t]*\r?$\n?",
    re.DOTALL | re.MULTILINE,
)
"""Fields at the beginning; other lines between two of ``---`` are a part of the text."""
_FIELD = re.compile(r"(?P<name>[A-Za-z][\w-]*)\s*:\s+(?P<value>\S.*?)\s*")


def read_markdown(path: Path, options: ReadOptions) -> Corpus:
    """Read a Markdown file: every heading, paragraph, item and cell is a paragraph; code blocks, HTML and the
    addresses of links are left out.

    ``NAME: VALUE`` lines between two lines of ``---`` at the beginning are metadata. The title is the first heading
    unless they state another.
    """
    source = text_content(path, options.encoding).decode()
    if source.startswith(OWN_REPORT):
        raise InputError("this is a report that cdcoref wrote; give the documents that it was made from", path)
    stated: dict[str, str] = {}
    if front := _FRONT.match(source):
        source = source[front.end() :]
        for line in front["fields"].splitlines():
            if field := _FIELD.fullmatch(line):
                stated[field["name"].lower()] = field["value"].strip("\"'")
    blocks = list(_blocks(source))
    headings = [text for heading, text in blocks if heading]
    if headings:
        stated.setdefault("title", headings[0])
    text = "\n\n".join(text for _, text in blocks)
    document = tokenise_text(text, options.id or path.name, options.pipeline, path=str(path))
    return Corpus((with_stated(document, stated),))


def _blocks(source: str) -> Iterator[tuple[bool, str]]:
    """Whether each block of text is a heading, and its words."""
    from markdown_it import MarkdownIt

    before = ""
    for token in MarkdownIt("commonmark").enable("table").parse(source):
        if token.type == "inline":
            text = "".join(_words(token.children or ())).strip()
            if text:
                yield before == "heading_open", text
        before = token.type


def _words(tokens: Sequence[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type in ("text", "code_inline"):
            yield token.content
        elif token.type == "softbreak":
            yield " "
        elif token.type == "hardbreak":
            yield "\n"


MARKDOWN = Format(
    name="Markdown",
    suffixes=(".md", ".markdown"),
    recognise=lambda start: False,  # by its name alone
    read=read_markdown,
)
