"""Evaluations and statistics as text: the numbers in their places, plurals, and what is not known left out."""

from __future__ import annotations

from typing import Any

from cdcoref.views import evaluation_text, statistics_text

SCORES: dict[str, Any] = {
    **{name: {"f1": number / 10} for number, name in enumerate(("muc", "b3", "ceafe", "lea"), start=1)},
    "conll_f1": 0.5,
    "without_singletons": {"conll_f1": 0.6},
    "lemma_baseline": {"conll_f1": 0.7, "without_singletons": {"conll_f1": 0.8}},
    "ceiling": {"conll_f1": 0.999},
}
RESULTS: dict[str, Any] = {
    "corpus": "ECB+ dev",
    "documents": 1,
    "mentions": "gold",
    "model": "default",
    "parameters": 28_500_000,
    "seconds": 3.5,
    "event": {"predicted": SCORES},
    "detection": {"event": {"last_word": {"precision": 0.5, "recall": 0.25}}},
}


def test_an_evaluation() -> None:
    lines = evaluation_text(RESULTS).splitlines()
    assert lines[0] == "ECB+ dev, 1 document, gold mentions; model default, 28.5M parameters, 3.5 s. F1 in percent."
    assert " MUC     B3   CEAFe    LEA   CoNLL " in lines[2]
    [row] = [line.split() for line in lines if line.startswith(" event ")]
    assert row == ["event", "predicted", "10.0", "20.0", "30.0", "40.0", "50.0", "60.0", "70.0", "80.0", "99.9"]
    assert lines[-1] == "event mention detection (last word): precision 50.0, recall 25.0"


def test_statistics() -> None:
    counts = {
        "topics": 2, "documents": 3, "sentences": 9, "annotated_sentences": 7, "mentions": {"event": 5, "entity": 6},
        "clusters": {"event": 2, "entity": 1}, "cross_document_clusters": {"event": 1}, "singletons": {"entity": 4},
        "predicted_topics": {"groups": 1, "subtopics": 2, "precision": 0.5, "recall": 1.0, "f1": 0.667, "purity": 0.5},
    }  # fmt: skip
    lines = statistics_text({"dev": counts}).splitlines()
    rows = {line.strip().partition("  ")[0]: line.split()[-1] for line in lines if line.strip()}
    assert rows["event/entity"] == "dev"
    assert rows["documents"] == "3"
    assert rows["mentions"] == "5/6"
    assert rows["of these, across documents"] == "1/0"
    assert rows["annotated sentences"] == "9"
    assert lines[-1] == (
        "dev: 1 predicted topic for 2 annotated subtopics; B3 precision 50.0, recall 100.0, f1 66.7, purity 50.0"
    )
    none = statistics_text({"dev": {**counts, "mentions": {}, "clusters": {}}}).splitlines()
    assert [line.split()[-1] for line in none if line.strip().startswith(("mentions", "clusters"))] == ["0", "0"]
