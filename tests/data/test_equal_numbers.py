"""The models that ship: events that state the same number, year or date are linked more easily, others less."""

from __future__ import annotations

import pytest

import cdcoref
from cdcoref.corpus import Corpus, Document, Mention

TEXTS = (
    ("The", "mayor", "of", "Orrin", "said", "on", "Monday", "that", "12", "explosions", "had", "shaken", "the", "port",
     "."),
    ("Residents", "of", "Orrin", "heard", "12", "explosions", "at", "the", "port", "on", "Monday", "."),
)  # fmt: skip
PHRASES = ((8, 9), (4, 5))


@pytest.mark.parametrize("name", ["small", "base"])
def test_phrases_with_the_same_number_are_one_event(name: str) -> None:
    documents = tuple(Document.from_sentences(f"d{n}", [text]) for n, text in enumerate(TEXTS))

    def confidences(with_number: bool) -> list[float]:
        mentions = tuple(
            Mention(f"d{n}", phrase if with_number else phrase[1:], "event") for n, phrase in enumerate(PHRASES)
        )
        found = cdcoref.load(name).predict(Corpus(documents, mentions)).corpus.mentions
        assert found[0].cluster == found[1].cluster
        return [mention.confidence or 0.0 for mention in found]

    assert min(confidences(True)) >= min(confidences(False))
