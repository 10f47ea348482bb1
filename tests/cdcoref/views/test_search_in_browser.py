"""Search: one ranking in Python and in the page's script; circumstances and sentences count, titles count most."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from cdcoref.collection import Collection
from cdcoref.corpus import Corpus, Mention
from cdcoref.formats import tokenise_text
from cdcoref.predict import Plan, Prediction

Open = Callable[..., Page]

TEXTS = {
    "a": "KALAMATA, Greece, 6 August 2024 - A fire killed two people near Kalamata on Tuesday. Crews fled the fire.",
    "b": "ATHENS, Greece, 7 August 2024 - The blaze near Kalamata burned on. Crews from Café Olé fought it.",
    "c": "LISBON, Portugal, 7 August 2024 - A fire near Lisbon was put out. Crews left for Greece, where a fire burns.",
    "d": "OSLO, Norway, 8 August 2024 - Crews of Norway trained. They spoke of fires in Greece.",
}
MENTIONS = {
    ("a", "fire"): ("event", "greek"), ("b", "blaze"): ("event", "greek"), ("b", "it"): ("event", "greek"),
    ("c", "fire"): ("event", "lisbon"), ("c", "put out"): ("event", "out"),
    ("a", "Crews"): ("entity", "crews"), ("b", "Crews"): ("entity", "crews"), ("c", "Crews"): ("entity", "crews"),
    ("a", "fled"): ("event", "fled"), ("d", "spoke"): ("event", "spoke"), ("d", "trained"): ("event", "trained"),
    ("b", "Café Olé"): ("entity", "cafe"), ("c", "Greece"): ("entity", "greece"), ("d", "Greece"): ("entity", "greece"),
}  # fmt: skip


@pytest.fixture(scope="module")
def fires() -> Prediction:
    """Fires in two countries, in four documents of one story."""
    documents = {name: tokenise_text(text, name) for name, text in TEXTS.items()}
    mentions = []
    for (name, words), (kind, cluster) in MENTIONS.items():
        document = documents[name]
        start = document.text.index(words, document.text.index(" - "))
        tokens = tuple(n for n, (a, b) in enumerate(document.offsets) if a < start + len(words) and b > start)
        mentions.append(Mention(name, tokens, kind, cluster))
    return Prediction(Corpus(tuple(documents.values()), tuple(mentions)), (tuple(TEXTS),), Plan(4, 1, 4, 6, 0))


@pytest.fixture(scope="module")
def fires_page(open_shared_page: Open, fires: Prediction) -> Page:
    """The page of the fires, with singletons."""
    page = open_shared_page(fires)
    page.locator("#singles").check()
    return page


def names(prediction: Prediction, query: str) -> list[str | None]:
    return [cluster.id for cluster in prediction.search(query, singletons=True)]


def test_the_fire_in_greece_comes_first(fires: Prediction) -> None:
    assert names(fires, "greece fire")[0] == "greek"
    assert fires.search("greece fire")[0].label == "blaze · Kalamata, Greece · 6 Aug. 2024"
    assert names(fires, "fire portugal") == ["lisbon", "out"], "by its title, and by the day line and a sentence"
    assert names(fires, "cafe ole")[0] == names(fires, "CAFÉ olé")[0] == "cafe"
    assert names(fires, "spoke greece")[0] == "spoke"
    assert names(fires, "zebra") == names(fires, "greece zebra") == names(fires, "") == names(fires, "?") == []
    assert "spoke" in names(fires, "fires greece"), "by its sentence"
    assert all(len(cluster.mentions) > 1 for cluster in fires.search("crews"))


@pytest.mark.parametrize(
    "query",
    ["greece fire", "fire", "fir", "crews", "kalamata", "café", "OLE crews", "aug", "2024", "it", "burn",
     "greece crews", "portugal", "greek", "of", "x", "6 fire", "fire-fire"],
)  # fmt: skip
def test_the_page_ranks_as_python_does(fires_page: Page, fires: Prediction, query: str) -> None:
    wanted = [cluster.label for cluster in fires.search(query, singletons=True)]
    # The page shows what another query found: something else must be seen first.
    fires_page.locator("#query").fill("nothing of the kind" if wanted else "")
    every = len({cluster for _, cluster in MENTIONS.values()})
    expect(fires_page.locator("#cluster-list .choice")).to_have_count(0 if wanted else every)
    fires_page.locator("#query").fill(query)
    if wanted:
        expect(fires_page.locator("#cluster-list .choice .label")).to_have_text(wanted)
    else:
        expect(fires_page.locator("#found")).to_have_text("No cluster matches.")


def test_a_collection_ranks_as_a_prediction_does(fires: Prediction, tmp_path_factory: pytest.TempPathFactory) -> None:
    with Collection.create(tmp_path_factory.mktemp("search") / "fires.cdcoref", "lemma") as collection:
        collection.add(fires.corpus)
        own = Prediction(collection.corpus(), (tuple(TEXTS),), Plan(4, 1, 4, 6, 0))
        for query in ("greece fire", "fire", "fir", "crews", "kalamata", "cafe", "burn", "portugal", "6 fire"):
            wanted = [cluster.label for cluster in own.search(query, singletons=True)]
            found = [cluster.title for cluster in collection.search(query).clusters]
            assert sorted(found) == sorted(wanted), query
            assert found[:1] == wanted[:1], query
            assert len(found) == collection.cluster_count(query=query, min_mentions=1), query
