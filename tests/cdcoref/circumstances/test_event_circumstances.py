"""The circumstances of event mentions in short reports."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cdcoref.circumstances import Circumstances, Setting, Source
from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.reading import Reading, Readings

FLOOD = [
    "BRNO , May 12 ( Orbit ) - A flood swept through the Czech town of Znojmo on Friday , killing nine people .",
    "The water destroyed 40 houses .",
    "It came two days after a flood in Hungary killed three people .",
    "It was the worst flood since 2002 , when a flood in Bavaria killed 21 people .",
]


def circumstances(sentences: list[str], *events: str, id: str = "a") -> list[Circumstances]:
    """Those of the events given by their words, each the next one of these words in the text."""
    document = Document.from_sentences(id, [sentence.split() for sentence in sentences])
    mentions = []
    place = -1
    for word in events:
        place = document.tokens.index(word, place + 1)
        mentions.append(Mention(id, (place,), "event"))
    return Readings(Corpus((document,), tuple(mentions))).circumstances


def when(one: Circumstances) -> list[tuple[str, Source]]:
    return [(str(own.period), own.source) for own in one.when]


def where(one: Circumstances) -> list[tuple[str, Source]]:
    return [(own.place.shown(), own.source) for own in one.where]


def test_a_report_with_two_earlier_happenings() -> None:
    events = ["flood", "swept", "killing", "destroyed", "flood", "killed", "flood", "flood", "killed"]
    found = circumstances(FLOOD, *events)
    first, swept, killing, destroyed, hungary, died_there, worst, bavaria, died_then = found
    assert when(first) == when(swept) == [("XXXX-05-06/XXXX-05-12", Source.STATED)]
    assert where(first) == where(swept) == [("Znojmo, Czechia", Source.STATED)]
    assert where(killing) == [("Znojmo, Czechia", Source.SENTENCE)]
    assert where(destroyed) == where(worst) == [("Znojmo, Czechia", Source.DOCUMENT)]
    assert [one.elsewhere for one in found] == [False] * 4 + [True, True, False, True, True]
    assert when(hungary) == when(died_there) == [("XXXX-05-04/XXXX-05-10", Source.STATED)]
    assert where(hungary) == [("Hungary", Source.STATED)]
    assert when(bavaria) == when(died_then) == [("2002", Source.STATED)]
    assert where(bavaria) == [("Bavaria, Germany", Source.STATED)]


def test_a_day_counted_from_the_main_events_is_inferred() -> None:
    """Nothing says that the repair was on the day of the closure; a day of its own dates both."""
    lead = "OSLO , May 12 ( Orbit ) - A bridge was closed on May 10 ."
    (fell,) = circumstances([lead, "Its repair came two days after a crane fell ."], "fell")
    assert when(fell) == [("XXXX-05-08", Source.INFERRED)]
    (fell,) = circumstances([lead, "Its repair came on May 9 , two days after a crane fell ."], "fell")
    assert when(fell) == [("XXXX-05-07", Source.STATED)]


def test_every_circumstance_has_its_tokens() -> None:
    (one,) = circumstances(FLOOD, "swept")
    tokens = " ".join(FLOOD).split()
    assert [tokens[token] for own in one.when for token in own.tokens] == ["Friday"]
    assert [tokens[token] for own in one.where for token in own.tokens] == ["Znojmo"]


def test_a_day_in_the_id_resolves_weekdays() -> None:
    (one,) = circumstances(["A train derailed on Monday ."], "derailed", id="2024-05-16_b")
    assert when(one) == [("2024-05-13", Source.STATED)]


def test_that_november_is_of_the_year_that_another_sentence_states() -> None:
    (one,) = circumstances(["The loss of 2009 is remembered .", "The ferry sank that November ."], "sank")
    assert when(one) == [("2009-11", Source.STATED)]


@pytest.mark.parametrize(
    ("sentence", "first", "last", "day"),
    [
        ("On Sunday the club signed Maas , who starred in Friday 's win .", 10, 13, "2024-05-17"),
        ("On Sunday the club signed Maas , who starred in Friday 's win .", 12, 13, "2024-05-17"),
        ("Maas , who will miss the final after Friday 's win , trained .", 10, 11, "2024-05-17"),
        ("He recalled the 2017 fire , which came before the fire on Sunday .", 2, 5, "2017"),
        ("The fire on Sunday , which recalled the 2017 fire , killed two .", 0, 4, "2024-05-19"),
    ],
)
def test_a_mention_has_the_day_that_it_contains(sentence: str, first: int, last: int, day: str) -> None:
    document = Document.from_sentences("2024-05-19", [sentence.split()])
    corpus = Corpus((document,), (Mention("2024-05-19", tuple(range(first, last)), "event"),))
    (one,) = Readings(corpus).circumstances
    assert when(one) == [(day, Source.STATED)]


def test_what_somebody_said_on_a_day_happened_another_day() -> None:
    said, shot = circumstances(["Police said Friday a man shot his neighbour ."], "said", "shot", id="2024-05-18")
    assert when(said) == [("2024-05-17", Source.STATED)]
    assert [source for _, source in when(shot)] != [Source.STATED]


def test_the_day_of_a_verdict_is_not_that_of_the_deed() -> None:
    convicted, fraud = circumstances(["He was convicted of fraud on Friday ."], "convicted", "fraud", id="2024-05-18")
    assert when(convicted) == [("2024-05-17", Source.STATED)]
    assert Source.STATED not in [source for _, source in when(fraud)]


def test_of_two_days_in_a_clause_each_belongs_to_its_event() -> None:
    charged, shooting = circumstances(
        ["He was charged on Friday with the shooting on March 3 ."], "charged", "shooting", id="2024-05-18"
    )
    assert when(charged) == [("2024-05-17", Source.STATED)]
    assert when(shooting) == [("2024-03-03", Source.STATED)]


def test_a_time_belongs_to_the_participle_that_it_follows() -> None:
    recall, covers, built = circumstances(
        ["The recall covers vans built between 2021 and 2023 ."], "recall", "covers", "built", id="2025-05-14"
    )
    assert when(built) == [("2021-01-01/2023-12-31", Source.STATED)]
    assert [source for one in (recall, covers) for _, source in when(one)] == [Source.SENTENCE] * 2


def test_a_verb_and_its_subject_share_their_time() -> None:
    found = circumstances(["The quake in Peru killed nine people on March 3 ."], "quake", "killed", id="2025-03-05")
    assert [when(one) for one in found] == [[("2025-03-03", Source.STATED)]] * 2


def test_what_a_relative_clause_states_is_not_lent_to_the_sentence() -> None:
    rose, recalled = circumstances(
        ["Tokari , which recalled cars in Japan last year , closed in Osaka and rose ."][:1] * 2,
        "recalled",
        "rose",
        id="2025-05-15",
    )
    assert when(rose) == [("2024", Source.STATED)]
    assert "2024" not in [period for period, _ in when(recalled)]


def test_an_inquiry_has_a_day_of_its_own() -> None:
    death, died = circumstances(
        ["Police on Friday were investigating the death of a man .", "He died on Thursday at his home in Kokomo ."],
        "death",
        "died",
        id="2024-05-18",
    )
    assert when(death) == [("2024-05-16", Source.INFERRED)]
    assert when(died) == [("2024-05-16", Source.STATED)]


def test_the_day_of_publication_in_brackets_is_not_that_of_the_event() -> None:
    (found,) = circumstances(
        ["KOKOMO , Ind. ( Aug. 28 , 2015 ) – Three bodies were found in a home Thursday ."], "found"
    )
    assert when(found) == [("2015-08-27", Source.STATED)]


def test_a_small_town_is_in_the_country_where_the_text_is_dated_from_and_else_in_none() -> None:
    text = "A fire destroyed the plant in Millbrook ."
    dated = circumstances([f"CHICAGO , Aug. 6 ( Orbis ) - {text}"], "fire")[0]
    assert where(dated) == [("Millbrook, United States", Source.STATED)]
    assert where(circumstances([f"ATHENS , Aug. 6 ( Orbis ) - {text}"], "fire")[0]) == [("Millbrook", Source.STATED)]
    assert where(circumstances([text], "fire")[0]) == [("Millbrook", Source.STATED)]


def test_where_the_police_are_is_where_it_happened_if_nothing_else_says_so() -> None:
    headline, there = (
        circumstances([text, "Kokomo police were called ."], "shot")[0]
        for text in ("One shot", "One shot in Gary , Indiana")
    )
    assert where(headline) == [("Kokomo", Source.INFERRED)]
    assert where(there) == [("Gary, Indiana", Source.STATED)]


def test_a_day_that_only_the_body_of_a_text_states() -> None:
    filler = ["Nobody knows yet who did it or why they did ."] * 5
    (one,) = circumstances(["A man was shot .", *filler, "The man was shot on Tuesday ."], "shot", id="2024-05-18")
    assert when(one) == [("2024-05-14", Source.DOCUMENT)]


def test_a_line_break_that_a_corpus_keeps_ends_a_sentence() -> None:
    (one,) = circumstances(["Bar closed //n KOKOMO , Ind. ( Orbit ) - A man was shot ."], "shot", id="2024-05-18")
    assert where(one) == [("Kokomo, Indiana", Source.INFERRED)]


def test_what_somebody_said_has_no_place_unless_it_is_stated() -> None:
    said, died = circumstances(
        ["Two people died in a flood in Znojmo .", "The town is flooded , police said ."], "died", "said"
    )[::-1]
    assert where(died) != []
    assert where(said) == []


def test_participants_by_role() -> None:
    document = Document.from_sentences("a", [["Strada", "bought", "Velum", "from", "Corvo", "in", "Italy", "."]])
    event = Mention("a", (1,), "event")
    entities = [Mention("a", (place,), "entity") for place in (0, 2, 4, 6)]
    (one, *_) = Readings(Corpus((document,), (event, *entities))).circumstances
    assert [(own.role, own.mention.tokens) for own in one.participants] == [
        ("before", (0,)),
        ("after", (2,)),
        ("from", (4,)),
    ]


def test_hidden_sentences_state_nothing() -> None:
    document = Document.from_sentences(
        "a", [["http://a.com", "2014-06-15", "Paris"], ["A", "man", "was", "shot", "."]], hidden=frozenset({0})
    )
    readings = Readings(Corpus((document,), (Mention("a", (6,), "event"),)))
    found = readings.circumstances
    assert found == [Circumstances()]
    assert readings["a"].stated.lead.setting.today is None
    in_hidden = Mention("a", (1,), "event")
    found = Readings(Corpus((document,), (in_hidden, Mention("a", (6,), "event")))).circumstances
    assert found == [Circumstances(), Circumstances()]


def setting(*sentences: str, day: str = "2024-05-18", **metadata: str) -> Setting:
    """What a document of a Saturday states as a whole."""
    document = Document.from_sentences("a", [sentence.split() for sentence in sentences])
    return Reading(replace(document, metadata={"date": day, **metadata})).stated.lead.setting


@pytest.mark.parametrize(
    ("sentences", "day"),
    [
        (["Maas , who was hurt on Monday , won the race on Friday ."], "2024-05-17"),
        (["But the rival left the hall in anger on Friday .", "The election was held on Thursday ."], "2024-05-16"),
        (["Maas won in January after years of trying .", "He lost the last race on Friday ."], "2024-05-17"),
        (["The bank will vote on the deal on Monday ."], "2024-05-20"),
        (["Maas won all seats , early results showed on Friday .", "The vote was held on Thursday ."], "2024-05-16"),
        (["He was shot in the hall earlier this month .", "A suspect had a hearing in court today ."], "2024-05"),
        (["He was held on Thursday , a day before a march in Oslo .", "He was freed on Friday ."], "2024-05-16"),
        (["She claimed victory in Thursday 's election , officials said ."], "2024-05-16"),
    ],
)
def test_the_day_of_the_main_event(sentences: list[str], day: str) -> None:
    found = setting("Maas wins the race", *sentences)
    assert found.when is not None
    assert str(found.when.period) == day


def test_the_day_of_a_document_does_not_become_that_of_its_events() -> None:
    (one,) = circumstances(["Two people have been killed in a fire ."], "fire", id="2024-05-18")
    assert [own.tokens for own in one.when] == [()]


def test_a_noun_within_a_subject_does_not_have_the_time_of_the_verb() -> None:
    _, attack, rose = circumstances(
        ["The toll from the attack rose to 41 on Thursday ."], "toll", "attack", "rose", id="2024-05-18"
    )
    assert when(rose) == [("2024-05-16", Source.STATED)]
    assert when(attack) == [("2024-05-16", Source.SENTENCE)]


@pytest.mark.parametrize(
    ("sentences", "place"),
    [
        (["Ferry sinks near Bergen", "Ann Lee in Oslo", "A ferry sank near Bergen ."], "Bergen, Norway"),
        (["Ferry sinks", "Ann Lee in Oslo", "A ferry sank near Bergen , killing two people ."], "Bergen, Norway"),
        (["Maas wins", "Maas , who won in Dubai , won the race in Ghent ."], "Ghent, Belgium"),
        (["Maas wins Boston Marathon", "Maas won in record time .", "He lives in Dubai ."], "Boston, Massachusetts"),
        (["Kansas shooting : man kills four", "He wrote to a friend in Ghent ."], "Kansas"),
        (
            ["Tanzania ferry : toll rises", "Divers from Nairobi met in Kenya .", "It sank in Mwanza ."],
            "Mwanza, Tanzania",
        ),
        (
            ["Five Die as Air Taxi Crashes in New Mexico", "A taxi to Texas crashed near Roswell , N.M ."],
            "Roswell, New Mexico",
        ),
        (["Voters turn left", "The trend is new in Latin America .", "Maas won in Ecuador ."], "Ecuador"),
    ],
)
def test_the_place_of_the_main_event(sentences: list[str], place: str) -> None:
    found = setting(*sentences)
    assert found.where is not None
    assert found.where.place.shown() == place


def test_a_title_beside_the_text_names_places() -> None:
    found = setting(
        "It capsized in rain near Nairobi .", "It was bound for Mwanza and lay in Mwanza .", title="Tanzania mourns"
    )
    assert found.where is not None
    assert found.where.place.shown() == "Mwanza, Tanzania"


HEADED = [
    "Bridge gives way in Tarn",
    "Tuesday , 3 June",
    "The bridge over the Sull collapses .",
    "Wednesday , 4 June",
    "Divers recover a van .",
    "Background",
    "The bridge was repaired in 2019 .",
    "A hearing opens a week from Monday .",
]


def test_a_heading_gives_its_day_to_what_stands_under_it() -> None:
    found = circumstances(HEADED, "collapses", "recover", "repaired", "opens", id="2025-06-05")
    collapses, recover, repaired, opens = found
    assert when(collapses) == [("2025-06-03", Source.HEADING)]
    assert when(recover) == [("2025-06-04", Source.HEADING)]
    assert when(repaired) == [("2019", Source.STATED)]
    assert when(opens) == [("2025-06-16", Source.STATED)]


@pytest.mark.parametrize(
    ("sentence", "event", "day"),
    [
        ("The chapel that burned on 9 April was reopened last week .", "burned", "2025-04-09"),
        ("The chapel that burned on 9 April was reopened last week .", "reopened", "2025-05-26/2025-06-01"),
        ("The coach , who joined in 2018 , left on Sunday .", "left", "2025-06-01"),
        ("The ship left port two days before the storm of 20 May struck .", "left", "2025-05-18"),
        ("Police said on Monday that a shop was robbed .", "robbed", None),
        ("He was convicted on Monday of a theft .", "theft", None),
        ("She has been in office since 2019 and resigned .", "resigned", None),
        ("It was the worst fire since 1990 .", "fire", None),
        ('" We will go on , " Ida Rohm , in office since 2017 , said on Tuesday evening .', "said", "2025-06-03"),
    ],
)
def test_the_day_that_the_clause_of_an_event_states(sentence: str, event: str, day: str | None) -> None:
    (one,) = circumstances([sentence], event, id="2025-06-05")
    stated = [str(own.period) for own in one.when if own.source is Source.STATED]
    assert stated == ([] if day is None else [day])
