"""Whatever the user names is read into one corpus; what cannot be read is said, and stops nothing else."""

from __future__ import annotations

import gzip
import io
import json
import os
import threading
from pathlib import Path

import pytest

from cdcoref.corpus import Corpus
from cdcoref.formats import ReadOptions, read_corpus

CONLL = b"#begin document (c); part 000\nc\t0\t0\tAnn\t-\t*\t-\t-\t-\t-\t*\t(7)\n\n#end document\n"
JSONL = b'{"id": "j", "text": "Bob ran.", "mentions": [{"start": 0, "end": 3, "cluster": "7"}]}\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, content in {
        "b.txt": b"Bob ran.",
        "a.txt": b"Ann fell.",
        "c.conll": CONLL,
        "deep/er/d.jsonl.gz": gzip.compress(JSONL),
        "deep/.hidden.txt": b"no",
        "deep/~$letter.docx": b"no",
        ".git/config": b"no",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    return tmp_path


def ids(corpus: Corpus) -> list[str]:
    return [document.id for document in corpus.documents]


def test_a_folder_is_read_recursively_in_order_without_hidden_files(folder: Path) -> None:
    loaded = read_corpus([folder])
    assert ids(loaded.corpus) == ["a.txt", "b.txt", "c", "j"]
    assert loaded.problems == ()
    assert loaded.corpus.documents[0].path == str(folder / "a.txt")


def test_texts_of_a_folder_come_before_what_was_predicted_for_them(folder: Path) -> None:
    """Or what they say now would be left out."""
    (folder / "a.jsonl").write_text('{"id": "b.txt", "text": "What Bob did before."}\n')
    loaded = read_corpus([folder])
    assert {document.id: document.text for document in loaded.corpus.documents}["b.txt"].strip() == "Bob ran."
    (problem,) = loaded.problems
    assert problem.startswith(f"{folder / 'a.jsonl'}: document 'b.txt' is also in {folder / 'b.txt'}")


def test_the_same_file_twice_is_read_once_and_said(folder: Path) -> None:
    (folder / "link.txt").symlink_to(folder / "a.txt")
    loaded = read_corpus([folder / "a.txt", folder / "deep" / ".." / "a.txt", folder / "link.txt"])
    assert ids(loaded.corpus) == ["a.txt"]
    assert len(loaded.corpus.notes) == 2
    assert "link.txt: the file was named twice" in loaded.corpus.notes[1]
    assert loaded.problems == ()


def test_files_of_one_name_get_the_shortest_path_that_tells_them_apart(tmp_path: Path) -> None:
    names = ["x/news/1.txt", "y/news/1.txt", "y/news/2.txt", "z/1.txt"]
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("Text.")
    assert ids(read_corpus(tmp_path / name for name in names).corpus) == [
        "x/news/1.txt",
        "y/news/1.txt",
        "2.txt",
        f"{tmp_path.name}/z/1.txt",
    ]
    assert ids(read_corpus([tmp_path / "x", tmp_path / "z"]).corpus) == ["news/1.txt", "z/1.txt"]


def test_documents_of_one_id_in_two_files(folder: Path) -> None:
    (folder / "again.jsonl").write_bytes(JSONL)
    loaded = read_corpus([folder / "again.jsonl", folder / "deep", folder / "a.txt"])
    assert ids(loaded.corpus) == ["j", "a.txt"]
    assert len(loaded.problems) == 1
    assert "document 'j' is also in" in loaded.problems[0]


def test_whole_numbers_are_ids_of_their_file(tmp_path: Path) -> None:
    for name in ("a", "b"):
        tokens = {"id": 1, "tokens": ["Bob", "ran"], "mentions": [{"tokens": [0], "kind": "entity"}]}
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(tokens) + "\n")
    loaded = read_corpus([tmp_path])
    assert ids(loaded.corpus) == ["1", "b.jsonl:1"]
    assert [mention.document for mention in loaded.corpus.mentions] == ["1", "b.jsonl:1"]
    assert [note.split(": ")[1] for note in loaded.corpus.notes] == [
        "the name of the file precedes its ids, since others, too, have a document '1'"
    ]


def test_empty_files(tmp_path: Path) -> None:
    (tmp_path / "a.txt").touch()
    (tmp_path / "b.jsonl").touch()
    loaded = read_corpus([tmp_path])
    assert [document.tokens for document in loaded.corpus.documents] == [()]
    assert loaded.corpus.notes == (
        f"{tmp_path / 'a.txt'}: the file has no words",
        f"{tmp_path / 'b.jsonl'}: the file has no documents",
    )


def test_a_folder_is_searched_for_files_that_can_be_read(folder: Path) -> None:
    for name in ("list.xls", "README", "deep/photo.jpg", "deep/er/notes.rst", "NEWS.TXT"):
        (folder / name).write_bytes(b"Ann,Bob")
    loaded = read_corpus([folder])
    assert ids(loaded.corpus) == ["NEWS.TXT", "a.txt", "b.txt", "c", "j"]
    assert loaded.problems == ()
    assert loaded.corpus.notes == (
        f"{folder}: 4 files were left out (README, list.xls, deep/photo.jpg, ...); of a folder only files with "
        "the suffix of a format, such as .txt, .html, .docx or .jsonl, are read; name others one by one",
        f"{folder / 'c.conll'}: cluster ids are local to the file; --ids global takes them across files",
    )
    assert ids(read_corpus([folder / "README"]).corpus) == ["README"]  # named, so meant
    for file in (folder / "deep").rglob("*.gz"):
        file.unlink()
    alone = read_corpus([folder / "deep"])
    assert alone.problems == (f"{folder / 'deep'}: the folder contains no such files",)
    assert "2 files were left out" in alone.corpus.notes[0]


def test_standard_input(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"Text from a pipe.")))
    loaded = read_corpus(["-", folder / "a.txt", "-"])
    assert ids(loaded.corpus) == ["stdin", "a.txt"]
    assert loaded.corpus.documents[0].tokens[-2:] == ("pipe", ".")
    assert "standard input: the file was named twice" in loaded.corpus.notes[0]
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(JSONL + b"{"))))
    packed = read_corpus(["-"]).problems
    assert packed[0].startswith("standard input, line 2: the line is not JSON")


def test_a_pipe_can_be_named(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(JSONL,))
    writer.start()
    assert ids(read_corpus([tmp_path / "pipe"]).corpus) == ["j"]
    writer.join()


def test_how_ids_were_taken_is_noted_once_for_many_files(tmp_path: Path) -> None:
    for number in range(6):
        text = f"#begin document (d{number})\n1 Ann (1)\n#end document\n"
        (tmp_path / f"{number}.conll").write_text(text)
    sentence = "cluster ids are local to the file; --ids global takes them across files"
    assert read_corpus([tmp_path / "0.conll"]).corpus.notes == ()  # one document, one choice
    two = [tmp_path / f"{number}.conll" for number in range(2)]
    assert read_corpus(two).corpus.notes == tuple(f"{path}: {sentence}" for path in two)
    [note] = read_corpus([tmp_path]).corpus.notes
    first = ", ".join(str(tmp_path / f"{number}.conll") for number in range(3))
    assert note == f"6 files ({first}, ...): {sentence}"
    assert read_corpus([tmp_path], ReadOptions(ids="global")).corpus.notes == ()
    assert len(read_corpus([tmp_path]).corpus.clusters()) == 6
    assert len(read_corpus([tmp_path], ReadOptions(ids="global")).corpus.clusters()) == 1
