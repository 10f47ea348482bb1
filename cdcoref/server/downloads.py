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
    "json": "one JSON object: stories with their timelines, clusters with their circumstances, documents",
    "jsonl": "JSON lines: documents, mentions and clusters; nothing is lost",
    "jsonlines": "JSON lines of end-to-end coreference models: a document with its clusters on each line",
    "conll": "CoNLL with eight columns: clusters across documents, for scorers",
    "conllu": "CorefUD, for tools of Universal Dependencies",
    "spacy": "spaCy's DocBin, with clusters as groups of spans",
}
"""The description of each format, by the suffix of the file."""


def download(site: Site, kind: str, corrected: bool) -> FileResponse:
    """A file with the collection as it is now."""
    if kind not in KINDS_OF_FILES:
        *most, last = KINDS_OF_FILES
        raise InputError(f"there is no format {kind!r}; choose {', '.join(most)} or {last}")
    folder = tempfile.TemporaryDirectory(prefix="cdcoref-download-")
    try:
        path = Path(folder.name) / f"{site.path.stem}.{kind}"
        write_result(site.readers().prediction(corrected=corrected), path)
        return FileResponse(path, filename=path.name, background=BackgroundTask(folder.cleanup))
    except BaseException:
        folder.cleanup()
        raise
