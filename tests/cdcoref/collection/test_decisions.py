"""Corrections from a table: read by line, made together, and not at all if one of them is wrong."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cdcoref.collection import Collection, Decision, read_decisions
from cdcoref.errors import InputError

Find = Callable[[str, str], str]


def read(text: str) -> list[Decision]:
    return read_decisions("-", standard_input=io.BytesIO(text.encode()))


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_table_is_read(tmp_path: Path, delimiter: str) -> None:
    rows = ("action,ids,name", "same,m1  m2,", "", 'rename,c3,"The ""ferry"""', "not-a-mention,m4,")
    path = tmp_path / "x.csv"
    path.write_text("\ufeff" + "\r\n".join(row.replace(",", delimiter) for row in rows))
    assert read_decisions(path) == [
        Decision("same", ("m1", "m2"), None, str(path), 2),
        Decision("rename", ("c3",), 'The "ferry"', str(path), 4),
        Decision("not-a-mention", ("m4",), None, str(path), 5),
    ]
    assert [decision.action for decision in read("ids,action\nm1 m2,split\n")] == ["split"]
    assert read("action,ids\n") == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: the first line must name the columns"),
        ("same,m1 m2\n", "line 1: the first line must name the columns"),
        ("action,ids,what\n", "line 1: the first line must name the columns"),
        ("action,ids\nsame,m1 m2\njoin,m3\n", "line 3: 'join' is not a correction"),
        ("action,ids\nsame,\n", "line 2: the row names no ids"),
        ("action,ids,ids\nsame,m1,m2\n", "line 1: the first line must name the columns"),
        ("action,ids\nnot-a-mention,m1,m2\n", "line 2: the row has more cells than it needs"),
        ("action,ids,name\nsame,m1 m2,m3\n", "line 2: the row has more cells than it needs"),
        ('action,ids,name\nrename,c3,"The ferry\n', "line 2: the line cannot be read"),
    ],
)
def test_what_is_no_table_of_corrections_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(text)


def test_corrections_are_made_as_one_by_one(news: Collection, mention_id: Find, tmp_path: Path, written: Any) -> None:
    captain, police = mention_id("ferry0", "captain"), mention_id("ferry0", "Police")
    guard = mention_id("museum1", "guard")
    cluster = news.mention(captain).cluster
    rows = (f"same,{captain} {police},", f"rename,{cluster},Captain", f"not-a-mention,{guard},")
    decisions = read("\n".join(("action,ids,name", *rows)))
    made = news.correct_all(decisions)
    assert [(one.number, one.action) for one in made] == [(1, "same"), (2, "rename"), (3, "not-a-mention")]
    assert made[0].moves
    assert news.mention(guard).rejected
    together = news.corpus()
    with Collection.create(tmp_path / "other.cdcoref", "lemma") as other:
        other.add(written.joined(*written.reports(4)))
        for decision in decisions:
            other.correct(decision.action, decision.ids, name=decision.name)
        assert other.corpus() == together


def test_one_that_is_wrong_undoes_all(news: Collection, mention_id: Find, path: Path) -> None:
    captain, police = mention_id("ferry0", "captain"), mention_id("ferry0", "Police")
    before = news.corpus()
    for last, message in (
        ("same,m1 m99999", "line 3: there is no mention m99999 in the collection; none of the corrections was made"),
        (f"not-same,{captain} {police}", "line 3: this contradicts line 2; none of the corrections was made"),
    ):
        with pytest.raises(InputError, match=message):
            news.correct_all(read(f"action,ids\nsame,{captain} {police}\n{last}\n"))
        assert news.corpus() == before
        assert news.corrections() == []
    with pytest.raises(InputError, match="correction 2 cannot be made"):
        news.correct_all([Decision("same", (captain, police)), Decision("split", ("m99999",))])
    with pytest.raises(InputError, match="correction 2 cannot be made: this contradicts correction 1; none"):
        news.correct_all([Decision("same", (captain, police)), Decision("not-same", (captain, police))])
    rows = f"same,{captain} {police}\nsame,{police} {captain}\nnot-same,{captain} {police}\n"
    with pytest.raises(InputError, match="line 4: this contradicts lines 2 and 3; none of the corrections was made"):
        news.correct_all(read(f"action,ids\n{rows}"))
    news.correct("same", [captain, police])
    with pytest.raises(InputError, match=r"line 2: this contradicts an earlier correction; undo correction 1 first$"):
        news.correct_all(read(f"action,ids\nnot-same,{captain} {police}\n"))
    with pytest.raises(InputError, match=r"^.*there is no mention m99999 in the collection$"):
        news.correct("same", [captain, "m99999"])
