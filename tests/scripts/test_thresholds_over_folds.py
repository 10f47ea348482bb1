"""Thresholds over folds: what is chosen without a fold is judged on it."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest
from numpy.typing import NDArray

from cdcoref.corpora import AnnotatedCorpus, annotated_corpora
from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.training import DISTANCE_THRESHOLDS


@pytest.fixture(scope="module")
def script(load_script: Callable[[str], ModuleType]) -> ModuleType:
    return load_script("thresholds_over_folds")


def part(topics: int, documents: int) -> AnnotatedCorpus:
    """In every document one event that is mentioned twice, and an entity."""
    names = [f"{topic}-{n}" for topic in range(topics) for n in range(documents)]
    texts = tuple(Document.from_sentences(name, [["a", "b", "c"]], topic=name[0]) for name in names)
    places = (((0,), "event", "e"), ((1,), "event", "e"), ((2,), "entity", "x"))
    mentions = tuple(Mention(n, tokens, kind, f"{n}{own}") for n in names for tokens, kind, own in places)
    return annotated_corpora(Corpus(texts, mentions))[0]


def labels(corpus: AnnotatedCorpus, low: float, high: float) -> dict[float, NDArray[np.integer]]:
    """All alone below `low`, right from there to `high`, and from there one cluster."""
    names = {m.cluster: n for n, m in enumerate(corpus.corpus.mentions)}
    right = np.array([names[m.cluster] for m in corpus.corpus.mentions])
    alone, one = np.arange(len(right)), np.zeros(len(right), dtype=int)
    return {t: alone if t < low else right if t < high else one for t in DISTANCE_THRESHOLDS}


def test_units_are_topics_where_there_are_several(script: ModuleType) -> None:
    several, single = part(3, 2), part(1, 4)
    of_several = script.Judged(several, "event", labels(several, 0.4, 0.7))
    assert set(of_several.units.values()) == {"0", "1", "2"}
    assert set(script.Judged(single, "event", labels(single, 0.4, 0.7)).units.values()) == {"0-0", "0-1", "0-2", "0-3"}
    assert len(of_several.units) == 12
    assert of_several.f1(0.5, {"1"}) == 1.0
    assert of_several.f1(0.3, {"1"}) < of_several.f1(0.5, {"0", "1"})
    assert of_several.f1(0.5, {"7"}) is None


def test_the_threshold_of_the_other_folds_is_judged(script: ModuleType) -> None:
    first, second = part(5, 2), part(1, 5)
    parts = [
        script.Judged(first, "event", labels(first, 0.3, 0.7)),
        script.Judged(second, "event", labels(second, 0.5, 0.9)),
    ]
    chosen, results = script.over_folds(parts, 0.4, folds=5, divisions=2)
    assert len(chosen) == len(results) == 10
    assert all(0.5 < threshold < 0.7 for threshold in chosen)  # where both are right
    assert all(best == 1.0 for best, _ in results)
    assert min(own for _, own in results) < 1.0  # some folds have documents of the second corpus
