"""A prediction as one HTML page: clusters on the left, texts on the right, in a self-contained file.

In: a :class:`cdcoref.predict.Prediction`, or a corpus whose mentions have clusters. Out: a file that holds its data as
JSON, its style and its script, and uses no network; its content security policy lets only that script run. Text from
documents is never part of the HTML: the script puts it on the page as text.
"""

from __future__ import annotations

import base64
import hashlib
import itertools
import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from cdcoref import __version__
from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.formats import is_own_result, output_file
from cdcoref.predict import Counts, Prediction, corpus_and_stories
from cdcoref.views.page_data import page_data, without_surrogates
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


class Part(NamedTuple):
    """A part of a page: its number from 0, and the names of the files of all."""

    number: int
    names: tuple[str, ...]


def write_page(source: Prediction | Corpus, path: str | Path, *, title: str | None = None) -> tuple[str, ...]:
    """Write a page that can be opened in a browser, shared and archived.

    One of more than `LARGEST_PAGE` is divided between stories into ``x.html``, ``x-2.html`` and so on, which link to
    each other; a number whose file is no part of the page is passed over. A cluster across stories is then in several
    files, in each with its mentions there.

    Parameters
    ----------
    source
        Documents, mentions and clusters. The stories of a corpus are its subtopics, or else its topics.
    title
        Its title; by default the number of documents.

    Returns
    -------
    tuple
        A sentence that names the files, if there are several.

    Raises
    ------
    InputError
        If the file cannot be written. An existing file is then left unchanged.
    """
    path = Path(path)
    corpus, stories = corpus_and_stories(source)
    guess = sum(_length(document, mentions) for document, mentions in _by_document(corpus))
    pages = [] if guess > LARGEST_PAGE else [_html(corpus, stories, title)]
    if not pages or len(pages[0].encode()) > LARGEST_PAGE:
        pages = _parts(corpus, stories, title, path, guess)
    names = _names(path, len(pages))
    for name, page in zip(names, pages, strict=True):
        with output_file(path.with_name(name)) as file:
            file.write(page)
    if len(pages) == 1:
        return ()
    size = sum(len(page.encode()) for page in pages)
    return (f"one page would have {size / 10**6:.0f} MB; it is divided between stories into {', '.join(names)}",)


def page_html(source: Prediction | Corpus, *, title: str | None = None) -> str:
    """The HTML of the page that :func:`write_page` writes, in one part."""
    return _html(*corpus_and_stories(source), title)


def _names(path: Path, count: int) -> list[str]:
    """The names of the files of a page in parts; a file that is no part of this page keeps its name.

    None has more bytes than the first, if that is long: the file system may allow no more.
    """
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


def _parts(
    corpus: Corpus, stories: Mapping[int, Sequence[str]], title: str | None, path: Path, guess: int
) -> list[str]:
    """The parts of a page, none larger than `LARGEST_PAGE` unless a single story is."""
    in_stories = {id for ids in stories.values() for id in ids}
    units = [
        *map(tuple, stories.values()),
        *((document.id,) for document in corpus.documents if document.id not in in_stories),
    ]
    length = {document.id: _length(document, mentions) for document, mentions in _by_document(corpus)}
    pages: list[str] = []
    for count in range(min(max(2, -(-guess // LARGEST_PAGE)), len(units)), len(units) + 1):
        groups = _divided(units, [sum(length[id] for id in ids) for ids in units], count)
        names = _names(path, len(groups))
        pages = []
        for number, ids in enumerate(groups):
            own = corpus.subset(ids)
            inside = set(ids)
            their = {story: documents for story, documents in stories.items() if inside.issuperset(documents)}
            pages.append(_html(own, their, title, Part(number, tuple(names))))
        if all(len(page.encode()) <= LARGEST_PAGE for page in pages):
            break
    return pages if len(pages) > 1 else [_html(corpus, stories, title)]


def _by_document(corpus: Corpus) -> Iterator[tuple[Document, Sequence[Mention]]]:
    mentions = corpus.by_document()
    return ((document, mentions[document.id]) for document in corpus.documents)


def _length(document: Document, mentions: Sequence[Mention]) -> int:
    """About how many bytes a document takes, with its share of clusters and stories."""
    return round(1.5 * (len(document.text) + 40 * len(mentions)))


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


def _html(corpus: Corpus, stories: Mapping[int, Sequence[str]], title: str | None, part: Part | None = None) -> str:
    counts = Counts.of(corpus, len(stories))
    environment = _environment()
    style = shared_style() + environment.get_template("page.css").render()
    parts = "\n".join(environment.get_template(name).render() for name in SCRIPTS)
    script = f"(() => {{\n'use strict';\n{parts}\n}})();\n"
    return environment.get_template("page.html").render(
        title=without_surrogates(title or counted(counts.documents, "document")),
        summary=_summary(counts),
        part=part,
        data=page_data(corpus, stories),
        style=environment.filters["own"](style),
        script=environment.filters["own"](script),
        style_hash=_hash(style),
        script_hash=_hash(script),
        version=__version__,
    )


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


def _summary(counts: Counts) -> str:
    parts = [
        counted(counts.stories, "story", "stories") if counts.stories else "",
        counted(counts.mentions, "mention"),
        f"{counted(counts.across, 'cluster')} across documents",
        f"{counts.within:,} within one document",
    ]
    return " · ".join(filter(None, parts))
