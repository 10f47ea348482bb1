"""The file: made, refused where it is something else, read where it cannot be written."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cdcoref.collection import OPTIONS, Collection
from cdcoref.errors import InputError
from cdcoref.formats import read_collection


def test_what_is_missing_or_something_else_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no collection here"):
        Collection.open(tmp_path / "absent.cdcoref")
    text = tmp_path / "a.txt"
    text.write_text("A text that is long enough to be none." * 100)
    other = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE documents (id TEXT)")
    for path in (text, other):
        before = path.read_bytes()
        for open_it in (Collection.open, lambda path: Collection.create(path, "lemma")):
            with pytest.raises(InputError, match="not a "):
                open_it(path)
        assert path.read_bytes() == before
    with pytest.raises(InputError):
        Collection.open(tmp_path)
    with pytest.raises(InputError):
        Collection.create(tmp_path / "no folder" / "a.cdcoref", "lemma")
    for open_it in (Collection.open, Collection.create):
        with pytest.raises(InputError, match="the file cannot be used"):
            open_it(tmp_path / ("a" * 300))
    os.mkfifo(tmp_path / "pipe")
    for special in (tmp_path / "pipe", Path("/dev/null")):
        for open_it in (Collection.open, lambda path: Collection.create(path, "lemma")):
            with pytest.raises(InputError, match="this is a pipe or a device, which cannot hold a collection"):
                open_it(special)


def test_an_empty_file_becomes_a_collection(path: Path) -> None:
    """Such as a program leaves that was killed while it made one."""
    path.touch()
    with pytest.raises(InputError, match="there is no collection here"):
        Collection.open(path)
    Collection.create(path, "lemma").close()
    with Collection.open(path) as collection:
        assert collection.counts().documents == 0


def test_options_last_and_are_checked(written: Any, path: Path) -> None:
    options = replace(OPTIONS, kind="entity", threshold=0.4, max_pairs=None)
    Collection.create(path, "base").close()  # without documents, it has not been made with anything yet
    with Collection.create(path, "lemma", options) as collection:
        collection.add(written.reports(1)[0])
    Collection.create(path, "lemma", kind="entity", threshold=0.4, max_pairs=None).close()
    with Collection.open(path) as collection:
        assert (collection.model, collection.options) == ("lemma", options)
    with pytest.raises(
        InputError,
        match=r"made with kind entity \(not both\), threshold 0\.4 \(not unset\), max pairs unset \(not 20\); "
        r"leave out",
    ):
        Collection.create(path, "lemma")
    with pytest.raises(InputError, match=r"made with the model 'lemma' \(not 'default'\); leave out"):
        Collection.create(path, "default", options)
    text = path.with_suffix(".txt")
    text.write_text("A ferry sank.")
    with pytest.raises(InputError, match="this is not a collection"):
        Collection.open(text)
    with pytest.raises(InputError, match="should be at most 1"):
        replace(OPTIONS, threshold=2.0)
    for name, value in {"topics": "none", "batch_tokens": 100}.items():
        with pytest.raises(InputError, match=f"a collection has no option '{name}'; choose from kind, threshold"):
            Collection.create(path.with_name("other.cdcoref"), "lemma", **{name: value})
    assert not path.with_name("other.cdcoref").exists()


@pytest.mark.parametrize(
    ("version", "advice"), [(5, "make a new one"), (14, "make a new one"), (99, "install a newer")]
)
def test_another_version_is_refused(path: Path, version: int, advice: str) -> None:
    Collection.create(path, "lemma").close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {version}")
    before = path.read_bytes()
    for read in (Collection.open, read_collection):
        with pytest.raises(InputError, match=f"of version {version}, and this program reads version .*; {advice}"):
            read(path)
    assert path.read_bytes() == before


def test_a_collection_that_cannot_be_written_is_read(written: Any, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Collection.create(path, "lemma") as collection:
        collection.add(written.reports(1)[0])
        before = collection.corpus()
    monkeypatch.setattr("os.access", lambda path, mode: False)  # as for a user without the right to write
    with Collection.open(path) as collection:
        assert collection.corpus() == before
        with pytest.raises(InputError, match="the file cannot be written"):
            collection.add(written.reports(2)[1])
    assert read_collection(path) == before


def read_all(path: Path) -> None:
    with Collection.open(path) as collection:
        collection.corpus()
        collection.corrections()
        collection.clusters()
        collection.search("ferry")
        collection.document("ferry0")


def test_damaged_files_are_read_or_refused(written: Any, path: Path, tmp_path: Path) -> None:
    with Collection.create(path, "lemma") as collection:
        collection.add(written.joined(*written.reports(6)))
    whole = path.read_bytes()
    damaged = tmp_path / "damaged.cdcoref"
    for start in range(100, len(whole), len(whole) // 25):
        damaged.write_bytes(whole[:start] + bytes([255]) * 2000 + whole[start + 2000 :])
        with suppress(InputError):
            read_all(damaged)


def test_stored_entries_that_are_damaged_are_refused(written: Any, path: Path, tmp_path: Path) -> None:
    with Collection.create(path, "lemma") as collection:
        collection.add(written.joined(*written.reports(2)))
        collection.correct("not-a-mention", ["m1"])
    for statement in (
        "UPDATE documents SET fields = '{'",
        "UPDATE documents SET fields = '[]'",
        "UPDATE mentions SET tokens = '{}'",
        "UPDATE mentions SET tokens = '[99999]'",
        "UPDATE corrections SET mentions = '7'",
        "UPDATE settings SET value = '3'",
        "UPDATE documents SET text = replace(text, 'ferry', 'ferri')",
    ):
        damaged = tmp_path / "damaged.cdcoref"
        shutil.copy(path, damaged)
        with closing(sqlite3.connect(damaged)) as connection:
            connection.execute(statement)
            connection.commit()
        with pytest.raises(InputError) as error:
            read_all(damaged)
        assert "\n" not in str(error.value)


def test_nothing_is_stored_in_a_file_that_was_removed(written: Any, lemma: Collection) -> None:
    lemma.path.unlink()
    with pytest.raises(InputError, match="the file was removed or replaced in the meantime; nothing was stored"):
        lemma.add(written.reports(1)[0])
