"""HTML pages and fragments in, documents with the text of the article and what the page says about it out.

trafilatura (extra ``documents``) takes the article out of its page, without menus and advertisements, with its title,
author, date, site and address. Where it finds no article, as in a fragment of a few words, all of the text is taken.
"""

from __future__ import annotations

import logging
import re
from pathlib import Path
from typing import Any

from cdcoref.corpus import Corpus
from cdcoref.errors import InputError, first_line
from cdcoref.formats.encodings import marked_encoding
from cdcoref.formats.format import Format, ReadOptions
from cdcoref.formats.found_metadata import with_stated
from cdcoref.formats.lines import whole_file
from cdcoref.formats.markup import BLOCK_TAGS, INLINE_TAGS
from cdcoref.formats.plain_text import tokenise_text
from cdlm.extras import optional_module

OWN_PAGE = b'<meta name="generator" content="cdcoref '
"""What tells a page that cdcoref wrote."""

BEGINNING = 4
"""Paragraphs among which the headline is looked for; it is put before them if it is not there."""

_LOOKED_AT = 10_000
_PAGE = re.compile(rb"(?i)\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*(?:<!doctype html|<html)", re.DOTALL)
_BLOCK = re.compile(rb"(?i)<(%b)(?:\s[^<>]*)?>(?=[^<]*\w).*?</\1\s*>" % BLOCK_TAGS.encode(), re.DOTALL)
_TAG = re.compile(rb"(?i)</?(?:%b|%b)(?:\s[^<>]*)?/?>" % (BLOCK_TAGS.encode(), INLINE_TAGS.encode()))
_WHOLE = re.compile(rb"(?i)<(%b)(?:\s[^<>]*)?>(?=[^<]*\w).*</\1\s*>\s*\Z" % INLINE_TAGS.encode(), re.DOTALL)
_SPACE = re.compile(r"[\s\x00-\x1f\x7f\ufffe\uffff]+")
"""White space, and characters that a tree of lxml cannot hold."""
_WORD = re.compile(r"\w+")
_FIRST_TAG = re.compile(rb"<[!?]?([A-Za-z_][\w:.-]*)")
MOST_TAGS = 3
"""A text that has more tags of HTML than this is HTML, though none of them encloses a paragraph."""
MOST_CONTROL = 0.01
"""The largest share of control characters that a page may have: a few stray ones are no reason to refuse it."""
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_UNSEEN = ("script", "style", "head", "noscript", "template", "nav", "footer", "form", "button")
_LINES = frozenset((*BLOCK_TAGS.replace("h[1-6]", "h1|h2|h3|h4|h5|h6").split("|"), "br", "hr"))
_STATED = {"title": "title", "author": "author", "date": "date", "url": "url", "sitename": "source"}
"""The names of metadata in trafilatura, and here."""


def is_html(start: bytes) -> bool:
    """Whether a file that begins like this is HTML: a page, or a fragment with more than a stray tag."""
    beginning = start[:_LOOKED_AT].lstrip()
    if _PAGE.match(beginning):
        return True
    first = _FIRST_TAG.match(beginning)
    if first is not None and not _TAG.match(beginning) and not beginning.startswith(b"<!--"):
        return False  # another language of tags, or a stray one
    if beginning.startswith(b"<!--") and _TAG.search(beginning):
        return True
    return bool(_WHOLE.match(beginning) or _BLOCK.search(beginning)) or len(_TAG.findall(beginning)) > MOST_TAGS


def is_own_page(start: bytes) -> bool:
    """Whether a file that begins like this is a page that cdcoref wrote."""
    return OWN_PAGE in start[:_LOOKED_AT]


def read_html(path: Path, options: ReadOptions) -> Corpus:
    """Read a page or a fragment as one document.

    The headline comes first, if the text does not begin with it. Character offsets are those of the text that was taken
    out of the page. Raises `InputError` if trafilatura is not installed, the file cannot be read, it is a page that
    cdcoref wrote or binary data, or it has no text.
    """
    data = whole_file(path)
    if is_own_page(data):
        raise InputError("this is a page that cdcoref wrote; give the documents that it was made from", path)
    if marked_encoding(data) is None and len(_CONTROL.findall(data)) > len(data) * MOST_CONTROL:
        raise InputError("this is binary data and not HTML, whatever its name says", path)
    article = _article(data, path)
    text = "\n\n".join(line.strip() for line in str(article.text or "").splitlines() if line.strip()) if article else ""
    if not text or not _PAGE.match(data[:_LOOKED_AT].lstrip()):
        # A fragment has no menus around its text, so that nothing of it is left out.
        every = all_text(data, path)
        text = text if text and set(_WORD.findall(every)) <= set(_WORD.findall(text)) else every
    title = " ".join((article.title or "").split()) if article else ""
    beginning = [line.casefold() for line in text.split("\n\n")[:BEGINNING]]
    if title and not any(line.startswith(title.casefold()) for line in beginning):
        text = f"{title}\n\n{text}" if text else title
    if not re.search(r"\w", text):
        raise InputError("the page has no text", path)
    stated = {ours: value for theirs, ours in _STATED.items() if (value := getattr(article, theirs, None))}
    document = tokenise_text(text, options.id or path.name, options.pipeline, path=str(path))
    return Corpus((with_stated(document, stated),))


def _article(data: bytes, path: str | Path) -> Any:
    """What trafilatura takes out of a page; None if it finds nothing."""
    trafilatura = optional_module("trafilatura", "reading HTML", "trafilatura", path)
    # What they remark on a page is not for the user, unless somebody listens.
    for name in ("trafilatura", "htmldate", "readability"):
        logging.getLogger(name).addHandler(logging.NullHandler())
    try:
        return trafilatura.bare_extraction(data, with_metadata=True, include_comments=False, favor_recall=True)
    except (ValueError, AssertionError, AttributeError, TypeError, LookupError, RecursionError) as error:
        raise InputError(f"the HTML cannot be read ({first_line(error)})", path) from error


def all_text(data: bytes, path: str | Path) -> str:
    """The text of a page, a line for each of its blocks."""
    from lxml import etree, html

    try:
        data.decode()
        encoding = "utf-8"  # which lxml does not expect of a page that states no encoding
    except UnicodeDecodeError:
        encoding = None
    try:
        tree = html.fromstring(data, parser=html.HTMLParser(encoding=encoding))
    except etree.ParserError:  # there is nothing
        return ""
    except (etree.XMLSyntaxError, ValueError) as error:
        raise InputError(f"the HTML cannot be read ({first_line(error)})", path) from error
    etree.strip_elements(tree, *_UNSEEN, etree.Comment, etree.ProcessingInstruction, with_tail=False)
    for node in tree.iter():
        node.text, node.tail = _SPACE.sub(" ", node.text or ""), _SPACE.sub(" ", node.tail or "")
        if node.tag in _LINES:
            node.tail = "\n" + node.tail
            node.text = (" " if node.tag in ("br", "hr") else "\n") + node.text
    lines = (" ".join(line.split()) for line in tree.text_content().split("\n"))
    return "\n\n".join(line for line in lines if line)


HTML = Format(
    name="HTML",
    suffixes=(".html", ".htm", ".xhtml"),
    recognise=is_html,
    read=read_html,
)
