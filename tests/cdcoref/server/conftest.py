"""Small collections, made without a model, and servers of them in this process."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from cdcoref.collection import Collection
from cdcoref.server import Server, ServerOptions

TEXTS = {
    "2024-03-06 inquiry.txt": ("The captain of the ferry Maren was arrested on Wednesday .", "Police saw the ferry ."),
    "harbour.txt": ("The ferry Maren sank in the storm off Tresk .", "Police arrested the captain ."),
    "2024-03-05 storm.txt": ("A storm sank the ferry Maren on Tuesday .",),
    "museum.txt": ("Thieves stole a painting from the museum .", "The museum guard saw two thieves ."),
}


def written_news(folder: Path, written: Any) -> Path:
    """A collection of four documents in two stories."""
    path = folder / "news.cdcoref"
    with Collection.create(path, "lemma") as collection:
        collection.add(written.joined(*(written.annotated(id, *sentences) for id, sentences in TEXTS.items())))
    return path


@pytest.fixture
def news(tmp_path: Path, written: Any) -> Path:
    """A collection of four documents in two stories."""
    return written_news(tmp_path, written)


class Client:
    """A served collection (`path`), as a program or a person asks for it by `http`."""

    def __init__(self, path: Any, server: Server) -> None:
        self.path = path
        self.server = server
        # No certificates are needed, and to read them takes longer than most tests.
        limits = httpx.Limits(max_connections=None)
        self.http = httpx.Client(base_url=server.address, timeout=30, limits=limits, verify=False)
        self.ended = False

    def end(self) -> None:
        """End the server."""
        if not self.ended:
            self.ended = True
            self.http.close()
            self.server.__exit__(None, None, None)

    def get(self, address: str, **options: Any) -> httpx.Response:
        """Ask for a page."""
        return self.http.get(address, **options)

    def html(self, address: str) -> str:
        """A page that is there."""
        answer = self.get(address)
        assert answer.status_code == 200, answer.text
        return answer.text

    @property
    def secret(self) -> str:
        """What the server's forms carry."""
        found = re.search(r'name="secret" value="([^"]+)"', self.html("/"))
        assert found is not None
        return found[1]

    def send(self, address: str, **fields: Any) -> httpx.Response:
        """Send a form of this server."""
        return self.http.post(address, data={"secret": self.secret, **fields})

    def finished(self, number: int) -> dict[str, Any]:
        """An addition, when it is over."""
        until = time.monotonic() + 240
        while time.monotonic() < until:
            job: dict[str, Any] = self.get(f"/api/jobs/{number}").json()
            if job["state"] in ("done", "failed"):
                return job
            time.sleep(0.05)
        raise AssertionError("the addition does not end")

    def id(self, document: str, word: str) -> str:
        """The id of the first mention with a word in a document."""
        with Collection.open(self.path) as collection:
            return next(m.id for m in collection.document(document).mentions if m.text == word)

    def cluster(self, title: str) -> str:
        """The id of the cluster with a name; of an event, a word of its name will do."""
        with Collection.open(self.path) as collection:
            names = {c.id: c.title.split(" · ")[0] for c in collection.clusters(min_mentions=1)}
        exact = [id for id, name in names.items() if name == title]
        return next(iter(exact or [id for id, name in names.items() if title in name.split()]))


@contextmanager
def served(path: Path) -> Iterator[Client]:
    """A collection, served for several tests."""
    with Server(path, ServerOptions(port=0)) as server:
        client = Client(path, server)
        yield client
        client.http.close()


Start = Callable[..., Client]


@pytest.fixture
def start() -> Iterator[Start]:
    """Serve a collection."""
    running: list[Client] = []

    def start(path: Path | None, **options: Any) -> Client:
        server = Server(path, ServerOptions(port=0, **options))
        server.__enter__()
        client = Client(path, server)
        running.append(client)
        return client

    yield start
    for client in running:
        client.end()


@pytest.fixture
def client(news: Path, start: Start) -> Client:
    """The collection of four documents, served."""
    return start(news)


@pytest.fixture(scope="session")
def steady(tmp_path_factory: pytest.TempPathFactory, written: Any) -> Iterator[Client]:
    """The same for all tests that change nothing."""
    with served(written_news(tmp_path_factory.mktemp("steady"), written)) as client:
        yield client
