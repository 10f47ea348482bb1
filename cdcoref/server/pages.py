"""Addresses in, pages out: the lists, clusters, documents, questions, corrections, and what adding came to."""

from __future__ import annotations

import re
import sqlite3
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from starlette.background import BackgroundTask
from starlette.responses import FileResponse, RedirectResponse, Response

from cdcoref.collection import Collection, StoredMention
from cdcoref.errors import InputError
from cdcoref.server.document_text import paragraphs
from cdcoref.server.site import BusyError, Notice, Site
from cdcoref.server.writer import GoneError
from cdcoref.views import first_events, result_suffixes, write_result

A_PAGE = 50
DOCUMENTS_OF_CLUSTER = 24
OTHERS_OF_STORY = 30
QUESTIONS = 10
STORIES = 20
EVENTS_OF_STORY = 30
FOUND_CLUSTERS = 10
CANDIDATES = 20
CHANGES = 50
LONGEST_QUERY = 500
LAST_PAGE = 10**6
OF_NOTICES = ("done", "undone", "removed")
"""What an address says of the change that led there: the number of a correction, or 1."""


@dataclass(frozen=True, slots=True)
class View:
    """A request for a page: its site, collection, address, and the notice at its top."""

    site: Site
    collection: Collection
    path: str
    query: Mapping[str, str]
    notice: Notice
    status: int

    @property
    def page(self) -> int:
        """The number of the page of a list, from 1."""
        given = self.query.get("page", "1")
        return min(max(1, int(given)), LAST_PAGE) if given.isascii() and given.isdecimal() and len(given) < 9 else 1

    @property
    def words(self) -> str:
        """The words of the search."""
        return self.query.get("query", "").strip()[:LONGEST_QUERY]

    @property
    def here(self) -> str:
        """The address, to come back to."""
        return self.address({name: value for name, value in self.query.items() if name not in OF_NOTICES})

    def address(self, query: Mapping[str, str]) -> str:
        """The address with another query."""
        return f"{self.path}?{urlencode(query)}" if query else self.path

    def render(self, template: str, **values: Any) -> Response:
        return self.site.page(template, self.notice, self.status, view=self, **values)


@dataclass(frozen=True, slots=True)
class Pager:
    """Where in a list a page is: the view, the number of its page and that of the last one."""

    view: View
    page: int
    last: int

    @classmethod
    def of(cls, view: View, total: int, size: int, page: int | None = None) -> Pager:
        """The place of a page, by default that of the view, in a list."""
        return cls(view, page or view.page, max(1, -(-total // size)))

    def address(self, page: int) -> str:
        left_out = ("page", "mention", *OF_NOTICES)
        query = {name: value for name, value in self.view.query.items() if name not in left_out}
        return self.view.address({**query, "page": str(page)} if page > 1 else query)


def show(site: Site, path: str, query: Mapping[str, str], notice: Notice | None = None, status: int = 200) -> Response:
    for pattern, page in PAGES.items():
        match = re.fullmatch(pattern, path)
        if match is None:
            continue
        try:
            collection = site.readers()
            if notice is None:
                notice = _notice(site, collection, query)
            return page(View(site, collection, path, query, notice, status), **match.groupdict())
        except InputError as error:
            return site.error_page(status_of(error), sentence(error))
    return site.error_page(404, "There is no such page.")


def sentence(error: InputError) -> str:
    """An error as people read it: without the file, which they know, beginning with a capital."""
    return f"{error.message[:1].upper()}{error.message[1:]}{'' if error.message.endswith(('.', '?')) else '.'}"


def status_of(error: InputError, otherwise: int = 404) -> int:
    """503 if the file cannot be used or a prediction made now, otherwise what is asked for was wrong."""
    return 503 if isinstance(error, GoneError | BusyError) or isinstance(error.__cause__, sqlite3.Error) else otherwise


def _notice(site: Site, collection: Collection, query: Mapping[str, str]) -> Notice:
    name = next((name for name in OF_NOTICES if query.get(name)), "")
    given = query.get(name, "")
    if not given.isascii() or not given.isdecimal() or len(given) > 9:
        return Notice()
    number = int(given)
    if name == "removed":
        return Notice(removed=True)
    return Notice(correction=next((c for c in collection.corrections() if c.number == number), None))


def _start(view: View) -> Response:
    kind = view.query.get("kind", "")
    chosen = kind if kind in ("event", "entity") else None
    min_mentions = 1 if view.query.get("singletons") else 2
    total = view.collection.cluster_count(kind=chosen, min_mentions=min_mentions, query=view.words)
    clusters = view.collection.clusters(
        kind=chosen, min_mentions=min_mentions, query=view.words, limit=A_PAGE, offset=(view.page - 1) * A_PAGE
    )
    return view.render(
        "start.html",
        counts=view.collection.counts(),
        clusters=clusters,
        total=total,
        kind=chosen or "",
        singletons=min_mentions == 1,
        pager=Pager.of(view, total, A_PAGE),
    )


def _search(view: View) -> Response:
    offset = (view.page - 1) * A_PAGE
    found = view.collection.search(view.words, limit=A_PAGE + 1, offset=offset)
    clusters = view.collection.clusters(query=view.words, min_mentions=1, limit=FOUND_CLUSTERS) if view.words else []
    total = view.collection.cluster_count(query=view.words, min_mentions=1) if view.words else 0
    pager = Pager.of(view, offset + len(found.documents), A_PAGE)
    return view.render("search.html", clusters=clusters, total=total, documents=found.documents[:A_PAGE], pager=pager)


def _cluster(view: View, id: str) -> Response:
    mention = view.query.get("mention")
    around = mention if mention and re.fullmatch(r"m[1-9][0-9]{0,17}", mention) else None
    offset = (view.page - 1) * DOCUMENTS_OF_CLUSTER
    page = view.collection.cluster(id, limit=DOCUMENTS_OF_CLUSTER, offset=offset, around=around)
    if page.summary.id != id:
        query = f"?{urlencode(view.query)}" if view.query else ""
        return RedirectResponse(f"/clusters/{page.summary.id}{query}", 303)
    by_document: dict[str, list[Any]] = {document.id: [] for document in page.documents}
    for known in page.mentions:
        by_document[known.document].append(known)
    number = view.page if around is None else page.offset // DOCUMENTS_OF_CLUSTER + 1
    pager = Pager.of(view, page.summary.documents, DOCUMENTS_OF_CLUSTER, number)
    return view.render(
        "cluster.html", page=page, cluster=page.summary, by_document=by_document, around=around, pager=pager
    )


def _move(view: View, id: str) -> Response:
    chosen = dict.fromkeys(one for one in view.query.get("mentions", "").split(",") if one)
    if not chosen:
        raise InputError("select the mentions to move")
    return _candidates(view, id, [view.collection.mention(one) for one in chosen])


def _candidates(view: View, id: str, moved: Sequence[StoredMention] = ()) -> Response:
    """The page on which another cluster is chosen: the same as one, or that into which its mentions are moved."""
    cluster = view.collection.cluster(id, limit=1).summary
    if view.words:
        found = view.collection.clusters(query=view.words, kind=cluster.kind, min_mentions=1, limit=CANDIDATES + 1)
    else:
        found = view.collection.clusters(kind=cluster.kind, story=cluster.story, min_mentions=1, limit=CANDIDATES + 1)
    others = [other for other in found if other.id != cluster.id][:CANDIDATES]
    return view.render("same.html", cluster=cluster, others=others, moved=moved)


def _documents(view: View) -> Response:
    total = view.collection.counts().documents
    documents = view.collection.documents(limit=A_PAGE, offset=(view.page - 1) * A_PAGE)
    pager = Pager.of(view, total, A_PAGE)
    return view.render("documents.html", documents=documents, total=total, pager=pager)


def _document(view: View) -> Response:
    page = view.collection.document(view.query.get("id", ""), others=OTHERS_OF_STORY + 1)
    return view.render(
        "document.html",
        page=page,
        document=page.summary,
        paragraphs=paragraphs(page),
        clusters={cluster.id: cluster for cluster in page.clusters},
        rejected=[mention for mention in page.mentions if mention.rejected],
        chosen=view.query.get("mention"),
        others=OTHERS_OF_STORY,
    )


def _stories(view: View) -> Response:
    total = view.collection.counts().stories
    stories = view.collection.stories(limit=STORIES, offset=(view.page - 1) * STORIES)
    return view.render("stories.html", stories=stories, total=total, pager=Pager.of(view, total, STORIES))


def _story(view: View, number: str) -> Response:
    story = view.collection.story(int(number))
    return view.render("story.html", story=story, most=EVENTS_OF_STORY, first_events=first_events)


def _questions(view: View) -> Response:
    offset = (view.page - 1) * QUESTIONS
    questions = view.collection.least_sure(QUESTIONS + 1, offset)
    pager = Pager.of(view, offset + len(questions), QUESTIONS)
    ids = dict.fromkeys(m.cluster for q in questions for m in (q.first, q.second) if m.cluster is not None)
    clusters = {cluster.id: cluster for cluster in view.collection.summaries(list(ids))}
    places = dict.fromkeys(m.document for q in questions for m in (q.first, q.second))
    documents = view.collection.document_summaries(list(places))
    return view.render(
        "questions.html", questions=questions[:QUESTIONS], clusters=clusters, documents=documents, pager=pager
    )


def _corrections(view: View) -> Response:
    corrections = view.collection.corrections()[::-1]
    first = (view.page - 1) * A_PAGE
    return view.render(
        "corrections.html",
        corrections=corrections[first : first + A_PAGE],
        total=len(corrections),
        holding=sum(correction.undone is None for correction in corrections),
        pager=Pager.of(view, len(corrections), A_PAGE),
    )


def _job(view: View, number: str) -> Response:
    job = view.site.writer.job(int(number))
    if job is None:
        return view.site.error_page(404, "There is no such addition since the server was started.")
    report = job.report or {}
    ids = dict.fromkeys(id for pairs in ("merged", "split") for pair in report.get(pairs, ())[:CHANGES] for id in pair)
    titles = {cluster.id: cluster.title for cluster in view.collection.summaries(list(ids))}
    return view.render("job.html", job=job, titles=titles, most=CHANGES)


def download(site: Site, kind: str, corrected: bool) -> FileResponse:
    """A file with the collection as it is now."""
    if f".{kind}" not in result_suffixes():
        *most, last = (suffix.removeprefix(".") for suffix in result_suffixes())
        raise InputError(f"there is no format {kind!r}; choose {', '.join(most)} or {last}")
    content = site.readers().prediction(corrected=corrected)
    folder = tempfile.TemporaryDirectory(prefix="cdcoref-download-")  # which goes with what refers to it
    path = Path(folder.name) / f"{site.path.stem}.{kind}"
    write_result(content, path)
    return FileResponse(path, filename=path.name, background=BackgroundTask(folder.cleanup))


PAGES: Mapping[str, Callable[..., Response]] = {
    "/": _start,
    "/search": _search,
    r"/clusters/(?P<id>c[1-9][0-9]{0,17})": _cluster,
    r"/clusters/(?P<id>c[1-9][0-9]{0,17})/same": _candidates,
    r"/clusters/(?P<id>c[1-9][0-9]{0,17})/move": _move,
    "/stories": _stories,
    r"/stories/(?P<number>[1-9][0-9]{0,17})": _story,
    "/documents": _documents,
    "/document": _document,
    "/questions": _questions,
    "/corrections": _corrections,
    "/add": lambda view: view.render("add.html", jobs=view.site.writer.jobs[::-1]),
    r"/jobs/(?P<number>[1-9][0-9]{0,8})": _job,
    "/download": lambda view: view.render("download.html", counts=view.collection.counts()),
    "/help": lambda view: view.render("help.html"),
}
"""The pages by the patterns of their addresses."""
