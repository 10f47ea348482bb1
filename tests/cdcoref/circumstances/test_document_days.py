"""The day of a document by its metadata, its id, a line with the date, its dateline or its first full date."""

from __future__ import annotations

import pytest

from cdcoref.circumstances import day_of
from cdcoref.corpus import Document


@pytest.mark.parametrize(
    ("lines", "fields", "day"),
    [
        (["A quake struck on 1 May 2020 ."], {"metadata": {"date": "2020-05-03T10:00:00Z"}}, "2020-05-03"),
        (["A quake struck on 1 May 2020 ."], {}, "2020-05-01"),
        (["Quake kills two", "April 10 , 2007 - 7 : 07AM", "It struck on 1 May 2002 ."], {}, "2007-04-10"),
        (["Quake kills two", "OSLO , May 3 ( Orbit ) - A quake struck ."], {}, "XXXX-05-03"),
        (["The vote will be on May 3 ."], {}, None),
        (["2014-06-15", "Shooting at bar"], {"hidden": frozenset({0})}, None),
        (["2014-06-15", "Shooting at bar"], {}, "2014-06-15"),
        (["http : / / a . com / 2013 _ 09 _ 14 _ q . html", "A man died ."], {}, "2013-09-14"),
        (["http : / / a . com / 2013 / 09 / 14 / q", "A man died ."], {"hidden": frozenset({0})}, None),
        (["A man died ."], {"metadata": {"url": "https://a.com/news/20130914/q"}}, "2013-09-14"),
        (["A man died ."], {"metadata": {"date_publish": "2016-11-11 06:31:00", "date": "unknown"}}, "2016-11-11"),
        (["", "A man died ."], {}, None),
        (["Man dies", "By JO KERR Feb.", "5 , 2016"], {}, "2016-02-05"),
        (["A man died ."], {"metadata": {"publisher": "The Herald"}}, None),
        (["Man dies", "By JO KERR FEB .", "5 , 2016", "A man died on Friday ."], {}, "2016-02-05"),
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
