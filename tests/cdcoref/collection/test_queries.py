"""What a collection answers: counts, lists, pages, searches; hostile words and ids."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from cdcoref.collection import Collection
from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError

POLICE = "police arrested captain of ferry"


def test_lists(news: Collection) -> None:
    clusters = news.clusters(min_mentions=1, limit=1000)
    assert len(clusters) == news.counts().clusters
    order = [(-c.documents, -c.mentions, int(c.id[1:])) for c in clusters]
    assert order == sorted(order)
    assert news.clusters(min_mentions=1, limit=3, offset=2) == clusters[2:5]
    assert {c.kind for c in news.clusters(kind="event")} == {"event"}
    story = news.document("museum1").summary.story
    titles = {c.title for c in news.clusters(story=story, kind="event")}
    assert titles == {"thieves stole Torvik painting", "museum guard saw two thieves"}
    assert [d.id for d in news.documents()] == ["museum3", "ferry2", "museum1", "ferry0"]
    assert [d.id for d in news.documents(limit=1, offset=1)] == ["ferry2"]


def test_a_cluster(news: Collection) -> None:
    ferry = next(c for c in news.clusters() if c.title == "ferry")
    page = news.cluster(ferry.id)
    assert page.summary == ferry
    assert page.names == (("ferry", 4),)
    assert [(m.document, m.line) for m in page.mentions] == [("ferry0", 1), ("ferry0", 2), ("ferry2", 1), ("ferry2", 2)]
    first = page.mentions[0]
    text = news.document("ferry0").document.text
    assert (text[first.start : first.end], first.before, first.after) == (
        "ferry", "The ", " Maren sank in the storm off Tresk on Friday .",
    )  # fmt: skip
    assert news.mention(first.id) == first


def test_a_document(news: Collection) -> None:
    page = news.document("museum1")
    assert page.document == news.corpus().documents[1]
    assert [m.text for m in page.mentions][:3] == ["Thieves", "stole", "painting"]
    assert [c.id for c in page.clusters] == list(dict.fromkeys(m.cluster for m in page.mentions))
    assert [d.id for d in page.story] == ["museum3"]
    assert page.summary.mentions == len(page.mentions)


def test_search_finds_words_whatever_their_case_accents_and_ends(written: Any, news: Collection) -> None:
    news.add(written.annotated("café", "The Café Olé is a museum of coffee ."))
    assert [d.id for d in news.search("cafe ole").documents] == ["café"]
    found = news.search("MUSEUM gua")
    assert {d.id for d in found.documents} == {"museum1", "museum3"}
    assert "\x02museum\x03" in found.documents[0].snippet
    assert news.search("capt").clusters[0].title == "captain"
    assert news.search("ferry museum").documents == ()
    assert news.search("police\x00ferr") == news.search("police ferr")
    assert news.search("ferry", limit=1, offset=1).documents == news.search("ferry").documents[1:2]


@pytest.mark.parametrize(
    "query",
    [
        *('"', "'; DROP TABLE mentions; --", "NEAR(", "a AND", "*", "%", "_", "col:x", "", " ", "-x", '"a" OR'),
        *("\x00", "a\x00b", "\x00a"),
    ],
)
def test_no_query_is_an_error(news: Collection, query: str) -> None:
    news.search(query)
    assert news.counts().documents == 4


def test_a_query_may_have_any_number_of_words(lemma: Collection) -> None:
    words = [f"word{n}x" for n in range(1500)]
    lemma.add(Corpus((Document.from_sentences("a", [words]),), (Mention("a", (0,), "entity"),)))
    assert [c.title for c in lemma.search(" ".join(words)).clusters] == ["word0x"]
    assert lemma.search(" ".join([*words, "other"])).clusters == ()


def test_what_was_removed_is_not_found(news: Collection) -> None:
    ferry = next(c for c in news.clusters() if c.title == "ferry")
    with pytest.raises(InputError, match="there is no document 'x' in the collection"):
        news.remove(["ferry0", "x"])
    assert news.counts().documents == 4
    report = news.remove(["ferry0", "ferry2"])
    assert report.removed == ("ferry0", "ferry2")
    found = news.search("ferry")
    assert (found.clusters, found.documents) == ((), ())
    page = news.cluster(ferry.id)
    assert (page.summary.mentions, page.mentions) == (0, ())
    assert news.counts().stories == 1


def test_what_is_not_there_is_said(news: Collection) -> None:
    for wrong in ("c999", "x", "17", "c0", "c1; --"):
        with pytest.raises(InputError):
            news.cluster(wrong)
    with pytest.raises(InputError, match="there is no document 'ferry' in the collection; is it 'ferry0'\\?"):
        news.document("ferry")
    with pytest.raises(InputError, match="there is no mention m999"):
        news.mention("m999")


LARGE = "a number is too large; give a smaller one"


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda news: news.clusters(limit=10**20), LARGE),
        (lambda news: news.document(1), "the id of a document must be a string, not 1"),
        (lambda news: news.clusters(kind="events"), "kind is 'events' and should be one of 'event', 'entity'"),
        (lambda news: news.clusters(limit="2"), "limit must be a whole number, not '2'"),
        (lambda news: news.clusters(limit=-1), "limit must be 0 or more, not -1"),
        (lambda news: news.correct("rename", ["c1"], name=5), "a cluster.s name must be a string, not 5"),
        (lambda news: news.story("1"), "the number of a story must be a whole number, not '1'"),
        (lambda news: news.remove("12"), r"the documents must be a list of ids, such as \['12'\], not '12'"),
        (lambda news: news.correct("same", "m1"), "the mentions must be a list of ids"),
        (lambda news: news.correct("same", [1, 2]), "the id of a mention or cluster must be a string, not 1"),
        (lambda news: news.undo("1"), "the number of a correction must be a whole number, not '1'"),
        (lambda news: news.add(["A ferry sank."], 3), "predictor must be what cdcoref.load"),
    ],
)
def test_arguments_that_make_no_sense(news: Collection, ask: Callable[[Collection], object], message: str) -> None:
    before = news.counts()
    with pytest.raises(InputError, match=message):
        ask(news)
    assert news.counts() == before


def test_a_broken_mention_and_an_empty_document(lemma: Collection) -> None:
    text = "They checked the ferry in .\nThe end ."
    document = Document.from_sentences("a", [line.split() for line in text.split("\n")])
    empty = Document("empty", (), (), "", ())
    lemma.add(Corpus((document, empty), (Mention("a", (1, 4), "event", id="7", tag="ACT"), Mention("a", (6, 7)))))
    broken, kindless = lemma.document("a").mentions
    assert (broken.text, broken.before, broken.after) == ("checked ... in", "They ", " .")
    assert (kindless.kind, kindless.line) == (None, 2)
    assert lemma.document("empty").mentions == ()
    assert [(m.tokens, m.id, m.tag) for m in lemma.corpus().mentions] == [((1, 4), "7", "ACT"), ((6, 7), None, None)]


def test_clusters_with_words(news: Collection) -> None:
    titles = [c.title for c in news.clusters(query="capt")]
    assert titles[0] == "captain"
    assert set(titles[1:]) == {"Police", POLICE, "ferry"}, "what is in one sentence with it"
    ferry = next(c for c in news.clusters() if c.title == "ferry")
    news.correct("rename", [ferry.id], name="The 100% Maren")
    assert [c.id for c in news.clusters(query="100%", kind="entity")] == [ferry.id]
    assert news.clusters(query="100%", kind="event") == news.clusters(query="zebra") == news.clusters(query="_") == []
    assert [c.id for c in news.clusters(query="100%\x00Maren")] == [ferry.id]
    assert news.clusters(query="The\x00zebra") == []
    for filters in ({}, {"query": "\x00"}, {"query": "ferry"}, {"kind": "event"}, {"min_mentions": 3}, {"query": "?"}):
        assert news.cluster_count(**filters) == len(news.clusters(**filters, limit=1000))


def test_documents_of_a_cluster_in_time_order(written: Any, lemma: Collection) -> None:
    for id, opening in (
        ("undated", ""),
        ("late 2024-03-09", ""),
        ("b", "TRESK , 5 March 2024 :"),
        ("20240307_c", ""),
        ("d", "March 1st , 2024"),
    ):
        lemma.add(written.annotated(id, f"{opening} The ferry Maren sank near {id} ."))
    ferry = next(c for c in lemma.clusters() if c.title == "ferry")
    page = lemma.cluster(ferry.id)
    assert [(d.id, d.date) for d in page.documents] == [
        ("b", "2024-03-05"), ("20240307_c", "2024-03-07"), ("late 2024-03-09", "2024-03-09"), ("undated", None),
        ("d", None),
    ]  # fmt: skip
    assert [m.document for m in page.mentions] == [d.id for d in page.documents]
    part = lemma.cluster(ferry.id, limit=2, offset=2)
    assert (part.documents, part.mentions, part.names) == (page.documents[2:4], page.mentions[2:4], page.names)
    around = lemma.cluster(ferry.id, limit=2, around=page.mentions[3].id)
    assert (around.offset, around.documents) == (2, part.documents)
    assert lemma.cluster(ferry.id, limit=2, around="m999").offset == 0


def test_events_are_titled_and_found_by_place_and_day(lemma: Collection) -> None:
    texts = {"a": "A storm hit the Norwegian town of Bergen on 3 May 2024 .", "b": "A gale hit Lisbon on 9 May 2024 ."}
    documents = tuple(Document.from_sentences(id, [text.split()]) for id, text in texts.items())
    events = tuple(Mention(id, (1,), "event") for id in texts)
    entity = Mention("b", (3,), "entity")
    lemma.add(Corpus(documents, (*events, entity)))
    titles = {cluster.title for cluster in lemma.clusters(min_mentions=1)}
    assert titles == {"storm · Bergen, Norway · 3 May 2024", "gale · Lisbon, Portugal · 9 May 2024", "Lisbon"}
    assert [c.title for c in lemma.search("norway storm").clusters] == ["storm · Bergen, Norway · 3 May 2024"]
    assert [c.title for c in lemma.search("portugal gale", kind="event").clusters] == [
        "gale · Lisbon, Portugal · 9 May 2024"
    ]
    assert {c.title for c in lemma.search("lisbon").clusters} == {"Lisbon", "gale · Lisbon, Portugal · 9 May 2024"}
    assert lemma.search("norway 9").clusters == ()
    text = Document.from_sentences("c", [["A", "strike", "began", "in", "Zürich", "on", "12", "May", "2024", "."]])
    lemma.add(Corpus((text,), (Mention("c", (1,), "event"),)))
    for query in ("zürich", "ZURICH", "switzerland strike"):  # the country is in the title alone
        assert [c.title for c in lemma.search(query).clusters] == ["strike · Zürich, Switzerland · 12 May 2024"]
    assert lemma.search("100%").clusters == ()


def with_metadata(corpus: Corpus, **metadata: str) -> Corpus:
    return replace(corpus, documents=tuple(replace(document, metadata=metadata) for document in corpus.documents))


@pytest.fixture
def dated(lemma: Collection, written: Any) -> Collection:
    """Three documents of two sources, the second without a date."""
    metadata = ({"source": "AP", "date": "2024-03-05"}, {"source": "Reuters"}, {"source": "ap", "date": "2024-03-07"})
    for corpus, known in zip(written.reports(3), metadata, strict=True):
        lemma.add(with_metadata(corpus, **known))
    return lemma


def test_documents_are_listed(dated: Collection) -> None:
    listed = [(document.id, document.date, document.metadata["source"]) for document in dated.documents()]
    assert listed == [("ferry2", "2024-03-07", "ap"), ("museum1", None, "Reuters"), ("ferry0", "2024-03-05", "AP")]
    assert [document.id for document in dated.documents(limit=1, offset=1)] == ["museum1"]
    assert dated.document("ferry0").document.metadata == {"source": "AP", "date": "2024-03-05"}
    assert dated.prediction().corpus.documents[0].metadata["source"] == "AP"


def test_a_document_that_is_there_takes_what_is_stated_now(dated: Collection, written: Any) -> None:
    first = written.reports(1)[0]
    report = dated.add(with_metadata(first, source="Courier", title="Ferry sinks"))
    assert (report.added, report.known) == ((), {"ferry0": "ferry0"})
    assert dated.document("ferry0").document.metadata == {
        "source": "Courier",
        "date": "2024-03-05",
        "title": "Ferry sinks",
    }
    dated.add(first)
    assert dated.document("ferry0").document.metadata["source"] == "Courier"


def test_a_clusters_documents_are_in_the_order_of_their_stated_dates(dated: Collection) -> None:
    dated.add(Corpus(()))
    ferry = next(cluster for cluster in dated.clusters() if cluster.title == "ferry")
    assert [document.id for document in dated.cluster(ferry.id).documents] == ["ferry0", "ferry2"]
