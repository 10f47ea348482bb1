"""The collection that is served: a connection for every thread that reads, and one way in for all that changes it."""

import logging
import queue
import shutil
import tempfile
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, Literal, TypeVar

from cdcoref import predict
from cdcoref.collection import Collection, Report, is_in_place, work_lines
from cdcoref.corpus import Corpus
from cdcoref.errors import InputError, first_line
from cdcoref.formats import LoadedCorpus, ReadOptions, read_corpus
from cdcoref.predict import LEMMA, Predictor, Progress
from cdcoref.server.running import ServerOptions


class GoneError(InputError):
    """The collection that is served is not where it was."""

    def __init__(self) -> None:
        super().__init__("the collection was removed or replaced while it was served; start the server again")


class Readers:
    """Gives every thread its own object for the same collection."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._own = threading.local()
        self._opened = path.stat()

    def __call__(self) -> Collection:
        """The collection, for this thread alone."""
        if not is_in_place(self.path, self._opened):
            raise GoneError
        collection: Collection | None = getattr(self._own, "collection", None)
        if collection is None:
            collection = self._own.collection = Collection.open(self.path)
        return collection

    def close(self) -> None:
        """Close what this thread opened."""
        if (collection := getattr(self._own, "collection", None)) is not None:
            collection.close()


WAIT_FOR_END = 5.0
"""Seconds that an addition is given to stop when the server ends; what it has not stored by then is not stored."""
Result = TypeVar("Result")
State = Literal["waiting", "running", "done", "failed"]
Uploads = Mapping[Path, str]
"""Files: where each was stored, and what its sender called it."""


@dataclass(slots=True)
class Job:
    """An addition, which changes while it is made; ``"failed"``: nothing was added, unless `summary` says otherwise."""

    number: int
    created: str
    files: tuple[str, ...]
    state: State = "waiting"
    stage: str = ""
    done: int = 0
    total: int = 0
    summary: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    report: dict[str, Any] | None = None

    @property
    def over(self) -> bool:
        """Whether nothing more will happen."""
        return self.state in ("done", "failed")


class LoadedModel:
    """The model that was used last, which stays loaded."""

    def __init__(self, options: ServerOptions) -> None:
        self._options = options
        self._loaded: tuple[str, Predictor] | None = None

    def __call__(self, model: str, progress: Progress) -> Predictor:
        """The predictor of a model; `progress` is called before it is loaded."""
        if self._loaded is None or self._loaded[0] != model:
            progress("loading the model", 0, 0)
            self._loaded = model, predict.load(model, device=self._options.device, precision=self._options.precision)
        return self._loaded[1]


class _Stopped(Exception):
    """The server ends."""


class Writer:
    """Changes one collection; any thread may use it."""

    def __init__(self, collection: Readers, options: ServerOptions) -> None:
        self.jobs: list[Job] = []  # the first has the number 1
        self._collection = collection
        self._model = LoadedModel(options)
        self._batch_tokens = options.batch_tokens
        self._corrections = ThreadPoolExecutor(1, "corrections")
        self._waiting: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._uploads: Path | None = None
        self._ending = False
        self._additions = threading.Thread(target=self._add_all, name="additions", daemon=True)
        self._additions.start()

    def change(self, change: Callable[[Collection], Result]) -> Result:
        """Make a correction, undo one, or remove documents, after those that were asked for before."""
        return self._corrections.submit(lambda: change(self._collection())).result()

    def new_folder(self) -> Path:
        """A folder for files that are to be added."""
        with self._lock:
            if self._uploads is None or not self._uploads.is_dir():  # old temporary files may be removed by others
                self._uploads = Path(tempfile.mkdtemp(prefix="cdcoref-upload-"))
        return Path(tempfile.mkdtemp(dir=self._uploads))

    def add(self, uploads: Uploads, folder: Path, *, keep_both: bool, encoding: str | None) -> Job:
        """Add the documents in files when those before them have been added."""
        created = datetime.now(UTC).isoformat(timespec="seconds")
        with self._lock:
            job = Job(len(self.jobs) + 1, created, tuple(uploads.values()))
            self.jobs.append(job)
        self._waiting.put(partial(self._add, job, uploads, folder, keep_both, encoding))
        return job

    def job(self, number: int) -> Job | None:
        """An addition by its number; None if there is none."""
        return self.jobs[number - 1] if 0 < number <= len(self.jobs) else None

    def close(self) -> list[Job]:
        """Finish the correction that is being made and stop the addition that runs; returns what was not done."""
        left = [job for job in reversed(self.jobs) if not job.over]
        self._ending = True
        self._waiting.put(None)
        self._additions.join(WAIT_FOR_END)
        if self._uploads is not None:
            shutil.rmtree(self._uploads, ignore_errors=True)
        self._corrections.submit(self._collection.close)
        self._corrections.shutdown(wait=True)
        return [job for job in left if job.state != "done"]

    def _add_all(self) -> None:
        while (add := self._waiting.get()) is not None:
            if not self._ending:
                add()
        self._collection.close()

    def _add(self, job: Job, uploads: Uploads, folder: Path, keep_both: bool, encoding: str | None) -> None:
        problems: list[str] = []
        state: State = "failed"

        def progress(stage: str, done: int, total: int) -> None:
            if self._ending:
                raise _Stopped
            job.state, job.stage, job.done, job.total = "running", stage, done, total

        try:
            report = self._added(uploads, keep_both, encoding, problems, progress)
            job.report, job.summary = asdict(report), (*work_lines(report), *report.notes)
            state = "done"
        except InputError as error:
            job.summary = (error.message,)
        except _Stopped:
            job.summary = ("the server was stopped; nothing of these files was stored",)
        except Exception as error:  # the next addition must not wait for ever
            logging.getLogger(__name__).exception("Addition %s failed", job.number)
            why = f"an unexpected error ended this addition ({type(error).__name__}: {first_line(error)})"
            job.summary = (f"{why}; look under Documents whether its documents were stored",)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            job.problems, job.stage, job.state = tuple(problems), "", state

    def _added(
        self, uploads: Uploads, keep_both: bool, encoding: str | None, problems: list[str], progress: Progress
    ) -> Report:
        """Add the documents in files; `problems` gets a sentence for each file, or document, that is left out."""
        collection = self._collection()
        progress("reading the files", 0, 0)
        kind = None if collection.options.kind == "both" else collection.options.kind
        every_kind = kind is None and collection.model != LEMMA
        options = ReadOptions(kind=kind, encoding=encoding, every_kind=every_kind, with_clusters=False)
        loaded = read_uploads(uploads, options)
        problems += [*loaded.problems, *loaded.corpus.notes]
        corpus = loaded.corpus
        if not corpus.documents:
            raise InputError("there was no document to add")
        came = [document.id for document in corpus.documents]
        if keep_both:
            corpus = unused_names(corpus, lambda id: bool(collection.document_summaries([id])))
        model = partial(self._model, collection.model, progress)
        report = collection.add(corpus, model, batch_tokens=self._batch_tokens, progress=progress)
        came_as = {document.id: id for document, id in zip(corpus.documents, came, strict=True)}
        return replace(report, known={came_as[id]: there for id, there in report.known.items()})


def read_uploads(names: Uploads, options: ReadOptions) -> LoadedCorpus:
    """Read files, whose documents and problems have the names that their senders gave them."""
    loaded = read_corpus(names, options, names=names)

    def renamed(sentence: str) -> str:
        for path, name in names.items():
            sentence = sentence.replace(str(path), name)
        return sentence

    documents = (replace(d, path=None) if Path(d.path or "") in names else d for d in loaded.corpus.documents)
    corpus = replace(loaded.corpus, documents=tuple(documents), notes=tuple(map(renamed, loaded.corpus.notes)))
    return replace(loaded, corpus=corpus, problems=tuple(map(renamed, loaded.problems)))


def unused_names(corpus: Corpus, taken: Callable[[str], bool]) -> Corpus:
    """The corpus with a number in the ids of documents that are taken: ``a.txt`` becomes ``a (2).txt``."""
    own = {document.id for document in corpus.documents}
    names: dict[str, str] = {}
    for id in sorted(own):
        name, number = id, 1
        while taken(name) or (name != id and name in own):
            number += 1
            path = PurePosixPath(id)
            name = f"{id.removesuffix(path.suffix)} ({number}){path.suffix}"
        if name != id:
            names[id] = name
            own.add(name)
    return corpus.with_ids(names)
