"""How fast a served collection answers readers while documents are added to it.

    python scripts/benchmark.py server
    python scripts/benchmark.py server --collection news.cdcoref --add archive/*.txt

Serves a copy of a collection with ``cdcoref serve``, in a process of its own, and lets readers ask for its pages: the
start, lists, clusters, documents, searches, what to check next. Readers look at a page for about a second before they
ask for the next (``--pause 0``: they ask at once). Meanwhile files are added, ``--batch`` at a time, one batch after
the other. Prints the 50th, 95th and 100th percentile of the time until an answer is there, in milliseconds, without and
with additions, and makes sure that all that was added is there. By default the collection is made up: ``--documents``
documents with capitalised words as given mentions, linked by lemma, and so are the documents that are added.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import quote, urlsplit

from cdcoref.collection import Collection
from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.formats import write_corpus

PLACES, WORDS = 400, 2000
BOUNDARY = "cdcoref-benchmark"


def made_up(numbers: range) -> Corpus:
    """Documents of 12 sentences about a place each, with some 50 mentions."""
    documents, mentions = [], []
    for number in numbers:
        chance = random.Random(number)
        place = number // 8 % PLACES
        sentences = []
        for _ in range(12):
            words = [f"word{chance.randrange(WORDS)}" for _ in range(10)]
            names = [f"Name{place}x{chance.randrange(12)}" for _ in range(4)]
            sentences.append([*words[:5], *names[:2], *words[5:], *names[2:], f"place{place}", "."])
        document = Document.from_sentences(f"{number:05}.txt", sentences)
        documents.append(document)
        tokens = (token for token, word in enumerate(document.tokens) if word.startswith("Name"))
        mentions += [Mention(document.id, (token,), "entity") for token in tokens]
    return Corpus(tuple(documents), tuple(mentions))


class Client:
    """One connection to the server."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self._connection = HTTPConnection(parts.hostname or "", parts.port)

    def ask(self, address: str, method: str = "GET", body: bytes | None = None, kind: str = "") -> bytes:
        """The content of an answer, which must not be an error."""
        self._connection.request(method, address, body, {"Content-Type": kind, "X-Cdcoref": "1"} if body else {})
        answer = self._connection.getresponse()
        content = answer.read()
        if answer.status >= 400:
            raise SystemExit(f"{address}: {answer.status}: {content[:200].decode(errors='replace')}")
        return content

    def add(self, files: list[tuple[str, bytes]]) -> None:
        """Add files, and wait until they have been added."""
        head = '--{}\r\nContent-Disposition: form-data; name="files"; filename="{}"\r\n\r\n'
        parts = [head.format(BOUNDARY, name).encode() + content + b"\r\n" for name, content in files]
        body = b"".join(parts) + f"--{BOUNDARY}--\r\n".encode()
        job = json.loads(self.ask("/api/files", "POST", body, f"multipart/form-data; boundary={BOUNDARY}"))
        while job["state"] not in ("done", "failed"):
            time.sleep(0.1)
            job = json.loads(self.ask(f"/api/jobs/{job['number']}"))
        if job["state"] == "failed":
            raise SystemExit(f"not added: {job['summary']}")


def addresses(path: Path) -> list[str]:
    """Pages that people ask for."""
    with Collection.open(path) as collection:
        clusters = [f"/clusters/{cluster.id}" for cluster in collection.clusters(limit=200)]
        documents = collection.documents(limit=200)
        titles = [cluster.title for cluster in collection.clusters(limit=50)]
    pages = [f"/document?id={quote(document.id)}" for document in documents]
    found = [f"/search?query={quote(title)}" for title in titles]
    lists = ["/", "/?kind=entity", "/?page=2", "/documents", "/documents?page=2", "/questions", "/corrections"]
    return [*clusters, *pages, *found * 2, *lists * 15]


def read(address: str, pages: list[str], pause: float, going: threading.Event, seed: int) -> list[float]:
    """Ask for pages while it goes on; the seconds that each took."""
    chance = random.Random(seed)
    client = Client(address)
    seconds = []
    time.sleep(chance.uniform(0, pause))
    while going.is_set():
        page = chance.choice(pages)
        started = time.perf_counter()
        client.ask(page)
        seconds.append(time.perf_counter() - started)
        time.sleep(chance.uniform(0.5, 1.5) * pause)
    return seconds


def measure(address: str, pages: list[str], arguments: argparse.Namespace, add: list[list[tuple[str, bytes]]]) -> str:
    """A row of the table."""
    going = threading.Event()
    going.set()
    started = time.perf_counter()
    with ThreadPoolExecutor(arguments.readers) as pool:
        readers = [pool.submit(read, address, pages, arguments.pause, going, seed) for seed in range(arguments.readers)]
        added = 0
        client = Client(address)
        for batch in add:
            if time.perf_counter() - started > arguments.seconds:
                break
            client.add(batch)
            added += 1
        time.sleep(max(0.0, arguments.seconds - (time.perf_counter() - started)))
        passed = time.perf_counter() - started
        going.clear()
        seconds = [second for reader in readers for second in reader.result()]
    cuts = statistics.quantiles(seconds, n=100)
    what = f"{added} additions of {len(add[0])}" if add else "none"
    times = " | ".join(f"{1000 * value:.0f}" for value in (cuts[49], cuts[94], max(seconds)))
    return f"| {what} | {arguments.readers} | {len(seconds):,} | {len(seconds) / passed:.0f} | {times} |"


def main() -> None:
    """Make or copy the collection, serve it, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--collection", type=Path, help="a collection; a copy is served (default: a synthetic one)")
    parser.add_argument("--add", type=Path, nargs="+", help="files to add (default: made up)")
    parser.add_argument("--documents", type=int, default=2000, help="documents of a collection made up (default: 2000)")
    parser.add_argument("--readers", type=int, default=50, help="(default: 50)")
    parser.add_argument("--pause", type=float, default=1.0, help="seconds between a reader's pages (default: 1)")
    parser.add_argument("--seconds", type=float, default=20, help="how long each row is measured (default: 20)")
    parser.add_argument("--batch", type=int, default=10, help="documents that are added at once (default: 10)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.cdcoref"
        if arguments.collection is not None:
            shutil.copy(arguments.collection, path)
        else:
            with Collection.create(path, "lemma") as collection:
                collection.add(made_up(range(arguments.documents)))
        with Collection.open(path) as collection:
            before = collection.counts()
        files = []
        if arguments.add:
            files = [(file.name, file.read_bytes()) for file in arguments.add]
        else:
            for number in range(arguments.documents, arguments.documents + 50 * arguments.batch):
                write_corpus(made_up(range(number, number + 1)), Path(folder) / "x.jsonl")
                files.append((f"{number}.jsonl", (Path(folder) / "x.jsonl").read_bytes()))
        batches = [files[start : start + arguments.batch] for start in range(0, len(files), arguments.batch)]
        print(f"{before.documents:,} documents, {before.mentions:,} mentions, {before.clusters:,} clusters\n")
        command = [sys.executable, "-m", "cdcoref", "serve", str(path), "--port", "0"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            try:
                assert server.stdout is not None
                address = server.stdout.readline().strip()
                pages = addresses(path)
                print("| added meanwhile | readers | pages read | a second | median, ms | 95th percentile | slowest |")
                print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
                print(measure(address, pages, arguments, []), flush=True)
                print(measure(address, pages, arguments, batches), flush=True)
                after = json.loads(Client(address).ask("/api/collection"))["counts"]["documents"]
                print(f"\n{after - before.documents:,} documents were added")
            finally:
                server.terminate()


if __name__ == "__main__":
    main()
