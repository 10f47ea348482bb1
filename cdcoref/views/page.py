"""Results as one self-contained HTML page. Its content security policy lets only its script run; text from documents is
never part of the HTML: the script puts it on the page as text."""

from __future__ import annotations

import base64
import hashlib
import itertools
import os
import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from cdcoref import __version__
from cdcoref.corpus import Corpus
from cdcoref.formats import is_own_result, output_file
from cdcoref.reports import Results
from cdcoref.views.page_data import page_data
from cdlm.printing import counted

if TYPE_CHECKING:
    from jinja2 import Environment

LARGEST_PAGE = 30 * 10**6
"""In bytes; a larger page is divided."""
LONG_NAME = 120
"""Bytes of a file's name that every file system allows."""
SCRIPTS = (
    *("data.js", "virtual_list.js", "text.js", "search.js", "clusters.js", "reader.js", "cluster.js", "stories.js"),
    "main.js",
)
"""The parts of the script, in order; they share one scope."""


_SURROGATE = re.compile("[\ud800-\udfff]")
"""What UTF-8 cannot encode."""


class Part(NamedTuple):
    """A part of a page: its number from 0, and the names of the files of all."""

    number: int
    names: tuple[str, ...]


def write_page(source: Results | Corpus, path: str | Path, *, title: str | None = None) -> tuple[str, ...]:
    """Write a page that can be opened in a browser, shared and archived.

    One of more than `LARGEST_PAGE` is divided between stories into ``x.html``, ``x-2.html`` and so on, which link to
    each other; other files stay. Returns a sentence that names the files, if there are several.
    """
    path = Path(path)
    results = Results.of(source)
    guess = sum(_lengths(results.corpus).values())
    pages = [] if guess > LARGEST_PAGE else [_html(results, title)]
    if not pages or len(pages[0].encode()) > LARGEST_PAGE:
        pages = _parts(results, title, path, guess)
    names = _names(path, len(pages))
    for name, page in zip(names, pages, strict=True):
        with output_file(path.with_name(name)) as file:
            file.write(page)
    if len(pages) == 1:
        return ()
    size = sum(len(page.encode()) for page in pages)
    return (f"one page would have {size / 10**6:.0f} MB; it is divided between stories into {', '.join(names)}",)


def page_html(source: Results | Corpus, *, title: str | None = None) -> str:
    """The HTML of the page that :func:`write_page` writes, in one part."""
    return _html(Results.of(source), title)


def _names(path: Path, count: int) -> list[str]:
    """The names of the files of a page in parts; a file that is no part of this page keeps its name."""
    further = (path.with_name(_numbered(path, number)) for number in itertools.count(2))
    free = (file.name for file in further if not file.exists() or _is_part(file, path.name))
    return [path.name, *itertools.islice(free, count - 1)]


def _numbered(path: Path, number: int) -> str:
    """The name of the file of a part; of the end of a long name, as much is missing as it needs."""
    end = f"-{number}{path.suffix}"
    room = max(len(os.fsencode(path.name)), LONG_NAME) - len(end)
    return os.fsencode(path.stem)[:room].decode(errors="ignore") + end


def _is_part(file: Path, first: str) -> bool:
    """Whether a file is a part of a page that begins in the file with the given name."""
    return is_own_result(file) and f'<a href="{quote(first)}"' in file.read_text(encoding="utf-8", errors="replace")


def _parts(results: Results, title: str | None, path: Path, guess: int) -> list[str]:
    """The parts of a page, none larger than `LARGEST_PAGE` unless a single story is."""
    length = _lengths(results.corpus)
    in_stories = {id for ids in results.story_documents for id in ids}
    units = [*results.story_documents, *((id,) for id in length if id not in in_stories)]
    pages: list[str] = []
    for count in range(min(max(2, -(-guess // LARGEST_PAGE)), len(units)), len(units) + 1):
        groups = _divided(units, [sum(length[id] for id in ids) for ids in units], count)
        names = _names(path, len(groups))
        pages = [_html(results.subset(ids), title, Part(number, tuple(names))) for number, ids in enumerate(groups)]
        if all(len(page.encode()) <= LARGEST_PAGE for page in pages):
            break
    return pages if len(pages) > 1 else [_html(results, title)]


def _lengths(corpus: Corpus) -> dict[str, int]:
    """About how many bytes each document takes, with its share of clusters and stories."""
    mentions = Counter(mention.document for mention in corpus.mentions)
    return {
        document.id: round(1.5 * (len(document.text) + 40 * mentions[document.id])) for document in corpus.documents
    }


def _divided(units: Sequence[Sequence[str]], lengths: Sequence[int], count: int) -> list[list[str]]:
    """Units in order, in at most `count` groups of about the same length."""
    groups: list[list[str]] = [[]]
    whole, done = sum(lengths), 0
    for unit, length in zip(units, lengths, strict=True):
        if groups[-1] and done + length / 2 > whole * len(groups) / count:
            groups.append([])
        groups[-1] += unit
        done += length
    return groups


def _html(results: Results, title: str | None, part: Part | None = None) -> str:
    counts = results.counts()
    summary = (
        counted(counts.stories, "story", "stories") if counts.stories else "",
        counted(counts.mentions, "mention"),
        f"{counted(counts.across, 'cluster')} across documents",
        f"{counts.within:,} within one document",
    )
    environment = _environment()
    style = shared_style() + environment.get_template("page.css").render()
    parts = "\n".join(environment.get_template(name).render() for name in SCRIPTS)
    script = f"(() => {{\n'use strict';\n{parts}\n}})();\n"
    page = environment.get_template("page.html").render(
        title=title or counted(counts.documents, "document"),
        summary=" · ".join(filter(None, summary)),
        part=part,
        data=page_data(results),
        style=environment.filters["own"](style),
        script=environment.filters["own"](script),
        style_hash=_hash(style),
        script_hash=_hash(script),
        version=__version__,
    )
    return _SURROGATE.sub("\ufffd", page)


def shared_style() -> str:
    """The style sheet of what all pages share: colours, controls, marks of kinds, mentions, cards, dialogs."""
    return _environment().get_template("base.css").render()


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    # Only the style and the script, which are files of this package, are trusted.
    environment = Environment(
        loader=PackageLoader("cdcoref.views"), autoescape=True, undefined=StrictUndefined, keep_trailing_newline=True
    )
    environment.filters["own"] = Markup
    environment.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "separators": (",", ":")}
    return environment


def _hash(text: str) -> str:
    """A source expression of a content security policy that allows exactly this script or style."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
