"""``cdcoref stats`` and ``cdcoref export`` as a user calls them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cdcoref.corpora import CORPORA, TOPICS, read_ecb
from cdcoref.formats import ReadOptions, read_corpus

Run = Callable[..., Any]


@pytest.fixture
def mini_dev(mini_ecb: Path) -> Path:
    """A whole dev split: topic 2 and, for the others, copies of one document."""
    listed = (mini_ecb / "ECBplus_coreference_sentences.csv").open("a", encoding="utf-8")
    text = (mini_ecb / "ECB+" / "2" / "2_10ecb.xml").read_text(encoding="utf-8")
    with listed:
        for topic in set(TOPICS["dev"]) - {2}:
            (mini_ecb / "ECB+" / str(topic)).mkdir()
            (mini_ecb / "ECB+" / str(topic) / f"{topic}_1ecb.xml").write_text(text, encoding="utf-8")
            listed.write(f"{topic},1ecb,0\n")
    return mini_ecb


def test_stats_of_ecb_plus_are_those_of_the_paper(cdcoref: Run, ecb_root: Path) -> None:
    """Table 8 (Appendix A.2), but for its 594 documents of the train split, of which 574 have a listed sentence."""
    out = cdcoref("stats", "--ecb-root", ecb_root).out
    rows = {line.strip().rsplit(None, 2)[0].strip(): line.split()[-2:] for line in out.splitlines() if "/" in line}
    assert rows["mentions"] == ["3808/4758", "1245/1476"]
    assert rows["clusters of two or more"] == ["411/472", "129/125"]
    assert re.search(r"documents +574 +196", out)


def test_stats_as_json_also_of_an_exported_split(cdcoref: Run, mini_dev: Path, tmp_path: Path) -> None:
    numbers = json.loads(cdcoref("stats", "--ecb-root", mini_dev, "--json").out)
    assert numbers["dev"]["documents"] == 10
    assert numbers["dev"]["mentions"] == {"event": 10, "entity": 6}
    assert "train" not in numbers
    folder = tmp_path / "exported"
    folder.mkdir()
    assert cdcoref("export", "--ecb-root", mini_dev, "--split", "dev", "-o", folder / "dev.jsonl").code == 0
    exported = json.loads(cdcoref("stats", "--corpus", f"ecb:{folder}", "--json").out)
    assert exported["dev"]["mentions"] == {"event": 10, "entity": 6}


def test_stats_of_own_files(cdcoref: Run, tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl"
    path.write_text('{"id": "a", "text": "Ann left.", "mentions": [{"start": 0, "end": 3, "kind": "entity"}]}\n')
    out = cdcoref("stats", path).out
    assert re.search(r"mentions +1\b", out)
    done = cdcoref("stats", path, tmp_path / "nowhere.jsonl")
    assert done.code == 2
    assert "nowhere.jsonl" in done.err
    assert re.search(r"documents +1\b", done.out)


@pytest.mark.parametrize("suffix", ["csv", "json"])
def test_columns_of_what_is_exported_have_the_names_given(cdcoref: Run, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a.{suffix}"
    row = {"Report": "Ann left.", "Caption": "Ann goes"}
    path.write_text(json.dumps([row]) if suffix == "json" else ",".join(row) + "\n" + ",".join(row.values()))
    done = cdcoref("export", path, "--columns", "text=Report,title=Caption", "-o", tmp_path / "out.jsonl")
    assert done.code == 0, done.err
    [document] = read_corpus([tmp_path / "out.jsonl"]).corpus.documents
    assert (document.text, document.metadata["title"]) == ("Ann left.", "Ann goes")


@pytest.mark.parametrize(("name", "gaps"), [("gold.conll", False), ("gold.conll.gz", False), ("gold.jsonl", True)])
def test_export_is_read_back(cdcoref: Run, mini_dev: Path, name: str, gaps: bool) -> None:
    path = mini_dev / name
    done = cdcoref("export", "--ecb-root", mini_dev, "--split", "dev", "--kind", "event", "-o", path)
    assert ("8 discontinuous mentions extended" in done.err) != gaps
    back = read_corpus([path], ReadOptions(kind="event")).corpus
    gold = read_ecb(mini_dev, "dev").of_kind("event")
    assert [(d.id, d.tokens, d.subtopic) for d in back.documents] == [
        (d.id, d.tokens, d.subtopic) for d in gold.documents
    ]
    assert not gaps or back.mentions == gold.mentions
    spans = ({(m.document, m.start, m.end) for m in corpus.mentions} for corpus in (back, gold))
    assert next(spans) == next(spans)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("stats", "give either a corpus, as --corpus NAME:DIR (or --ecb-root DIR), or files of your own\n"),
        ("stats file --ecb-root ECB", "give either a corpus, as --corpus NAME:DIR (or --ecb-root DIR), or files of"),
        ("stats --corpus gvc:ECB", "this folder does not hold any split of GVC; expected"),
        ("export -o x.jsonl", "(or --ecb-root DIR), or a collection or annotated files\n"),
        ("export --ecb-root ECB -o gold.txt", "gold.txt: the output's name must end in .conll, "),
        ("export --ecb-root ECB --split test -o x.conll", "topic 36 is missing, so the test split cannot be read"),
    ],
)
def test_what_cannot_be_is_one_sentence(cdcoref: Run, mini_dev: Path, arguments: str, message: str) -> None:
    done = cdcoref(*arguments.replace("ECB", str(mini_dev)).split())
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert message in done.err
    assert not Path("x.conll").exists()


@pytest.fixture
def litbank(tmp_path: Path) -> Path:
    """JSON lines of two works; one has two mentions of a cluster and a singleton."""
    clusters = {"a": ["a:1", "a:1", "a:2"], "b": ["b:1"]}
    for split, id in (("train", "b"), ("dev", "a")):
        mentions = [{"tokens": [n], "kind": "entity", "cluster": name} for n, name in enumerate(clusters[id])]
        line = {"id": id, "tokens": ["Nan", "she", "tug", "."], "topic": id, "subtopic": id, "mentions": mentions}
        (tmp_path / f"{split}.jsonl").write_text(json.dumps(line) + "\n")
    return tmp_path


def test_stats_of_a_corpus_by_name(cdcoref: Run, litbank: Path) -> None:
    out = cdcoref("stats", "--corpus", f"litbank:{litbank}").out
    for row in (r"topics +1 +1", r"documents +1 +1", r"annotated sentences +1 of 1 +1 of 1", r"mentions +1 +3",
                r"clusters of two or more +0 +1", r"of these, across documents +0 +0",
                r"singletons +1 +1"):  # fmt: skip
        assert re.search(rf" {row} *\n", out), row
    assert "LitBank (Bamman et al. 2020): entity mentions, linked within documents, with singletons" in out
    assert "\nlicence: CC BY 4.0; https://github.com/dbamman/litbank\n" in out
    assert "predicted topic" not in out
    numbers = json.loads(cdcoref("stats", "--corpus", f"litbank:{litbank}", "--json").out)
    assert numbers["dev"]["singletons"] == {"entity": 1}
    assert (numbers["corpus"]["licence"], numbers["corpus"]["cross_document"]) == ("CC BY 4.0", False)


def test_the_help_names_every_corpus_that_is_known(cdcoref: Run) -> None:
    shown = cdcoref("stats", "--help").out
    assert {name for name in CORPORA if re.search(rf"(?<![\w-]){name}(?![\w-])", shown)} == set(CORPORA)
