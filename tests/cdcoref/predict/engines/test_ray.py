"""Stories on a Ray cluster: two workers on this machine, one of them killed; bad addresses; no Ray."""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import torch

from cdcoref.errors import InputError
from cdcoref.linking import LinkedStory
from cdcoref.model import CorefModel
from cdcoref.predict import LocalEngine, RayEngine, ResultCache, Story
from tests.cdcoref.predict.engines.test_local import STORIES as FIRST_STORIES
from tests.cdcoref.predict.engines.test_local import TASK, collection
from tests.commands import Finished

pytestmark = pytest.mark.slow

STORIES = [*FIRST_STORIES, Story(("d8",))]


@pytest.fixture
def ray(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Ray, as where no cluster is connected."""
    module = import_module("ray")
    monkeypatch.setattr(module, "is_initialized", lambda: False)
    return module


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A Ray cluster with two cores, for PyTorch on one thread each."""
    import ray

    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_worker_niceness", "0")  # or its workers wait for all other tests
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    ray.init(address="local", num_cpus=2, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
    yield ray
    ray.shutdown()
    torch.set_num_threads(threads)


def process_of(engine: RayEngine, worker: int) -> int:
    """The process of a worker."""
    import ray

    process: int = ray.get(engine._actors[worker].__ray_call__.remote(lambda actor: os.getpid()))
    return process


def test_a_killed_workers_story_is_done_again_and_results_are_kept(
    cluster: Any, tiny_model: CorefModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cdcoref.predict.engines.local.WORDS_AT_ONCE", 120)  # mentions are found in three chunks
    large = collection(9, hidden=27)
    expected = list(LocalEngine(tiny_model, TASK).run(large, STORIES))
    assert sum(len(story.corpus.mentions) for story in expected) > 10

    def slow(actor: Any) -> None:
        link = actor._worker.link

        def linked(*arguments: Any) -> LinkedStory:
            time.sleep(0.5)
            story: LinkedStory = link(*arguments)
            return story

        actor._worker.link = linked

    def doomed(actor: Any) -> None:
        link = actor._worker.link

        def killed(*arguments: Any) -> None:
            link(*arguments)
            os.kill(os.getpid(), signal.SIGKILL)

        actor._worker.link = killed

    store = ResultCache(tmp_path, "tiny")
    with RayEngine(tiny_model, TASK, store) as engine:
        assert engine.workers == 2
        victim = process_of(engine, 1)
        cluster.get([engine._actors[0].__ray_call__.remote(slow), engine._actors[1].__ray_call__.remote(doomed)])
        found = list(engine.run(large, STORIES))
        assert process_of(engine, 1) != victim
    assert [story.corpus for story in found] == [story.corpus for story in expected]

    class Kept:
        """Has all results and takes no other."""

        key, get = store.key, store.get

        def put(self, results: dict[bytes, Any]) -> None:
            assert not results

    again = list(LocalEngine(tiny_model, TASK, Kept()).run(large, STORIES))
    assert [story.corpus for story in again] == [story.corpus for story in expected]
    store.close()


@pytest.mark.parametrize("address", ["nowhere", "1.2.3.4", ":6379", "host:port", "host:99999", "ray://host:10001"])
def test_an_address_is_host_and_port(tiny_model: CorefModel, address: str, ray: Any) -> None:
    with pytest.raises(InputError, match=r"is auto or HOST:PORT, not"), RayEngine(tiny_model, TASK, address=address):
        pass


def test_nobody_at_the_address(tiny_model: CorefModel, ray: Any) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{closed.getsockname()[1]}"
    with pytest.raises(InputError, match=rf"^no Ray cluster can be reached at {address} \(.*\); `ray start"):
        RayEngine(tiny_model, TASK, address=address).__enter__()


@pytest.mark.parametrize("on_this_machine", [True, False])
def test_refusals(tiny_model: CorefModel, monkeypatch: pytest.MonkeyPatch, ray: Any, on_this_machine: bool) -> None:
    def refused(**options: Any) -> None:
        assert options["address"] == address
        raise ConnectionError("InvalidAuthToken")

    monkeypatch.setattr(ray, "init", refused)
    with socket.create_server(("127.0.0.1", 0)) as head:
        there = f"127.0.0.1:{head.getsockname()[1]}"
        address, place = ("auto", "on this machine") if on_this_machine else (there, f"at {there}")
        with pytest.raises(InputError, match=f"^no Ray cluster {place} accepts a connection; .* RAY_AUTH_TOKEN"):
            RayEngine(tiny_model, TASK, address=address).__enter__()


def test_ray_that_does_not_start(tiny_model: CorefModel, monkeypatch: pytest.MonkeyPatch, ray: Any) -> None:
    ray = pytest.importorskip("ray", reason="Ray is not installed")
    asked = []

    def failed(**options: Any) -> None:
        asked.append(options)
        raise Exception("The current node timed out during startup.\nSee the logs.")

    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setattr(ray, "init", failed)
    with pytest.raises(InputError, match=r"^Ray cannot be started .* timed out during startup.*; the engine local"):
        RayEngine(tiny_model, TASK).__enter__()
    assert [options["include_dashboard"] for options in asked] == [False]


def test_no_ray(
    cdcoref: Callable[..., Finished], tiny_model_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = tmp_path / "a.txt"
    text.write_text("The ferry sank.\n", encoding="utf-8")
    monkeypatch.setitem(sys.modules, "ray", None)
    done = cdcoref("predict", text, "--model", tiny_model_folder, "--engine", "ray")
    assert done.code == 2
    assert done.err.splitlines()[-1] == ("cdcoref: Ray is not installed; install it with: pip install ray")
