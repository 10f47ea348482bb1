"""The application: pages, forms, the API and files of style and script behind the guard; errors as one sentence."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio.to_thread
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Scope

from cdcoref import __version__
from cdcoref.errors import InputError
from cdcoref.server.api import api_routes, prediction_routes
from cdcoref.server.forms import form_routes
from cdcoref.server.guard import Guard, is_open
from cdcoref.server.pages import sentence, show, status_of
from cdcoref.server.site import PredictionSite, Site

BROKEN = "An error occurred in cdcoref. The terminal shows the details."
THREADS = 4
"""Threads that answer requests; more would only wait for each other."""
FOREVER = "public, max-age=31536000, immutable"


def make_application(site: PredictionSite, port: int) -> ASGIApp:
    """The application of a site."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        anyio.to_thread.current_default_thread_limiter().total_tokens = THREADS
        yield

    app = FastAPI(
        title="cdcoref",
        version=__version__,
        summary="A collection of documents and the clusters of mentions that corefer in them.",
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.include_router(prediction_routes(site))
    if isinstance(site, Site):
        app.include_router(api_routes(site))
        app.include_router(form_routes(site))
    _add_files(app, site)
    if isinstance(site, Site):

        @app.get("/{path:path}", include_in_schema=False)
        def page(request: Request, path: str) -> Response:
            return show(site, f"/{path}", request.query_params)

    else:
        app.add_api_route("/", lambda: RedirectResponse("/docs"), include_in_schema=False)

    def refusal(scope: Scope, status: int, why: str) -> Response:
        if scope["path"].startswith("/api/"):
            return JSONResponse({"error": why}, status)
        if status in (401, 403) or is_open(scope["path"]) or not isinstance(site, Site):
            # Nothing of the collection may be shown to these.
            return site.page("door.html", status=status, code=status, sentence=why)
        return site.error_page(status, why)

    @app.exception_handler(InputError)
    async def wrong(request: Request, error: InputError) -> Response:
        return await run_in_threadpool(refusal, request.scope, status_of(error), sentence(error))

    @app.exception_handler(HTTPException)
    async def refused(request: Request, error: HTTPException) -> Response:
        wrong_method = "This address does not accept such requests."
        why = wrong_method if error.status_code == 405 else f"{str(error.detail).rstrip('.')}."
        answer = await run_in_threadpool(refusal, request.scope, error.status_code, why)
        answer.headers.update(error.headers or {})  # such as the methods that are accepted
        return answer

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"][1:])  # the first says in which part of the request
        what = str(first["msg"]).rstrip(".")
        problem = f"{where}: {what[:1].lower()}{what[1:]}." if where else f"{what}."
        if first["type"] == "json_invalid":
            problem = "The body is not valid JSON."
        return await run_in_threadpool(refusal, request.scope, 422, problem)

    @app.exception_handler(ClientDisconnect)
    async def left(request: Request, _: ClientDisconnect) -> Response:  # which nobody receives
        return Response(status_code=400)

    @app.exception_handler(Exception)
    async def broken(request: Request, _: Exception) -> Response:  # which uvicorn prints
        return await run_in_threadpool(refusal, request.scope, 500, BROKEN)

    return Guard(app, site.options, port, refusal)


def _add_files(app: FastAPI, site: PredictionSite) -> None:
    """What is there with and without a collection: style and script, the health of the server, its documentation."""

    @app.get("/static/{name:path}", include_in_schema=False)
    async def static(name: str) -> Response:
        if name not in site.files:
            raise HTTPException(404, "There is no such file.")
        content, kind = site.files[name]
        return Response(content, media_type=kind, headers={"Cache-Control": FOREVER})

    @app.get("/health", include_in_schema=False)
    def health() -> Response:
        try:
            if isinstance(site, Site):
                site.readers().documents(limit=1)
        except InputError:
            return JSONResponse({"status": "the collection cannot be read"}, 503)
        return JSONResponse({"status": "ok"})

    @app.get("/docs", include_in_schema=False)
    def documentation() -> Response:
        described = app.openapi()
        return site.page("docs.html", paths=described["paths"], types=described["components"]["schemas"])

    @app.get("/api/{path:path}", include_in_schema=False)
    async def nothing(path: str) -> Response:
        raise HTTPException(404, "There is no such address; see /docs.")
