"""Tables in a terminal: of clusters, with texts that would disturb them, and of an evaluation."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import pytest
from rich.cells import cell_len

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.predict import Plan, Prediction
from cdcoref.views import cluster_table, evaluation_text, statistics_text
from tests.cdcoref.views.conftest import NO_PLAN


def prediction_of(*documents: Document, mentions: list[Mention]) -> Prediction:
    stories = (tuple(document.id for document in documents),)
    return Prediction(Corpus(documents, tuple(mentions)), stories, Plan(0, 0, 0, 0, 0))


def many(clusters: int, size: int = 2) -> Prediction:
    document = Document.from_sentences("x.txt", [["word"]] * (clusters * size))
    mentions = [Mention("x.txt", (n,), "event", str(n // size)) for n in range(clusters * size)]
    return prediction_of(document, mentions=mentions)


def test_the_whole_table(news: Prediction) -> None:
    assert cluster_table(news, singletons=True, everything=True).lines == [
        " kind     mention        where           confidence",
        "",
        "── Clusters across documents ──────────────────────",
        " event    sinks          harbour.txt:1         0.90",
        "          sank           harbour.txt:3         0.80",
        "          sinking        inquiry.txt:1         0.70",
        "",
        " entity   Ann Dahl       harbour.txt:3         0.95",
        "          She            harbour.txt:3         0.55",
        "          Ann Dahl       inquiry.txt:1         0.90",
        "",
        " entity   ferry Maren    harbour.txt:3         0.70",
        "          Maren          inquiry.txt:1         0.60",
        "",
        "── Clusters within one document ───────────────────",
        " event    stolen         museum.txt:1          0.40",
        "          theft          museum.txt:1          0.40",
        "",
        " entity   A painting     museum.txt:1          0.80",
        "          the painting   museum.txt:1          0.80",
        "",
        "── Singletons ─────────────────────────────────────",
        " event    swam           harbour.txt:3         0.50",
    ]
    assert "Singletons" not in "\n".join(cluster_table(news, everything=True).lines)


def test_the_beginning(news: Prediction) -> None:
    whole = cluster_table(news)
    assert whole.lines == cluster_table(news, everything=True).lines
    assert (whole.shown, whole.left, whole.shortened) == (5, 0, False)
    start = cluster_table(many(100))
    assert (start.shown, start.left, start.shortened) == (17, 83, False)
    assert len(start.lines) <= 60
    large = cluster_table(many(3, size=500))
    assert (large.shown, large.left, large.shortened) == (3, 0, True)
    assert sum("... and 488 more" in line for line in large.lines) == 3
    none = cluster_table(many(0))
    assert (none.lines, none.shown, none.left, none.shortened) == ([], 0, 0, False)


def test_long_mentions_are_broken_and_places_are_not() -> None:
    path = "archive/" + "deep/" * 20 + "x.txt"
    document = Document.from_sentences("x", [["渡船", *["沉没"] * 40, "x"]], path=path)
    spans = [tuple(range(0, 41)), (41,)]
    found = prediction_of(document, mentions=[Mention("x", s, "event", "1") for s in spans])
    lines = cluster_table(found, width=80).lines
    assert sum(path in line for line in lines) == 2
    assert len({cell_len(line.partition("archive")[0]) for line in lines if "archive" in line}) == 1
    assert "".join(line[9:21] for line in lines).count("沉") + "".join(lines).count("没") >= 40


def test_a_text_cannot_command_the_terminal() -> None:
    document = Document.from_sentences("\x1b]0;x\x07", [["\x1b[31mred\x1b[0m", "x\u202ey", "a\u200db"]])
    mentions = [Mention(document.id, (n,), "event", "1") for n in range(3)]
    text = "\n".join(cluster_table(prediction_of(document, mentions=mentions)).lines)
    assert not [c for c in text if not c.isprintable() and c not in "\n\u200d"]
    assert "\ufffd[31mred\ufffd[0m" in text


CASES = [(0.9996, "0.99+"), (0.994, "0.99"), (0.624, "0.62"), (0.285, "0.28"), (0.001, "0.00")]
"""Confidences, and how they are shown; 0.285 is a little less than that in binary."""


def prediction(confidence: float) -> Prediction:
    """A cluster of two mentions, both of the same confidence."""
    documents = tuple(Document.from_sentences(name, [["Ferry", "sinks"]]) for name in "ab")
    mentions = tuple(Mention(name, (0,), "entity", "ferry", confidence=confidence) for name in "ab")
    return Prediction(Corpus(documents, mentions), (("a", "b"),), NO_PLAN)


def confidences_in(shown: str | Iterable[str]) -> set[str]:
    """Everything that looks like a confidence or a percentage, outside of markup."""
    text = shown if isinstance(shown, str) else "\n".join(shown)
    return set(re.findall(r"\d\.\d+\+?|\d+\+? ?%", re.sub(r"<[^>]*>", " ", text)))


@pytest.mark.parametrize(("confidence", "text"), CASES)
def test_a_prediction(confidence: float, text: str) -> None:
    assert confidences_in(cluster_table(prediction(confidence)).lines) == {text}


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
    }  # fmt: skip
    lines = statistics_text({"dev": counts}).splitlines()
    rows = {line.strip().partition("  ")[0]: line.split()[-1] for line in lines if line.strip()}
    assert rows["event/entity"] == "dev"
    assert rows["documents"] == "3"
    assert rows["mentions"] == "5/6"
    assert rows["of these, across documents"] == "1/0"
    assert rows["annotated sentences"] == "9"
    none = statistics_text({"dev": {**counts, "mentions": {}, "clusters": {}}}).splitlines()
    assert [line.split()[-1] for line in none if line.strip().startswith(("mentions", "clusters"))] == ["0", "0"]
