"""Clauses, and which of them look elsewhere; amounts."""

from __future__ import annotations

import pytest

from cdcoref.circumstances import clauses_of, counts_in


@pytest.mark.parametrize(
    ("text", "elsewhere"),
    [
        ("The fire came three days after a fire in Portugal killed five .", ["after a fire in Portugal killed five ."]),
        ("the worst fire since 2017 , when a blaze killed 66", ["since 2017 ,", "when a blaze killed 66"]),
        ("Unlike the last vote , this one was close .", ["Unlike the last vote ,"]),
        ("Since 2017 , 14 cases were heard .", ["Since 2017 ,"]),
        ("The day before the vote , a bomb went off .", []),
        ("The road was shut since it had flooded .", []),
        ("He was arrested after a chase .", []),
        ("The strike follows a strike by pilots in August .", ["a strike by pilots in August ."]),
        ("Police followed the car to Lyon .", []),
        (
            "the worst since 2017 , when a fire , fanned by wind , killed 66",
            ["since 2017 ,", "when a fire , fanned by wind , killed 66"],
        ),
        ("He died hours after he fell .", []),
    ],
)
def test_clauses_that_look_elsewhere(text: str, elsewhere: list[str]) -> None:
    words = text.split()
    clauses = clauses_of(words)
    assert [" ".join(words[one.start : one.end]) for one in clauses if one.elsewhere] == elsewhere
    assert [word for one in clauses for word in words[one.start : one.end]] == words


def test_a_relative_clause_between_commas_ends_at_the_second() -> None:
    text = "Shares of Tokari , which recalled cars in May , rose ; the firm from which he was fired fell ."
    words = text.split()
    relative = [" ".join(words[one.start : one.end]) for one in clauses_of(words) if one.relative]
    assert relative == ["which recalled cars in May ,", "from which he was fired fell ."]


@pytest.mark.parametrize(
    ("text", "relative"),
    [
        ("The man who killed two people in Athens in 2009 was arrested .", "who killed two people in Athens in 2009"),
        ("A ferry which sank in 2009 was raised .", "which sank in 2009"),
        ("The teacher whom police arrested on Sunday was charged .", "whom police arrested on Sunday"),
        ("The bridge where a bus crashed in March has been closed .", "where a bus crashed in March"),
        ("A man who said he was attacked in Paris was held .", "who said he was attacked in Paris was held ."),
        ("A man who was hit and was hurt fell .", "who was hit and was hurt fell ."),
        ("Police held a man who was hurt .", "who was hurt ."),
    ],
)
def test_a_relative_clause_without_commas_ends_before_the_verb_of_the_sentence(text: str, relative: str) -> None:
    words = text.split()
    assert [" ".join(words[one.start : one.end]) for one in clauses_of(words) if one.relative] == [relative]


@pytest.mark.parametrize(
    ("text", "days"), [("two weeks after the", -14), ("a day before the", 1), ("long after the", None)]
)
def test_the_distance_of_a_clause(text: str, days: int | None) -> None:
    assert clauses_of(f"It came {text} vote ended .".split())[-1].days == days


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("It killed five people .", ["5 people"]),
        ("Sixteen people .", ["16 people"]),
        ("It burned 1,200 hectares of pine .", ["1200 hectare"]),
        ("It burned 4 , 700 hectares .", ["4700 hectare"]),
        ("A quake of 2 million dollars", ["2000000 dollar"]),
        ("on March 5 , 2024 at 7 p.m. in 2017", []),
        ("a 15-year - old and 20 percent", []),
        ("three days ago", []),
    ],
)
def test_counts(text: str, counts: list[str]) -> None:
    assert [str(one.count) for one in counts_in(text.split(), [])] == counts


def test_a_number_before_an_event_counts_people() -> None:
    (one,) = counts_in(["Five", "die", "as", "fire", "spreads"], [(1, 2), (3, 4)])
    assert str(one.count) == "5 people"
