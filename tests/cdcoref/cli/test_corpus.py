"""``cdcoref stats`` and ``cdcoref export`` as a user calls them."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from cdcoref.cli import main
from cdcoref.corpora import CORPORA, TOPICS, CorpusFolder, read_ecb
from cdcoref.formats import read_corpus

Capture = pytest.CaptureFixture[str]


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str | Path) -> int:
    """Run the command line; the exit code."""
    monkeypatch.setattr(sys, "argv", ["cdcoref", *map(str, arguments)])
    try:
        main()
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


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


def test_stats_prints_the_papers_numbers_beside_ours(monkeypatch, capsys: Capture, ecb_root: Path) -> None:
    assert run(monkeypatch, "stats", "--ecb-root", ecb_root) == 0
    out = capsys.readouterr().out
    rows = {line.strip().rsplit(None, 4)[0].strip(): line.split()[-4:] for line in out.splitlines() if "/" in line}
    assert rows["mentions"] == ["3808/4758", "3808/4758", "1245/1476", "1245/1476"]
    assert rows["clusters of two or more"] == ["411/472", "411/472", "129/125", "129/125"]
    assert re.search(r"documents +574 +594 +196 +196", out)
    assert "the paper reports 594 documents; its topics have 575 files here, of which 574 have a listed" in out
    assert "test: not counted; none of its topics is in" in out
    assert re.search(r"dev: 17 predicted topics for 16 .*; B3 .* f1 95\.2, purity 94\.9", out)


def test_stats_as_json(monkeypatch, capsys: Capture, mini_dev: Path) -> None:
    assert run(monkeypatch, "stats", "--ecb-root", mini_dev, "--json") == 0
    numbers = json.loads(capsys.readouterr().out)
    assert numbers["dev"]["documents"] == 10
    assert numbers["dev"]["mentions"] == {"event": 10, "entity": 6}
    assert numbers["dev"]["predicted_topics"]["subtopics"] == 9
    assert numbers["missing_topics"]["test"] == list(TOPICS["test"])
    assert "train" not in numbers


def test_missing_topics_are_named(monkeypatch, capsys: Capture, mini_dev: Path) -> None:
    (mini_dev / "ECB+" / "5").rename(mini_dev / "ECB+" / "36")
    assert run(monkeypatch, "stats", "--ecb-root", mini_dev) == 0
    out = capsys.readouterr().out
    assert f"dev: not counted; topics missing in {mini_dev}: 5\n" in out
    assert f"test: not counted; topics missing in {mini_dev}: 37, 38, 39, 40, 41," in out


def test_stats_of_an_exported_split_of_ecb(monkeypatch, capsys: Capture, mini_dev: Path, tmp_path: Path) -> None:
    folder = tmp_path / "exported"
    folder.mkdir()
    assert run(monkeypatch, "export", "--ecb-root", mini_dev, "--split", "dev", "-o", folder / "dev.jsonl") == 0
    capsys.readouterr()
    assert run(monkeypatch, "stats", "--corpus", f"ecb:{folder}", "--json") == 0
    numbers = json.loads(capsys.readouterr().out)
    assert numbers["dev"]["mentions"] == {"event": 10, "entity": 6}
    assert "missing_topics" not in numbers


def test_stats_of_own_files(monkeypatch, capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl"
    path.write_text('{"id": "a", "text": "Ann left.", "mentions": [{"start": 0, "end": 3, "kind": "entity"}]}\n')
    assert run(monkeypatch, "stats", path) == 0
    out = capsys.readouterr().out
    assert re.search(r"mentions +1\b", out)
    assert "paper" not in out
    assert "predicted topics" not in out
    assert run(monkeypatch, "stats", path, tmp_path / "nowhere.jsonl") == 2
    captured = capsys.readouterr()
    assert "nowhere.jsonl" in captured.err
    assert re.search(r"documents +1\b", captured.out)


@pytest.mark.parametrize("arguments", [["stats"], ["stats", "file", "--ecb-root", "folder"]])
def test_either_ecb_or_files(monkeypatch, capsys: Capture, arguments: list[str]) -> None:
    assert run(monkeypatch, *arguments) == 2
    message = "give either a corpus, as --corpus NAME:DIR (or --ecb-root DIR), or files of your own"
    assert capsys.readouterr().err == f"cdcoref: {message}\n"


@pytest.mark.parametrize(("name", "gaps"), [("gold.conll", False), ("gold.conll.gz", False), ("gold.jsonl", True)])
def test_export_is_read_back(monkeypatch, capsys: Capture, mini_dev: Path, name: str, gaps: bool) -> None:
    path = mini_dev / name
    assert run(monkeypatch, "export", "--ecb-root", mini_dev, "--split", "dev", "--kind", "event", "-o", path) == 0
    assert ("8 discontinuous mentions extended" in capsys.readouterr().err) != gaps
    back = read_corpus([path], kind="event").corpus
    gold = read_ecb(mini_dev, "dev").of_kind("event")
    assert [(d.id, d.tokens, d.subtopic) for d in back.documents] == [
        (d.id, d.tokens, d.subtopic) for d in gold.documents
    ]
    if gaps:
        assert back.mentions == gold.mentions
    else:
        assert {(m.document, m.start, m.end) for m in back.mentions} == {
            (m.document, m.start, m.end) for m in gold.mentions
        }


def test_cluster_numbers_of_an_export_mean_the_same_in_the_whole_file(monkeypatch, mini_dev: Path) -> None:
    path = mini_dev / "gold.conll"
    run(monkeypatch, "export", "--ecb-root", mini_dev, "--kind", "entity", "-o", path)
    clusters = [{m.key[:2] for m in cluster} for cluster in read_corpus([path]).corpus.clusters()]
    assert {("2_1ecb", (0,)), ("2_1ecbplus", (7,))} in clusters
    assert len(clusters) == 4


def test_exported_conll_2012_has_a_block_for_every_document(monkeypatch, mini_dev: Path) -> None:
    path = mini_dev / "gold.conll"
    run(monkeypatch, "export", "--ecb-root", mini_dev, "--layout", "2012", "-o", path)
    assert path.read_text().count("#begin document (") == 10


def test_export_refuses_other_names_and_missing_splits(monkeypatch, capsys: Capture, mini_dev: Path) -> None:
    assert run(monkeypatch, "export", "--ecb-root", mini_dev, "-o", mini_dev / "gold.txt") == 2
    assert "gold.txt: the output's name must end in .conll, " in capsys.readouterr().err
    assert run(monkeypatch, "export", "--ecb-root", mini_dev, "--split", "test", "-o", mini_dev / "gold.conll") == 2
    assert "topic 36 is missing, so the test split cannot be read" in capsys.readouterr().err
    assert not (mini_dev / "gold.conll").exists()


# -- other corpora than ECB+ -----------------------------------------------------------------------------------------


@pytest.fixture
def litbank(tmp_path: Path) -> Path:
    """JSON lines of two works; one has two mentions of a cluster and a singleton."""
    clusters = {"a": ["a:1", "a:1", "a:2"], "b": ["b:1"]}
    for split, id in (("train", "b"), ("dev", "a")):
        mentions = [{"tokens": [n], "kind": "entity", "cluster": name} for n, name in enumerate(clusters[id])]
        line = {"id": id, "tokens": ["Nan", "she", "tug", "."], "topic": id, "subtopic": id, "mentions": mentions}
        (tmp_path / f"{split}.jsonl").write_text(json.dumps(line) + "\n")
    return tmp_path


def test_stats_of_a_corpus_by_name(monkeypatch, capsys: Capture, litbank: Path) -> None:
    assert run(monkeypatch, "stats", "--corpus", f"litbank:{litbank}") == 0
    out = capsys.readouterr().out
    for row in (r"topics +1 +1", r"documents +1 +1", r"annotated sentences +1 of 1 +1 of 1", r"mentions +1 +3",
                r"clusters of two or more +0 +1", r"of these, across documents +0 +0",
                r"singletons +1 +1"):  # fmt: skip
        assert re.search(rf" {row} *\n", out), row
    assert "LitBank (Bamman et al. 2020): entity mentions, linked within documents, with singletons" in out
    assert "\nlicence: CC BY 4.0; https://github.com/dbamman/litbank\n" in out
    assert "predicted topic" not in out


def test_stats_of_a_corpus_by_name_as_json(monkeypatch, capsys: Capture, litbank: Path) -> None:
    assert run(monkeypatch, "stats", "--corpus", f"litbank:{litbank}", "--json") == 0
    numbers = json.loads(capsys.readouterr().out)
    assert numbers["dev"]["singletons"] == {"entity": 1}
    assert (numbers["corpus"]["licence"], numbers["corpus"]["cross_document"]) == ("CC BY 4.0", False)
    assert "missing_topics" not in numbers


def test_stats_of_an_empty_folder_is_one_sentence(monkeypatch, capsys: Capture, tmp_path: Path) -> None:
    assert run(monkeypatch, "stats", "--corpus", f"gvc:{tmp_path}") == 2
    assert capsys.readouterr().err.startswith(
        f"cdcoref: {tmp_path}: this folder does not hold any split of GVC; expected"
    )


def test_an_exported_corpus_is_read_as_that_corpus(monkeypatch, capsys: Capture, litbank: Path) -> None:
    """JSON lines named after the split are a form of every corpus."""
    copy = litbank / "copy"
    copy.mkdir()
    for split in ("train", "dev"):
        arguments = ("export", "--corpus", f"litbank:{litbank}", "--split", split, "-o", copy / f"{split}.jsonl.gz")
        assert run(monkeypatch, *arguments) == 0
    original, again = (CorpusFolder("litbank", folder) for folder in (litbank, copy))
    assert again.splits() == ["train", "dev"]
    assert again.read("dev").corpus.mentions == original.read("dev").corpus.mentions
    capsys.readouterr()
    assert run(monkeypatch, "export", "-o", copy / "x.jsonl") == 2
    assert capsys.readouterr().err == (
        "cdcoref: give either a corpus, as --corpus NAME:DIR (or --ecb-root DIR), or a collection or annotated files\n"
    )


def test_the_help_names_every_corpus_that_is_known(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    assert run(monkeypatch, "stats", "--help") == 0
    shown = capsys.readouterr().out
    assert {name for name in CORPORA if re.search(rf"(?<![\w-]){name}(?![\w-])", shown)} == set(CORPORA)
