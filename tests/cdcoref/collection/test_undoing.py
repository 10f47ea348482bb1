"""A correction that is undone leaves nothing behind: clusters, their ids, names and aliases are as they were."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from cdcoref.collection import Collection, Correction
from cdcoref.errors import InputError


def state(collection: Collection, ids: set[str]) -> dict[str, Any]:
    """The cluster of every mention, the name of every cluster, and where the `ids` of clusters lead."""
    mentions = [m for d in collection.documents(limit=100) for m in collection.document(d.id).mentions]
    clusters = collection.clusters(min_mentions=1, limit=1000)
    return {
        "clusters": {mention.id: mention.cluster for mention in mentions},
        "names": {cluster.id: cluster.name for cluster in clusters},
        "aliases": {id: collection.cluster(id).summary.id for id in ids},
    }


def ids_of(collection: Collection) -> set[str]:
    return {cluster.id for cluster in collection.clusters(min_mentions=1, limit=1000)}


def random_correction(collection: Collection, chance: random.Random) -> Correction | None:
    """A correction of any kind; None if what was chosen makes no sense."""
    clusters = collection.clusters(min_mentions=1, limit=1000)
    cluster = chance.choice(clusters)
    others = [other for other in clusters if other.kind == cluster.kind and other.id != cluster.id]
    mentions = [mention.id for mention in collection.cluster(cluster.id).mentions]
    some = chance.sample(mentions, chance.randint(1, len(mentions)))
    other = chance.choice(others).id
    action, ids = chance.choice(
        [
            ("same", [cluster.id, other]),
            ("not-same", chance.sample(mentions, min(2, len(mentions)))),
            ("not-a-mention", some[:1]),
            ("split", some),
            ("move", [*some, other]),
            ("move", [*mentions[:-1], other]),
            ("rename", [cluster.id]),
        ]
    )
    try:
        return collection.correct(action, ids, name=f"name {chance.random()}" if action == "rename" else None)
    except InputError:
        return None


@pytest.mark.parametrize("seed", range(6))
def test_a_walk_back_leads_through_the_same_states(news: Collection, seed: int) -> None:
    chance = random.Random(seed)
    ids, states, made = [ids_of(news)], [], []
    for _ in range(12):
        before = state(news, set.union(*ids))
        if correction := random_correction(news, chance):
            states.append(before)
            made.append(correction.number)
            ids.append(ids_of(news))
    known = [set.union(*ids[: n + 1]) for n in range(len(ids))]
    ends = [*states[1:], state(news, known[-1])]
    for place in reversed(range(len(made))):
        news.undo()
        assert state(news, known[place]) == states[place]
    for place in range(len(made)):
        assert news.redo(made[place]).number == made[place]
        assert state(news, known[place + 1]) == ends[place]


def test_the_cluster_that_mentions_are_moved_to_keeps_its_id_and_name(
    news: Collection, mention_id: Callable[[str, str], str]
) -> None:
    page = news.cluster(next(cluster.id for cluster in news.clusters() if cluster.title == "ferry"))
    target = news.mention(mention_id("ferry0", "captain")).cluster or ""
    news.correct("rename", [page.summary.id], name="Maren")
    news.correct("rename", [target], name="the captain")
    moved = [mention.id for mention in page.mentions[:-1]]
    news.correct("move", [*moved, target])
    assert {news.mention(id).cluster for id in moved} == {target}
    assert news.cluster(target).summary.name == "the captain"
    assert news.mention(page.mentions[-1].id).cluster == page.summary.id
    assert news.cluster(page.summary.id).summary.name == "Maren"
