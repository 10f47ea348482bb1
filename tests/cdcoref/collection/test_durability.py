"""Whatever happens while a collection is written, it is as before or as after: kills, two writers, a full disk."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cdcoref.collection import Collection
from cdcoref.errors import InputError

KILLS = 12
ROOT = Path(__file__).resolve().parents[3]

# Children of one process that has loaded everything: each makes a change until it is killed. What the change would make
# of the file is tried on a copy.
KILLED = """
import json, multiprocessing, os, random, sqlite3, sys, time
from cdcoref.collection import Collection
from cdcoref.corpus import Corpus, Document, Mention
from tests.killing import killed

path, kills = sys.argv[1], int(sys.argv[2])
copy = path + ".copy"
WORDS = "ferry sank storm captain museum thieves painting guard".split()

def report(n):
    sentence = [WORDS[(n + k) % 8] for k in range(4)] + [f"report{n}", "."]
    document = Document.from_sentences(f"d{n}", [sentence])
    return Corpus((document,), tuple(Mention(document.id, (k,), "entity") for k in range(5)))

def state(path):
    with Collection.open(path) as collection:
        (checked,) = collection._database.connection.execute("PRAGMA integrity_check").fetchone()
        assert checked == "ok", checked
        corpus = collection.corpus()
        said = [(c.number, c.undone is None) for c in collection.corrections()]
        found = [d.id for d in collection.search("report").documents]
    return [[d.id for d in corpus.documents], sorted(map(repr, corpus.mentions)), said, sorted(found)]

def change(path, n):
    with Collection.open(path) as collection:
        latest = collection.documents()[0].id
        if n % 5 < 2:
            collection.add(report(n))
        elif n % 5 == 2:
            collection.correct("not-a-mention", [collection.document(latest).mentions[n % 4].id])
        elif n % 5 == 3:
            collection.remove([collection.documents()[-1].id])
        else:
            collection.rebuild()

with Collection.create(path, "lemma") as collection:
    for n in range(10_000, 10_004):
        collection.add(report(n))
processes = multiprocessing.get_context("fork")
begun = processes.Event()

def change_and_end(path, n):
    begun.set()
    change(path, n)
    os._exit(0)

moment = random.Random(int(sys.argv[3]))
unfinished = 0
before = state(path)
for n in range(kills):
    source, target = sqlite3.connect(path), sqlite3.connect(copy)
    source.backup(target)
    source.close(), target.close()
    started = time.perf_counter()
    change(copy, n)
    seconds = time.perf_counter() - started
    after = state(copy)
    assert after != before or n % 5 == 4
    begun.clear()
    process = processes.Process(target=change_and_end, args=(path, n))
    process.start()
    finished = not killed(process, begun.is_set, 1.5 * seconds, moment)
    unfinished += not finished
    found = state(path)
    assert found == after or (not finished and found == before), n
    if n % 3 == 0 and found == before != after:
        change(path, n)  # and the file can be changed again
        found = state(path)
        assert found == after
    before = found
print(json.dumps({"unfinished": unfinished}))
"""


@pytest.mark.slow
def test_kills_leave_the_file_as_before_or_as_after(tmp_path: Path) -> None:
    script = tmp_path / "killed.py"
    script.write_text(KILLED, encoding="utf-8")
    command = [sys.executable, str(script), str(tmp_path / "k.cdcoref"), str(KILLS), "1"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["unfinished"] >= KILLS // 4


# Two processes that add, children of one that has loaded everything but has no collection open.
ADDED = """
import multiprocessing, sys
from cdcoref.collection import Collection
from cdcoref.corpus import Corpus, Document, Mention

def add(path, name):
    for n in range(6):
        document = Document.from_sentences(f"{name}{n}", [f"ferry storm {name} report{n} .".split()])
        with Collection.create(path, "lemma") as collection:
            collection.add(Corpus((document,), tuple(Mention(document.id, (n,), "entity") for n in (0, 3))))

add(sys.argv[1] + ".other", "other")  # which loads everything
running = [multiprocessing.get_context("fork").Process(target=add, args=(sys.argv[1], name)) for name in ("one", "two")]
for process in running:
    process.start()
for process in running:
    process.join()
sys.exit(any(process.exitcode for process in running))
"""


def test_two_programs_that_add_at_once_lose_nothing(path: Path) -> None:
    assert subprocess.run([sys.executable, "-c", ADDED, str(path)]).returncode == 0
    with Collection.open(path) as collection:
        assert {d.id for d in collection.documents()} == {f"{name}{n}" for name in ("one", "two") for n in range(6)}
        ferries = [cluster.mentions for cluster in collection.clusters() if cluster.title == "ferry"]
        assert sum(ferries) == 12
        stored = {mention.cluster for mention in collection.corpus().mentions}
        assert len(stored) == collection.counts().clusters


def test_a_collection_on_a_full_disk_is_read(written: Any, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Collection.create(path, "lemma") as collection:
        collection.add(written.reports(1)[0])
        before = collection.corpus()
    full = SimpleNamespace(free=0)
    monkeypatch.setattr("shutil.disk_usage", lambda folder: full)
    with Collection.open(path) as collection:
        assert collection.corpus() == before
        with pytest.raises(InputError, match="the disk is full; nothing was changed"):
            collection.correct("not-a-mention", ["m1"])
        assert collection.corpus() == before


@pytest.mark.parametrize("kept", [0.3, 0.9])
def test_a_collection_whose_end_is_missing_is_damaged(written: Any, path: Path, kept: float) -> None:
    with Collection.create(path, "lemma") as collection:
        collection.add(written.joined(*written.reports(20)))
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * kept)])
    with pytest.raises(InputError, match=r"is damaged .*restore a copy"), Collection.open(path) as collection:
        collection.corpus()


def test_a_backup_by_sqlite_has_every_change_while_somebody_reads(written: Any, lemma: Collection) -> None:
    copy = lemma.path.with_name("copy.cdcoref")
    with Collection.open(lemma.path) as reader, reader._database.reading():
        assert reader.counts().documents == 0
        lemma.add(written.joined(*written.reports(4)))
        with closing(sqlite3.connect(lemma.path)) as source, closing(sqlite3.connect(copy)) as target:
            source.backup(target)
        assert reader.counts().documents == 0
    with Collection.open(copy) as copied:
        assert copied.corpus() == lemma.corpus()
        copied.add(written.joined(*written.reports(5)))
        assert copied.counts().documents == 5


@pytest.mark.parametrize("size", [0, 5_000, 40_000])
def test_a_collection_that_cannot_be_created_can_be_created_later(
    path: Path, size: int, small_files: Callable[[int], AbstractContextManager[None]]
) -> None:
    with small_files(size), pytest.raises(InputError, match="the disk is full"):
        Collection.create(path, "lemma")
    with Collection.create(path, "lemma") as collection:
        assert collection.counts().documents == 0


def test_what_is_read_between_two_changes_is_one_or_the_other(written: Any, path: Path) -> None:
    """Readers in other threads see whole additions only, while one writes."""
    with Collection.create(path, "lemma") as collection:
        collection.add(written.reports(1)[0])

    def read(_: int) -> set[int]:
        sizes = set()
        for _ in range(20):
            with Collection.open(path) as reader:
                corpus = reader.corpus()
            names = {m.cluster for m in corpus.mentions}
            assert None not in names
            assert {m.document for m in corpus.mentions} == {d.id for d in corpus.documents}
            sizes.add(len(corpus.documents))
        return sizes

    with ThreadPoolExecutor(4) as pool:
        seen = [pool.submit(read, n) for n in range(4)]
        with Collection.open(path) as writer:
            for number in range(1, 13, 3):
                writer.add(written.joined(*written.reports(13)[number : number + 3]))
        sizes = set.union(*(future.result() for future in seen))
    assert sizes <= {1, 4, 7, 10, 13}


def test_a_writer_that_waits_long_says_why(written: Any, lemma: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    lemma.add(written.reports(1)[0])
    other = sqlite3.connect(lemma.path, isolation_level=None)
    waits = []

    def impatient(*arguments: Any, timeout: float, **options: Any) -> sqlite3.Connection:
        waits.append(timeout)
        return connect(*arguments, timeout=0.05, **options)

    connect: Any = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", impatient)
    other.execute("BEGIN IMMEDIATE")
    with Collection.open(lemma.path) as collection:
        with pytest.raises(InputError, match="another program is writing to the collection"):
            collection.add(written.reports(2)[1])
        assert collection.counts().documents == 1
    assert waits == [60.0]
    other.execute("ROLLBACK")
    other.close()


def test_what_another_program_adds_meanwhile_is_taken_into_account(written: Any, path: Path) -> None:
    """A document that comes after the plan was made, and before it is stored, is of the same story."""
    museum, second, third = (written.reports(5)[n] for n in (1, 2, 4))
    meanwhile = [second]

    def interrupted(stage: str, done: int, total: int) -> None:
        while meanwhile:
            with Collection.open(path) as other:
                other.add(meanwhile.pop())

    with Collection.create(path, "lemma") as collection:
        collection.add(museum)
        collection.add(third, progress=interrupted)
        assert not meanwhile
        assert collection.counts().stories == 2
        assert [cluster.documents for cluster in collection.clusters() if cluster.title == "ferry"] == [2]
