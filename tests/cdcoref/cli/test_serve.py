"""``cdcoref serve`` as a user calls it: what it prints, what it refuses, and how it ends."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cdcoref.collection import Collection
from cdcoref.corpus import Corpus, Document, Mention

ROOT = Path(__file__).resolve().parents[3]
Run = Callable[..., Any]
Started = Callable[..., tuple["subprocess.Popen[str]", str]]


@pytest.fixture
def news(tmp_path: Path) -> Path:
    """A collection of one document."""
    path = tmp_path / "news.cdcoref"
    document = Document.from_sentences("a.txt", [["The", "ferry", "sank", "."]])
    with Collection.create(path, "lemma") as collection:
        collection.add(Corpus((document,), (Mention("a.txt", (1,), "entity"),)))
    return path


@pytest.fixture
def temporary(tmp_path: Path) -> Path:
    """The folder of the command's temporary files."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    return folder


@pytest.fixture
def started(news: Path, temporary: Path) -> Iterator[Started]:
    """Start the command in a process of its own; returns it and the first line that it prints."""
    processes = []

    def start(*arguments: str) -> tuple[subprocess.Popen[str], str]:
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(temporary)}
        command = [sys.executable, "-m", "cdcoref", "serve", str(news), *arguments]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
        processes.append(process)
        assert process.stdout is not None
        return process, process.stdout.readline().strip()

    yield start
    for process in processes:
        process.kill()
        process.communicate()


def test_it_prints_the_address_answers_and_ends_cleanly(started: Started) -> None:
    process, address = started("--port", "0")
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", address)
    with urllib.request.urlopen(address) as answer:
        assert b"news.cdcoref" in answer.read()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 0
    assert out == ""
    assert re.fullmatch(r"cdcoref: serving \S+news.cdcoref; Ctrl-C stops it\ncdcoref: stopped\n", err)


def begin_addition(address: str) -> None:
    """Begin an addition that takes a while: it loads the model first."""
    text = "The ferry sank in the storm off Tresk. Nineteen people died, police said on Friday. " * 100
    part = 'Content-Disposition: form-data; name="files"; filename="b.txt"'
    body = f"--x\r\n{part}\r\n\r\n{text}\r\n--x--\r\n".encode()
    headers = {"Content-Type": "multipart/form-data; boundary=x", "X-Cdcoref": "1"}
    request = urllib.request.Request(f"{address}api/files", body, headers)
    with urllib.request.urlopen(request) as answer:
        assert b'"number":1' in answer.read()
    until = time.monotonic() + 30
    while True:
        with urllib.request.urlopen(f"{address}api/jobs/1") as answer:
            if json.load(answer)["stage"] not in ("", "starting"):
                break
        assert time.monotonic() < until
        time.sleep(0.02)


def test_a_server_that_ends_cancels_an_addition_and_leaves_no_uploads(started: Started, temporary: Path) -> None:
    process, address = started("--port", "0", "--device", "cpu")
    begin_addition(address)
    assert list(temporary.glob("cdcoref-upload-*/*/*.txt"))
    process.terminate()
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (0, "")
    assert "the addition of 1 file was cancelled: " in err
    assert "Traceback" not in err
    assert list(temporary.iterdir()) == []


def test_beyond_this_computer_a_token_is_printed(started: Started, tmp_path: Path) -> None:
    _, address = started("--host", "0.0.0.0", "--port", "0")
    assert re.fullmatch(r"http://0\.0\.0\.0:\d+/\?token=[\w-]{32}", address)
    local = address.replace("0.0.0.0", "127.0.0.1")
    with pytest.raises(urllib.error.HTTPError, match="401"):
        urllib.request.urlopen(local.partition("?")[0])
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    with opener.open(local) as answer:
        assert answer.url == local.partition("?")[0]
        assert b"news.cdcoref" in answer.read()
    (tmp_path / "token").write_text("short")
    process, line = started("--token-file", str(tmp_path / "token"))
    assert (process.wait(20), line) == (2, "")


def test_what_cannot_be_served(cdcoref: Run, news: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = cdcoref("serve", tmp_path / "none.cdcoref")
    assert (done.code, done.out) == (2, "")
    assert done.err.endswith("none.cdcoref: there is no collection here; `cdcoref add` creates one\n")
    (tmp_path / "a.txt").write_text("x")
    assert cdcoref("serve", tmp_path / "a.txt").code == 2
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = cdcoref("serve", news, "--port", port)
    assert (done.code, done.err) == (2, f"cdcoref: port {port} of 127.0.0.1 is in use; choose another one\n")
    assert cdcoref("serve", news, "--token-file", tmp_path / "none").code == 2
    for option, value, why in (
        ("--port", "99999", "99999 is not a port"),
        ("--max-upload", "0", "the maximum upload size must be 1 MB or more"),
        ("--batch-tokens", "0", "batch_tokens is 0 and should be at least 1"),
        ("--device", "quantum", "the device 'quantum' is not available here"),
    ):
        done = cdcoref("serve", news, option, value)
        assert (done.code, done.out) == (2, "")
        assert done.err.startswith(f"cdcoref: {why}")
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    done = cdcoref("serve", news)
    assert done.code == 2
    assert done.err.startswith("cdcoref: packages of the server are missing; install them with: pip install ")


def test_it_opens_a_browser_if_it_is_asked_to(cdcoref: Run, news: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", lambda address: opened.append(address))
    monkeypatch.setattr("uvicorn.Server.run", lambda *_, **__: None)
    before = signal.getsignal(signal.SIGTERM)
    done = cdcoref("serve", news, "--port", 0, "--open")
    signal.signal(signal.SIGTERM, before)
    assert done.code == 0
    assert opened == [done.out.strip()]
    assert "no browser was found; open this address in one" in done.err
    opened.clear()
    assert cdcoref("serve", news, "--port", 0).code == 0
    signal.signal(signal.SIGTERM, before)
    assert opened == []
