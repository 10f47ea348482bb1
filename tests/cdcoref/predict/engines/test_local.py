"""Stories one after the other: they come as they finish, their clusters are told apart, each is read once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from cdcoref.corpus import Corpus, Document
from cdcoref.linking import LinkedStory, LinkingOptions
from cdcoref.model import CorefModel
from cdcoref.predict import LocalEngine, Story, Task

WORDS = ["The", "ferry", "sank", "in", "the", "storm", "off", "Tresk", "on", "Friday", "police", "said"]


def collection(count: int, hidden: int = 0) -> Corpus:
    """Documents of 13 words and as many more that are hidden, which are not read but count."""
    documents = (Document.from_sentences(f"d{n}", [[*WORDS, str(n)], ["x"] * hidden]) for n in range(count))
    return Corpus(tuple(replace(document, hidden=frozenset([1])) for document in documents))


TASK = Task(LinkingOptions())
STORIES = [Story(("d0", "d1", "d2")), Story(("d3",)), Story(("d4", "d5"), pairs=()), Story(("d6", "d7"))]


def test_stories_come_in_order_as_they_finish(tiny_model: CorefModel, monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[tuple[str, int, int]] = []
    words = 40
    monkeypatch.setattr("cdcoref.predict.engines.local.WORDS_AT_ONCE", 4 * words)
    corpus = collection(8, words - 13)
    run: Iterator[LinkedStory] = LocalEngine(tiny_model, TASK).run(corpus, STORIES, lambda *step: steps.append(step))
    assert steps == []
    first = next(run)
    assert [d.id for d in first.corpus.documents] == ["d0", "d1", "d2"]
    assert steps[0] == ("finding mentions", 4 * words, 8 * words)
    assert {stage for stage, _, _ in steps[1:]} == {"comparing"}
    assert steps[-1] == ("comparing", 6, 12)
    rest = list(run)
    assert [s.corpus.documents[0].id for s in rest] == ["d3", "d4", "d6"]
    found = [done // words for stage, done, _ in steps if stage == "finding mentions"]
    assert found == [4, 8]


def test_names_of_clusters_are_unique_over_stories(tiny_model: CorefModel) -> None:
    linked = list(LocalEngine(tiny_model, TASK).run(collection(8), STORIES))
    names = [{m.cluster for m in story.corpus.mentions} for story in linked]
    assert all(names)
    assert len(set.union(*names)) == sum(map(len, names))  # type: ignore[arg-type]


def test_how_many_are_read_at_once_does_not_matter(tiny_model: CorefModel, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = list(LocalEngine(tiny_model, TASK).run(collection(8), STORIES))
    monkeypatch.setattr("cdcoref.predict.engines.local.WORDS_AT_ONCE", 20)
    parts = list(LocalEngine(tiny_model, TASK).run(collection(8), STORIES))
    for one, other in zip(whole, parts, strict=True):
        assert one.corpus.mentions
        assert [(m.key, m.kind, m.cluster) for m in one.corpus.mentions] == [
            (m.key, m.kind, m.cluster) for m in other.corpus.mentions
        ]
