"""A story for readers, on texts whose clusters are given: title, timeline, what one tells alone, disagreements."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from itertools import permutations

import pytest

from cdcoref.corpus import ENTITY, EVENT, Corpus, Document, Mention
from cdcoref.facts import Period
from cdcoref.predict import Plan, Prediction
from cdcoref.reports import ClusterCircumstances, ClusterPeriod, PredictedStory, stories_of
from cdcoref.views import story_lines, story_list_lines
from tests.tables import cases, rows_of

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


def of_one_day(corpus: Corpus) -> Corpus:
    """The corpus with documents of one day."""
    return replace(corpus, documents=tuple(replace(d, metadata={"date": "2024-03-12"}) for d in corpus.documents))


@pytest.fixture(scope="module")
def story(corpus: Corpus) -> PredictedStory:
    (story,) = stories_of(corpus, {3: list(TEXTS)})
    return story


def test_documents_are_in_the_order_of_their_days(story: PredictedStory) -> None:
    assert story.documents == ("early.txt", "late.txt", "empty.txt")
    assert [str(story.day_of(name)) for name in story.documents[:2]] == ["2024-03-12", "2024-03-14"]


def test_a_title_shows_all_days_of_a_range() -> None:
    when = ClusterPeriod(Period(date(2024, 3, 11), date(2024, 3, 15)), ())
    assert ClusterCircumstances(when).title("strike") == "strike · 11–15 March 2024"


def test_a_day_without_a_year_is_in_the_year_that_others_state() -> None:
    texts = {
        "a": "TRESK , March 20 ( Orbit ) - The ferry that sank on March 11 was raised .",
        "2024-03-12_b": "A ferry sank on Monday .",
        "2024-03-25_c": "A ferry was raised .",
    }
    story = story_of(texts, {"sinking": [("a", "sank"), ("2024-03-12_b", "sank")]})
    assert story.documents == ("2024-03-12_b", "a", "2024-03-25_c")
    assert [str(event.reported) for event in story.timeline] == ["2024-03-12"]


def test_who_where_when_and_what(story: PredictedStory) -> None:
    assert story.title == "Landslide kills dozens in Lunde"
    assert story.who == ("Ida Rohm",)
    assert story.where.startswith("Lunde")
    assert str(story.when) == "2024-03-11"


def test_a_day_within_the_month_of_another_main_event_is_the_more_exact() -> None:
    texts = {"2024-05-18": "The old hall was shut this month and burnt down on May 10 ."}
    clusters = {"closing": [("2024-05-18", "shut")], "fire": [("2024-05-18", "burnt")]}
    assert str(story_of(texts, clusters).when) == "2024-05-10"


def test_a_weekday_is_within_no_month() -> None:
    """Of documents of unknown days, also if one of them is about an earlier event."""
    texts = {
        "a": "A ferry sank off Velm on Tuesday .",
        "b": "The ferry sank on Tuesday .",
        "c": "The captain was arrested on Thursday .",
        "d": "The Lark sank in November 2009 .",
    }
    assert str(story_of(texts, {}).when) == str(story_of({"a": texts["a"]}, {}).when)


def test_of_places_that_equally_many_state_the_one_in_titles_is_where_a_story_was() -> None:
    texts = {
        "a": "Oslo museum robbed / Thieves robbed a museum in Oslo .",
        "b": "Man held over Oslo robbery / A man was arrested in Bergen .",
        "c": "Two thefts / The painter died long ago .",
    }
    assert story_of(texts, {}).where == "Oslo, Norway"
    velm = {name: text.replace("Oslo", "Velm").replace("Bergen", "Sollen") for name, text in texts.items()}
    assert story_of(velm, {}).where == "Velm"


def test_when_a_story_was_by_most_of_its_documents() -> None:
    texts = {
        "2024-05-18_a": "A ferry sank in the fjord on Thursday .",
        "b": "OSLO , May 18 ( Orbit ) - A ferry sank off Bergen on May 16 .",
        "2024-05-18_c": "The ferry was raised by divers on Friday .",
        "2024-05-18_d": "The search for the ferry went on .",
    }
    assert str(story_of(texts, {}).when) == "2024-05-16"
    reported = {"2024-05-18_a": "Zorvex will buy Quibril , the firms said on Friday ."}
    assert story_of(reported, {}).when is None
    assert story_of({"2024-05-18_d": texts["2024-05-18_d"]}, {}).when is None


def test_one_inexact_time_before_the_day_of_most_mentions_is_of_something_else() -> None:
    texts = {
        "2024-09-10_a": "Thieves rammed a shop this summer .",
        "2024-09-10_b": "Robbers rammed a shop and stole rings on Monday .",
        "2024-09-10_c": "Four men rammed a shop and fled on Monday .",
    }
    (event, *_) = story_of(texts, {"ramming": [(id, "rammed") for id in texts]}).timeline
    assert str(event.when) == "2024-09-09"


def test_where_a_story_was_by_the_country_of_most_of_its_documents() -> None:
    texts = {
        "a": "A ferry sank near Bergen .",
        "b": "A ferry sank in Norway .",
        "c": "Divers met in Ghent .",
        "d": "Experts met in Ghent .",
        "e": "A ferry sank off Stavanger in Norway .",
        "f": "The ferry was built near Bergen .",
    }
    assert story_of(texts, {}).where == "Bergen, Norway"
    assert story_of({"a": "Tanzania mourns as a ferry sank on Lake Tana ."}, {}).where == "Lake Tana, Tanzania"
    assert story_of({"a": "A Danish bank buys a rival ."}, {}).where == ""


def test_a_place_of_something_else_is_not_that_of_the_story() -> None:
    assert story_of({"a": "Orvik wins Norway contracts"}, {}).where == ""
    assert story_of({"a": "Norway drops contracts with Orvik"}, {}).where == "Norway"
    earlier = "Brock will cut 460 jobs , the firm said . | Last year it cut 150 jobs at its plant in Leeds ."
    for text in ("Maas quits . | One question is where he should play in Italy .", earlier):
        document = Document.from_sentences("a", [sentence.split() for sentence in text.split(" | ")])
        assert stories_of(Corpus((document,), ()), {1: ["a"]})[0].where == ""


def test_of_places_and_days_that_equally_many_state_the_order_of_documents_chooses_none() -> None:
    texts = {
        "a": "A ferry sank near Oslo on 5 March 2024 .",
        "b": "A ferry sank near Bergen on 3 March 2024 .",
        "c": "A ferry sank near Ghent on 4 March 2024 .",
        "d": "A ferry sank near Bruges on 4 April 2024 .",
    }
    found = set()
    for order in permutations(texts):
        story = story_of({name: texts[name] for name in order}, {"sinking": [(name, "sank") for name in order]})
        (event,) = story.timeline
        found.add((story.where, event.where, str(event.when), str(story.when)))
    assert found == {("Bergen, Norway", "Bergen, Norway", "2024-03-03", "2024-03-03")}


def test_a_story_does_not_depend_on_the_order_in_which_documents_are_given() -> None:
    texts = {
        "r10": "Oslo ferry sinks . Police held captain on 5 March 2024 .",
        "r9": "Ferry sinks . Police held captain on 5 March 2024 .",
        "late": "Ferry sinks late . Police held captain on 7 March 2024 .",
        "b": "Police held him , and the ferry sinks .",
        "a": "The ferry sinks , and police held him .",
    }
    clusters = {"sinking": [(name, "sinks") for name in texts], "arrest": [(name, "held") for name in texts]}
    stories = [story_of({name: texts[name] for name in order}, clusters) for order in list(permutations(texts))[::7]]
    assert {story.documents for story in stories} == {("r9", "r10", "late", "a", "b")}
    assert {story.title for story in stories} == {"The ferry sinks , and police held him ."}
    assert len({repr([story.timeline, story.one_source]) for story in stories}) == 1


def test_names_with_very_long_numbers_are_ordered_too() -> None:
    story = story_of({"9" * 5000: "A ferry sank .", "10": "A ferry sank .", "010": "A ferry sank ."}, {})
    assert story.documents == ("010", "10", "9" * 5000)


@pytest.mark.parametrize("name", cases(__file__, "nobody.tsv"))
def test_places_and_web_sites_are_nobody(name: str) -> None:
    texts = {"a.txt": f"Ida Rohm was shot near {name} .", "b.txt": f"Ida Rohm died near {name} ."}
    story = story_of(texts, {"ROHM": [(text, "Ida Rohm") for text in texts], "PLACE": [(text, name) for text in texts]})
    assert story.who == ("Ida Rohm",)


def test_the_timeline_has_what_several_tell_and_no_verbs_of_saying(story: PredictedStory) -> None:
    assert [(event.cluster, str(event.when)) for event in story.timeline] == [
        ("killing", "2024-03-11"),
        ("slide", "2024-03-11"),
    ]
    killing = story.timeline[0]
    assert killing.documents == ("early.txt", "late.txt")
    assert str(killing.reported) == "2024-03-12"
    assert "people" in killing.best.sentence
    assert killing.confidence == pytest.approx(0.9)


def test_what_one_document_alone_tells(story: PredictedStory) -> None:
    assert [(event.cluster, str(event.when)) for event in story.one_source] == [
        ("visit", "2024-03-12"),
        ("closing", "2024-03-13"),
    ]


def test_what_changes_from_one_day_to_the_next_is_a_line_of_numbers(story: PredictedStory) -> None:
    assert story.disagreements == ()
    (line,) = story.numbers
    assert str(line) == "31 (12 March 2024: police), 47 (14 March 2024: police)"
    assert (line.label, line.unit, line.cluster) == ("people killed", "people", "killing")


def test_a_line_of_numbers_of_people_however_they_are_called() -> None:
    texts = {
        "a": "2024-01-10 - In Tresk a fire hurt three people .",
        "b": "2024-01-12 - In Tresk a fire hurt seven workers .",
        "c": "2024-01-13 - In Tresk a fire hurt 12 people , two of them workers .",
    }
    clusters = {"hurting": [(id, "hurt") for id in texts], "fire": [(id, "fire") for id in texts]}
    (line,) = story_of(texts, clusters).numbers
    assert str(line) == "3 (10 Jan. 2024), 7 (12 Jan. 2024), 12 (13 Jan. 2024)"


def test_weekdays_are_no_names_that_tell_two_tolls_apart() -> None:
    texts = {
        "2024-10-14_a": "A mill fire in Leeds killed three people on Sunday .",
        "2024-10-15_b": "The death toll from the mill fire in Leeds rose to five on Tuesday .",
    }
    (line,) = story_of(texts, {"fire": [(name, "fire") for name in texts]}).numbers
    assert str(line) == "3 (14 Oct. 2024), 5 (15 Oct. 2024)"


def test_numbers_of_two_happenings_are_no_line() -> None:
    """Both reports are about the storm, but each measures its own fire, which another mention names too."""
    texts = {
        "2024-10-14_a": "After the storm a blaze in Leeds grew , and the fire burned 1,200 hectares .",
        "2024-10-15_b": "After the storm a blaze in Leeds grew , and the fire burned 4,700 hectares .",
    }
    storm = {"storm": [(name, "storm") for name in texts]}
    fires = {f"fire of {name}": [(name, "blaze"), (name, "fire")] for name in texts}
    burnings = {f"burning of {name}": [(name, "burned")] for name in texts}
    assert story_of(texts, storm | fires | burnings).numbers == ()
    same = {"fire": [place for places in fires.values() for place in places]}
    assert len(story_of(texts, storm | same | burnings).numbers) == 1


def test_values_of_two_speakers_of_one_report_are_a_line_of_one_and_a_disagreement() -> None:
    texts = {
        "2024-01-16_a": "Brock will cut 400 jobs , the company said , and the union said that 650 jobs would be cut .",
        "2024-01-18_b": "The company said that it would cut 480 jobs .",
    }
    story = story_of(texts, {verb: [(name, verb) for name in texts] for verb in ("cut", "said")})
    assert [str(line) for line in story.numbers] == ["400 (16 Jan. 2024: the company), 480 (18 Jan. 2024: the company)"]
    assert [[one.value for one in found.statements] for found in story.disagreements] == [["400 jobs", "650 jobs"]]


def test_numbers_of_events_years_apart_are_no_line() -> None:
    texts = {
        "2021-06-16_a": "A blast and a fire killed three workers on Tuesday .",
        "2023-09-08_b": "A blast and a fire killed two workers on Thursday .",
    }
    shared = {noun: [(name, noun) for name in texts] for noun in ("blast", "fire")}
    assert story_of(texts, shared | {f"killing in {name}": [(name, "killed")] for name in texts}).numbers == ()


def test_disagreements_have_both_sentences(corpus: Corpus) -> None:
    (story,) = stories_of(of_one_day(corpus), {3: list(TEXTS)})
    (one,) = story.disagreements
    assert (one.cluster, one.about) == ("killing", "number")
    assert [(own.document, own.value) for own in one.statements] == [
        ("early.txt", "31 people"),
        ("late.txt", "47 people"),
    ]
    assert one.statements[0].sentence.startswith("LUNDE , March 12")


def test_a_town_that_one_report_places_is_that_town_in_all() -> None:
    texts = {
        "a": "A fire destroyed a shop in Wellington , Somerset .",
        "b": "Police look into a fire in Wellington .",
        "c": "The fire in Wellington is out .",
    }
    story = story_of(texts, {"fire": [(name, "fire") for name in texts]})
    assert story.where == "Wellington, United Kingdom"
    assert [event.where for event in story.timeline] == ["Wellington, United Kingdom"]


def story_of(texts: Mapping[str, str], clusters: Mapping[str, Sequence[tuple[str, str]]]) -> PredictedStory:
    """A story of texts of one sentence, by name, with clusters of events (or entities, if in capitals)."""
    documents = {name: Document.from_sentences(name, [text.split()]) for name, text in texts.items()}
    mentions = [
        mention(documents[name], words, ENTITY if cluster.isupper() else EVENT, cluster)
        for cluster, places in clusters.items()
        for name, words in places
    ]
    (story,) = stories_of(Corpus(tuple(documents.values()), tuple(mentions)), {1: list(texts)})
    return story


def differences(story: PredictedStory) -> list[tuple[str, list[str]]]:
    return [(one.about, [own.value for own in one.statements]) for one in story.disagreements]


def test_differences() -> None:
    """`differences.tsv`: texts of one sentence and clusters of their words, and what they disagree about."""
    for row in rows_of(__file__, "differences.tsv"):
        texts, places = (dict(own.split(": ", 1) for own in row[name].split(" || ")) for name in ("texts", "clusters"))
        clusters = {name: [tuple(one.split(" ", 1)) for one in own.split("; ")] for name, own in places.items()}
        found = " | ".join(f"{about}: {'; '.join(values)}" for about, values in differences(story_of(texts, clusters)))
        assert (found or "-") == row["differences"], row


def test_a_document_that_states_both_values_contradicts_neither() -> None:
    texts = {
        "a.txt": "The fire killed five people after two women died of burns .",
        "b.txt": "The fire killed five people .",
        "c.txt": "The fire killed 2 people .",
    }
    clusters = {"killing": [("a.txt", "died"), ("b.txt", "killed")], "other": [("a.txt", "killed")]}
    assert differences(story_of(texts, clusters)) == []
    third = {"killing": [*clusters["killing"], ("c.txt", "killed")], "other": [("a.txt", "killed")]}
    (one,) = story_of(texts, third).disagreements
    assert [(own.document, own.value) for own in one.statements] == [("b.txt", "five people"), ("c.txt", "2 people")]


def test_a_document_with_several_values_of_one_event_is_left_out() -> None:
    texts = {
        "a.txt": "Sales fell 35 % .",
        "b.txt": "Sales fell 40 % ; those of vans fell 9 % .",
        "c.txt": "Sales fell 36 % .",
    }
    documents = {name: Document.from_sentences(name, [text.split()]) for name, text in texts.items()}
    first = Mention("b.txt", (1,), EVENT, "fall")
    mentions = [*(mention(documents[name], "fell", EVENT, "fall") for name in texts), first]
    (story,) = stories_of(Corpus(tuple(documents.values()), tuple(mentions)), {1: list(texts)})
    assert differences(story) == [("number", ["35 %", "36 %"])]


def test_documents_that_agree_do_not_disagree(corpus: Corpus) -> None:
    same = {**TEXTS, "early.txt": [sentence.replace("31", "47") for sentence in TEXTS["early.txt"]]}
    documents = [Document.from_sentences(name, [s.split() for s in lines]) for name, lines in same.items()]
    (story,) = stories_of(Corpus(tuple(documents), corpus.mentions), {1: list(same)})
    assert story.disagreements == ()


def test_documents_with_an_empty_sentence_are_compared() -> None:
    price = "Ida Rohm bought the mill for $ {} million ."
    documents = [
        Document.from_sentences("a", [[], price.format(5).split()]),
        Document.from_sentences("b", [price.format(7).split(), []]),
    ]
    mentions = [
        Mention(document.id, (token,), EVENT, name)
        for document in documents
        for token, name in ((2, "purchase"), (4, "mill"))
    ]
    (story,) = stories_of(Corpus(tuple(documents), tuple(mentions)), {1: ["a", "b"]})
    assert [[own.value for own in one.statements] for one in story.disagreements] == [["$ 5 million", "$ 7 million"]]


def test_pronouns_alone_are_no_event_of_a_timeline() -> None:
    texts = {"a": "A mine collapsed and that shocked Tresk .", "b": "The mine collapsed ; that shocked many ."}
    clusters = {"collapse": [("a", "collapsed"), ("b", "collapsed")], "that": [("a", "that"), ("b", "that")]}
    assert [event.cluster for event in story_of(texts, clusters).timeline] == ["collapse"]


@pytest.mark.parametrize(
    ("text", "events"),
    [
        ("No ferries {sailed} on 5 May 2024 .", 0),
        ("On 5 May 2024 the gang {hurt} nobody .", 0),
        ("The bank denied on 7 May 2024 that its vault had been {robbed} on 5 May 2024 .", 0),
        ("The hall had been due to {open} on 5 May 2024 .", 0),
        ("The hall had been scheduled to {open} on 5 May 2024 .", 0),
        ("The hall did not {open} until 5 May 2024 .", 1),
        ("The flood not only {hurt} nine on 5 May 2024 but closed roads .", 1),
    ],
)
def test_what_did_not_happen_is_in_no_timeline_and_gives_no_day(text: str, events: int) -> None:
    word = next(word for word in text.split() if word.startswith("{")).strip("{}")
    story = story_of(dict.fromkeys("ab", re.sub("[{}]", "", text)), {"it": [("a", word), ("b", word)]})
    assert len(story.timeline) == events
    assert events or str(story.when) != "2024-05-05"


def test_a_story_of_one_document_has_what_it_repeats_or_dates(corpus: Corpus) -> None:
    (story,) = stories_of(corpus, {1: ["early.txt"]})
    assert [event.cluster for event in story.timeline] == ["killing", "slide", "visit"]
    assert story.one_source == ()
    assert story.disagreements == ()


def test_a_main_event_is_shown_whatever_its_verb_if_it_says_what_was_done() -> None:
    for text, events in (
        ("Thieves took 212 pipes on May 3 , 2024 .", 1),
        ("A spokesman said so on May 3 , 2024 .", 0),
        ("The mayor made a statement on May 3 , 2024 .", 0),
    ):
        word = text.split()[2 - events]
        assert len(story_of({"a": text, "b": "Carp were counted ."}, {"it": [("a", word)]}).one_source) == events


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
    assert plain["numbers"][0]["reports"][1]["number"] == "47"


def test_lines_for_a_terminal(story: PredictedStory) -> None:
    lines = list(story_lines(story, most=1))
    assert lines[0] == "Story 3: Landslide kills dozens in Lunde"
    assert any(line.startswith("  12 March 2024  ") and "early.txt" in line for line in lines)
    assert "  and 1 other event" in lines
    assert "  people killed: 31 (12 March 2024: police), 47 (14 March 2024: police)" in lines
    (line,) = story_list_lines([story])
    assert "Landslide kills dozens in Lunde  (3 documents; Lunde" in line


def test_a_weekday_alone_gives_an_event_no_place_among_days() -> None:
    texts = {
        "a": "OSLO , Aug. 6 ( Orbit ) - A quake struck on Aug. 5 .",
        "b": "OSLO , Aug. 6 ( Orbit ) - The quake of Aug. 5 was strong .",
        "c": "A storm came on Friday .",
        "d": "The storm of Friday is over .",
    }
    story = story_of(texts, {"storm": [("c", "storm"), ("d", "storm")], "quake": [("a", "quake"), ("b", "quake")]})
    assert [(event.label, event.when_text) for event in story.timeline] == [("quake", "5 Aug."), ("storm", "Friday")]


@pytest.mark.parametrize(
    ("first", "second", "title"),
    [
        (["March 5, 2024", "Barge aground near Velm"], ["A barge is near Velm."], "Barge aground near Velm"),
        (["By Ada Holm", "Barge aground at Velm"], ["The barge lay aground at Velm."], "Barge aground at Velm"),
        (["https://example.org/velm", "Barge aground at Velm"], ["A barge lay there."], "Barge aground at Velm"),
        (["Barge", "The crew left a barge near Velm."], ["Crew leaves barge near Velm"], "Crew leaves barge near Velm"),
        (["A barge ran aground near Velm."], ["Barge runs aground"], "Barge runs aground"),
        ([f"Barges of Velm {'ran aground or ' * 12} sank."], [], f"Barges of Velm {'ran aground or ' * 3}…"),
    ],
)
def test_the_title_is_a_headline(first: list[str], second: list[str], title: str) -> None:
    texts = {"a": first, "b": second}
    documents = [Document.from_sentences(id, [text.split() for text in lines]) for id, lines in texts.items()]
    (story,) = stories_of(Corpus(tuple(documents)), {1: ("a", "b")})
    assert story.title == title


def test_who_wrote_a_report_is_nobody_in_it() -> None:
    sentences = ["Barge aground", "By Ada Holm", "Captain Leo Brandt was rescued ."]
    document = Document.from_sentences("a", [sentence.split() for sentence in sentences])
    names = [mention(document, name, ENTITY, name) for name in ("Ada Holm", "Leo Brandt")]
    (story,) = stories_of(Corpus((document,), tuple(names)), {1: ("a",)})
    assert story.who == ("Leo Brandt",)


@pytest.mark.parametrize(
    ("text", "who"),
    [
        ("Fans of Ida Rohm sang at Velmouth .", ("Ida Rohm",)),
        ("Two men from Velmouth saw Ida Rohm .", ("Ida Rohm",)),
        ("Ida Rohm sang on Christmas Eve .", ("Ida Rohm",)),
        ("They saw a letter from Ida Rohm .", ("Ida Rohm",)),
        ("A red SUV hit Ida Rohm .", ("Ida Rohm",)),
        ("Ida Rohm met Australian and Dane .", ("Ida Rohm",)),
    ],
)
def test_places_holidays_things_and_nationalities_are_nobody(text: str, who: tuple[str, ...]) -> None:
    names = [name for name in ("Ida Rohm", "Velmouth", "Christmas Eve", "SUV", "Dane") if name in text]
    assert story_of({"a": text}, {name.upper(): [("a", name)] for name in names}).who == who


def test_a_part_of_a_name_is_not_named_again() -> None:
    texts = {"a": "They heard Ida Rohm .", "b": "Fans of Ida Rohm sang .", "c": "They wrote to Rohm ."}
    named = {"WHOLE": [("a", "Ida Rohm"), ("b", "Ida Rohm")], "PART": [("c", "Rohm")]}
    assert story_of(texts, named).who == ("Ida Rohm",)


def test_a_river_is_nobody_and_a_governor_somebody() -> None:
    """Whatever the parse takes their names for: it calls the river a person, and Vera Lind a place."""
    sentences = [
        "Flood in Orsk",
        "The river Ula burst .",
        "The governor , Vera Lind , said that homes had been flooded .",
    ]
    document = Document.from_sentences("a", [sentence.split() for sentence in sentences])
    named = [("river", "Ula"), ("Ula", "Ula"), ("governor", "Vera Lind"), ("Vera Lind", "Vera Lind")]
    mentions = tuple(mention(document, words, ENTITY, cluster) for words, cluster in named)
    (story,) = stories_of(Corpus((document,), mentions), {1: ("a",)})
    assert story.who == ("Vera Lind",)


def test_two_events_that_as_many_documents_tell_of() -> None:
    texts = {
        "2025-08-11_a": "A lorry smashed into a shelter in Wigan on Saturday .",
        "2025-08-12_b": "A lorry hit a wall in Wigan on Monday .",
        "2025-08-12_c": "A man spoke of the smash and of the crash .",
    }
    clusters = {
        "smash": [("2025-08-11_a", "smashed"), ("2025-08-12_c", "smash")],
        "crash": [("2025-08-12_b", "hit"), ("2025-08-12_c", "crash")],
    }
    assert str(story_of(texts, clusters).when) == "2025-08-09"
