"""Quantities of sentences, and what each is of."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from cdcoref.circumstances import StatedQuantity
from cdcoref.corpus import EVENT, Mention
from cdcoref.formats import tokenise_text
from cdcoref.reading import Reading
from tests.tables import cases, rows_of


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


@pytest.mark.parametrize(("text", "stated"), cases(__file__, "quantities_aside.tsv"))
def test_which_quantities_are_not_those_of_the_story(text: str, stated: str) -> None:
    """Denied, or earlier: superseded; of an earlier year: elsewhere. No number says something."""
    document = replace(tokenise_text(text, "report"), metadata={"date": "2024-07-01"})
    found = Reading(document).quantities([])
    sorts = ("superseded" * one.superseded + "elsewhere" * one.elsewhere for one in found)
    assert "; ".join(f"{one.value} {sort}".strip() for one, sort in zip(found, sorts, strict=True)) == stated
    assert {one.speaker for one in found} <= {"", "a union", "police"}


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
