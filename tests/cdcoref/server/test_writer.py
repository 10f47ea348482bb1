"""Adding while others read: nothing is lost, whatever is sent, and whenever the server ends."""

from __future__ import annotations

import gzip
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from cdcoref.collection import Collection
from cdcoref.corpus import Corpus
from cdcoref.formats import write_corpus
from tests.cdcoref.server.conftest import Client, served

WRITE = {"X-Cdcoref": "1"}


@pytest.fixture
def lines(tmp_path: Path, written: Any) -> Callable[[Corpus], bytes]:
    """A corpus as JSON lines, with its mentions, so that no model is needed to add it."""

    def lines(corpus: Corpus) -> bytes:
        write_corpus(corpus, tmp_path / "x.jsonl")
        return (tmp_path / "x.jsonl").read_bytes()

    return lines


def added(client: Any, *files: tuple[str, bytes], **fields: str) -> dict[str, Any]:
    """Add files by the API; what became of it."""
    answer = client.http.post("/api/files", files=[("files", file) for file in files], data=fields, headers=WRITE)
    assert answer.status_code == 202, answer.text
    job: dict[str, Any] = client.finished(answer.json()["number"])
    return job


def test_adding_files(client: Any, written: Any, lines: Callable[[Corpus], bytes]) -> None:
    new = lines(written.annotated("new.txt", "The ferry Maren sank again ."))
    answer = client.http.post("/add", data={"secret": client.secret}, files={"files": ("new.jsonl", new)})
    assert answer.status_code == 303
    number = int(answer.headers["location"].removeprefix("/jobs/"))
    job = client.finished(number)
    assert (job["state"], job["files"], job["problems"]) == ("done", ["new.jsonl"], [])
    assert job["report"]["added"] == ["new.txt"]
    assert job["summary"][0] == "documents: 1 added"
    page = client.html(f"/jobs/{number}")
    assert "documents: 1 added" in page
    assert 'href="/document?id=new.txt"' in page
    assert 'http-equiv="refresh"' not in page
    assert "new.jsonl" in client.html("/add")
    assert "sank again" in client.html("/document?id=new.txt").replace("</span></a>", "").replace("  ", " ")
    # The same again is recognised by its content; what cannot be read does not affect the rest.
    other = lines(written.annotated("other.txt", "The museum closed ."))
    job = added(client, ("a.jsonl", new), ("../../b.jsonl", other), ("c.jsonl", b'{"x'), ("d.pdf", b"%PDF-1.4 \n"))
    assert job["state"] == "done"
    assert (job["report"]["added"], job["report"]["known"]) == (["other.txt"], {"new.txt": "new.txt"})
    assert [problem.partition(":")[0].partition(",")[0] for problem in job["problems"]] == ["c.jsonl", "d.pdf"]
    assert "Left out or changed" in client.html(f"/jobs/{job['number']}")
    job = added(client, ("c.jsonl", b'{"x'))
    assert (job["state"], job["summary"]) == ("failed", ["there was no document to add"])
    assert "Failed" in client.html(f"/jobs/{job['number']}")
    # A changed document replaces the earlier one, or is added beside it.
    changed = written.annotated("new.txt", "The storm sank the ferry .")
    job = added(client, ("x.jsonl", lines(changed)), same_name="keep")
    assert job["report"]["added"] == ["new (2).txt"]
    job = added(client, ("x.jsonl", lines(written.annotated("new.txt", "Police saw it ."))), same_name="replace")
    assert job["report"]["replaced"] == ["new.txt"]
    assert client.get("/api/collection").json()["counts"]["documents"] == 7
    # Files with two documents of one name, and compressed ones.
    job = added(client, ("x.jsonl", lines(changed)), ("y.jsonl", lines(changed)))
    assert "document 'new.txt' is also in" in job["problems"][0]
    job = added(client, ("z.jsonl.gz", gzip.compress(lines(written.annotated("z", "A guard saw it .")))))
    assert job["report"]["added"] == ["z"]
    for wrong in ({"files": ("", b"x")}, {"other": ("a.txt", b"x")}):
        answer = client.http.post("/add", data={"secret": client.secret}, files=wrong)
        assert answer.status_code == 422
        assert "Choose at least one file." in answer.text
        assert client.http.post("/api/files", files=wrong, headers=WRITE).status_code == 422


LATIN = "The ferry sank, José said on Friday.\n".encode("cp1252")


def test_no_such_encoding(steady: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def stored() -> None:
        raise AssertionError("a folder was made")

    monkeypatch.setattr(steady.server._site.writer, "new_folder", stored)
    for wrong in ("<klingon>", "base64", "x" * 101):
        answer = steady.http.post(
            "/api/files", data={"encoding": wrong}, files={"files": ("a.txt", LATIN)}, headers=WRITE
        )
        assert (answer.status_code, list(answer.json())) == (422, ["error"])
    assert steady.server._site.writer.jobs == []


@pytest.fixture(scope="module")
def reading(tiny_model_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A collection that a model reads, served to all tests that add texts."""
    path = tmp_path_factory.mktemp("read") / "news.cdcoref"
    Collection.create(path, str(tiny_model_folder)).close()
    with served(path) as client:
        yield client


def test_texts_that_are_not_utf8(reading: Client) -> None:
    client = reading
    page = client.html("/add")
    assert '<label for="encoding">Encoding</label>' in page
    assert '<option value="cp1252">' in page
    job = added(client, ("latin.txt", LATIN), encoding=" ")
    assert (job["state"], len(job["problems"])) == ("failed", 1)
    assert job["problems"][0].startswith("latin.txt, line 1: the line is not valid UTF-8; it may be cp1252: ")
    assert "the field “Encoding”" in client.html(f"/jobs/{job['number']}")
    # With the form: those in the encoding, and those that say themselves what they are in.
    files = [
        ("files", ("latin.txt", LATIN)),
        ("files", ("utf8.txt", "José saw the captain.\n".encode())),
        ("files", ("marked.txt", "José saw the storm.\n".encode("utf-16"))),
    ]
    answer = client.http.post("/add", data={"secret": client.secret, "encoding": " cp1252 "}, files=files)
    assert answer.status_code == 303, answer.text
    job = client.finished(int(answer.headers["location"].removeprefix("/jobs/")))
    assert (job["state"], job["problems"]) == ("done", [])
    for name in ("latin.txt", "utf8.txt", "marked.txt"):
        assert "José" in client.get("/api/document", params={"id": name}).json()["document"]["text"]
    # With the API, and what is not in the encoding either.
    job = added(client, ("again.txt", LATIN), ("greek.txt", b"\xff\xfd ferry\n"), encoding="cp1253")
    assert job["report"]["added"] == ["again.txt"]
    what = "the line cannot be decoded as cp1253; is the text in this encoding?; the whole file was skipped"
    assert job["problems"] == [f"greek.txt, line 1: {what}"]


def test_texts_are_read_by_the_model(reading: Client) -> None:
    client = reading
    texts = {
        "a": "The ferry sank in the storm off Tresk.\nNineteen people died, police said on Friday.",
        "b": "Storm sinks ferry\n\nA ferry carrying passengers sank on Friday off Tresk.",
    }
    job = added(client, *((id, text.encode()) for id, text in texts.items()))
    assert job["state"] == "done", job
    assert job["report"]["added"] == ["a", "b"]
    questions = client.get("/api/questions?limit=5").json()
    assert questions
    assert client.html("/questions").count('class="card question item"') >= len(questions)


def test_many_readers(news: Path, start: Callable[..., Any], written: Any, lines: Callable[[Corpus], bytes]) -> None:
    client = start(news)
    ferry = client.cluster("ferry")
    pages = [
        "/",
        "/documents",
        f"/clusters/{ferry}",
        "/document?id=harbour.txt",
        "/search?query=ferry",
        "/api/clusters",
    ]
    going = True
    counts: list[int] = []

    def read(number: int) -> int:
        done = 0
        while going:
            answer = client.get(pages[(number + done) % len(pages)])
            assert answer.status_code == 200, answer.text
            done += 1
            time.sleep(1)
        return done

    def count() -> None:
        while going:
            counts.append(client.get("/api/collection").json()["counts"]["documents"])
            time.sleep(0.2)

    with ThreadPoolExecutor(51) as pool:
        readers = [pool.submit(read, number) for number in range(49)]
        counter = pool.submit(count)
        try:
            numbers = []
            for n in range(2):
                corpora = [written.annotated(f"{n}_{k}", f"The ferry sank near isle {n} {k} .") for k in range(4)]
                file = ("x.jsonl", lines(written.joined(*corpora)))
                answer = client.http.post("/api/files", files={"files": file}, headers=WRITE)
                numbers.append(answer.json()["number"])
            mention = client.id("harbour.txt", "storm")
            made = client.http.post("/api/corrections", json={"action": "not-a-mention", "ids": [mention]})
            assert made.status_code == 201
            jobs = [client.finished(number) for number in numbers]
        finally:
            going = False
    assert all(reader.result() for reader in readers)
    assert counter.result() is None
    assert [job["state"] for job in jobs] == ["done"] * 2
    assert counts == sorted(counts)
    assert set(counts) <= {4, 8, 12}  # each addition is seen whole or not at all
    with Collection.open(news) as collection:
        ids = {document.id for document in collection.documents(limit=1000)}
        assert {f"{n}_{k}" for n in range(2) for k in range(4)} <= ids
        assert len(ids) == 12
        assert collection.mention(mention).rejected


def test_corrections_at_once_are_all_made(client: Any) -> None:
    ferry = client.cluster("ferry")

    def rename(number: int) -> int:
        fields = {"action": "rename", "ids": [ferry], "name": f"name {number}"}
        return int(client.http.post("/api/corrections", json=fields).json()["number"])

    with ThreadPoolExecutor(20) as pool:
        numbers = list(pool.map(rename, range(40)))
    assert sorted(numbers) == list(range(1, 41))
    last = client.get("/api/corrections").json()[-1]
    assert client.get(f"/api/clusters/{ferry}").json()["summary"]["name"] == last["name"]


def long_addition(client: Any) -> int:
    """An addition that takes minutes, as it is read by the default model, once it runs."""
    text = "The ferry sank in the storm off Tresk. Nineteen people died, police said on Friday. " * 800
    answer = client.http.post("/api/files", files={"files": ("long.txt", text.encode())}, headers=WRITE)
    number = answer.json()["number"]
    until = time.monotonic() + 30
    while client.get(f"/api/jobs/{number}").json()["stage"] == "":
        assert time.monotonic() < until
        time.sleep(0.02)
    return int(number)


def test_ending_stops_an_addition_and_finishes_corrections(news: Path, start: Callable[..., Any]) -> None:
    client = start(news, batch_tokens=256)
    number = long_addition(client)
    assert 'http-equiv="refresh"' in client.html(f"/jobs/{number}")
    assert 'class="running"' in client.html("/")
    waiting = client.http.post("/api/files", files={"files": ("w.txt", b"A ferry.")}, headers=WRITE).json()
    assert waiting["state"] == "waiting"
    ferry = client.cluster("ferry")
    made = client.http.post("/api/corrections", json={"action": "rename", "ids": [ferry], "name": "Maren"})
    assert made.status_code == 201  # though an addition is running
    client.end()
    assert [job.number for job in client.server.left] == [waiting["number"], number]
    with Collection.open(news) as collection:
        assert collection.counts().documents == 4
        assert collection.cluster(ferry).summary.title == "Maren"


@pytest.mark.parametrize("replaced", [False, True])
def test_a_file_that_is_not_where_it_was_is_neither_shown_nor_changed(client: Any, replaced: bool) -> None:
    moved = client.path.rename(client.path.with_name("moved.cdcoref"))
    if replaced:
        with Collection.create(client.path, "lemma"):
            pass
    why = "collection was removed or replaced while it was served; start the server again"
    rename = {"action": "rename", "ids": ["c1"], "name": "x"}
    for answer in (client.get("/"), client.get("/api/clusters"), client.http.post("/api/corrections", json=rename)):
        assert answer.status_code == 503
        assert f"The {why}." in answer.text
    assert client.get("/health").status_code == 503
    assert added(client, ("x.txt", b"The ferry sank."))["summary"] == [f"the {why}"]
    with Collection.open(moved) as collection:
        assert (collection.counts().documents, collection.corrections()) == (4, [])
