"""What people send with forms: corrections, undoing, removals, files; each leads back to the page that it stands on."""

import re
import shutil
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import cast
from urllib.parse import parse_qsl, urlencode, urlsplit

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.responses import RedirectResponse, Response

from cdcoref.collection import Action
from cdcoref.errors import InputError
from cdcoref.formats import check_encoding
from cdcoref.server.guard import same
from cdcoref.server.pages import OF_NOTICES, sentence, show, status_of
from cdcoref.server.site import Notice, Sent, Site
from cdcoref.server.writer import Job

MOST_FIELDS = 10_000
"""Of a form: mentions that are chosen, files that are added."""
OLD_FORM = "This page is from before the server was restarted. Nothing was changed; send the form again."
Act = Callable[[Site, FormData, str], str]
"""Does what a form asks for: the site, the form and the address of its page in, the address to show out."""
NO_FILE = "Choose at least one file."
LONGEST_NAME = 400
"""Characters of the name of an upload that are kept."""


def form_routes(site: Site) -> APIRouter:
    """The routes to which forms are sent."""
    router = APIRouter(include_in_schema=False)

    async def answer(request: Request) -> Response:
        async with request.form(max_fields=MOST_FIELDS) as form:
            return await run_in_threadpool(_answer, site, form, FORMS[request.url.path])

    for path in FORMS:
        router.add_api_route(path, answer, methods=["POST"])

    @router.post("/add")
    async def add(request: Request) -> Response:
        async with request.form(max_files=MOST_FIELDS, max_fields=MOST_FIELDS) as form:
            if not _own(site, form):
                return _again(site, "/add", OLD_FORM, form, 403)
            keep_both, encoding = form.get("same_name") != "replace", str(form.get("encoding") or "")
            try:
                job = await run_in_threadpool(start_adding, site, form.getlist("files"), keep_both, encoding)
            except InputError as error:
                return _again(site, "/add", sentence(error), form, status_of(error, 422))
            if job is None:
                return _again(site, "/add", NO_FILE, form, 422)
            return RedirectResponse(f"/jobs/{job.number}", 303)

    return router


def start_adding(site: Site, files: Sequence[object], keep_both: bool, encoding: str) -> Job | None:
    """Store uploaded files and add what is in them when those before have been added; None if there is none."""
    # A file input that is left empty sends a file without a name.
    named = [file for file in files if isinstance(file, UploadFile) and file.filename]
    if not named:
        return None
    encoding = encoding.strip()
    if encoding:
        check_encoding(encoding)
    folder = site.writer.new_folder()
    try:
        uploads: dict[Path, str] = {}
        for number, file in enumerate(named):
            name = clean_name(file.filename or "")
            # The end of the name may tell the format; nothing else of it is used.
            ends = "".join(re.findall(r"\.[A-Za-z0-9]{1,10}", Path(name).name)[-2:])
            path = folder / f"{number:05}{ends}"
            with path.open("wb") as stream:
                shutil.copyfileobj(file.file, stream)
            uploads[path] = name
        return site.writer.add(uploads, folder, keep_both=keep_both, encoding=encoding or None)
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise InputError(f"the files cannot be stored ({error.strerror}); nothing was added") from error


def clean_name(name: str) -> str:
    """The name of an upload as the name of a document: without control characters, and not too long.

    >>> clean_name("C:\\\\news\\\\a.txt"), clean_name("../b/./c.txt"), clean_name(" ")
    ('news/a.txt', 'b/c.txt', 'document')
    """
    shown = "".join(character if character.isprintable() else " " for character in name.replace("\\", "/"))
    parts = [part for part in shown.split("/") if part.strip() not in ("", ".", "..") and not part.endswith(":")]
    kept = "/".join(parts).strip()
    return kept[-LONGEST_NAME:] or "document"


def _answer(site: Site, form: FormData, act: Act) -> Response:
    given = str(form.get("back") or "")
    back = given if re.fullmatch(r"/(?![/\\])[^\s\\]*", given) else "/"  # only an address of this site
    if not _own(site, form):
        return _again(site, back, OLD_FORM, form, 403)
    try:
        return RedirectResponse(act(site, form, back), 303)
    except InputError as error:
        return _again(site, back, sentence(error), form, status_of(error, 404 if act is _remove else 422))


def _correct(site: Site, form: FormData, back: str) -> str:
    ids = [str(id) for id in form.getlist("id") if id]
    if form.get("action") == "move" and not any(id.startswith("c") for id in ids):
        # The page on which the cluster is chosen into which mentions are moved.
        if not ids:
            raise InputError("select the mentions to move")
        cluster = site.readers().mention(ids[0]).cluster
        if cluster is None:
            raise InputError("this was marked as not being a mention; undo that correction first")
        return f"/clusters/{cluster}/move?{urlencode({'mentions': ','.join(ids)}, safe=',')}"
    action, name = cast(Action, str(form.get("action"))), form.get("name")
    given = None if name is None else str(name)
    done = site.writer.change(lambda collection: collection.correct(action, ids, name=given))
    return _with(back, "done", done.number)


def _undo(site: Site, form: FormData, back: str, *, redo: bool = False) -> str:
    given = str(form.get("number") or "")
    if given and not re.fullmatch(r"[0-9]{1,9}", given):
        raise InputError(f"{given!r} is not the number of a correction")
    number = int(given) if given else None
    done = site.writer.change(lambda collection: collection.redo(number) if redo else collection.undo(number))
    return _with(back, "done" if redo else "undone", done.number)


def _remove(site: Site, form: FormData, back: str) -> str:
    id = str(form.get("id") or "")
    site.writer.change(lambda collection: collection.remove([id]))
    return _with("/documents", "removed", 1)


FORMS: dict[str, Act] = {
    "/corrections": _correct,
    "/corrections/undo": _undo,
    "/corrections/redo": partial(_undo, redo=True),
    "/documents/remove": _remove,
}
"""What each form does; it gives the address of the page to show then."""


def _own(site: Site, form: FormData) -> bool:
    given = form.get("secret")
    return isinstance(given, str) and same(given, site.secret)


def _again(site: Site, back: str, why: str, form: FormData, status: int) -> Response:
    given = {name: str(form.get(name) or "") for name in ("action", "name", "same_name", "encoding")}
    kept = Sent(ids=tuple(str(id) for id in form.getlist("id")), **given)
    parts = urlsplit(back)
    return show(site, parts.path or "/", dict(parse_qsl(parts.query)), Notice(error=why, form=kept), status)


def _with(address: str, name: str, number: int) -> str:
    parts = urlsplit(address)
    query = [(key, value) for key, value in parse_qsl(parts.query) if key not in OF_NOTICES]
    anchor = f"#{parts.fragment}" if parts.fragment else ""
    return f"{parts.path}?{urlencode([*query, (name, str(number))])}{anchor}"
