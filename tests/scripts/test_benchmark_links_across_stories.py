"""Right and wrong links by name across stories, of gold clusters that were divided."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import ModuleType

import pytest

from cdcoref.corpora import annotated_corpora
from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.linking import joined_by_name


@pytest.fixture(scope="module")
def script(load_script: Callable[[str], ModuleType]) -> ModuleType:
    return load_script("benchmarks/links_across_stories")


def test_links_are_counted_by_gold_clusters(script: ModuleType) -> None:
    clusters = {"a": ("1", "2"), "b": ("1", "3"), "c": ("1", None)}
    documents = tuple(Document.from_sentences(name, [["saw", "Anna", "Berg", "in", "Lund"]]) for name in clusters)
    mentions = [
        mention
        for name, (person, place) in clusters.items()
        for mention in (
            Mention(name, (1, 2), "entity", cluster=person),
            Mention(name, (4,), "entity", cluster=place),
        )
    ]
    gold = Corpus(documents, tuple(mentions))
    stories = [["a"], ["b", "c"]]
    before = script.divided(gold, stories)
    assert len({m.cluster for m in before.mentions}) == 5
    joined = joined_by_name([before.subset(story) for story in stories])
    after = Corpus(documents, tuple(m for story in joined for m in story.mentions))
    assert script.links(before, after) == (1, 0)  # two clusters of one story bear the name Lund
    stories = [["a"], ["b"]]
    before = script.divided(gold.subset(["a", "b"]), stories)
    joined = joined_by_name([before.subset(story) for story in stories])
    assert script.links(before, Corpus(before.documents, tuple(m for s in joined for m in s.mentions))) == (1, 1)


def test_pairs_of_one_topic_are_counted_within_and_across_stories(script: ModuleType) -> None:
    """Four documents in two stories: of two pairs within one corefers, of four across two."""
    clusters = {"a1": "1", "a2": "1", "b1": "1", "b2": "2"}
    documents = tuple(
        Document.from_sentences(name, [[f"{name[0]}{number}x" for number in range(30)]], topic="t", subtopic="s")
        for name in clusters
    )
    mentions = tuple(Mention(name, (0,), "event", cluster=cluster) for name, cluster in clusters.items())
    (part,) = annotated_corpora(Corpus(documents, mentions))
    assert script.shares(part, "event") == ("50.00 %", "50.00 %")
    alone = replace(part, corpus=part.corpus.subset(["a1", "a2"]))
    assert script.shares(alone, "event") == ("100.00 %", "-")
