"""The benchmark of circumstances: keys, and what counts as right."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path
from types import ModuleType

import pytest

from cdcoref.circumstances import Place
from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.facts import Period

KEYS = Path(__file__).resolve().parents[2] / "data" / "circumstances"


@pytest.fixture(scope="module")
def script(load_script: Callable[[str], ModuleType]) -> ModuleType:
    return load_script("benchmarks/circumstances")


@pytest.mark.parametrize(
    ("first", "last", "key", "right"),
    [
        (date(2014, 6, 15), date(2014, 6, 15), "2014-06-15", True),
        (date(2014, 6, 9), date(2014, 6, 15), "2014-06-15", True),
        (date(2014, 6, 1), date(2014, 6, 30), "2014-06-15", False),
        (date(2014, 6, 1), date(2014, 6, 30), "2014", True),
        (date(2014, 6, 16), date(2014, 6, 16), "2014-06-15", False),
        (date(2014, 6, 16), date(2014, 6, 16), "2014-06-15/2014-06-17", True),
    ],
)
def test_when(script: ModuleType, first: date, last: date, key: str, right: bool) -> None:
    assert script.is_time_right(Period(first, last), key) == right


@pytest.mark.parametrize(
    ("place", "right"),
    [
        (Place("Gary", "city", "US", "IN"), True),
        (Place("Indiana", "region", "US", "IN"), True),
        (Place("United States", "country", "US"), True),
        (Place("Gary"), True),
        (Place("Toledo", "city", "US", "OH"), False),
        (Place("Gary", "city", "CA"), False),
    ],
)
def test_where(script: ModuleType, place: Place, right: bool) -> None:
    assert script.is_place_right(place, "Gary|Indiana, US") == right


def test_counts(script: ModuleType) -> None:
    words = ["A", "man", "was", "shot", "in", "Gary", ",", "Indiana", "on", "Tuesday", "."]
    document = Document.from_sentences("2024-05-18_a", [words, ["He", "died", "."]])
    corpus = Corpus((document,), (Mention(document.id, (3,), "event"), Mention(document.id, (12,), "event")))
    key = {
        (document.id, 3): script.Key("2024-05-14", "Gary|Indiana, US"),
        (document.id, 12): script.Key("-", "?"),
    }
    counts, errors = script.judge(corpus, key)
    assert vars(counts["when"]) == {"right": 1, "found": 2, "stated": 1}
    assert vars(counts["where"]) == {"right": 1, "found": 1, "stated": 1}
    assert list(errors) == [f"{document.id}\t12\twhen\tfound 14 May 2024\tkey -"]


@pytest.mark.parametrize("name", ["ecb", "gvc"])
def test_keys_can_be_read(script: ModuleType, name: str) -> None:
    key = script.read_key(KEYS / f"{name}.tsv")
    assert len(key) == 100
    for answer in key.values():
        assert answer.when in ("-", "?") or script.period(answer.when).has_year
        assert answer.where in ("-", "?", "Gulf of Aden") or len(answer.where.rpartition(", ")[2]) == len("US")
