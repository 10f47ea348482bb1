"""`cdcoref evaluate` as it is run: a table, JSON, and a sentence for what cannot be scored."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


@pytest.fixture
def evaluate(cdcoref: Run, tiny_model_folder: Path) -> Run:
    return lambda *arguments: cdcoref("evaluate", "--model", tiny_model_folder, *arguments)


def test_a_table(evaluate: Run, sample: Path, tiny_model_folder: Path) -> None:
    done = evaluate(sample / "dev_tiny.jsonl")
    assert done.code == 0, done.err
    assert done.err == ""
    lines = done.out.splitlines()
    assert lines[0].startswith(f"{sample}/dev_tiny.jsonl, 2 documents, gold mentions; model {tiny_model_folder}, 0.1M ")
    assert re.search(r", [\d.]+ s\. F1 in percent\.$", lines[0])
    results = json.loads(evaluate(sample / "dev_tiny.jsonl", "--json").out)
    rows = [line.split() for line in lines if re.match(r" *(event|entity) ", line)]
    assert [row[:2] for row in rows] == [
        [kind, topics] for kind in ("event", "entity") for topics in ("predicted", "gold_topic")
    ]
    for kind, topics, *numbers in rows:
        scores = results[kind][topics]
        expected = [scores[name]["f1"] for name in ("muc", "b3", "ceafe", "lea")]
        expected += [scores["conll_f1"], scores["without_singletons"]["conll_f1"]]
        baseline = scores["lemma_baseline"]
        expected += [baseline["conll_f1"], baseline["without_singletons"]["conll_f1"], scores["ceiling"]["conll_f1"]]
        assert [float(number) for number in numbers] == pytest.approx([100 * e for e in expected], abs=0.051)


def test_json_of_predicted_mentions(evaluate: Run, sample: Path, tiny_model_folder: Path) -> None:
    done = evaluate(sample / "dev_tiny.jsonl", "--mentions", "predicted", "--json")
    assert done.code == 0, done.err
    results = json.loads(done.out)
    assert (results["corpus"], results["model"]) == (str(sample / "dev_tiny.jsonl"), str(tiny_model_folder))
    assert {"event", "entity", "both", "headline", "detection", "mentions"} <= set(results)
    table = evaluate(sample / "dev_tiny.jsonl", "--mentions", "predicted").out
    for kind in ("event", "entity"):
        f1 = 100 * results["detection"][kind]["exact"]["f1"]
        assert re.search(rf"{kind} mention detection \(exact\): precision [\d.]+, recall [\d.]+, f1 {f1:.1f}\n", table)


def test_ecb_plus(evaluate: Run, mini_ecb: Path) -> None:
    for topic in (5, 12, 18, 21, 23, 34, 35):
        (mini_ecb / "ECB+" / str(topic)).mkdir()
    done = evaluate("--ecb-root", mini_ecb, "--json")
    assert done.code == 0, done.err
    results = json.loads(done.out)
    assert (results["corpus"], results["documents"]) == ("ECB+ dev", 3)
    assert list(results["event"]) == ["predicted", "gold_subtopic", "gold_topic"]
    missing = evaluate("--ecb-root", mini_ecb, "--split", "test")
    assert missing.code == 2
    assert missing.err.count("\n") == 1


def test_what_cannot_be_scored_is_said(evaluate: Run, tmp_path: Path, mini_ecb: Path) -> None:
    (tmp_path / "plain.txt").write_text("A ferry sank.")
    (tmp_path / "bad.jsonl").write_text("{")
    cases = {
        (): "give either a corpus, as --corpus NAME:DIR (or --ecb-root DIR), or one annotated file of your own",
        (tmp_path / "plain.txt", "--ecb-root", mini_ecb): "give either a corpus, as --corpus NAME:DIR",
        (tmp_path / "plain.txt", "--split", "dev"): "only corpora have splits; leave out --split",
        (tmp_path / "plain.txt",): "the corpus has no annotated mentions to score against",
        (tmp_path / "missing.jsonl",): f"{tmp_path / 'missing.jsonl'}: there is no such file or folder",
        (tmp_path / "bad.jsonl",): f"{tmp_path / 'bad.jsonl'}, line 1: ",
        ("--ecb-root", tmp_path / "nowhere"): f"{tmp_path / 'nowhere'}",
        ("--corpus", "foo:x"): "there is no corpus named 'foo'; the known names are ecb, gum, gum-heads, gvc, ",
        ("--corpus", "gum"): "'gum' does not have the form NAME:DIR; the known names are ecb, gum, gum-heads, ",
        ("--corpus", "gum:nowhere"): "nowhere: this is not a folder; give the folder that holds GUM",
        ("--corpus", "gum:x", "--ecb-root", "y"): "give one corpus, as --corpus NAME:DIR (or --ecb-root DIR)",
    }
    for arguments, message in cases.items():
        done = evaluate(*arguments)
        assert (done.code, done.out) == (2, "")
        assert done.err.startswith(f"cdcoref: {message}")
        assert done.err.count("\n") == 1


def test_conll_does_not_say_kinds(cdcoref: Run, evaluate: Run, sample: Path) -> None:
    conll = sample / "gold.conll"
    done = cdcoref("evaluate", conll, "--model", "lemma")
    assert done.code == 0, done.err
    assert done.out.startswith(f"{conll}, 7 documents, gold mentions; model lemma, ")
    assert "parameters" not in done.out
    (row,) = re.findall(r"\n *unknown +predicted +(.*)", done.out)
    named = cdcoref("evaluate", conll, "--model", "lemma", "--kind", "event").out
    assert re.findall(r"\n *event +predicted +(.*)", named) == [row]
    refused = evaluate(conll)
    assert refused.code == 2
    assert "neither an event nor an entity; specify the kind of its mentions" in refused.err
