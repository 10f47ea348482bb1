"""The circumstances of event mentions in short reports."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest

from cdcoref.circumstances import Circumstances, Setting, Source, day_of
from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.reading import Reading, Readings
from tests.tables import rows_of

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
    assert where(killing) == [("Znojmo, Czechia", Source.STATED)]
    assert where(destroyed) == where(worst) == [("Znojmo, Czechia", Source.DOCUMENT)]
    assert [one.elsewhere for one in found] == [False] * 4 + [True, True, False, True, True]
    assert when(hungary) == when(died_there) == [("XXXX-05-04/XXXX-05-10", Source.COUNTED)]
    assert where(hungary) == [("Hungary", Source.STATED)]
    assert when(bavaria) == when(died_then) == [("2002", Source.STATED)]
    assert where(bavaria) == [("Bavaria, Germany", Source.STATED)]


def test_every_circumstance_has_its_tokens() -> None:
    (one,) = circumstances(FLOOD, "swept")
    tokens = " ".join(FLOOD).split()
    assert [tokens[token] for own in one.when for token in own.tokens] == ["Friday"]
    assert [tokens[token] for own in one.where for token in own.tokens] == ["Znojmo"]


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


def test_a_day_that_only_the_body_of_a_text_states() -> None:
    filler = ["Nobody knows yet who did it or why they did ."] * 5
    (one,) = circumstances(["A man was shot .", *filler, "The man was shot on Tuesday ."], "shot", id="2024-05-18")
    assert when(one) == [("2024-05-14", Source.DOCUMENT)]


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


def test_the_day_of_a_document_does_not_become_that_of_its_events() -> None:
    (one,) = circumstances(["Two people have been killed in a fire ."], "fire", id="2024-05-18")
    assert [own.tokens for own in one.when] == [()]


def test_a_company_is_not_the_country_that_a_document_is_about() -> None:
    about = setting("Maas wins Norway order", "Maas won .").about
    assert about is not None
    assert about.name == "Norway"
    assert setting("Maas wins Norway Airlines order", "Maas won .").about is None


def test_main_events() -> None:
    """`main_events.tsv`: when and where the main event of a document of Saturday, 18 May 2024, was."""
    for row in rows_of(__file__, "main_events.tsv"):
        found = setting(*row["sentences"].split(" / "))
        assert row["when"] in ("", found.when and str(found.when.period)), row
        assert row["where"] in ("", found.where and found.where.place.shown()), row


@pytest.mark.parametrize(
    ("sentences", "day"),
    [
        (
            "A man was arrested and booked after he accidentally shot and wounded a girl while showing her a handgun "
            "in his home Monday night .",
            "2024-05-13",
        )
    ],
)
def test_the_day_of_the_main_event(sentences: str, day: str) -> None:
    document = Document.from_sentences("2024-05-17", [sentence.split() for sentence in sentences.split(" / ")])
    found = Reading(document).stated.lead.when
    assert found is not None
    assert str(found.period) == day


def test_a_title_beside_the_text_names_places() -> None:
    found = setting(
        "It capsized in rain near Nairobi .", "It was bound for Mwanza and lay in Mwanza .", title="Tanzania mourns"
    )
    assert (found.where and found.where.place.shown()) == "Mwanza, Tanzania"
    assert setting("Boss Vincent ' Chin ' Gigante dies", "Gigante died on Friday , officials said .").about is None


def shown(values: Iterable[tuple[str, Source]]) -> str:
    """What readers see of times or places, and how it is known."""
    return "; ".join(f"{value} {source.name.lower()}" for value, source in values if source >= Source.INFERRED) or "-"


def test_what_is_shown_of_events() -> None:
    """`events.tsv`: documents by id, sentences and events, each with when and where it was."""
    for row in rows_of(__file__, "events.tsv"):
        found = circumstances(row["sentences"].split(" / "), *row["events"].split(" | "), id=row["id"])
        assert " | ".join(shown(when(one)) for one in found) == row["when"], row
        assert " | ".join(shown(where(one)) for one in found) == row["where"], row


def corpus(*texts: str) -> Corpus:
    """Documents of sentences that end with " / "; a word with * before it is an event."""
    documents, mentions = [], []
    for number, text in enumerate(texts):
        id = f"{number}"
        words = [sentence.split() for sentence in text.split(" / ")]
        document = Document.from_sentences(id, [[word.removeprefix("*") for word in own] for own in words])
        documents.append(document)
        flat = [word for own in words for word in own]
        mentions += [Mention(id, (place,), "event") for place, word in enumerate(flat) if word.startswith("*")]
    return Corpus(tuple(documents), tuple(mentions))


def test_which_of_two_events_conflict_and_agree() -> None:
    """`pairs_of_events.tsv`: the first two events of some texts; the answer does not depend on their order."""
    one, other = np.array([0]), np.array([1])
    for row in rows_of(__file__, "pairs_of_events.tsv"):
        tables = Readings(corpus(*row["texts"].split(" || "))).circumstance_tables
        holds = tables.conflicts if row["kind"] == "conflict" else tables.agree
        assert holds(one, other).tolist() == holds(other, one).tolist() == [row["holds"] == "yes"], row


def test_tables_agree_with_places() -> None:
    names = ["Peru", "Chile", "Lima", "Arequipa", "Ohio", "Nevada", "Detroit", "Chicago", "Norway", "Oslo"]
    own = corpus(*(f"A *fire began in {name} ." for name in names))
    tables = Readings(own).circumstance_tables
    places = [one.where[0].place for one in Readings(own).circumstances]
    first, second = np.triu_indices(len(names), 1)
    expected = [places[one].excludes(places[other]) for one, other in zip(first, second, strict=True)]
    assert tables.conflicts(first, second).tolist() == expected


@pytest.mark.parametrize(
    ("lines", "fields", "day"),
    [
        (["A quake struck on 1 May 2020 ."], {"metadata": {"date": "2020-05-03T10:00:00Z"}}, "2020-05-03"),
        (["A quake struck on 1 May 2020 ."], {}, "2020-05-01"),
        (["Quake kills two", "April 10 , 2007 - 7 : 07AM", "It struck on 1 May 2002 ."], {}, "2007-04-10"),
        (["Quake kills two", "OSLO , May 3 ( Orbit ) - A quake struck ."], {}, "XXXX-05-03"),
        (["The vote will be on May 3 ."], {}, None),
        (["Maas was jailed on Saturday for the crash of March 11 , 2005 , in which four men died ."], {}, None),
        (["2014-06-15", "Shooting at bar"], {"hidden": frozenset({0})}, None),
        (["2014-06-15", "Shooting at bar"], {}, "2014-06-15"),
        (["http : / / a . com / 2013 _ 09 _ 14 _ q . html", "A man died ."], {}, "2013-09-14"),
        (["http : / / a . com / 2013 / 09 / 14 / q", "A man died ."], {"hidden": frozenset({0})}, None),
        (["A man died ."], {"metadata": {"url": "https://a.com/news/20130914/q"}}, "2013-09-14"),
        (["A man died ."], {"metadata": {"date_publish": "2016-11-11 06:31:00", "date": "unknown"}}, "2016-11-11"),
        (["", "A man died ."], {}, None),
        (["A man died ."], {"metadata": {"publisher": "The Herald"}}, None),
        (["Posted 2 / 3 / 2009 11 : 11 PM", "A man died ."], {}, "2009-02-03"),
        (
            ["It struck on 1 May 2002 ."],
            {"metadata": {"date": "2002-05-01"}, "found": frozenset({"date"})},
            "2002-05-01",
        ),
    ],
)
def test_day_of(lines: list[str], fields: dict[str, object], day: str | None) -> None:
    found = day_of(Document.from_sentences("a", [line.split() for line in lines], **fields))
    assert (None if found is None else str(found)) == day


def test_the_day_in_an_id() -> None:
    found = day_of(Document.from_sentences("news_20240305_2", [["A", "quake", "."]]))
    assert str(found) == "2024-03-05"
