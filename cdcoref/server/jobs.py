"""Additions that wait, run and are done, as people see them: their files, their progress, what became of them."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Literal

KEPT = 100
"""Jobs that are remembered; older ones are forgotten when they are done."""

State = Literal["waiting", "running", "done", "failed"]


@dataclass(frozen=True, slots=True)
class Job:
    """An addition.

    `number`: By which it is asked for. `created`: When it was asked for (ISO 8601, UTC). `files`: Names of the files.
    `state`: ``"waiting"``, ``"running"``, ``"done"``, or ``"failed"``: nothing was added, unless `summary` says
    otherwise. `stage`, `done`, `total`: What is being done, how much of it is done, and how much there is (0: not
    known). `summary`: What it did, one sentence each. `problems`: A sentence for each file that could not be read, and
    for what could not be taken into account. `report`: What it did, as :class:`cdcoref.collection.Report`; None until
    it is done.
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
