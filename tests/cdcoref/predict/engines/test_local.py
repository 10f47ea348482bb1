"""Stories one after the other: they come as they finish, their clusters are told apart, each is read once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.linking import LinkedStory, LinkingOptions
from cdcoref.model import CorefModel
from cdcoref.predict import LocalEngine, Story, Task
from cdcoref.predict.engines import work as work_module
from cdcoref.predict.engines import worker as worker_module

WORDS = ["The", "ferry", "sank", "in", "the", "storm", "off", "Tresk", "on", "Friday", "police", "said"]


def collection(count: int) -> Corpus:
    return Corpus(tuple(Document.from_sentences(f"d{n}", [[*WORDS, str(n)]]) for n in range(count)))


TASK = Task(LinkingOptions())
STORIES = [Story(("d0", "d1", "d2")), Story(("d3",)), Story(("d4", "d5"), pairs=()), Story(("d6", "d7"))]


def test_stories_come_in_order_as_they_finish(tiny_model: CorefModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work_module, "WORDS_AT_ONCE", 30)
    linked: list[str] = []
    plain = worker_module.link_story

    def counted(model: CorefModel, story: Corpus, *arguments: object, **options: object) -> object:
        linked.append(story.documents[0].id)
        return plain(model, story, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(worker_module, "link_story", counted)
    run: Iterator[LinkedStory] = LocalEngine(tiny_model, TASK).run(collection(8), STORIES)
    assert linked == []
    first = next(run)
    assert [d.id for d in first.corpus.documents] == ["d0", "d1", "d2"]
    assert linked == ["d0"]
    rest = list(run)
    assert [s.corpus.documents[0].id for s in rest] == ["d3", "d4", "d6"]


def test_names_of_clusters_are_unique_over_stories(tiny_model: CorefModel) -> None:
    linked = list(LocalEngine(tiny_model, TASK).run(collection(8), STORIES))
    names = [{m.cluster for m in story.corpus.mentions} for story in linked]
    assert all(names)
    assert len(set.union(*names)) == sum(map(len, names))  # type: ignore[arg-type]


@pytest.mark.parametrize("words", [1, 30, 10_000])
def test_how_many_stories_are_read_at_once_does_not_matter(
    tiny_model: CorefModel, monkeypatch: pytest.MonkeyPatch, words: int
) -> None:
    whole = list(LocalEngine(tiny_model, TASK).run(collection(8), STORIES))
    monkeypatch.setattr(work_module, "WORDS_AT_ONCE", words)
    parts = list(LocalEngine(tiny_model, TASK).run(collection(8), STORIES))
    for one, other in zip(whole, parts, strict=True):
        assert [(m.key, m.kind, m.cluster) for m in one.corpus.mentions] == [
            (m.key, m.kind, m.cluster) for m in other.corpus.mentions
        ]


def test_progress_ends_at_its_total(tiny_model: CorefModel) -> None:
    steps: list[tuple[str, int, int]] = []
    list(LocalEngine(tiny_model, TASK).run(collection(8), STORIES, lambda *step: steps.append(step)))
    assert steps[0] == ("finding mentions", 104, 104)
    comparing = [done for stage, done, _ in steps if stage == "comparing"]
    assert comparing == sorted(comparing)
    assert steps[-1] == ("comparing", 8 + 3 + 0 + 0 + 1, 12)


def test_given_mentions_without_a_kind_are_of_the_kind_asked_for(tiny_model: CorefModel) -> None:
    given = collection(2)
    mentions = (Mention("d0", (1,)), Mention("d1", (1,)), Mention("d1", (2,), "event"))
    engine = LocalEngine(tiny_model, Task(LinkingOptions(threshold=0.0), kind="entity", find=False))
    (linked,) = engine.run(Corpus(given.documents, mentions), [Story(("d0", "d1"))])
    assert [(m.document, m.tokens, m.kind) for m in linked.corpus.mentions] == [
        ("d0", (1,), "entity"), ("d1", (1,), "entity"),
    ]  # fmt: skip
    assert len({m.cluster for m in linked.corpus.mentions}) == 1
