"""A story for readers, on texts whose clusters are given: title, timeline, what one tells alone, disagreements."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import pytest

from cdcoref.corpus import ENTITY, EVENT, Corpus, Document, Mention
from cdcoref.predict import Plan, PredictedStory, Prediction, stories_of
from cdcoref.views import story_lines, story_list_lines

TEXTS = {
    "empty.txt": [],
    "late.txt": [
        "Search for survivors of the Lunde landslide goes on",
        "LUNDE , March 14 , 2024 - The landslide in Lunde killed 47 people on March 11 , police said .",
        "Ida Rohm , the mayor of Lunde , called it a tragedy . We hope , she said .",
        "A bridge was closed on March 13 .",
    ],
    "early.txt": [
        "Landslide kills dozens in Lunde",
        "LUNDE , March 12 , 2024 - A landslide killed 31 people in Lunde on March 11 , police said .",
        "Ida Rohm visited the village on March 12 .",
    ],
}
CLUSTERS: Mapping[tuple[str, str], Sequence[tuple[str, str]]] = {
    (EVENT, "slide"): [("late.txt", "landslide"), ("early.txt", "landslide"), ("late.txt", "Lunde landslide")],
    (EVENT, "killing"): [("late.txt", "killed"), ("early.txt", "kills"), ("early.txt", "killed")],
    (EVENT, "saying"): [("late.txt", "said"), ("early.txt", "said")],
    (EVENT, "visit"): [("early.txt", "visited")],
    (EVENT, "closing"): [("late.txt", "closed")],
    (ENTITY, "rohm"): [("late.txt", "Ida Rohm"), ("early.txt", "Ida Rohm")],
    (ENTITY, "lunde"): [("late.txt", "Lunde"), ("early.txt", "Lunde")],
    (ENTITY, "police"): [("late.txt", "police"), ("early.txt", "police")],
}


def mention(document: Document, words: str, kind: str, cluster: str) -> Mention:
    """The last place in a document where these words are."""
    wanted = tuple(words.split())
    places = [start for start in range(len(document.tokens)) if document.tokens[start : start + len(wanted)] == wanted]
    return Mention(document.id, tuple(range(places[-1], places[-1] + len(wanted))), kind, cluster, confidence=0.9)


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    documents = {
        name: Document.from_sentences(name, [sentence.split() for sentence in sentences])
        for name, sentences in TEXTS.items()
    }
    mentions = [
        mention(documents[name], words, kind, cluster)
        for (kind, cluster), places in CLUSTERS.items()
        for name, words in places
    ]
    return Corpus(tuple(documents.values()), tuple(mentions))


@pytest.fixture(scope="module")
def story(corpus: Corpus) -> PredictedStory:
    (story,) = stories_of(corpus, {3: list(TEXTS)})
    return story


def test_documents_are_in_the_order_of_their_days(story: PredictedStory) -> None:
    assert story.documents == ("early.txt", "late.txt", "empty.txt")
    assert [str(story.day_of(name)) for name in story.documents[:2]] == ["2024-03-12", "2024-03-14"]


def test_who_where_when_and_what(story: PredictedStory) -> None:
    assert story.title == "Landslide kills dozens in Lunde"
    assert story.who == ("Ida Rohm",)
    assert story.where.startswith("Lunde")
    assert str(story.when) == "2024-03-11"


def test_the_timeline_has_what_several_tell_and_no_verbs_of_saying(story: PredictedStory) -> None:
    assert [(event.cluster, str(event.when)) for event in story.timeline] == [
        ("slide", "2024-03-11"),
        ("killing", "2024-03-11"),
    ]
    killing = story.timeline[1]
    assert killing.documents == ("early.txt", "late.txt")
    assert str(killing.reported) == "2024-03-12"
    assert "people" in killing.best.sentence
    assert killing.confidence == pytest.approx(0.9)


def test_what_one_document_alone_tells(story: PredictedStory) -> None:
    assert [(event.cluster, str(event.when)) for event in story.one_source] == [
        ("visit", "2024-03-12"),
        ("closing", "2024-03-13"),
    ]


def test_disagreements_have_both_sentences(story: PredictedStory) -> None:
    (one,) = story.disagreements
    assert (one.cluster, one.about) == ("killing", "number")
    assert [(own.document, own.value) for own in one.statements] == [
        ("early.txt", "31 people"),
        ("late.txt", "47 people"),
    ]
    assert one.statements[0].sentence.startswith("LUNDE , March 12")


def test_documents_that_agree_do_not_disagree(corpus: Corpus) -> None:
    same = {**TEXTS, "early.txt": [sentence.replace("31", "47") for sentence in TEXTS["early.txt"]]}
    documents = [Document.from_sentences(name, [s.split() for s in lines]) for name, lines in same.items()]
    (story,) = stories_of(Corpus(tuple(documents), corpus.mentions), {1: list(same)})
    assert story.disagreements == ()


def test_a_story_of_one_document_has_what_it_repeats(corpus: Corpus) -> None:
    (story,) = stories_of(corpus, {1: ["early.txt"]})
    assert [event.cluster for event in story.timeline] == ["killing"]
    assert story.one_source == ()
    assert story.disagreements == ()


def test_documents_without_words(corpus: Corpus) -> None:
    (story,) = stories_of(corpus, {1: ["empty.txt"]})
    assert (story.title, story.who, story.where, story.when) == ("empty.txt", (), "", None)
    assert (story.timeline, story.one_source, story.disagreements) == ((), (), ())


def test_the_stories_of_a_prediction_are_as_plain_values(corpus: Corpus) -> None:
    plan = Plan(3, 1, 3, 3, 0, 1)
    (story,) = Prediction(corpus, (tuple(TEXTS),), plan, story_numbers=(7,)).stories
    plain = json.loads(json.dumps(story.to_dict()))
    assert plain["number"] == 7
    assert plain["documents"] == ["early.txt", "late.txt", "empty.txt"]
    assert [event["when"] for event in plain["timeline"]] == ["2024-03-11", "2024-03-11"]
    assert plain["disagreements"][0]["statements"][1]["value"] == "47 people"


def test_lines_for_a_terminal(story: PredictedStory) -> None:
    lines = list(story_lines(story, most=1))
    assert lines[0] == "Story 3: Landslide kills dozens in Lunde"
    assert "  12 March 2024  early.txt" in lines
    assert "  and 1 other event" in lines
    assert any("47 people  late.txt" in line for line in lines)
    (line,) = story_list_lines([story])
    assert "Landslide kills dozens in Lunde  (3 documents; Lunde" in line
