"""Expressions of time with their values, read with the tense that the parse gives them: `times.tsv`."""

from __future__ import annotations

from datetime import date

from cdcoref.facts import Period, looks_ahead, parse, times_in
from cdcoref.formats import tokenise_text
from tests.tables import rows_of


def test_every_expression_has_its_value() -> None:
    rows = rows_of(__file__, "times.tsv")
    documents = [tokenise_text(row["text"], str(number)) for number, row in enumerate(rows)]
    wrong = []
    for row, document, parsed in zip(rows, documents, parse(documents), strict=True):
        today = Period.of_day(date.fromisoformat(row["date"]))
        times = times_in(document.tokens, today, ahead=lambda token, parsed=parsed: looks_ahead(parsed, token))
        found = " ".join(str(one.period) for one in times if one.period is not None) or "-"
        if found != row["value"]:
            wrong.append((row["text"], row["value"], found))
    assert len(rows) >= 200
    assert not wrong


def test_of_a_document_without_a_day_only_the_weekday_is_known() -> None:
    (friday,) = times_in(["A", "bridge", "fell", "on", "Friday", "."], None)
    assert (friday.start, friday.end, friday.period, friday.weekday) == (4, 5, None, 4)


def test_a_text_without_a_year_counts_in_a_year_of_its_own() -> None:
    (day,) = times_in(["A", "bridge", "fell", "on", "August", "6", "."], None)
    assert str(day.period) == "XXXX-08-06"


def test_a_distance_waits_for_what_it_is_counted_from() -> None:
    distance, day = times_in(
        ["It", "left", "three", "days", "before", "the", "storm", "of", "3", "July", "2024", "."], None
    )
    assert (distance.days, distance.period, str(day.period)) == (-3, None, "2024-07-03")
