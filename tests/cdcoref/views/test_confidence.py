"""A confidence has one wording, in the terminal, a notebook, a page, and a collection that is shown or served."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from cdcoref.collection import Collection, cluster_list_lines, cluster_page_lines, document_page_lines
from cdcoref.corpus import Corpus, Document, Mention, confidence_text
from cdcoref.predict import Prediction
from cdcoref.server import Server, ServerOptions
from cdcoref.views import cluster_lines
from tests.cdcoref.views.conftest import NO_PLAN, Open

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
def test_the_function(confidence: float, text: str) -> None:
    assert confidence_text(confidence) == text


@pytest.mark.parametrize(("confidence", "text"), CASES)
def test_a_prediction(confidence: float, text: str) -> None:
    assert confidences_in(cluster_lines(prediction(confidence))) == {text}
    assert confidences_in(prediction(confidence)._repr_html_()) == {text}


def test_a_page(open_page: Open) -> None:
    for confidence, text in CASES[:2]:
        page = open_page(prediction(confidence))
        assert page.locator("#cluster-list .meta").inner_text().split("\n")[1] == f"confidence {text}"
        page.locator("#cluster-list [role=option]").click()
        assert page.locator("#cluster-content .head .confidence").inner_text() == f"confidence {text}"
        assert page.locator("#cluster-content .sure").all_inner_texts() == [text, text]
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert confidences_in(page.locator("#print").inner_html()) == {text}


@pytest.mark.parametrize(("confidence", "text"), CASES[:2])
def test_a_collection(confidence: float, text: str, tmp_path: Path, written: Any) -> None:
    path = tmp_path / "news.cdcoref"
    with Collection.create(path, "lemma") as collection:
        texts = {"a": "Police saw the ferry .", "b": "The ferry sank in the harbour ."}
        collection.add(written.joined(*(written.annotated(id, text) for id, text in texts.items())))
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("UPDATE mentions SET confidence = ?", (confidence,))
        connection.execute("UPDATE clusters SET confidence = ?", (confidence,))
    connection.close()
    with Collection.open(path) as collection:
        clusters = collection.clusters()
        assert clusters
        assert confidences_in(cluster_list_lines(clusters)) == {text}
        assert confidences_in(cluster_page_lines(collection.cluster(clusters[0].id))) == {text}
        assert confidences_in(document_page_lines(collection.document("a"))) <= {text}
    with Server(path, ServerOptions(port=0)) as server:
        for address in ("/", f"/clusters/{clusters[0].id}"):
            with urlopen(server.address + address) as answer:
                html = answer.read().decode()
            shown = confidences_in(re.sub(r"(?s)<(style|script).*?</\1>", "", html))
            assert shown == {text}
