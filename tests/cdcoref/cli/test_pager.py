"""Output on a terminal goes through the user's pager, as far as it is read."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.formats import write_corpus

Show = Callable[..., Any]


@pytest.fixture
def show(cdcoref: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Show:
    """Have the clusters of a text printed, of two mentions for every word, as if on a terminal."""

    def show(*options: str, words: list[str], id: str = "text") -> Any:
        document = Document.from_sentences(id, [[word, "left", "."] for word in words * 2])
        mentions = tuple(Mention(id, (3 * n,), "entity") for n in range(len(words) * 2))
        write_corpus(Corpus((document,), mentions), tmp_path / "x.jsonl")
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
        return cdcoref("predict", tmp_path / "x.jsonl", "--model", "lemma", *options)

    return show


def test_lines_go_to_the_pager(show: Show, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAGER", f"tee '{tmp_path / 'a file'}'")
    printed = show("--all", words=["Fähre", "渡船"]).out
    assert printed.count("Fähre") == printed.count("渡船") == 2
    assert show(words=["Fähre", "渡船"]).code == 0
    assert (tmp_path / "a file").read_text(encoding="utf-8") == printed


@pytest.mark.parametrize("pager", ["less 'of a file", "no-such-program-here -x"])
def test_no_pager(show: Show, monkeypatch: pytest.MonkeyPatch, pager: str) -> None:
    monkeypatch.setenv("PAGER", pager)
    done = show(words=[f"w{n}" for n in range(50)])
    assert (done.code, done.out.count(" entity ")) == (0, 17)
    assert "cdcoref: showing the first 17 of 50 clusters; " in done.err
