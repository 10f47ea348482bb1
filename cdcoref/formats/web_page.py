"""HTML pages and fragments in, documents with the text of the article and what the page says about it out."""

import json
import logging
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from cdcoref.corpus import Corpus
from cdcoref.errors import InputError, first_line
from cdcoref.formats.format import Format, ReadOptions
from cdcoref.formats.lines import marked_encoding, whole_file
from cdcoref.formats.metadata import stated_date, with_stated
from cdcoref.formats.plain_text import BLOCK_TAGS, INLINE_TAGS, Part, documents_of, tokenise_text
from cdcoref.language import day_in, is_date_line
from cdcoref.word_tables import rows, words_in
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
_UNSEEN = words_in("html_names.tsv", "unseen")
_LINES = words_in("html_names.tsv", "block") | {"br", "hr"}
_LIVE = re.compile(
    rb"(?i)LiveBlogPosting|(?:class|id|data-[\w-]+)\s*=\s*[\"'][^\"'<>]*\blive(?:blog|\b|[-_])|"
    rb"<title>[^<]*(?:\blive(?: (?:blog|coverage|updates)|\s*(?:[-:|]|\xe2\x80[\x93\x94]|</title))|as it happened)"
)
_TIMES = (
    ".//*[(self::time and (@datetime or re:test(., '\\d[:.]\\d\\d'))) or (re:test(@class, '\\btime', 'i')"
    " and not(.//time or ancestor::time) and re:test(., '^\\s*\\d?\\d[:.]\\d\\d\\s*([ap]\\.?m\\.?)?\\s*$', 'i'))]"
)
_LIVE_BLOCKS = (
    f"//*[self::article or self::div or self::li or self::section][count({_TIMES}) = 1][string-length(.) > 20]"
    "[not(ancestor::aside or ancestor::nav or ancestor::footer or re:test(@class, 'comment|related|teaser', 'i'))]"
)
_NAMESPACES = {"re": "http://exslt.org/regular-expressions"}
_CLOCK = re.compile(r"(?:\A|[T ])(\d?\d[:.]\d\d)")
DEEPEST = 200
"""Tags inside each other that are read with their structure; lxml stops at 256."""
_ANY_TAG = re.compile(rb"<(/?)([A-Za-z][\w:-]*)[^<>]*>")
_LONG_TAG = re.compile(rb"<([A-Za-z][\w:-]*)[^<>]{20000,}>")
"""lxml takes quadratic time for the attributes of a tag."""
_FLAT = frozenset(name.encode() for name in words_in("html_names.tsv", "flat"))
"""Tags that do not nest."""
_DATE_NAMES = tuple(row["name"] for row in rows("html_names.tsv") if row["kinds"] == "date")
_ELSEWHERE = (
    "ancestor::a or ancestor::aside or ancestor::nav or ancestor::footer or ancestor::li"
    " or ancestor::p[string-length(.) > 100] or preceding::p[string-length(.) > 100]"
    " or ancestor::header[not(ancestor::article or .//h1)]"
    " or ancestor::*[not(.//h1) and .//*[self::h2 or self::h3 or self::h4][.//a or ancestor::a]]"
)
"""Where a time is of something else: a link, what surrounds the article, its text, what follows that, or a teaser."""
_LINKED_DATA = "//script[@type='application/ld+json']"
_DATED = re.compile("(?:Article|Page|Posting|Report|CreativeWork)$")
"""Types of schema.org whose day is that of a text."""
_PUBLISHED = re.compile(
    r"\s*(?:(?:first )?(?:published|posted)(?: on)?|date(?: of publication)?)\s?(?::|\s)", re.IGNORECASE
)
"""What precedes the date of a page, in a line above the text or in a part of that line."""
_LONGEST_PUBLISHED = 120
"""In characters."""
_ADDRESS_DAY = re.compile(r"/((?:19|20)\d\d|[012]\d(?=\d{4}-))([/-]?)(\d\d)\2(\d\d)(?!\d)")
_CONTROLS = (
    "//button | //label | //*[self::div or self::ul or self::span or self::p][parent::*][string-length(.) < 200]"
    "[not(.//p)][re:test(@class, '(^|\\s)(\\w+-)?(share|sharing|social)(-(links?|buttons?|bar|icons?|list))?(\\s|$)')]"
)
_AROUND = (
    f"//noscript | //amp-ad | {_CONTROLS}"
    " | //a[starts-with(@href, 'javascript:')][string-length(normalize-space(..)) < 60]"
    " | //body//*[re:test(@class, '(^|\\s)(pagination|foot|(site|page)-?foot(er)?|colophon|copyright)(\\s|$)', 'i')]"
    " | //body//*[starts-with(., 'Today is ')][string-length(.) < 40]"
)
"""What stands around the article: advertisements, controls, what is for readers without scripts, ends of pages."""
_LAYOUT = re.compile(r"^\| .{800,}", re.MULTILINE)
"""A row of a table that lays out the text of a page, as in newsletters."""
_OF_NEWSLETTERS = re.compile(r"^.{0,80}\bunsubscribe\b.{0,40}$|^view in browser$", re.IGNORECASE | re.MULTILINE)
HIDDEN = "//*[parent::*][contains(translate(@style, ' ', ''), 'display:none')]"
_ONLY_YEAR = re.compile(r"\W*(?:19|20)\d\d\W*")
_STATED = {"title": "title", "author": "author", "url": "url", "sitename": "source"}
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
    """Read a page or a fragment as one document. The headline comes first, if the text does not begin with it.
    Character offsets are those of the text that was taken out of the page."""
    data = whole_file(path)
    if is_own_page(data):
        raise InputError("this is a page that cdcoref wrote; give the documents that it was made from", path)
    if marked_encoding(data) is None and len(_CONTROL.findall(data)) > len(data) * MOST_CONTROL:
        raise InputError("this is binary data and not HTML, whatever its name says", path)
    flat = _flattened(data)
    if blocks := _updates(flat, path):
        return documents_of(iter(blocks), path, options, "block")
    text, stated = page_text(flat, path)
    document = tokenise_text(text, options.id or path.name, options.pipeline, path=str(path))
    document = with_stated(document, stated)
    undated = "date" not in document.metadata and _PAGE.match(data[:_LOOKED_AT].lstrip())
    notes = ["the page states no date"] if undated else []
    if flat is not data:
        notes.append(
            "the page is nested too deeply, or has a tag of many attributes; it was read without its structure"
        )
    return Corpus((document,), notes=tuple(f"{path}: {note}" for note in notes))


def _updates(data: bytes, path: Path) -> list[Part]:
    """The blocks of a live blog, each with its time, behind what stands around them; () if the page is none."""
    from lxml import html

    tree = _tree(data, path) if _LIVE.search(data) else None
    if tree is None:
        return []
    timed = tree.xpath(_LIVE_BLOCKS, namespaces=_NAMESPACES)
    blocks = [block for block in timed if len(block.getparent().xpath(_TIMES, namespaces=_NAMESPACES)) > 1]
    updates = list(_updates_in_data(tree, path))
    blocks, updates = (blocks, []) if len(blocks) > 1 else ([], updates)
    if not blocks and not updates:
        return []
    for block in blocks:
        [moment] = block.xpath(_TIMES, namespaces=_NAMESPACES)
        stated = moment.get("datetime") or moment.text_content().strip()
        title = str(block.xpath("string(.//h2|.//h3|.//h4)")).strip()
        known = {"title": "" if is_date_line(title) else title, **_moment(stated)}
        moment.drop_tree()
        updates.append(Part(all_text(html.tostring(block, encoding="utf-8"), path, _CONTROLS), known))
    for part in (*blocks, *tree.xpath("//nav | //aside | //footer")):
        part.drop_tree()
    text, stated = _page(b"<!doctype html>" + html.tostring(tree, encoding="utf-8"), path)
    about = {name: stated[name] for name in ("date", "source", "author", "url") if name in stated}
    kept = ({name: value for name, value in update.stated.items() if value} for update in updates)
    return [Part(text, stated), *(Part(part.text, about | own) for part, own in zip(updates, kept, strict=True))]


def _updates_in_data(tree: Any, path: Path) -> Iterator[Part]:
    """The updates of a live blog that only its JSON-LD has, which loses them."""
    for script in tree.xpath(_LINKED_DATA):
        data = _linked_data(script)
        entries = data.get("@graph", [data]) if isinstance(data, dict) else data
        for entry in entries if isinstance(entries, list) else ():
            updates = entry.pop("liveBlogUpdate", None) if isinstance(entry, dict) else None
            for update in updates if isinstance(updates, list) else ():
                if isinstance(update, dict) and isinstance(body := update.get("articleBody"), str):
                    stated = {"title": update.get("headline"), **_moment(str(update.get("datePublished")))}
                    yield Part(all_text(body.encode(), path), stated)
        script.text = json.dumps(data)


def _moment(stated: str) -> dict[str, str | None]:
    clock = _CLOCK.search(stated)
    return {"date": day_in(stated), "time": clock and clock[1]}


def page_text(data: bytes, path: Path) -> tuple[str, dict[str, str]]:
    """The text of a page or fragment, its headline first, and what the page states about it."""
    text, stated = _page(data, path)
    if not re.search(r"\w", text):
        raise InputError("the page has no text", path)
    return text, stated


def _page(data: bytes, path: Path) -> tuple[str, dict[str, str]]:
    article, day = _article(data, path)
    text = "\n\n".join(line.strip() for line in str(article.text or "").splitlines() if line.strip()) if article else ""
    if is_laid_out := 2 * sum(map(len, _LAYOUT.findall(text))) > len(text) > 0:
        text = ""
    if not text or not _PAGE.match(data[:_LOOKED_AT].lstrip()):
        # Fragments and newsletters have no menus; only lines such as "View in browser" are left out.
        every = all_text(data, path, HIDDEN)
        every = _OF_NEWSLETTERS.sub("", every) if is_laid_out else every
        text = text if text and set(_WORD.findall(every)) <= set(_WORD.findall(text)) else every
        text = "\n\n".join(filter(_WORD.search, text.split("\n\n")))
    title = " ".join((article.title or "").split()) if article else ""
    beginning = [line.casefold() for line in text.split("\n\n")[:BEGINNING]]
    if title and not any(line.startswith(title.casefold()) for line in beginning):
        text = f"{title}\n\n{text}" if text else title
    stated = {ours: value for theirs, ours in _STATED.items() if (value := getattr(article, theirs, None))}
    if _ONLY_YEAR.fullmatch(stated.get("source", "")):  # of the copyright
        del stated["source"]
    return text, stated | ({"date": day} if day else {})


def _flattened(data: bytes) -> bytes:
    """A page without the tags that enclose others, if it is nested more deeply than lxml reads; else itself."""
    depth = deepest = 0
    for tag in _ANY_TAG.finditer(data):
        if tag[2].lower() not in _FLAT:
            depth = max(0, depth - 1) if tag[1] else depth + 1
            deepest = max(deepest, depth)
    if deepest <= DEEPEST and _LONG_TAG.search(data) is None:
        return data
    data = _LONG_TAG.sub(lambda tag: b"<%b>" % tag[1], data)
    if deepest <= DEEPEST:
        return data
    flat = _ANY_TAG.sub(lambda tag: tag[0] if tag[2].lower() in _FLAT else b"\0", data)
    return re.sub(rb"\0[\0\s]*", b"\n<br>", flat)


def _article(data: bytes, path: Path) -> tuple[Any, str | None]:
    """What trafilatura takes out of a page, None if it finds nothing; and the day that the page states."""
    trafilatura = optional_module("trafilatura", "reading HTML", "trafilatura", path)
    # What they remark on a page is not for the user, unless somebody listens.
    for name in ("trafilatura", "htmldate", "readability"):
        logging.getLogger(name).addHandler(logging.NullHandler())
    try:
        tree = trafilatura.load_html(data)
        if tree is None:
            return None, None
        for hidden in tree.xpath("//template | //body//*[@hidden or @aria-hidden='true']"):
            hidden.drop_tree()
        day = _stated_day(tree)
        for around in tree.xpath(_AROUND, namespaces=_NAMESPACES):
            around.drop_tree()
        found = trafilatura.bare_extraction(tree, with_metadata=True, include_comments=False, favor_recall=True)
        return found or trafilatura.extract_metadata(tree), day
    except (ValueError, AssertionError, AttributeError, TypeError, LookupError, RecursionError) as error:
        raise InputError(f"the HTML cannot be read ({first_line(error)})", path) from error


def _stated_day(tree: Any) -> str | None:
    """The day of a page: of its metadata, JSON-LD, own ``<time>`` or address; never of its text or links."""
    values: list[str] = []
    for name in _DATE_NAMES:
        values += tree.xpath("//meta[@property=$n or @name=$n or @itemprop=$n]/@content", n=name)
    named = [entry for script in tree.xpath(_LINKED_DATA) for entry in _days_of_data(_linked_data(script))]
    headings = " ".join(tree.xpath("//title//text() | //h1//text()"))
    of_page = [day for name, day in named if name and name in headings]
    values += of_page or [day for _, day in named]
    values += tree.xpath("//time[@itemprop='datePublished' or @pubdate]/@datetime")
    values += tree.xpath(f"//*[@itemprop='datePublished'][not({_ELSEWHERE})]/@content")
    for time in tree.xpath(f"//time[not({_ELSEWHERE})]")[:1]:
        values += (time.get("datetime", ""), time.text_content())
    lines = tree.xpath(f"//body//*[string-length(.) < {_LONGEST_PUBLISHED}][not({_ELSEWHERE} or self::li or .//li)]")
    for line in (element.text_content() for element in lines):
        parts = [line] if len(line) < _LONGEST_PUBLISHED // 2 else re.split(r"[·•|]", line)
        values += [part for part in parts if _PUBLISHED.match(part) and (part is line or "ublished" in part)]
    values += tree.xpath("//article[.//h1]//footer//time[contains(@class, 'entry-date published')]/@datetime")[:1]
    addresses = tree.xpath("//link[@rel='canonical']/@href | //meta[@property='og:url']/@content")
    values += filter(None, map(address_day, addresses))
    return next(filter(None, (day_in(str(stated_date(value))) for value in values)), None)


def _linked_data(script: Any) -> Any:
    with suppress(ValueError, RecursionError):
        return json.loads(script.text or "", strict=False)


def _days_of_data(data: Any) -> Iterator[tuple[str, str]]:
    """The headlines and days of what JSON-LD says of the page itself, not of what it lists or links to."""
    if isinstance(data, list):
        for entry in data:
            yield from _days_of_data(entry)
    elif isinstance(data, dict):
        if _DATED.search(str(data.get("@type", "Article")).rstrip("]'")):
            days = (str(data[name]) for name in ("datePublished", "dateCreated") if name in data)
            yield from ((str(data.get("headline", "")), day) for day in days)
        for name in ("@graph", "mainEntity", "mainEntityOfPage"):
            yield from _days_of_data(data.get(name))


def address_day(address: str) -> str | None:
    """The day in the address of a page (ISO 8601), as in ``/2024/03/05/``, ``/20240305/`` and ``/240305-``."""
    days = (day_in(f"{f'20{day[1]}'[-4:]}-{day[3]}-{day[4]}") for day in _ADDRESS_DAY.finditer(address))
    return next(filter(None, days), None)


def _tree(data: bytes, path: str | Path) -> Any:
    from lxml import etree, html

    encoding = None
    with suppress(UnicodeDecodeError):  # lxml does not expect UTF-8 of a page that states no encoding
        data.decode()
        encoding = "utf-8"
    try:
        return html.fromstring(data, parser=html.HTMLParser(encoding=encoding))
    except etree.ParserError:
        return None
    except (etree.XMLSyntaxError, ValueError) as error:
        raise InputError(f"the HTML cannot be read ({first_line(error)})", path) from error


def all_text(data: bytes, path: str | Path, without: str = "") -> str:
    """The text of a page, a line for each of its blocks, without the elements of an XPath."""
    from lxml import etree

    if (tree := _tree(data, path)) is None:
        return ""
    for element in tree.xpath(without, namespaces=_NAMESPACES) if without else ():
        element.drop_tree()
    etree.strip_elements(tree, *_UNSEEN, etree.Comment, etree.ProcessingInstruction, with_tail=False)
    for node in tree.iter():
        node.text, node.tail = _SPACE.sub(" ", node.text or ""), _SPACE.sub(" ", node.tail or "")
        if node.tag in _LINES:
            node.tail = "\n" + node.tail
            node.text = (" " if node.tag in ("br", "hr") else "\n") + node.text
    lines = (" ".join(line.split()) for line in tree.text_content().split("\n"))
    return "\n\n".join(line for line in lines if line)


HTML = Format("HTML", (".html", ".htm", ".xhtml"), read_html, is_html)
