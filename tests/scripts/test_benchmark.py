"""Benchmarks by name: each is listed with what it measures, and explains its options."""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import date
from types import ModuleType

import pytest

from cdcoref.circumstances import Place
from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.facts import Period
from tests.scripts.conftest import SCRIPTS

NAMES = sorted(path.stem.replace("_", "-") for path in (SCRIPTS / "benchmarks").glob("*.py"))


def called(script: ModuleType, patch: pytest.MonkeyPatch, *arguments: str) -> int | str | None:
    """The exit code of the script with these arguments."""
    patch.setattr(sys, "argv", ["benchmark.py", *arguments])
    with pytest.raises(SystemExit) as ended:
        script.main()
    return ended.value.code


def test_all_are_listed(
    load_script: Callable[[str], ModuleType], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script = load_script("benchmark")
    assert called(script, monkeypatch, "--help") == 0
    shown = capsys.readouterr().out
    for name in NAMES:
        assert f"\n  {name}\n" in shown
    assert called(script, monkeypatch, "weather") == 2
    assert "weather" in capsys.readouterr().err


@pytest.mark.parametrize("name", NAMES)
def test_each_explains_its_options(
    name: str,
    load_script: Callable[[str], ModuleType],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    script = load_script("benchmark")
    assert called(script, monkeypatch, name, "--help") == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"usage: benchmark.py {name}")
    assert f"python scripts/benchmark.py {name}" in shown
    assert script.first_sentence(script.benchmarks()[name]).endswith(".")


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
    key = {(document.id, 3): script.Key("2024-05-14", "Gary|Indiana, US"), (document.id, 12): script.Key("-", "?")}
    counts, errors = script.judge(corpus, key)
    assert vars(counts["when"]) == {"right": 1, "found": 2, "stated": 1}
    assert vars(counts["where"]) == {"right": 1, "found": 1, "stated": 1}
    assert list(errors) == [f"{document.id}\t12\twhen\tfound 14 May 2024\tkey -"]
