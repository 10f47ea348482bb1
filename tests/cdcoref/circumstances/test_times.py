"""Dates and times in words, resolved against the document's day."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdcoref.corpus import Document
from cdcoref.facts import Period, looks_ahead, parse, times_in

TODAY = Period.of_day(date(2025, 8, 6))
"""A Wednesday."""


def found(text: str, today: Period | None = TODAY) -> list[str]:
    words = text.split()
    parsed = next(parse([Document.from_sentences("a", [words])]))
    times = times_in(words, today, ahead=lambda word: looks_ahead(parsed, word))
    return [str(time.period) if time.period else "?" for time in times if not time.days]


@pytest.mark.parametrize(
    ("text", "period"),
    [
        ("It went down that November after a storm .", "2009-11"),
        ("That May , it closed .", "2009-05"),
        ("Forty died that year .", "2009"),
        ("They said that November sales fell .", "2024-11"),
        ("In 2013 it burned again ; that June , it was sold .", "2013-06"),
    ],
)
def test_a_month_of_a_year_that_was_stated_before(text: str, period: str) -> None:
    times = times_in(text.split(), TODAY, Period.of_year(2009))
    assert str(times[-1].period) == period
    assert times[-1].looks_back


def test_the_day_that_was_stated_before() -> None:
    day = Period.of_day(date(2009, 11, 3))
    assert [one.period for one in times_in(["They", "met", "that", "evening", "."], TODAY, day)] == [day]
    (evening,) = times_in(["They", "met", "that", "evening", "."], TODAY, Period.of_year(2009))
    assert evening.period is None


def test_without_a_year_days_are_known_and_weekdays_are_not() -> None:
    today = Period.of_day(date(400, 8, 6))
    assert found("on Aug. 3", today) == ["XXXX-08-03"]
    assert found("on Sunday", today) == ["XXXX-07-31/XXXX-08-06"]
    assert found("three days ago", today) == ["XXXX-08-03"]


def test_without_a_day_what_is_relative_is_unknown() -> None:
    assert found("on Sunday , two days ago , last year and on March 5 , 2024", None) == ["?", "?", "?", "2024-03-05"]


days = st.dates(date(1990, 1, 1), date(2040, 12, 31))


@given(days, st.integers(2, 20))
def test_days_ago(day: date, count: int) -> None:
    assert found(f"{count} days ago", Period.of_day(day)) == [(day - timedelta(count)).isoformat()]


@given(days, st.sampled_from(["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]))
def test_a_weekday_is_one_of_the_last_seven_days(day: date, name: str) -> None:
    (one,) = times_in(["on", name], Period.of_day(day))
    assert one.period is not None
    assert one.period.first.strftime("%A") == name
    assert 0 <= (day - one.period.first).days < 7


@given(days, days, st.integers(-1000, 1000))
def test_the_gap_of_two_days(one: date, other: date, shift: int) -> None:
    first, second = Period.of_day(one), Period.of_day(other)
    assert first.gap(second) == second.gap(first) == abs((one - other).days)
    moved, also = first.shifted(shift), second.shifted(shift)
    assert moved is not None
    assert also is not None
    assert moved.gap(also) == first.gap(second)


def test_periods_with_and_without_year() -> None:
    without = Period.of_day(date(400, 8, 6))
    assert without.gap(Period.of_day(date(2025, 8, 3))) == 3
    assert without.gap(Period.of_year(2017)) == 0
    assert Period.of_day(date(400, 12, 30)).gap(Period.of_day(date(2025, 1, 2))) == 3


def test_a_weekday_is_known_without_a_day_of_the_document() -> None:
    (friday, last_week) = times_in(["It", "broke", "on", "Friday", "after", "a", "fire", "last", "week"], None)
    assert (friday.period, friday.weekday) == (None, 4)
    assert (last_week.period, last_week.weekday) == (None, None)
    assert (str(Period.of_weekday(4)), Period.of_weekday(4).shown()) == ("XXXX-WXX-5", "Friday")
