"""The whole collection as a file, in every format of ``cdcoref export``."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

from starlette.background import BackgroundTask
from starlette.responses import FileResponse

from cdcoref.errors import InputError
from cdcoref.server.site import Site
from cdcoref.views import write_result

KINDS_OF_FILES: Mapping[str, str] = {
    "html": "a page to read, search and share: one file that needs no network",
    "csv": "a table with a row per mention, for spreadsheets",
    "parquet": "the same table, for data frames",
    "md": "a report in Markdown on each story: its documents, timeline, disagreements, people and places",
    "graphml": "a graph of who and what appears together, for Gephi, Cytoscape and others",
    "jsonld": "JSON-LD with the vocabulary of schema.org, for knowledge graphs",
    "json": "one JSON object: stories with their timelines, clusters with their circumstances, documents",
    "jsonl": "JSON lines: documents, mentions and clusters; nothing is lost",
    "jsonlines": "JSON lines of end-to-end coreference models: a document with its clusters on each line",
    "conll": "CoNLL with eight columns: clusters across documents, for scorers",
    "conllu": "CorefUD, for tools of Universal Dependencies",
    "spacy": "spaCy's DocBin, with clusters as groups of spans",
}
"""The description of each format, by the suffix of the file."""


def download(site: Site, kind: str, corrected: bool, story: int | None = None) -> FileResponse:
    """A file with the collection as it is now."""
    if kind not in KINDS_OF_FILES:
        *most, last = KINDS_OF_FILES
        raise InputError(f"there is no format {kind!r}; choose {', '.join(most)} or {last}")
    folder = tempfile.TemporaryDirectory(prefix="cdcoref-download-")
    try:
        name = f"{site.path.stem}{'' if story is None else f'-story-{story}'}.{kind}"
        path = Path(folder.name) / name
        collection = site.readers()
        prediction = collection.prediction(corrected=corrected)
        if story is not None:
            prediction = prediction.subset(collection.story(story).documents)
        write_result(prediction, path)
        return FileResponse(path, filename=name, background=BackgroundTask(folder.cleanup))
    except BaseException:
        folder.cleanup()
        raise
