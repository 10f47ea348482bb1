"""Corpora of document sets: each form is recognised and read, what is no text is counted, what is no corpus is said."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest

from cdlm.errors import InputError
from cdlm.pretraining import open_source


def sets_of(path: Path | str, split: str = "train") -> tuple[list[tuple[str, ...]], Counter[str]]:
    tally = Counter[str]()
    return list(open_source(path, split)(tally)), +tally


def test_multi_news(tmp_path: Path) -> None:
    file = tmp_path / "train.src"
    file.write_text(
        "one NEWLINE_CHAR two ||||| three\n\nfour story_separator_special_tag five |||||\n", encoding="utf-8"
    )
    assert sets_of(file)[0] == [("one \n two", "three"), ("",), ("four", "five", "")]


def test_a_packed_line_that_is_too_long_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "train.src.gz"
    file.write_bytes(gzip.compress(b"a ||||| b\n") + gzip.compress(b"c ||||| d " * (1 << 17)) * 64)
    with pytest.raises(InputError, match=r"line 2: the line is longer than 64 MB; split the set"):
        sets_of(file)


def test_a_line_of_multi_news_that_is_no_text_is_counted(tmp_path: Path) -> None:
    file = tmp_path / "train.src"
    file.write_bytes(b"a ||||| b\n\xff\xfe ||||| c\nd ||||| e\n")
    assert sets_of(file) == ([("a", "b"), ("d", "e")], Counter({"lines that are not UTF-8 text": 1}))


@pytest.mark.parametrize("compressed", [False, True])
def test_json_lines(tmp_path: Path, compressed: bool) -> None:
    rows: list[object] = [
        {"documents": [{"text": "a"}, "b", {"tokens": ["c", "d"]}, {"title": "no text"}]},
        {"document": "e ||||| f"},
        {"text": "g", "subtopic": "s"},
        {"tokens": ["h"], "subtopic": "s", "topic": "t"},
        {"text": "i", "subtopic": "other"},
        {"text": "j"},
        {"text": "k"},
        ["no object"],
        {"neither": 1},
    ]
    content = "".join(json.dumps(row) + "\n" for row in rows) + "no JSON\n"
    file = tmp_path / "sets.jsonl"
    file.write_bytes(gzip.compress(content.encode()) if compressed else content.encode())
    found, tally = sets_of(file)
    assert found == [("a", "b", "c d"), ("e", "f"), ("g", "h"), ("i",), ("j",), ("k",)]
    counts = {"documents without text": 1, "lines that are not JSON objects": 2, "lines without documents or text": 1}
    assert tally == counts


def test_a_damaged_compressed_file(tmp_path: Path) -> None:
    file = tmp_path / "sets.jsonl.gz"
    whole = gzip.compress(b'{"documents": ["a", "b"]}\n' * 20_000)
    file.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match="corrupt or truncated"):
        sets_of(file)


def test_a_folder_of_splits(tmp_path: Path) -> None:
    (tmp_path / "train.src.cleaned").write_text("a ||||| b\n")
    (tmp_path / "val.src.cleaned").write_text("c ||||| d\n")
    (tmp_path / "train.tgt").write_text("summary\n")
    assert sets_of(tmp_path)[0] == [("a", "b")]
    assert sets_of(tmp_path, "dev")[0] == sets_of(tmp_path, "validation")[0] == [("c", "d")]
    with pytest.raises(InputError, match=r"no file for the split 'test', only train\.src"):
        open_source(tmp_path, "test")


def test_a_folder_of_folders(tmp_path: Path) -> None:
    for folder, name, content in [
        ("one", "b.txt", b"second"), ("one", "a.txt", b"first"), ("two", "deep/c.txt", "ä".encode()),
        ("two", "picture.png", b"\x89PNG\0"), ("two", "latin.txt", b"\xe4"),
        ("two", ".hidden", b"x"), (".git", "d", b"x"),
    ]:  # fmt: skip
        (tmp_path / folder / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / folder / name).write_bytes(content)
    assert sets_of(tmp_path) == ([("first", "second"), ("ä",)], Counter({"files that are not UTF-8 text": 2}))


@pytest.fixture
def announced_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed package that reads annotated corpora: the words of three documents, and what it was asked for."""
    site = tmp_path / "site"
    (site / "announced-1.0.dist-info").mkdir(parents=True)
    (site / "announced-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: announced\nVersion: 1.0\n")
    (site / "announced-1.0.dist-info" / "entry_points.txt").write_text("[cdlm.corpora]\nany = announced_reader:read\n")
    (site / "announced_reader.py").write_text("""
from cdlm.documents import AnnotatedDocument

def read(corpus, folder, split):
    text = folder / f"{split}.txt"
    words = text.read_text().split() if text.is_file() else []
    return [
        AnnotatedDocument(name, group, (name, corpus, folder.name, split, *words))
        for name, group in (("a", "1"), ("b", "2"), ("c", "1"))
    ]
""")
    monkeypatch.syspath_prepend(site)


@pytest.mark.usefixtures("announced_reader")
def test_annotated_corpora_are_read_by_whoever_announces_a_reader(tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "ECBplus_coreference_sentences.csv").touch()
    assert sets_of(tmp_path / "corpus", "dev")[0] == [("a ecb corpus dev", "c ecb corpus dev"), ("b ecb corpus dev",)]
    found = sets_of("meantime:some/folder")[0]
    assert found == [("a meantime folder train", "c meantime folder train"), ("b meantime folder train",)]


def test_a_data_set_of_the_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("datasets")
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "news"
    folder.mkdir()
    rows = [{"document": "a ||||| b", "summary": "s"}, {"document": "c |||||", "summary": "s"}]
    (folder / "train.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert sets_of(f"hub:{folder}")[0] == [("a", "b"), ("c", "")]
    with pytest.raises(InputError, match="no split 'test'"):
        open_source(f"hub:{folder}", "test")


def test_what_is_no_corpus(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file or folder"):
        open_source(tmp_path / "absent")
    with pytest.raises(InputError, match=r"neither \*\.src"):
        open_source(tmp_path)
    (tmp_path / "letter.txt").write_text("Dear reader\n")
    with pytest.raises(InputError, match="neither JSON lines nor Multi-News"):
        open_source(tmp_path / "letter.txt")
    (tmp_path / "empty.txt").touch()
    with pytest.raises(InputError, match="neither JSON lines nor Multi-News"):
        open_source(tmp_path / "empty.txt")
