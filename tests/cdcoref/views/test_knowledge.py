"""GraphML, JSON-LD and the report: what they say of clusters, as other programs read it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import networkx as nx
import pytest
import rdflib
from hypothesis import example, given
from hypothesis import strategies as st
from rdflib.namespace import RDF, SDO

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.formats import read_corpus, tokenise_text
from cdcoref.predict import Plan, Prediction
from cdcoref.views import graph_of, linked_data, story_report, write_graphml, write_jsonld, write_report, write_result

SCHEMA = rdflib.Namespace("https://schema.org/")
TEXTS = {
    "a": (
        "Mr. Vell left Athens on 5 March 2024. He fled by ferry.",
        {"title": "Vell flees", "source": "AP", "date": "2024-03-06"},
    ),
    "b": (
        "Tomas Vell fled from Athens. The flight was long.",
        {"url": "https://x.y/b", "author": "Ann Lee", "title": "The *end* | of it"},
    ),
}
MENTIONS = (
    ("a", "Mr. Vell", "entity", "vell"), ("a", "He", "entity", "vell"), ("b", "Tomas Vell", "entity", "vell"),
    ("a", "left", "event", "flight"), ("a", "fled", "event", "flight"), ("b", "fled", "event", "flight"),
    ("b", "flight", "event", "flight"), ("a", "Athens", "entity", "athens"), ("b", "Athens", "entity", "athens"),
    ("a", "ferry", "entity", "alone"),
)  # fmt: skip


@pytest.fixture
def news() -> Prediction:
    """Two documents of one story: somebody flees from a city."""
    documents = {
        id: replace(tokenise_text(text, id), metadata=metadata, found=frozenset())
        for id, (text, metadata) in TEXTS.items()
    }
    mentions = []
    for id, words, kind, cluster in MENTIONS:
        document = documents[id]
        start = document.text.index(words)
        tokens = [n for n, (a, b) in enumerate(document.offsets) if a < start + len(words) and b > start]
        mentions.append(Mention(id, tuple(tokens), kind, cluster, confidence=0.5))
    corpus = Corpus(tuple(documents.values()), tuple(mentions))
    return Prediction(corpus, (("a", "b"),), Plan(2, 1, 2, 1, 0))


def test_the_graph_of_who_appears_in_what(news: Prediction, tmp_path: Path) -> None:
    write_graphml(news, tmp_path / "x.graphml")
    graph = nx.read_graphml(tmp_path / "x.graphml")
    assert dict(graph.nodes["document:a"]) == {
        "type": "document", "label": "Vell flees", "date": "2024-03-06", "source": "AP", "story": 1,
    }  # fmt: skip
    assert set(graph.nodes) == {"document:a", "document:b", "entity:vell", "entity:athens", "event:flight"}
    vell, flight = graph.nodes["entity:vell"], graph.nodes["event:flight"]
    assert (vell["class"], vell["mentions"], vell["documents"]) == ("Person", 3, 2)
    assert graph.nodes["entity:athens"]["class"] == "Place"
    assert (flight["type"], flight["class"], flight["date"]) == ("event", "Event", "2024-03-05")
    assert graph.edges["entity:vell", "event:flight"] == {"relation": "together", "weight": 3}
    assert graph.edges["event:flight", "document:b"] == {"relation": "mentioned in", "weight": 2}
    whole = graph_of(news)
    assert dict(graph.nodes(data=True)) == dict(whole.nodes(data=True))
    assert {(*sorted(edge[:2]), *edge[2].values()) for edge in graph.edges(data=True)} == {
        (*sorted(edge[:2]), *edge[2].values()) for edge in whole.edges(data=True)
    }


def test_linked_data_is_read_as_schema_org(news: Prediction, tmp_path: Path) -> None:
    write_jsonld(news, tmp_path / "x.jsonld")
    graph = rdflib.Graph().parse(tmp_path / "x.jsonld", format="json-ld")
    [flight] = [thing for thing in graph.subjects(RDF.type, SCHEMA.Event) if "cluster" in thing]
    assert str(graph.value(flight, SCHEMA.startDate)) == "2024-03-05"
    in_documents = set(graph.subjects(SCHEMA.sameAs, flight))
    assert len(in_documents) == 2
    assert {str(graph.value(thing, SCHEMA.subjectOf)) for thing in in_documents} == {
        "urn:cdcoref:document:a", "urn:cdcoref:document:b",
    }  # fmt: skip
    article = rdflib.URIRef("urn:cdcoref:document:a")
    assert graph.value(article, RDF.type) == SCHEMA.NewsArticle
    assert len(set(graph.objects(article, SCHEMA.mentions))) == 3
    assert str(graph.value(article, SCHEMA.datePublished)) == "2024-03-06"
    assert graph.value(rdflib.URIRef("urn:cdcoref:document:b"), SCHEMA.url) == rdflib.URIRef("https://x.y/b")
    [person] = [t for t in graph.subjects(RDF.type, SCHEMA.Person) if "cluster" in t]
    assert "Mr. Vell" in {str(name) for name in graph.objects(person, SCHEMA.alternateName)}
    assert json.loads((tmp_path / "x.jsonld").read_text()) == linked_data(news)
    assert str(SDO) == str(SCHEMA)


def test_a_report_of_a_story(news: Prediction, tmp_path: Path) -> None:
    write_report(news, tmp_path / "x.md")
    text = (tmp_path / "x.md").read_text()
    assert "## Story 1: Vell flees" in text
    assert "| 2024-03-06 | AP | Vell flees | a |" in text
    assert "\nWho: Tomas Vell  \nWhen: 5 March 2024\n" in text
    assert (
        "### Timeline\n\n- **flight** (5 March 2024; 2 documents)  \n  “Mr. Vell left Athens on 5 March 2024.” (a)\n"
        in text
    )
    assert "**Tomas Vell**" in text or "**Mr. Vell**" in text
    assert "alone" not in text
    assert read_corpus([tmp_path]).corpus.documents == ()
    with pytest.raises(InputError, match="a report that cdcoref wrote"):
        raise InputError(read_corpus([tmp_path / "x.md"]).problems[0])
    rest = "\n".join(story_report(Corpus(news.corpus.documents, news.corpus.mentions)))
    assert "## Documents: Vell flees" in rest
    assert "## Documents: The \\*end\\* \\| of it" in "\n".join(story_report(news.corpus.subset(["b"])))
    assert "### Where documents disagree" not in text


def test_a_report_shows_entities_as_the_text_has_them() -> None:
    from markdown_it import MarkdownIt

    document = tokenise_text("It sank.", "a&amp;b")
    report = "\n".join(story_report(Corpus((replace(document, metadata={"title": "A &amp; B"}),))))
    page = MarkdownIt("commonmark").enable("table").render(report)
    assert "A &amp;amp; B" in page
    assert "a&amp;amp;b" in page


def test_a_report_shows_where_documents_disagree(tmp_path: Path) -> None:
    documents = [tokenise_text(f"The storm killed {number} people.", f"{number}.txt") for number in (31, 47)]
    mentions = [Mention(document.id, (2,), "event", "killing") for document in documents]
    corpus = Corpus(tuple(documents), tuple(mentions))
    text = "\n".join(story_report(Prediction(corpus, (("31.txt", "47.txt"),), Plan(2, 1, 2, 1, 0))))
    assert (
        "### Where documents disagree\n\n- **killed**: number\n"
        "    - 31 people: “The storm killed 31 people.” (31.txt)\n"
        "    - 47 people: “The storm killed 47 people.” (47.txt)"
    ) in text
    apart = "\n".join(story_report(corpus))
    assert "disagree" not in apart, "documents of no known story are not compared"
    assert "Where:" not in apart


@pytest.mark.parametrize("name", ["x.graphml", "x.graphml.gz", "x.jsonld", "x.jsonld.gz", "x.md"])
def test_they_are_written_by_their_ends(news: Prediction, tmp_path: Path, name: str) -> None:
    assert write_result(news, tmp_path / name) == ()
    assert (tmp_path / name).stat().st_size > 100
    assert write_result(Corpus(()), tmp_path / name) == ()


@example(words="", id="")
@given(st.text(max_size=8), st.text(max_size=8))
def test_any_words_are_written(tmp_path_factory: pytest.TempPathFactory, words: str, id: str) -> None:
    document = Document.from_sentences(id, [[words, words]])
    corpus = Corpus((document,), tuple(Mention(id, (n,), "entity", words) for n in range(2)))
    folder = tmp_path_factory.mktemp("any")
    write_graphml(corpus, folder / "x.graphml")
    assert len(nx.read_graphml(folder / "x.graphml")) == 2
    write_jsonld(corpus, folder / "x.jsonld")
    assert len(rdflib.Graph().parse(folder / "x.jsonld", format="json-ld")) > 3
    assert list(story_report(corpus))
