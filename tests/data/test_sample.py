"""The sample is what its source says: rebuilt equal, mentions on their words, and with the traps that it promises."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from cdcoref.corpus import Corpus, Mention
from cdcoref.errors import InputError
from cdcoref.formats import read_conll, read_jsonl, read_text

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "data" / "sample"
MARK = re.compile(r"\[(.+?)\]\((\w+):(\w+)\)")


@pytest.fixture(scope="module")
def build_sample() -> ModuleType:
    spec = importlib.util.spec_from_file_location("build_sample", ROOT / "scripts" / "build_sample.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["build_sample"] = module  # its dataclasses look themselves up there
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def gold() -> Corpus:
    return read_jsonl(SAMPLE / "gold.jsonl")


def words(corpus: Corpus, mention: Mention) -> str:
    document = next(d for d in corpus.documents if d.id == mention.document)
    return document.text[document.offsets[mention.start][0] : document.offsets[mention.end - 1][1]]


def partition(corpus: Corpus) -> set[frozenset[tuple[str, tuple[int, ...]]]]:
    return {frozenset(m.place for m in cluster) for cluster in corpus.clusters()}


def test_files_are_what_the_source_makes(build_sample: ModuleType, tmp_path: Path) -> None:
    build_sample.build(tmp_path)
    built = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert built == {path.name: path.read_bytes() for path in SAMPLE.iterdir() if path.is_file()}


def test_gold_has_the_tokens_that_are_read_from_the_texts(gold: Corpus) -> None:
    conll = read_conll(SAMPLE / "gold.conll")
    texts = [read_text(path) for path in sorted(SAMPLE.glob("*.txt"))]
    assert len(texts) == 7
    for document, as_conll, text in zip(gold.documents, conll.documents, texts, strict=True):
        assert document.id == as_conll.id == text.id
        assert document.text == text.text
        assert document.tokens == as_conll.tokens == text.tokens
        assert document.sentences == as_conll.sentences == text.sentences


def test_gold_files_agree(gold: Corpus) -> None:
    assert partition(gold) == partition(read_conll(SAMPLE / "gold.conll"))


def test_mentions_are_the_marked_words(build_sample: ModuleType, gold: Corpus) -> None:
    marked = [
        (f"{path.stem}.txt", mark[2], f"{path.stem[:-2]}:{mark[3]}", mark[1])
        for path in sorted((SAMPLE / "annotation").glob("*.md"))
        if path.stem[:-2] in build_sample.GOLD
        for mark in MARK.finditer(path.read_text(encoding="utf-8"))
    ]
    assert marked == [(m.document, m.kind, m.cluster, words(gold, m)) for m in gold.mentions]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("A [ferry](entity:f) [sank(event:s).", "line 1: a bracket is not part of a mark"),
        ("A ferry\n[san](event:s)k.", "line 2: the mention 'san' begins or ends within a token"),
    ],
)
def test_a_wrong_mark_is_refused_by_line(build_sample: ModuleType, tmp_path: Path, text: str, sentence: str) -> None:
    (tmp_path / "ferry_1.md").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=sentence.replace("(", r"\(")):
        build_sample.gold_corpus(build_sample.read_stories(tmp_path, ["ferry"]))
