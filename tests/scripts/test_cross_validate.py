"""Folds over topics: every topic is in one, and a model links the mentions of topics that it has not seen."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import pytest

from cdcoref.corpora import AnnotatedCorpus, annotated_corpora
from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError

WORDS = ["fire", "flood", "storm", "vote", "crash"]


@pytest.fixture(scope="module")
def script(load_script: Callable[[str], ModuleType]) -> ModuleType:
    return load_script("cross_validate")


@pytest.fixture(scope="module")
def part() -> AnnotatedCorpus:
    """Six topics of two documents, in each of which the same word is the same event."""
    documents, mentions = [], []
    for topic in range(6):
        for name in (f"{topic}a", f"{topic}b"):
            documents.append(Document.from_sentences(name, [[w, "the", "b"] for w in WORDS], topic=str(topic)))
            mentions += [Mention(name, (3 * n,), "event", cluster=f"{topic}{w}") for n, w in enumerate(WORDS)]
    return annotated_corpora(Corpus(tuple(documents), tuple(mentions)))[0]


def test_every_topic_is_in_one_fold(script: ModuleType, part: AnnotatedCorpus) -> None:
    folds = script.topics_in_folds(part, 4)
    assert folds == [["0", "4"], ["1", "5"], ["2"], ["3"]]
    for count in (1, 7):
        with pytest.raises(InputError, match="from 2 to 6"):
            script.topics_in_folds(part, count)
