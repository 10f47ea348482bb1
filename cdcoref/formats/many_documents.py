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
from cdcoref.formats.web_page import HIDDEN, address_day, all_text, page_text
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
    r"^(?:(?:-{3,} ?[^\n-]{3,40}-{3,}|_{9,})\n+)?" rf"(?:\*?{_any_of('header')}[ \u00a0]?:\*? .*\n+){{2,}}",
    re.MULTILINE | re.IGNORECASE,
)
_MOST_WORDS_ABOVE = 4
"""Words above a forwarded message that are left out ("FYI, Tom", "See below.")."""
_MOST_WORDS_OF_NOTE = 25
"""The same if the subject says that the message is forwarded; a signature counts too."""
_MOST_WORDS_BESIDE = 12
"""A message that has others attached is left out if it has at most this number of words."""
_SENT = re.compile(rf"^\*?{_any_of('day')}[ \u00a0]?:\*?(.*)", re.MULTILINE | re.IGNORECASE)
_FROM = re.compile(rf"^\*?{_any_of('sender')}[ \u00a0]?:\*? *(.*)", re.MULTILINE | re.IGNORECASE)
_QUOTED = re.compile(
    rf"^(?:> ?)?{_any_of('before quotation')} .{{5,120}}\n?.{{0,80}}{_any_of('behind writer')}.{{0,80}}:\n\n?"
    r"(?:>.*(?:\n|\Z))+",
    re.MULTILINE | re.IGNORECASE,
)
"""An earlier message that a reply repeats, with the line that introduces it."""
_QUOTES = "//*[contains(@class, 'gmail_quote')] | //blockquote[@type='cite']"
"""The same in HTML."""
_DISCLAIMER = re.compile(
    rf"(?:[^\n]{{,100}}\. )?{_any_of('disclaimer')}.*?\b{_any_of('behind disclaimer')}\b|"
    rf"(?:=+\n)?{_any_of('footer')}|(?:[^\n]*\n(?=or\b))?[^\n]*?\bunsubscribe\b",
    re.DOTALL | re.IGNORECASE,
)
_LINKS = words_in("mail_words.tsv", "link")
_ANNOUNCED = re.compile(
    r"\n*(?:The post .+ (?:appeared first on|first appeared on) .+|(?:Continue|Read) \w+ ?(?:…|\.{3}))\Z"
)
"""What WordPress adds to the entries of a feed."""
_UNPUBLISHED = words_in("mail_words.tsv", "unpublished")
"""States and types of entries in an export of WordPress that are not published articles."""
_ANSWER, _FORWARD = (re.compile(rf"{_any_of(kind)} ?:", re.IGNORECASE) for kind in ("answer", "forward"))
_BEFORE_SUBJECT = re.compile(rf"\A(\[[^]]*\]\s*)?(?:(?:{_ANSWER.pattern}|{_FORWARD.pattern})\s*)+", re.IGNORECASE)
"""What a mail program puts before a subject, behind the name of a mailing list in brackets."""
_ORIGINAL = re.compile(_any_of("original"), re.IGNORECASE)
_NEXIS_BEGIN = re.compile(
    r"^[^\S\n]*(?:\d+ of \d+ DOCUMENTS?|Document \d+ of \d+)[^\S\n]*$", re.MULTILINE | re.IGNORECASE
)
_NEXIS_EDITION = re.compile(r"(?:[\w.]+ ){0,4}edition(?: \d)?", re.IGNORECASE)
_NEXIS_END = re.compile(r"^[^\S\n]*End of Document[^\S\n]*$", re.MULTILINE)
_NEXIS_FIELD = re.compile(
    rf"[ \t]*(?P<name>{'|'.join(row['name'] for row in rows('nexis_fields.tsv'))})"
    r"(?::[^\S\n]*|[ \t]+(?=\d{4}|\d+ of \d+)|\Z)(?P<value>.*)",
    re.IGNORECASE,
)
_NEXIS_BEHIND, _NEXIS_ABOVE, _NEXIS_LONG = (words_in("nexis_fields.tsv", k) for k in ("behind", "above", "long"))
_NEXIS_COVER, _NEXIS_OPENS = words_in("nexis_fields.tsv", "cover"), words_in("nexis_fields.tsv", "opens")
_PROQUEST = re.compile(rb"^ProQuest document ID:", re.MULTILINE)
_PROQUEST_FIELDS = "|".join(map(re.escape, sorted(words_in("nexis_fields.tsv", "proquest"))))
_PROQUEST_FIELD = re.compile(rf"^({_PROQUEST_FIELDS}):[^\S\n]*(.*)", re.MULTILINE | re.IGNORECASE)
_PROQUEST_TEXT = re.compile(
    rf"^Full text:\s*(.*?)\s*(?=^(?:{_PROQUEST_FIELDS}):|\Z)", re.MULTILINE | re.DOTALL | re.IGNORECASE
)
_FACTIVA_CODES = frozenset(map(str.upper, words_in("nexis_fields.tsv", "factiva")))
_FACTIVA_CODE = rf"^({'|'.join(sorted(_FACTIVA_CODES))})(?:[ \t]{{2,}}|\t|(?<=^[A-Z]{{3}})[ ]|[ \t]*\r?$)"
_FACTIVA_FIELD = re.compile(rf"{_FACTIVA_CODE}(.*?)(?={_FACTIVA_CODE}|\Z)", re.MULTILINE | re.DOTALL)


def is_nexis(text: str) -> bool:
    """Whether a text is a download of LexisNexis or Nexis Uni."""
    return _NEXIS_BEGIN.search(text[:2000]) is not None or (
        _NEXIS_END.search(text) is not None and re.search(r"^Length:\s*\d+ words", text, re.M | re.I) is not None
    )


def nexis_parts(text: str) -> Iterator[Part]:
    """The articles of a download, old (`1 of 2 DOCUMENTS`) or new (`End of Document`)."""
    text = text.replace("\r\n", "\n")
    old = _NEXIS_BEGIN.search(text) is not None
    pieces = (_NEXIS_BEGIN if old else _NEXIS_END).split(text)
    for number, piece in enumerate(pieces):
        heading: list[list[str]] = []
        body: list[str] = []
        fields: dict[str, str] = {}
        begun = ended = False
        for block in re.split(r"\n[ \t]*\n", piece):
            above, below = list[str](), list[str]()
            long = ""  # the name of the field that the lines of the block continue
            for place, line in enumerate(filter(None, map(str.strip, block.splitlines()))):
                if field := _NEXIS_FIELD.fullmatch(line):
                    name = field["name"].lower()
                    ended = ended or (name in _NEXIS_BEHIND and bool(body))
                    begun = begun or name in _NEXIS_ABOVE
                    if name in _NEXIS_OPENS:  # what stands above is an abstract
                        body, below = [], []
                    long = name if name in _NEXIS_LONG and place == 0 and not body else ""
                    fields[name] = field["value"] or fields.get(name, "")
                elif long:
                    fields[long] = f"{fields[long]} {line}".strip()
                elif not (ended or line.lower() == "all rights reserved"):
                    (below if begun else above).append(line)
            heading += filter(None, [[line for line in above if not _NEXIS_EDITION.fullmatch(line)]])
            body += filter(None, ["\n".join(below)])
        lines = [line for block in heading for line in block]
        if not old:
            # The title or a list of articles may precede the heading, which ends with its date.
            day = max((place for place, line in enumerate(lines) if day_in(line)), default=2)
            if lines[1:2] == lines[:1] != [] or not _NEXIS_COVER.isdisjoint(fields):
                heading = [lines[max(day - 2, 0) :]]
        known, rest = _nexis_heading(heading, old)
        # Without a length, what is not behind the line of an article, or before its end, is about the download.
        if begun or (heading and (number > 0 if old else number + 1 < len(pieces))):
            stated = {"author": fields.get("byline"), "title": fields.get("headline") or known.get("title")}
            yield Part("\n\n".join(body if begun else rest) or fields.get("abstract", ""), known | stated)


def _nexis_heading(blocks: list[list[str]], old: bool) -> tuple[dict[str, Any], list[str]]:
    """What the lines above an article's text state, and the blocks that are no part of its heading."""
    lines = [line for block in blocks for line in block]
    if not old or not lines:
        return dict(zip(("title", "source", "date"), lines, strict=False)), ["\n".join(lines[3:])]
    days = ((n, line) for n, block in enumerate(blocks[:4]) for line in block if day_in(line))
    at, day = next(days, (int(len(blocks[0]) == 1), lines[min(1, len(lines) - 1)]))
    # The title is below the day, in a block of its own: with the day stand editions, regions and corrections.
    title = lines[lines.index(day) + 1 :] if len(blocks) == 1 else next(iter(blocks[at + 1 :]), [])
    known = {"source": lines[0] if lines[0] != day else "", "date": day, "title": " ".join(title)}
    return known, ["\n".join(block) for block in blocks[at + 2 :]]


def _proquest_parts(text: str) -> Iterator[Part]:
    """The articles of a download of ProQuest, between lines of underscores."""
    for piece in re.split(r"^_{20,}[^\S\n]*$", text.replace("\r\n", "\n"), flags=re.MULTILINE):
        known = {field[1].lower(): field[2].strip() for field in reversed([*_PROQUEST_FIELD.finditer(piece)])}
        body = _PROQUEST_TEXT.search(piece)
        if body or "proquest document id" in known:
            stated = {"title": known.get("title"), "date": known.get("publication date"), "author": known.get("author")}
            text = body[1] if body else known.get("abstract", "")
            yield Part(text, {**stated, "source": known.get("publication title")})


def _is_factiva(start: bytes) -> bool:
    codes = {code[1] for code in re.finditer(_FACTIVA_CODE, start.decode(errors="replace"), re.MULTILINE)}
    return "HD" in codes and bool(codes & {"LP", "TD"}) and len(codes & {"AN", "LA", "PD", "SN", "WC"}) > 1


def _factiva_parts(text: str) -> Iterator[Part]:
    """The articles of a Factiva download. Its fields are named by codes; an article begins at its headline (HD)."""
    for piece in re.split(r"^(?=HD(?:[ \t]{2}|\t|[ \t]*$))", text.replace("\r\n", "\n"), flags=re.MULTILINE)[1:]:
        known = {field[1]: field[2].strip() for field in reversed([*_FACTIVA_FIELD.finditer(piece)])}
        stated = {"title": " ".join(known["HD"].split()), "date": known.get("PD"), "source": known.get("SN")}
        yield Part("\n\n".join(filter(None, (known.get("LP"), known.get("TD")))), stated | {"author": known.get("BY")})


def _mails(data: bytes, path: Path) -> Iterator[Part]:
    """The messages of a file and those attached to them: the plain text of each, without its signature."""
    found = re.split(rb"(?m)^From \S[^\n]*\d\d:\d\d[^\n]*\r?\n", data)[1:] if _MBOX.match(data) else [data]
    for content in found:
        message = message_from_bytes(content, policy=policy.default)
        assert isinstance(message, EmailMessage)
        yield from _messages(message, path, of_box=content is not data)


def _messages(message: EmailMessage, path: Path, *, of_box: bool) -> Iterator[Part]:
    """A message and its texts, then the attached messages; `of_box`: its lines may be escaped as ">From "."""
    part = message.get_body(("plain", "html"))
    text = _content(part) if part is not None else ""
    if part is not None and part.get_content_subtype() == "html":
        text = all_text(text.encode(), path, without=f"{_QUOTES} | {HIDDEN}")
    others = [other for other in _parts(message) if other is not part]
    attached = (other for other in others if other.get_filename() and other.get_content_type() == "text/plain")
    within = [other.get_content() for other in others if other.get_content_type() == "message/rfc822"]
    stated = {"title": _header(message, "Subject"), "date": _header(message, "Date")}
    stated["source"] = _sender(_header(message, "From"))
    text = _QUOTED.sub("", _SIGNATURE.sub("", text.replace("\r\n", "\n")))
    text = "\n".join(line for line in text.split("\n") if not _is_of_links(line))
    if of_box:
        text = re.sub(r"^>(?=>*From )", "", text, flags=re.MULTILINE)
    forwards = _FORWARD.match(stated["title"])
    if forwards:
        text = re.sub("^> ?", "", text, flags=re.MULTILINE)
    if header := _FORWARDED.search(text):
        above, below = text[: header.start()], text[header.end() :]
        answers = _ANSWER.match(stated["title"]) or _ORIGINAL.search(header[0].partition("\n")[0])
        answers = answers or (_SENT.search(header[0]) if len(above) > len(below) else None)
        if answers and above.strip() and not forwards:
            text = above
        else:
            if len(above.split()) <= (_MOST_WORDS_OF_NOTE if forwards else _MOST_WORDS_ABOVE):
                text = text[header.start() :]
            if (sent := _SENT.search(header[0])) and day_in(sent[1]):
                stated["date"] = sent[1]
            if (sender := _FROM.search(header[0])) and (name := _sender(sender[1])):
                stated["source"] = name
    own = "\n".join(line for line in text.split("\n") if not line.startswith(">"))
    text = own if own.strip() and _ANSWER.match(stated["title"]) else text
    text = _without_disclaimers(_FORWARDED.sub("", text))
    inner = [part for other in within if other.keys() for part in _messages(other, path, of_box=of_box)]
    if len(text.split()) > _MOST_WORDS_BESIDE or not any(part.text.strip() for part in inner):
        text = "\n\n".join([text, *(_without_disclaimers(_content(other)) for other in attached)])
        yield Part(text, {**stated, "title": _BEFORE_SUBJECT.sub(r"\1", stated["title"])})
    yield from inner


def _parts(message: Any) -> Iterator[Any]:
    for part in message.iter_parts():
        yield from _parts(part) if part.get_content_subtype() in ("mixed", "digest", "signed") else (part,)


def _header(message: EmailMessage, name: str) -> str:
    try:
        return str(message.get(name, ""))
    except (AttributeError, LookupError, TypeError, ValueError):  # a damaged one
        return ""


def _content(part: Any) -> str:
    try:
        return str(part.get_content())
    except (LookupError, UnicodeError, ValueError):  # an encoding that is unknown
        return str(part.get_payload(decode=True).decode(errors="replace"))


def _without_disclaimers(text: str) -> str:
    """A message without disclaimers, and how to unsubscribe, at its end."""
    end = len(text.rstrip())
    while (start := text.rfind("\n\n", 0, end)) >= 0 and _DISCLAIMER.match(text, start + 2, end):
        end = start
    return text[:end]


def _is_of_links(line: str) -> bool:
    """Whether a line of a message has only links such as "Unsubscribe | Manage preferences"."""
    parts = {part.strip().casefold() for part in re.split(r"[|·•]", re.sub(r"\(?https?://\S+\)?", "", line))}
    return parts <= _LINKS


def _sender(line: str) -> str:
    """Who sent a message: a name, or else the domain of an address."""
    line = re.sub(r"\[(?:mailto:)?([^]\s]+@[^]\s]+)\]", r"<\1>", line)
    name, address = parseaddr(re.sub(r'\A\s*([^"<>@]*,[^"<>@]*?)\s*<', r'"\1" <', line))  # "Dell, Marcus <...>"
    return name or address.rpartition("@")[2]


def _entries(data: bytes, path: Path) -> Iterator[Part]:
    """The entries of a feed: their content or their summary, whichever is longer, or else their title."""
    feed = optional_module("feedparser", "reading feeds", "feedparser", path).parse(io.BytesIO(data))
    for entry in feed.entries:
        content = max((one.get("value", "") for one in entry.get("content", ())), key=len, default="")
        if not _UNPUBLISHED.isdisjoint((entry.get("wp_post_type"), entry.get("wp_status"))):
            continue
        text = _ANNOUNCED.sub("", max(_plain(content, path), _plain(entry.get("summary") or "", path), key=len))
        stated = {
            "title": _plain(entry.get("title", ""), path),
            "date": entry.get("published") or entry.get("updated"),
            "url": entry.get("link"),
            "author": entry.get("author"),
            "source": feed.feed.get("title"),
        }
        yield Part(text if text.strip() else stated["title"], stated)


def _plain(text: str, path: Path) -> str:
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


def _read_articles(parts: Callable[[str], Iterator[Part]]) -> Callable[[Path, ReadOptions], Corpus]:
    def read(path: Path, options: ReadOptions) -> Corpus:
        return documents_of(parts(text_content(path, options.encoding).decode()), path, options, "article")

    return read


MANY_DOCUMENTS = (
    Format(
        "mail", (".eml", ".mbox"), _read(_mails, "message"), lambda start: _HEADER.match(start) or _MBOX.match(start)
    ),
    Format("feed", (".rss", ".atom"), _read(_entries, "entry"), _FEED.match),
    Format("web archive", (".warc", ".wet"), _read(_records, "record"), re.compile(b"WARC/").match),
    Format("Factiva", (), _read_articles(_factiva_parts), _is_factiva),
    Format("ProQuest", (), _read_articles(_proquest_parts), _PROQUEST.search),
    Format("LexisNexis", (), _read_articles(nexis_parts), lambda start: is_nexis(start.decode(errors="replace"))),
)
