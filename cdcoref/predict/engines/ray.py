"""Many stories on many machines, with Ray: each worker has a copy of the model. With as many threads and the same kind
of processor, results are those of :class:`cdcoref.predict.LocalEngine`, bit by bit."""

from __future__ import annotations

import heapq
import logging
import os
import socket
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch
from numpy.typing import NDArray

from cdcoref.corpus import Corpus
from cdcoref.errors import InputError, first_line
from cdcoref.linking import LinkedStory
from cdcoref.model import CorefModel
from cdcoref.predict.engines.cache import ResultCache, result_key
from cdcoref.predict.engines.local import Task, Worker, linked_stories
from cdcoref.predict.prediction import Progress, Story
from cdcoref.reading import Reading, Readings
from cdlm.extras import install_command

AHEAD = 4
"""Stories per worker that are started before the earliest of them is finished; those finished wait in memory."""
TRIES = 4
"""How many times a task is attempted if its worker dies."""
SECONDS_TO_ANSWER = 5.0
"""How long to wait for a connection to the cluster's head."""


class RayEngine:
    """Links the stories of a collection on the workers of a Ray cluster; use it in a ``with`` statement.

    A worker has a copy of the model, as many cores as PyTorch has threads here, and a GPU if the model is on one.
    `address`: ``"auto"``, or ``host:port`` of the head; None: ``RAY_ADDRESS``, or else a cluster on this machine for
    the time of the ``with`` statement. An `InputError` if Ray cannot be used, or if the workers of one task die
    repeatedly.
    """

    def __init__(
        self, model: CorefModel, task: Task, store: ResultCache | None = None, *, address: str | None = None
    ) -> None:
        self._model = model
        self._task = task
        self._store = store
        self._address = address or os.environ.get("RAY_ADDRESS")
        self._actors: list[Any] = []
        self._shared: list[Any] = []
        self._connected = False

    @property
    def workers(self) -> int:
        """See above."""
        return len(self._actors)

    def __enter__(self) -> RayEngine:
        # By default, Ray sends usage statistics to its developers.
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        try:
            import ray
        except ModuleNotFoundError as error:
            raise InputError(f"Ray is not installed; install it with: {install_command('ray')}") from error
        if not ray.is_initialized():
            self._connect(ray)
        self._actors = self._started(ray)
        return self

    def __exit__(self, *_: object) -> None:
        import ray

        for actor in self._actors:
            ray.kill(actor)
        self._actors, self._shared = [], []
        if self._connected:
            ray.shutdown()
            self._connected = False

    def _connect(self, ray: Any) -> None:
        address = self._address
        options = {"logging_level": logging.ERROR, "log_to_driver": False}
        if address is None:
            try:
                ray.init(address="local", include_dashboard=False, **options)
            except Exception as error:  # Ray raises bare exceptions where a process of its own does not start
                raise InputError(
                    f"Ray cannot be started on this machine ({first_line(error)}); the engine local needs no Ray"
                ) from error
        else:
            if address != "auto":
                check_address(address)
            try:
                ray.init(address=address, **options)
            except (ConnectionError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
                place = "on this machine" if address == "auto" else f"at {address}"
                raise InputError(
                    f"no Ray cluster {place} accepts a connection; `ray start --head` starts one, and if it uses a "
                    "token, RAY_AUTH_MODE and RAY_AUTH_TOKEN must be set here as they are there"
                ) from error
        self._connected = True

    def _started(self, ray: Any) -> list[Any]:
        gpus = 1 if self._model.device.type == "cuda" else 0
        nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]
        threads = max(1, min(torch.get_num_threads(), max(int(node.get("CPU", 0)) for node in nodes)))
        room = [int(node.get("CPU", 0)) // threads for node in nodes]
        if gpus:
            room = [min(count, int(node.get("GPU", 0))) for count, node in zip(room, nodes, strict=True)]
        actor = ray.remote(max_restarts=-1, max_task_retries=TRIES - 1, num_cpus=threads, num_gpus=gpus)(_Actor)
        keeper = None
        if self._store is not None:
            here = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(
                ray.get_runtime_context().get_node_id(), soft=False
            )
            kept = ray.remote(num_cpus=0, max_restarts=-1, max_task_retries=-1, scheduling_strategy=here)(ResultCache)
            keeper = kept.remote(self._store.path.parent.absolute(), self._store.fingerprint)
        fingerprint = "" if self._store is None else self._store.fingerprint
        # A restarted worker asks for the model again, so the reference must live as long as the engine. It is in a list
        # because Ray warns about plain arguments, which it releases.
        self._shared = [ray.put(self._model)]
        return [actor.remote(self._shared, self._task, threads, keeper, fingerprint) for _ in range(max(sum(room), 1))]

    def run(
        self, corpus: Corpus, stories: Sequence[Story], progress: Progress = lambda stage, done, total: None
    ) -> Iterator[LinkedStory]:
        """Link the stories (:func:`linked_stories`); `progress` is called for each as it is finished, in any order."""
        pool = _Pool(self._actors)
        return linked_stories(pool, self._task, corpus, stories, AHEAD * self.workers, progress)


class _Pool:
    """The tasks that wait, the earliest story first, and the workers that have started, each with one task."""

    def __init__(self, actors: Sequence[Any]) -> None:
        self._idle: deque[Any] = deque()
        self._waiting: list[tuple[int, str, tuple[Any, ...], Any]] = []
        self._running: dict[Any, tuple[Any, Any]] = {actor.started.remote(): (None, actor) for actor in actors}

    def add(self, number: int, method: str, *arguments: Any, of: Any) -> None:
        heapq.heappush(self._waiting, (number, method, arguments, of))

    def next_result(self) -> tuple[Any, Any]:
        import ray

        of = None
        while of is None:
            while self._idle and self._waiting:
                _, method, arguments, of = heapq.heappop(self._waiting)
                actor = self._idle.popleft()
                self._running[getattr(actor, method).remote(*arguments)] = of, actor
            (reference,), _ = ray.wait(list(self._running), num_returns=1)
            of, actor = self._running.pop(reference)
            self._idle.append(actor)
            result = _result(reference)
        return of, result


def _result(reference: Any) -> Any:
    import ray

    try:
        return ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        if isinstance(error.cause, InputError):
            raise error.cause from None
        raise
    except (ray.exceptions.RayActorError, ray.exceptions.OutOfMemoryError) as error:
        raise InputError(
            f"the workers of the Ray cluster die repeatedly ({first_line(error)}); a story may need more memory than "
            "they have"
        ) from error


class _Actor:
    def __init__(self, shared: Sequence[Any], task: Task, threads: int, keeper: Any, fingerprint: str) -> None:
        import ray

        torch.set_num_threads(threads)
        self._worker = Worker(ray.get(shared[0]), task, None if keeper is None else _RemoteStore(keeper, fingerprint))

    def started(self) -> None:
        """Return when the model is loaded."""

    def read(self, documents: Sequence[Any]) -> dict[str, Reading]:
        return self._worker.read(documents)

    def link(self, readings: Readings, story: Story) -> LinkedStory:
        return self._worker.link(readings, story)


class _RemoteStore:
    """A :class:`cdcoref.linking.ResultStore` that another process holds."""

    def __init__(self, keeper: Any, fingerprint: str) -> None:
        self._keeper = keeper
        self._fingerprint = fingerprint

    def key(self, *parts: str) -> bytes:
        return result_key(self._fingerprint, *parts)

    def get(self, key: bytes) -> NDArray[Any] | None:
        return _result(self._keeper.get.remote(key))

    def put(self, results: Mapping[bytes, NDArray[Any]]) -> None:
        _result(self._keeper.put.remote(dict(results)))


def check_address(address: str) -> None:
    """Refuse an address where nothing answers; Ray itself takes minutes to report that."""
    host, _, port = address.rpartition(":")
    if not host or "/" in host or not port.isdigit() or not 0 < int(port) < 2**16:
        raise InputError(f"the address of a Ray cluster is auto or HOST:PORT, not {address!r}")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=SECONDS_TO_ANSWER):
            pass
    except OSError as error:
        raise InputError(
            f"no Ray cluster can be reached at {address} ({error.strerror or error}); `ray start --head` starts one"
        ) from error
