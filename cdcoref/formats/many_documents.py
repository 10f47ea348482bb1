"""Files with many documents in (mail, feeds, web archives, downloads of LexisNexis), a document for each out.

To add a kind, write a function from bytes to parts, and a `Format` at the end of this file.
"""

import html
import io
import re
from collections.abc import Callable, Iterator
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import parseaddr
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from cdcoref.corpus import Corpus
from cdcoref.errors import InputError, first_line
from cdcoref.formats.format import Format, ReadOptions
from cdcoref.formats.lines import whole_file
from cdcoref.formats.plain_text import Part, documents_of, text_content
from cdcoref.formats.web_page import address_day, all_text, page_text
from cdcoref.language import day_in
from cdcoref.word_tables import rows, words_in
from cdlm.extras import optional_module

_HEADER = re.compile(
    rb"(?:[A-Za-z][A-Za-z-]*:[ \t][^\n]*\n(?:[ \t]+[^\n]*\n)*)*?(?i:MIME-Version|Message-ID|Received|Delivered-To):[ ]"
)
_MBOX = re.compile(rb"From \S[^\n]*\d\d:\d\d[^\n]*\r?\n")
_FEED = re.compile(rb"\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--.*?-->\s*)*<(?:rss|feed|rdf:RDF)[\s>]", re.DOTALL)
_SIGNATURE = re.compile(r"^-- ?\r?\n.*", re.MULTILINE | re.DOTALL)


def _any_of(kind: str) -> str:
    return f"(?:{'|'.join(map(re.escape, words_in('mail_words.tsv', kind)))})"


_FORWARDED = re.compile(
    r"^(?:(?:-{3,} ?[^\n-]{3,40}-{3,}|_{9,})\n+)?" rf"(?:\*?{_any_of('header')}[ \u00a0]?:\*? .*\n){{2,}}",
    re.MULTILINE | re.IGNORECASE,
)
_MOST_WORDS_ABOVE = 4
"""Words above a forwarded message that are left out ("FYI, Tom", "See below.")."""
_SENT = re.compile(rf"^\*?{_any_of('day')}[ \u00a0]?:\*?(.*)", re.MULTILINE | re.IGNORECASE)
_QUOTED = re.compile(
    rf"^(?:> ?)?{_any_of('before quotation')} .{{5,120}}\n?.{{0,80}}{_any_of('behind writer')}.{{0,80}}:\n\n?"
    r"(?:>.*(?:\n|\Z))+",
    re.MULTILINE | re.IGNORECASE,
)
"""An earlier message that a reply repeats, with the line that introduces it."""
_QUOTES = "//*[contains(@class, 'gmail_quote')] | //blockquote[@type='cite']"
"""The same in HTML."""
_ANSWER, _FORWARD = (re.compile(rf"{_any_of(kind)} ?:", re.IGNORECASE) for kind in ("answer", "forward"))
_BEFORE_SUBJECT = re.compile(rf"(?:\A|(?<=\] ))(?:(?:{_ANSWER.pattern}|{_FORWARD.pattern})\s*)+", re.IGNORECASE)
_ORIGINAL = re.compile(_any_of("original"), re.IGNORECASE)
_NEXIS_BEGIN = re.compile(r"^[ \t]*(?:\d+ of \d+ DOCUMENTS?|Document \d+ of \d+)[ \t]*$", re.MULTILINE | re.IGNORECASE)
_NEXIS_EDITION = re.compile(r"(?:[\w.]+ ){0,4}edition(?: \d)?", re.IGNORECASE)
_NEXIS_END = re.compile(r"^[ \t]*End of Document[ \t]*$", re.MULTILINE)
_NEXIS_FIELD = re.compile(
    rf"[ \t]*(?P<name>{'|'.join(row['name'] for row in rows('nexis_fields.tsv'))})"
    r"(?::[ \t]*|[ \t]+(?=\d{4}|\d+ of \d+)|\Z)(?P<value>.*)",
    re.IGNORECASE,
)
_NEXIS_BEHIND = words_in("nexis_fields.tsv", "behind")


def is_nexis(text: str) -> bool:
    """Whether a text is a download of LexisNexis or Nexis Uni."""
    return _NEXIS_BEGIN.search(text[:2000]) is not None or (
        _NEXIS_END.search(text) is not None and re.search(r"^Length:[ \t]*\d+ words", text, re.M | re.I) is not None
    )


def nexis_parts(text: str) -> Iterator[Part]:
    """The articles of a download, old (`1 of 2 DOCUMENTS`) or new (`End of Document`)."""
    old = _NEXIS_BEGIN.search(text)
    pieces = _NEXIS_BEGIN.split(text)[1:] if old else _NEXIS_END.split(text)
    for piece in pieces:
        blocks = [block for block in re.split(r"\n[ \t]*\n", piece) if block.strip()]
        heading: list[str] = []
        stated: dict[str, Any] = {}
        body: list[str] = []
        begun = ended = False
        for block in blocks:
            rest = []
            for line in map(str.strip, block.strip().splitlines()):
                if field := _NEXIS_FIELD.fullmatch(line):
                    name = field["name"].lower()
                    ended = ended or (name in _NEXIS_BEHIND and bool(body))
                    begun = begun or name in ("length", "body", "byline")
                    if name in ("byline", "headline") and field["value"]:
                        stated["author" if name == "byline" else "title"] = field["value"]
                elif not ended and line and line.lower() != "all rights reserved":
                    rest.append(line)
            if begun and rest and not ended:
                body.append("\n".join(rest))
            elif rest and not ended:
                dated = next((number for number, line in enumerate(rest, 1) if old and day_in(line)), len(rest))
                heading += [line for line in rest[:dated] if not _NEXIS_EDITION.fullmatch(line)]
        names: tuple[str, ...] = ("source", "date", "title") if old else ("title", "source", "date")
        if old and heading and day_in(heading[0]):
            names = names[1:]
        found = dict(zip(names, heading, strict=False))
        if body:
            yield Part("\n\n".join(body), {**found, **stated})


def _mails(data: bytes, path: Path) -> Iterator[Part]:
    """The messages of a file; of each, the plain text without the signature."""
    found = re.split(rb"(?m)^From \S[^\n]*\d\d:\d\d[^\n]*\r?\n", data)[1:] if _MBOX.match(data) else [data]
    for content in found:
        message = message_from_bytes(content, policy=policy.default)
        assert isinstance(message, EmailMessage)
        part = message.get_body(("plain", "html"))
        try:
            text = "" if part is None else str(part.get_content())
        except (LookupError, UnicodeError, ValueError):  # an encoding that is unknown
            text = part.get_payload(decode=True).decode(errors="replace")  # type: ignore[union-attr]
        if part is not None and part.get_content_subtype() == "html":
            text = all_text(text.encode(), path, without=_QUOTES)
        name, address = parseaddr(str(message.get("From", "")))
        source = name or address.rpartition("@")[2]
        stated = {"title": str(message.get("Subject", "")), "date": str(message.get("Date", "")), "source": source}
        text = _QUOTED.sub("", _SIGNATURE.sub("", text.replace("\r\n", "\n")))
        if content is not data:
            text = re.sub(r"^>(?=>*From )", "", text, flags=re.MULTILINE)
        if header := _FORWARDED.search(text):
            is_answer = _ANSWER.match(stated["title"]) or _ORIGINAL.search(header[0].partition("\n")[0])
            if is_answer and not _FORWARD.match(stated["title"]) and text[: header.start()].strip():
                text = text[: header.start()]
            else:
                if len(text[: header.start()].split()) <= _MOST_WORDS_ABOVE:
                    text = text[header.start() :]
                if (sent := _SENT.search(header[0])) and day_in(sent[1]):
                    stated["date"] = sent[1]
        yield Part(_FORWARDED.sub("", text), {**stated, "title": _BEFORE_SUBJECT.sub("", stated["title"])})


def _entries(data: bytes, path: Path) -> Iterator[Part]:
    """The entries of a feed: their content, or else their summary, or else their title."""
    feed = optional_module("feedparser", "reading feeds", "feedparser", path).parse(io.BytesIO(data))
    for entry in feed.entries:
        content = max((one.get("value", "") for one in entry.get("content", ())), key=len, default="")
        text = _plain(content or entry.get("summary") or "", path)
        stated = {
            "title": _plain(entry.get("title", ""), path),
            "date": entry.get("published") or entry.get("updated"),
            "url": entry.get("link"),
            "author": entry.get("author"),
            "source": feed.feed.get("title"),
        }
        yield Part(text if text.strip() else stated["title"], stated)


def _plain(text: str, path: Path) -> str:
    """A text of a feed without tags and character references."""
    return all_text(text.encode(), path) if "<" in text else html.unescape(text)


def _records(data: bytes, path: Path) -> Iterator[Part]:
    """The pages of a web archive, and the texts of one whose pages are texts already (WET)."""
    optional_module("warcio", "reading web archives", "warcio", path)
    from warcio.archiveiterator import ArchiveIterator
    from warcio.exceptions import ArchiveLoadFailed

    try:
        for record in ArchiveIterator(io.BytesIO(data)):
            address = record.rec_headers.get_header("WARC-Target-URI") or ""
            stated = {"url": address, "source": urlsplit(address).hostname, "date": address_day(address)}
            kind = (record.http_headers or record.rec_headers).get_header("Content-Type") or ""
            if record.rec_type == "conversion":
                yield Part(record.content_stream().read().decode(errors="replace"), stated)
            elif record.rec_type == "response" and "html" in kind and record.http_headers.get_statuscode()[0] == "2":
                content = record.content_stream().read()
                if content.strip():
                    text, known = page_text(content, path)
                    yield Part(text, stated | known)
    except (ArchiveLoadFailed, ValueError) as error:
        raise InputError(f"the web archive cannot be read ({first_line(error)}); get the file again", path) from error


def _read(parts: Callable[[bytes, Path], Iterator[Part]], what: str) -> Callable[[Path, ReadOptions], Corpus]:
    def read(path: Path, options: ReadOptions) -> Corpus:
        return documents_of(parts(whole_file(path), path), path, options, what)

    return read


def _read_nexis(path: Path, options: ReadOptions) -> Corpus:
    return documents_of(nexis_parts(text_content(path, options.encoding).decode()), path, options, "article")


MANY_DOCUMENTS = (
    Format(
        "mail", (".eml", ".mbox"), _read(_mails, "message"), lambda start: _HEADER.match(start) or _MBOX.match(start)
    ),
    Format("feed", (".rss", ".atom"), _read(_entries, "entry"), _FEED.match),
    Format("web archive", (".warc", ".wet"), _read(_records, "record"), re.compile(b"WARC/").match),
    Format("LexisNexis", (), _read_nexis, lambda start: is_nexis(start.decode(errors="replace"))),
)
