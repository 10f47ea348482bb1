"""The collection that is served: a connection for every thread that reads, and one way in for all that changes it."""

from __future__ import annotations

import json
import logging
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, TypeVar

from cdcoref.collection import STORING, Collection, is_in_place
from cdcoref.errors import InputError, first_line
from cdcoref.server.adding_program import Upload
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
        self.check()
        collection: Collection | None = getattr(self._own, "collection", None)
        if collection is None:
            collection = self._own.collection = Collection.open(self.path)
        return collection

    def close(self) -> None:
        """Close what this thread opened."""
        if (collection := getattr(self._own, "collection", None)) is not None:
            collection.close()

    def check(self) -> None:
        """Refuse what is not the file that was there at first."""
        if not is_in_place(self.path, self._opened):
            raise GoneError


UNKNOWN = "look under Documents whether its documents were stored"
ROOT = Path(__file__).resolve().parents[2]
"""Where the packages lie, so that the other process finds the same."""
WAIT_FOR_END = 5.0
"""Seconds that the other process is given to end."""

Result = TypeVar("Result")


KEPT = 100
"""Jobs that are remembered; older ones are forgotten when they are done."""

State = Literal["waiting", "running", "done", "failed"]


@dataclass(frozen=True, slots=True)
class Job:
    """An addition; ``"failed"``: nothing was added, unless `summary` says otherwise.

    `problems` has a sentence for each file that could not be read. `report` is a :class:`cdcoref.collection.Report`.
    """

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

    @property
    def percent(self) -> int:
        """How much of the present stage is done."""
        return min(100, 100 * self.done // self.total) if self.total else 0


class Jobs:
    """The jobs by number; any thread may use it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._jobs: dict[int, Job] = {}
        self._last = 0

    def new(self, files: Sequence[str]) -> Job:
        """A new job that waits."""
        with self._lock:
            self._last += 1
            job = Job(self._last, datetime.now(UTC).isoformat(timespec="seconds"), tuple(files))
            self._jobs[job.number] = job
            for number in [n for n, other in self._jobs.items() if other.over][: -KEPT or None]:
                del self._jobs[number]
            return job

    def change(self, number: int, **fields: Any) -> None:
        """Change a job."""
        with self._lock:
            self._jobs[number] = replace(self._jobs[number], **fields)

    def get(self, number: int) -> Job | None:
        """A job by its number; None if there is none."""
        with self._lock:
            return self._jobs.get(number)

    def latest(self) -> list[Job]:
        """All jobs, the latest first."""
        with self._lock:
            return sorted(self._jobs.values(), key=lambda job: -job.number)


class Writer:
    """Changes one collection; any thread may use it."""

    def __init__(self, collection: Readers, options: ServerOptions) -> None:
        self.jobs = Jobs()
        self._collection = collection
        self._options = options
        self._corrections = ThreadPoolExecutor(1, "corrections")
        self._waiting: queue.SimpleQueue[tuple[Job, dict[str, Any], Path] | None] = queue.SimpleQueue()
        self._process: subprocess.Popen[str] | None = None
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

    def add(self, uploads: Sequence[Upload], folder: Path, *, keep_both: bool, encoding: str | None = None) -> Job:
        """Add the documents in files when those before them have been added."""
        job = self.jobs.new([upload.name for upload in uploads])
        files = [[str(upload.path), upload.name] for upload in uploads]
        self._waiting.put((job, {"files": files, "keep_both": keep_both, "encoding": encoding}, folder))
        return job

    def close(self) -> list[Job]:
        """Finish the correction that is being made and stop the addition that runs; returns what was not done."""
        left = [job for job in self.jobs.latest() if not job.over]
        with self._lock:
            self._ending = True
            if self._process is not None:
                self._process.terminate()
        self._waiting.put(None)
        self._additions.join(2 * WAIT_FOR_END)
        if self._uploads is not None:
            shutil.rmtree(self._uploads, ignore_errors=True)
        self._corrections.submit(self._collection.close)
        self._corrections.shutdown(wait=True)
        ended = [self.jobs.get(job.number) or job for job in left]
        return [job for job in ended if job.state != "done"]

    # -- additions, in their thread ----------------------------------------------------------------------------------

    def _add_all(self) -> None:
        while (waiting := self._waiting.get()) is not None:
            job, request, folder = waiting
            try:
                if not self._ending:
                    self._add(job, request)
            except Exception as error:  # the next addition must not wait for ever
                logging.getLogger(__name__).exception("Addition %s failed", job.number)
                self._end_process()
                why = f"an unexpected error ended this addition ({type(error).__name__}: {first_line(error)})"
                self.jobs.change(job.number, state="failed", stage="", summary=(f"{why}; {UNKNOWN}",))
            finally:
                shutil.rmtree(folder, ignore_errors=True)
        self._end_process()

    def _add(self, job: Job, request: dict[str, Any]) -> None:
        self.jobs.change(job.number, state="running", stage="starting")
        answer = self._ask(request, lambda progress: self.jobs.change(job.number, **progress))
        problems = tuple(answer["problems"])
        if "error" in answer:
            self.jobs.change(job.number, state="failed", stage="", summary=(answer["error"],), problems=problems)
        else:
            summary, report = tuple(answer["summary"]), answer["report"]
            self.jobs.change(job.number, state="done", stage="", summary=summary, problems=problems, report=report)

    def _ask(self, request: dict[str, Any], progress: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
        """The last answer of the other process, which is started if it does not run."""
        stage = ""
        try:
            self._collection.check()
            process = self._running_process()
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            for line in process.stdout:
                answer: dict[str, Any] = json.loads(line)
                if "stage" not in answer:
                    return answer
                stage = answer["stage"]
                progress(answer)
        except GoneError as error:
            return {"error": error.message, "problems": []}
        except (OSError, ValueError) as error:
            reason = str(error)
        else:
            reason = f"exit code {process.wait()}"
        self._end_process()
        what = "the server was stopped" if self._ending else f"the program that adds documents ended ({reason})"
        stored = UNKNOWN if stage == STORING else "nothing of these files was stored"
        return {"error": f"{what}; {stored}", "problems": []}

    def _running_process(self) -> subprocess.Popen[str]:
        with self._lock:
            if self._ending:
                raise OSError("the server is ending")
            if self._process is None:
                self._process = self._start()
            return self._process

    def _start(self) -> subprocess.Popen[str]:
        settings = {
            "collection": str(self._collection.path),
            "device": self._options.device,
            "precision": self._options.precision,
            "batch_tokens": self._options.batch_tokens,
            "uploads": str(self._uploads),
        }
        paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
        return subprocess.Popen(  # noqa: S603 -- this package, run by this interpreter
            [sys.executable, "-P", "-m", "cdcoref.server.adding_program", json.dumps(settings)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            start_new_session=True,  # an interrupt on the terminal is for the server alone
        )

    def _end_process(self) -> None:
        with self._lock:
            process, self._process = self._process, None
        if process is None:
            return
        process.terminate()
        try:
            process.wait(WAIT_FOR_END)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        for stream in (process.stdin, process.stdout):
            with suppress(OSError):
                if stream is not None:
                    stream.close()
