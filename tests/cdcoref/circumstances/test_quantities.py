"""Quantities of sentences, and what each is of."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from cdcoref.circumstances import StatedQuantity
from cdcoref.corpus import EVENT, Mention
from cdcoref.formats import tokenise_text
from cdcoref.reading import Reading
from tests.tables import rows_of


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
            f"{one.value.normalize():f}",
            one.unit,
            one.relation,
            None if one.event is None else words_of(one.event),
            tuple(words_of(event) for event in one.further),
        )
        for one in Reading(document).quantities(mentions)
    ]


def test_what_a_sentence_states() -> None:
    """`quantities.tsv`: value, unit, relation and event, or nothing."""
    for row in rows_of(__file__, "quantities.tsv"):
        found = [" | ".join(map(str, one[:4])) for one in stated(row["text"], *row["events"].split("; "))]
        assert found == ([] if row["stated"] == "-" else [row["stated"]]), row


def test_a_number_of_the_object_is_also_of_its_verb() -> None:
    (one,) = stated("Ann Lund won Monday's election by 1,240 votes.", "won", "election")
    assert one[3:] == ("won", ("election",))
    first, second = stated("The fire killed three people and injured 12 people.", "fire", "killed", "injured")
    assert first[3:] == ("killed", ("fire",))
    assert second[3:] == ("injured", ())


def test_a_sum_for_each_year_is_another_unit() -> None:
    (one,) = stated("The merger will save $90 million a year.", "save")
    assert one[:3] == ("90000000", "$ a year", "save")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("The bank will cut 1,200 jobs, not 900, a union said.", [("1200", False), ("900", True)]),
        ("The bank cut 1,200 jobs rather than 900.", [("1200", False), ("900", True)]),
        ("The bank cut 1,200 jobs in 900 towns.", [("1200", False)]),
    ],
)
def test_a_number_without_a_noun_is_an_earlier_value_of_the_quantity_before_it(
    text: str, values: list[tuple[str, bool]]
) -> None:
    found = Reading(tokenise_text(text, "report")).quantities([])
    assert [(str(one.value), one.superseded) for one in found if one.unit == "job"] == values


@pytest.mark.parametrize(
    ("text", "elsewhere"),
    [
        ("In 2019, 25 people died in a landslide.", True),
        ("The landslide, the worst since 2019, killed 25 people.", False),
        ("On Monday, 25 people died in a landslide.", False),
    ],
)
def test_a_number_of_an_earlier_year(text: str, elsewhere: bool) -> None:
    document = replace(tokenise_text(text, "report"), metadata={"date": "2024-07-01"})
    assert [one.elsewhere for one in Reading(document).quantities([])] == [elsewhere]


def test_no_number_says_something() -> None:
    document = tokenise_text("Six people were hurt, three of them seriously, police said.", "report")
    assert {one.speaker for one in Reading(document).quantities([])} <= {"", "police"}


def quantity(value: str, *, rough: bool = False, unit: str = "people") -> StatedQuantity:
    return StatedQuantity(0, 1, Decimal(value), unit, rough)


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
def test_which_values_contradict_each_other(one: StatedQuantity, other: StatedQuantity, differ: bool) -> None:
    assert one.differs(other) is other.differs(one) is differ
