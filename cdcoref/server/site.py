"""What every page needs: the collection, its model and writer, the templates, the files of style and script."""

import hashlib
import json
import logging
import mimetypes
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from queue import SimpleQueue
from typing import Any
from urllib.parse import urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse

from cdcoref import __version__
from cdcoref.collection import Correction
from cdcoref.corpus import KINDS, confidence_text
from cdcoref.errors import InputError, first_line
from cdcoref.formats import USUAL_ENCODINGS
from cdcoref.predict import Progress
from cdcoref.reports import metadata_text
from cdcoref.server.document_text import day, document_address, snippet_parts
from cdcoref.server.running import ServerOptions, new_token
from cdcoref.server.writer import Job, LoadedModel, Readers, Writer
from cdcoref.views import json_text, shared_style
from cdlm.printing import counted


class BusyError(InputError):
    """Another prediction is being made."""


class LeftError(Exception):
    """Nobody waits for the prediction any more."""


class PredictingModel:
    """The model that predicts, loaded for the first prediction; one is made at a time."""

    def __init__(self, options: ServerOptions) -> None:
        self._batch_tokens = options.batch_tokens
        self._lock = threading.Lock()
        self._model = LoadedModel(options)

    def predict(self, model: str, texts: Mapping[str, str], kind: str) -> str:
        """The prediction of a model for texts by id, as ``cdcoref predict -o FILE.json`` writes it."""
        self._begin()
        try:
            return self._predict(model, texts, kind, lambda stage, done, total: None)
        finally:
            self._lock.release()

    def stream(self, model: str, texts: Mapping[str, str], kind: str) -> Iterator[str]:
        """Lines of JSON: the progress as it is made, and in the end the prediction, or what went wrong."""
        self._begin()
        lines: SimpleQueue[str | None] = SimpleQueue()
        left = threading.Event()

        def work() -> None:
            def progress(stage: str, done: int, total: int) -> None:
                if left.is_set():
                    raise LeftError
                lines.put(json.dumps({"stage": stage, "done": done, "total": total}))

            try:
                lines.put(f'{{"prediction": {self._predict(model, texts, kind, progress)}}}')
            except LeftError:
                pass
            except InputError as error:
                lines.put(json.dumps({"error": str(error)}))
            except Exception as error:  # which must reach those who wait
                logging.getLogger(__name__).exception("A prediction failed")
                lines.put(json.dumps({"error": f"an unexpected error ended this prediction ({first_line(error)})"}))
            finally:
                self._lock.release()
                lines.put(None)

        def until_left() -> Iterator[str]:
            try:
                while (line := lines.get()) is not None:
                    yield f"{line}\n"
            finally:  # nobody asks for the next one
                left.set()

        threading.Thread(target=work, name="prediction", daemon=True).start()
        return until_left()

    def _begin(self) -> None:
        if not self._lock.acquire(blocking=False):
            raise BusyError("another prediction is being made; try again when it has finished")

    def _predict(self, model: str, texts: Mapping[str, str], kind: str, progress: Progress) -> str:
        settings: dict[str, Any] = {"kind": kind, "batch_tokens": self._batch_tokens}
        return json_text(self._model(model, progress).predict(texts, progress=progress, **settings))


STATIC = Path(__file__).with_name("static")


@dataclass(frozen=True, slots=True)
class Sent:
    """The contents of a form."""

    action: str = ""
    ids: tuple[str, ...] = ()
    name: str = ""
    same_name: str = ""
    encoding: str = ""


@dataclass(frozen=True, slots=True)
class Notice:
    """The message at the top of a page: an error with the form that stays, or what a correction or removal did."""

    error: str | None = None
    correction: Correction | None = None
    removed: bool = False
    form: Sent = Sent()


class PredictionSite:
    """A site without a collection, which predicts and describes its API."""

    name = "cdcoref"

    def __init__(self, options: ServerOptions) -> None:
        self.options = options
        self.model = PredictingModel(options)

    @property
    def model_name(self) -> str:
        """The model that predicts."""
        return self.options.model

    def close(self) -> list[Job]:
        """Finish what is being done; returns the additions that were cancelled."""
        return []

    def page(self, template: str, notice: Notice | None = None, status: int = 200, **values: Any) -> HTMLResponse:
        """A page made with a template."""
        content = _environment().get_template(template).render(self._own, notice=notice or Notice(), **values)
        return HTMLResponse(content, status)

    def error_page(self, status: int, sentence: str) -> HTMLResponse:
        """A page that says why there is no other."""
        return self.page("error.html", status=status, code=status, sentence=sentence)

    @cached_property
    def files(self) -> dict[str, tuple[bytes, str]]:
        """The content and type of the files of style and script, by name."""
        found = {
            path.name: (path.read_bytes(), mimetypes.guess_type(path.name)[0] or "application/octet-stream")
            for path in sorted(STATIC.iterdir())
            if path.is_file()
        }
        style, kind = found["server.css"]
        found["server.css"] = shared_style().encode() + style, kind
        return found

    @cached_property
    def _own(self) -> dict[str, Any]:
        """What the pages of this server show, and those of another do not."""
        versions = {name: hashlib.sha256(content).hexdigest()[:12] for name, (content, _) in self.files.items()}
        return {
            "name": self.name,
            "limit": self.options.max_upload,
            "static": lambda name: f"/static/{name}?v={versions[name]}",
            "running": lambda: False,
        }


class Site(PredictionSite):
    """A collection as a site; every form of this server carries its `secret`."""

    def __init__(self, path: Path, options: ServerOptions) -> None:
        super().__init__(options)
        self.path = path
        self.name = path.name
        self.readers = Readers(path)
        self.writer = Writer(self.readers, options)
        self.secret = new_token()
        self.page("help.html")  # which compiles the templates before anybody waits for them

    @property
    def model_name(self) -> str:
        """The collection's model."""
        return self.readers().model

    def close(self) -> list[Job]:
        """Finish the correction that is being made and stop the addition that runs."""
        return self.writer.close()

    @cached_property
    def _own(self) -> dict[str, Any]:
        running = lambda: any(not job.over for job in self.writer.jobs)  # noqa: E731
        return {**super()._own, "secret": self.secret, "running": running}


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("cdcoref.server"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters.update(day=day, snippet=snippet_parts)
    environment.globals.update(
        version=__version__,
        counted=counted,
        encodings=USUAL_ENCODINGS,
        confidence_text=confidence_text,
        metadata_text=metadata_text,
        is_web_address=lambda value: isinstance(value, str) and value.startswith(("https://", "http://")),
        document_address=document_address,
        address=lambda path, **query: f"{path}?{urlencode(query)}" if query else path,
        kind_name=lambda kind: kind or "mention",
        kind_class=lambda kind: kind if kind in KINDS else "other",
    )
    for template in environment.list_templates():
        environment.get_template(template)
    return environment
