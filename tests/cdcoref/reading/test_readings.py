"""What is known of documents: computed once, whatever mentions, clusters and parts of a corpus it is asked for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.reading import Reading, Readings
from tests.tables import cases

TEXT = [
    ["Ferry", "Sinks", "Off", "Tresk", "On", "Friday"],
    ["Ann", "Lee", "saw", "the", "ferry", "sink", "near", "Oslo", "on", "5", "May", "2021", "."],
    ["``", "She", "wept", "''", ",", "Police", "said", "."],
]


@pytest.fixture
def readings() -> Readings:
    document = Document.from_sentences("a", TEXT)
    other = Document.from_sentences("b", [["The", "ferry", "sank", "."]])
    mentions = (
        Mention("b", (2,), "event", "x"),
        Mention("a", (11,), "event", "x"),
        Mention("a", (6, 7), "entity", "y"),
        Mention("a", (20,), "entity", "y"),
    )
    return Readings(Corpus((document, other), mentions))


def test_text(readings: Readings) -> None:
    reading = readings["a"]
    assert reading.cased.tokens[:6] == ("ferry", "sinks", "off", "Tresk", "on", "Friday")
    assert reading.cased is reading.cased
    assert reading.sentence_of[5:7] == [0, 1]
    assert [reading.document.tokens[n] for n, number in enumerate(reading.quotations) if number] == TEXT[2][:4]
    assert reading.name(Mention("a", (6, 7), "entity")) == ("ann", "lee")


def test_facts_follow_from_the_tokens_and_the_kind(readings: Readings) -> None:
    one = readings.corpus.mentions[2]
    facts = readings["a"].facts(one)
    assert facts.words.whole_name == ("ann", "lee")
    assert readings["a"].facts(replace(one, cluster="other", confidence=0.5)) is facts
    assert [own.document for own in readings.facts.mentions] == ["b", "a", "a", "a"]
    assert readings.take([2]).facts.mentions[0] is facts
    assert readings.with_corpus(readings.corpus.subset(["a"])).facts.mentions[1] is facts
    assert readings.pronouns(["entity"]).tolist() == [False, False, False, True]
    assert not readings.pronouns(["event"]).any()
    readings["a"].forget()
    assert readings["a"].facts(one) == facts


def test_circumstances_name_the_mentions_as_they_are(readings: Readings) -> None:
    """They are found before clusters are known, and shown with them."""
    assert str(readings.circumstances[1].when[0].period) == "2021-05-05"
    renamed = tuple(replace(mention, cluster="z") for mention in readings.corpus.mentions)
    shown = readings.with_corpus(replace(readings.corpus, mentions=renamed)).circumstances[1]
    assert [one.mention.cluster for one in shown.participants] == ["z"]
    assert shown.when == readings.circumstances[1].when


def test_parts(readings: Readings) -> None:
    story, numbers = readings.of_documents(["b", "a"])
    assert numbers.tolist() == [0, 1, 2, 3]
    assert story["a"] is readings["a"]
    assert readings.take([1], documents=["a"]).corpus.documents == readings.corpus.documents[:1]
    of_kind = readings.with_corpus(replace(readings.corpus, mentions=(Mention("a", (11,)),))).take([0], "event")
    assert [mention.kind for mention in of_kind.corpus.mentions] == ["event"]
    parts = [
        Reading(own, [m for m in readings.corpus.mentions if m.document == own.id]) for own in story.corpus.documents
    ]
    joined = Readings.joined(parts)
    assert joined.vectors is None
    assert [mention.document for mention in joined.corpus.mentions] == ["b", "a", "a", "a"]
    assert joined["a"] is parts[1]


@pytest.mark.parametrize(("sentences", "numbers"), cases(__file__, "quotations.tsv", "sentences", "numbers"))
def test_quotations(sentences: list[str], numbers: list[int]) -> None:
    document = Document.from_sentences("d", [sentence.split() for sentence in sentences])
    assert Reading(document).quotations == numbers
