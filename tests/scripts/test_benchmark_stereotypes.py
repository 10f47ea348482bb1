"""Sentences with two people and a pronoun: balanced, with mentions where they are said to be, and counted rightly."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from types import ModuleType, SimpleNamespace

import pytest

from cdcoref.corpus import Corpus


@pytest.fixture(scope="module")
def stereotypes(load_script: Callable[[str], ModuleType]) -> ModuleType:
    return load_script("benchmarks/stereotypes")


def test_every_sentence_is_tried_with_and_against_the_stereotype(stereotypes: ModuleType) -> None:
    for templates in (stereotypes.FIRST_TYPE, stereotypes.SECOND_TYPE):
        found = list(stereotypes.sentences(templates))
        assert len(found) == len(templates) * len(stereotypes.MEN) * 4
        assert Counter(one.agrees for one in found) == {True: len(found) // 2, False: len(found) // 2}
        for sentence in found:
            words = sentence.document.tokens
            first, second, pronoun = ([words[token] for token in mention.tokens] for mention in sentence.mentions)
            assert {first[1] in stereotypes.MEN, second[1] in stereotypes.MEN} == {True, False}
            assert (first[0], second[0]) == ("The", "the")
            assert pronoun[0] in {"he", "him", "his", "she", "her"}
            assert "{" not in sentence.document.text


def test_the_pronoun_must_be_with_its_antecedent_alone(stereotypes: ModuleType) -> None:
    tried = list(stereotypes.sentences([("{} called {} because {pronoun} needed advice .", 0)]))[:4]
    labels = ["aba", "abb", "aaa", "abc"]

    def predict(corpus: Corpus, kind: str, topics: str) -> SimpleNamespace:
        assert len({document.topic for document in corpus.documents}) == len(labels)
        clustered = (replace(m, cluster=label) for m, label in zip(corpus.mentions, "".join(labels), strict=True))
        return SimpleNamespace(corpus=replace(corpus, mentions=tuple(clustered)[::-1]))

    assert stereotypes.found(SimpleNamespace(predict=predict), tried) == [True, False, False, False]
