"""Quantities of sentences, and what each is of."""

from __future__ import annotations

from decimal import Decimal

import pytest

from cdcoref.circumstances import Quantity
from cdcoref.corpus import EVENT, Mention
from cdcoref.formats import tokenise_text
from cdcoref.reading import Reading


def stated(text: str, *events: str) -> list[tuple[str, str, str, str | None, tuple[str, ...]]]:
    """Value, unit, relation, event and further events of the quantities of a text."""
    document = tokenise_text(text, "report")
    mentions = []
    for words in events:
        start = text.index(words)
        tokens = [n for n, (a, b) in enumerate(document.offsets) if a < start + len(words) and b > start]
        mentions.append(Mention("report", tuple(tokens), EVENT, None))

    def words_of(mention: Mention) -> str:
        return " ".join(document.tokens[token] for token in mention.tokens)

    return [
        (
            f"{one.quantity.value.normalize():f}",
            one.quantity.unit,
            one.relation,
            None if one.event is None else words_of(one.event),
            tuple(words_of(event) for event in one.further),
        )
        for one in Reading(document).quantities(mentions)
    ]


@pytest.mark.parametrize(
    ("text", "events", "expected"),
    [
        ("Tallow agreed to buy Marl for $2.1 billion.", ("buy",), ("2100000000", "$", "purchase", "buy")),
        ("A takeover worth $2.4bn was announced.", ("takeover",), ("2400000000", "$", "purchase", "takeover")),
        ("The gang stole jewels worth £84.3m.", ("stole",), ("84300000", "£", "theft", "stole")),
        ("Gold worth 310 million pounds was stolen.", ("stolen",), ("310000000", "£", "theft", "stolen")),
        ("Ann Lund won the election by 1,240 votes.", ("won", "election"), ("1240", "vote", "win", "won")),
        ("The bill passed by 311 votes to 202.", ("passed",), ("311", "vote", "vote", "passed")),
        ("Deputies approved the law 52-48.", ("approved",), ("52", "vote", "vote", "approved")),
        ("Ode was sentenced to seven years in prison.", ("sentenced",), ("84", "month", "sentence", "sentenced")),
        ("The judge imposed a nine-year sentence.", ("sentence",), ("108", "month", "sentence", "sentence")),
        ("The storm killed five.", ("storm", "killed"), ("5", "people", "death", "killed")),
        ("The death toll rose to 47.", ("toll",), ("47", "people", "death", "toll")),
        ("Twelve were injured in the crash.", ("injured", "crash"), ("12", "people", "injury", "injured")),
        ("Some 1,200 residents were evacuated.", ("evacuated",), ("1200", "people", "flight", "evacuated")),
        ("The mill will close two of its nine plants.", ("close",), ("2", "plant", "close", "close")),
        ("Turnout was 66 per cent.", ("Turnout",), ("66", "%", "turnout", "Turnout")),
        ("A 6.1-magnitude quake struck Tresk.", ("quake",), ("6.1", "magnitude", "quake", "quake")),
    ],
)
def test_what_a_sentence_states(text: str, events: tuple[str, ...], expected: tuple[str, ...]) -> None:
    (one,) = stated(text, *events)
    assert one[:4] == expected


def test_a_number_of_the_object_is_also_of_its_verb() -> None:
    (one,) = stated("Ann Lund won Monday's election by 1,240 votes.", "won", "election")
    assert one[3:] == ("won", ("election",))
    first, second = stated("The fire killed three people and injured 12 people.", "fire", "killed", "injured")
    assert first[3:] == ("killed", ("fire",))
    assert second[3:] == ("injured", ())


@pytest.mark.parametrize(
    ("text", "events"),
    [
        ("Ann Lund, 47, died on Monday.", ("died",)),
        ("The five-year-old boy was arrested two years ago.", ("arrested",)),
        ("The strike ended on 6 August 2019 at 5 p.m.", ("strike", "ended")),
        ("Labour won for the first time in twelve years.", ("won",)),
        ("Between 30 and 40 people fled.", ("fled",)),
        ("Flight 737 crashed.", ("crashed",)),
        ("The two companies announced a merger.", ("merger",)),
    ],
)
def test_what_states_nothing(text: str, events: tuple[str, ...]) -> None:
    assert stated(text, *events) == []


def test_a_sum_for_each_year_is_another_unit() -> None:
    (one,) = stated("The merger will save $90 million a year.", "save")
    assert one[:3] == ("90000000", "$ a year", "save")


def quantity(value: str, *, rough: bool = False, unit: str = "people") -> Quantity:
    return Quantity(0, 1, Decimal(value), unit, rough)


@pytest.mark.parametrize(
    ("one", "other", "differ"),
    [
        (quantity("31"), quantity("47"), True),
        (quantity("31"), quantity("31"), False),
        (quantity("30"), quantity("31"), True),
        (quantity("1200"), quantity("1204"), False),
        (quantity("1204"), quantity("1240"), True),
        (quantity("2100000000"), quantity("2140000000"), False),
        (quantity("2100000000"), quantity("2400000000"), True),
        (quantity("30", rough=True), quantity("31"), False),
        (quantity("30", rough=True), quantity("47"), True),
        (quantity("600"), quantity("900", unit="job"), False),
    ],
)
def test_which_values_contradict_each_other(one: Quantity, other: Quantity, differ: bool) -> None:
    assert one.differs(other) is other.differs(one) is differ
