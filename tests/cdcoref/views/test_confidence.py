"""A confidence has one wording, in the terminal and in a notebook."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest

from cdcoref.corpus import Corpus, Document, Mention, confidence_text
from cdcoref.predict import Prediction
from cdcoref.views import cluster_lines
from tests.cdcoref.views.conftest import NO_PLAN

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
