"""The reference scorer's own cases, and the scores that were published for real systems."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cdcoref.formats import read_conll
from cdcoref.scoring import Scores, score, score_files

OUR_NAME = {"bcub": "b3"}
MISREAD_BY_COVAL = {"A8", "A9"}
"""Cases with a mention in two clusters, written `3)1)`, of which coval misreads the brackets."""


def check(scores: Scores, metric: str, expected: list[float], tolerance: float) -> None:
    found = scores[OUR_NAME.get(metric, metric)]
    assert (found.recall, found.precision, found.f1) == pytest.approx(expected, abs=tolerance), metric


def cases(shared: Path) -> list[dict]:
    return json.loads((shared / "conformance" / "coref-metrics" / "expected.json").read_text())


def test_all_cases_of_the_reference_scorer(shared: Path) -> None:
    folder = shared / "conformance" / "coref-metrics"
    listed = cases(shared)
    assert len(listed) == 36
    for case in listed:
        [result] = score_files(folder / case["key"], [folder / case["response"]])
        for metric, expected in case["reference_scorer"].items():
            check(result.scores, metric, expected, 5e-5)
        if case["id"] not in MISREAD_BY_COVAL:
            check(result.scores, "lea", case["coval"]["lea"], 1e-9)
        same = score(read_conll(folder / case["key"]), read_conll(folder / case["response"]))
        assert same.to_dict() == result.scores.to_dict(), case["id"]


def test_published_scores(shared: Path) -> None:
    folder = shared / "conformance" / "published-scores"
    listed = json.loads((folder / "expected.json").read_text())
    assert len(listed) == 5
    for case in listed:
        [result] = score_files(folder / case["key"], [folder / case["system"]])
        for metric, expected in case["scores"].items():
            if metric == "conll":
                assert result.scores.conll_f1 is not None
                assert result.scores.conll_f1 * 100 == pytest.approx(expected["F1"], abs=1e-9)
            else:
                check(result.scores, metric, [expected["R"], expected["P"], expected["F1"]], 1e-9)
