"""The JSON API: what the pages show and do, for programs; described at /api/openapi.json."""

from collections.abc import Callable
from typing import Annotated, Any, Literal, TypeVar

from fastapi import APIRouter, File, Form, Header, HTTPException, Path, Query, UploadFile
from pydantic import BaseModel, Field
from starlette.responses import FileResponse, Response, StreamingResponse

from cdcoref import collection as stored
from cdcoref.errors import InputError
from cdcoref.formats import json_schema
from cdcoref.server.forms import start_adding
from cdcoref.server.pages import LONGEST_QUERY, download, sentence, status_of
from cdcoref.server.site import PredictionSite, Site
from cdcoref.server.writer import Job

LONGEST_LIST = 1000
LONGEST_ENCODING = 100
LARGEST = 2**62
LINES = "application/x-ndjson"
"""The type of an answer of several objects, one a line."""
FAILURES = (401, 403, 404, 413, 415, 422, 503)

Limit = Annotated[int, Query(ge=1, le=LONGEST_LIST, description="Maximum length of the list.")]
FewerStories = Annotated[int, Query(ge=1, le=100, description="Maximum length of the list.")]
Offset = Annotated[int, Query(ge=0, le=LARGEST, description="Number of entries to skip.")]
Words = Annotated[str | None, Query(max_length=LONGEST_QUERY, description="Only entries that contain all these words.")]
Number = Annotated[int, Path(ge=1, le=LARGEST)]


class Failure(BaseModel):
    """Why a request was refused."""

    error: str


class About(BaseModel):
    """The collection: the name of its file, its model, its options and its size."""

    name: str
    model: str
    options: dict[str, str | bool | int | float | None]
    counts: stored.Counts


class ClusterList(BaseModel):
    """Clusters, and how many there are without the limit."""

    total: int
    clusters: list[stored.ClusterSummary]


class DocumentList(BaseModel):
    """Documents, and how many there are without the limit."""

    total: int
    documents: list[stored.DocumentSummary]


class StoryList(BaseModel):
    """Stories, and how many there are without the limit."""

    total: int
    stories: list[dict[str, Any]]


class NewCorrection(BaseModel):
    """A correction of mentions (m12) or clusters (c3, which stand for their first mentions), or of stories (s2).

    move: the mentions, then the cluster that they move to. rename, day, place: one cluster, and what is
    stated of it. join-stories: stories; split-story: documents; move-document: documents, then a story.
    rename-story: one story, and its title.
    """

    action: stored.Action
    ids: list[str] = Field(max_length=10_000)
    name: str | None = None


class NewDocument(BaseModel):
    """A text and its id."""

    id: str = Field(min_length=1, max_length=1000)
    text: str


class NewPrediction(BaseModel):
    """Texts to predict, and the kind of mentions to link: event, entity or both."""

    documents: list[NewDocument] = Field(min_length=1)
    kind: Literal["event", "entity", "both"] = "both"


Result = TypeVar("Result")


def _valid(ask: Callable[[], Result]) -> Result:
    """The result of a call whose `InputError` means that the request is wrong, not that something is not there."""
    try:
        return ask()
    except InputError as error:
        raise HTTPException(status_of(error, 422), sentence(error)) from error


def _router() -> APIRouter:
    failures: dict[int | str, dict[str, Any]] = {code: {"model": Failure} for code in FAILURES}
    return APIRouter(prefix="/api", responses=failures)


def prediction_routes(site: PredictionSite) -> APIRouter:
    """The route by which texts are predicted; it needs no collection."""
    router = _router()
    schema = {"schema": json_schema("prediction")}

    @router.post(
        "/predict",
        summary="Predict texts; nothing is stored. With Accept: application/x-ndjson, the answer is lines of JSON: "
        "objects with stage, done and total while the work goes on, and at last one with prediction, or with error",
        responses={200: {"content": {"application/json": schema, LINES: {}}}},
    )
    def predict(new: NewPrediction, accept: Annotated[str, Header(include_in_schema=False)] = "") -> Response:
        texts = {one.id: one.text for one in new.documents}
        if len(texts) < len(new.documents):
            raise HTTPException(422, "Two documents have the same id.")
        if LINES in accept.lower():
            lines = _valid(lambda: site.model.stream(site.model_name, texts, new.kind))
            return StreamingResponse(lines, media_type=LINES)
        answer = _valid(lambda: site.model.predict(site.model_name, texts, new.kind))
        return Response(answer, media_type="application/json")

    return router


def api_routes(site: Site) -> APIRouter:
    """The routes of the JSON API."""
    router = _router()

    def changed(change: Callable[[stored.Collection], Result]) -> Result:
        return _valid(lambda: site.writer.change(change))

    @router.get("/collection", summary="The model, the options and the size of the collection")
    def about() -> About:
        collection = site.readers()
        options = stored.kept_options(collection.options)
        return About(name=site.path.name, model=collection.model, options=options, counts=collection.counts())

    @router.get("/clusters", summary="Clusters, those in most documents first")
    def clusters(
        kind: Literal["event", "entity"] | None = None,
        query: Words = None,
        story: Annotated[int | None, Query(ge=1, le=LARGEST)] = None,
        min_mentions: Annotated[int, Query(ge=1, le=LARGEST, description="Minimum number of mentions.")] = 2,
        limit: Limit = 100,
        offset: Offset = 0,
    ) -> ClusterList:
        collection = site.readers()
        total = collection.cluster_count(kind=kind, min_mentions=min_mentions, story=story, query=query)
        found = collection.clusters(
            kind=kind, min_mentions=min_mentions, story=story, query=query, limit=limit, offset=offset
        )
        return ClusterList(total=total, clusters=found)

    @router.get("/clusters/{id}", summary="A cluster with its mentions; its documents are ordered by date")
    def cluster(
        id: str, limit: Annotated[int | None, Query(ge=1, le=LARGEST)] = None, offset: Offset = 0
    ) -> stored.ClusterPage:
        return site.readers().cluster(id, limit=limit, offset=offset)

    @router.get("/stories", summary="Stories with their timelines, those with most documents first")
    def stories(limit: FewerStories = 20, offset: Offset = 0) -> StoryList:
        collection = site.readers()
        found = [story.to_dict() for story in collection.stories(limit=limit, offset=offset)]
        return StoryList(total=collection.counts().stories, stories=found)

    @router.get("/stories/{number}", summary="A story: its timeline, and where its documents disagree")
    def story(number: Number) -> dict[str, Any]:
        return site.readers().story(number).to_dict()

    @router.get("/documents", summary="Documents, the latest first")
    def documents(limit: Limit = 100, offset: Offset = 0) -> DocumentList:
        collection = site.readers()
        found = collection.documents(limit=limit, offset=offset)
        return DocumentList(total=collection.counts().documents, documents=found)

    @router.get("/document", summary="A document with its mentions and clusters")
    def document(id: Annotated[str, Query(max_length=2000)]) -> stored.DocumentPage:
        return site.readers().document(id)

    @router.delete("/document", summary="Remove a document")
    def remove(id: Annotated[str, Query(max_length=2000)]) -> stored.Report:
        return site.writer.change(lambda collection: collection.remove([id]))

    @router.get("/search", summary="Clusters and documents that contain all the words")
    def search(
        query: Annotated[str, Query(max_length=LONGEST_QUERY)], limit: Limit = 20, offset: Offset = 0
    ) -> stored.SearchResult:
        return site.readers().search(query, limit=limit, offset=offset)

    @router.get("/questions", summary="The least certain decisions")
    def questions(limit: Limit = 20, offset: Offset = 0) -> list[stored.Question]:
        return site.readers().least_sure(limit, offset)

    @router.get("/corrections", summary="All corrections in their order, including those that were undone")
    def corrections() -> list[stored.Correction]:
        return site.readers().corrections()

    @router.post("/corrections", summary="Make a correction", status_code=201)
    def correct(new: NewCorrection) -> stored.Correction:
        return changed(lambda collection: collection.correct(new.action, new.ids, name=new.name))

    @router.post("/corrections/{number}/undo", summary="Undo a correction")
    def undo(number: Number) -> stored.Correction:
        return changed(lambda collection: collection.undo(number))

    @router.post("/corrections/{number}/redo", summary="Redo a correction that was undone")
    def redo(number: Number) -> stored.Correction:
        return changed(lambda collection: collection.redo(number))

    @router.post("/files", summary="Add the documents in files", status_code=202)
    def add_files(
        files: Annotated[list[UploadFile], File(description="In any format that cdcoref add reads.")],
        same_name: Annotated[
            Literal["replace", "keep"],
            Form(description="Whether a document whose id is taken replaces that one, or is added under another id."),
        ] = "keep",
        encoding: Annotated[
            str,
            Form(
                max_length=LONGEST_ENCODING,
                description="Encoding of plain text that is not UTF-8, such as cp1252; empty: UTF-8, or what a byte "
                "order mark says.",
            ),
        ] = "",
    ) -> Job:
        job = _valid(lambda: start_adding(site, files, same_name == "keep", encoding))
        if job is None:
            raise HTTPException(422, "Send at least one file with a name.")
        return job

    @router.get("/jobs/{number}", summary="The progress of an addition, and its result")
    def job(number: Number) -> Job:
        found = site.writer.job(number)
        if found is None:
            raise HTTPException(404, f"There is no addition {number}.")
        return found

    @router.get("/export/{kind}", summary="The collection as a file", response_class=FileResponse)
    def export(kind: str, corrected: bool = False) -> FileResponse:
        return download(site, kind, corrected)

    return router
