"""Settings over a configuration: full and short names, tables, TOML files, and a sentence for whatever is wrong."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Strict

from cdlm.errors import InputError
from cdlm.runs import RunOptions
from cdlm.settings import as_toml, parse_settings, read_toml, with_settings
from cdlm.validation import Count, any_of, check_fields, number


@dataclass(frozen=True)
class Sail:
    area: Annotated[float, number(0)] = 20.0
    colour: str = "white"
    reef: Annotated[Annotated[int, Strict()] | str, any_of("a whole number or text")] = "none"


@dataclass(frozen=True)
class Rig:
    sail: Sail = field(default_factory=Sail)
    masts: Count = 1
    names: tuple[str, ...] = ()
    loads: Mapping[str, Annotated[float, number(-9)]] = field(default_factory=lambda: {"bow": 1.0})

    def __post_init__(self) -> None:
        check_fields(self)
        if self.masts > 5:
            raise InputError(f"masts is {self.masts}, and no boat has more than five")


@dataclass(frozen=True)
class Boat:
    rig: Rig = field(default_factory=Rig)
    colour: str = "blue"
    keel: Annotated[float, number(-9)] | None = None


def test_full_and_short_names_and_tables_say_the_same() -> None:
    expected = Boat(Rig(Sail(area=30.0), masts=2))
    for settings in (
        {"rig.sail.area": 30, "rig.masts": 2},
        {"area": 30, "masts": 2},
        {"sail.area": 30.0, "rig": {"masts": 2}},
        {"rig": {"masts": 2, "sail": {"area": 30}}},
        {"rig.sail": {"area": 30}, "masts": 2},
    ):
        assert with_settings(Boat(), settings) == expected
    # The full name of a setting is never ambiguous, even if it is the end of another's.
    assert with_settings(Boat(), {"colour": "red"}) == Boat(colour="red")
    assert with_settings(Boat(), {"sail.colour": "red"}).rig.sail.colour == "red"
    # What was there before stays; a mapping that is a value is replaced as a whole.
    changed = with_settings(with_settings(Boat(), {"keel": 1.5}), {"loads": {"stern": 2.0}, "names": ["a", "b"]})
    assert (changed.keel, changed.rig.loads, changed.rig.names) == (1.5, {"stern": 2.0}, ("a", "b"))
    added = with_settings(changed, {"loads.bow": 3, "rig.loads.stern": 4})
    assert added.rig.loads == {"stern": 4.0, "bow": 3.0}


def test_hyphens_in_names_are_underscores_but_not_in_keys() -> None:
    settings = parse_settings(["rig.loads.stern-post=2", "run.head-learning-rate=0.5"])

    @dataclass(frozen=True)
    class Voyage:
        rig: Rig = field(default_factory=Rig)
        run: RunOptions = field(default_factory=RunOptions)

    changed = with_settings(Voyage(), settings)
    assert changed.rig.loads == {"bow": 1.0, "stern-post": 2.0}
    assert changed.run.head_learning_rate == 0.5
    with pytest.raises(InputError, match=r"^run.head_learning_rate is given twice$"):
        with_settings(Voyage(), {**settings, "run.head_learning_rate": 1.0})


def test_a_short_name_of_two_settings_is_ambiguous() -> None:
    @dataclass(frozen=True)
    class Fleet:
        first: Boat = field(default_factory=Boat)
        second: Boat = field(default_factory=Boat)

    with pytest.raises(InputError, match=r"^the setting keel is ambiguous; write first.keel or second.keel$"):
        with_settings(Fleet(), {"keel": 1})
    assert with_settings(Fleet(), {"second.keel": 1}).second.keel == 1


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"oars": 2},
            "there is no setting 'oars'; the settings are rig.sail.area, rig.sail.colour, rig.sail.reef, rig",
        ),
        ({"rig.sail.colours": 1}, "there is no setting 'rig.sail.colours'; is it rig.sail.colour?"),
        ({"colours": 1}, "there is no setting 'colours'; is it rig.sail.colour or colour?"),
        ({"rig": {"oars": 2}}, "there is no setting 'oars'; the settings are sail.area, "),
        ({"rig.masts.top": 1}, "there is no setting 'rig.masts.top'"),
        ({"loads.bow.left": 1}, "there is no setting 'loads.bow.left'"),
        ({"rig": 5}, "rig is 5 and should be a table of settings"),
        ({"masts": 1, "rig": {"masts": 1}}, "rig.masts is given twice"),
        ({"masts": "two"}, "rig.masts is 'two' and should be a whole number"),
        ({"masts": 0}, "rig.masts is 0 and should be at least 1"),
        ({"masts": 6}, "rig.masts is 6, and no boat has more than five"),
        ({"masts": 1 << 20_000}, "rig.masts is a number with thousands of digits and should be at most"),
        ({"reef": []}, "rig.sail.reef is [] and should be a whole number or text"),
        ({"keel": "deep"}, "keel is 'deep' and should be a number"),
        ({"names": ["a", 1]}, "rig.names[1] is 1 and should be text"),
        ({"loads": {"bow": "x"}}, "rig.loads.bow is 'x' and should be a number"),
    ],
)
def test_wrong_settings_are_said(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as raised:
        with_settings(Boat(), settings, "boat.toml")
    assert str(raised.value).startswith(f"boat.toml: {message}")


@pytest.mark.parametrize(
    "content",
    [b"masts 3\n", b"masts = " + 5000 * b"9" + b"\n", b"masts = " + 100_000 * b"[" + 100_000 * b"]", b"#" * 2_000_000],
    ids=str,
)
def test_a_file_that_is_no_configuration(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "boat.toml"
    file.write_bytes(content)
    with pytest.raises(InputError) as raised:
        with_settings(Boat(), read_toml(file), file)
    assert str(raised.value).startswith(f"{file}: ")
    assert "\n" not in str(raised.value)
    for path in (tmp_path / "missing.toml", tmp_path):
        with pytest.raises(InputError, match="the configuration cannot be read"):
            read_toml(path)


def test_settings_of_the_command_line() -> None:
    pairs = [
        "rig.masts=2",
        " sail-area = 3.5 ",
        "colour=red",
        'colour2="red"',
        "both=true",
        "names=['a']",
        "empty=",
        "a=b=c",
    ]
    assert parse_settings(pairs) == {
        "rig.masts": 2, "sail-area": 3.5, "colour": "red", "colour2": "red", "both": True, "names": ["a"], "empty": "",
        "a": "b=c",
    }  # fmt: skip
    # What TOML cannot read, or reads as more than a value, is text.
    for text in ("1\nmasts = 2", 5000 * "9", 100_000 * "[", "2 # masts\n[rig]"):
        assert parse_settings([f"masts={text}"]) == {"masts": text}


@pytest.mark.parametrize("pairs", [["masts"], ["=2"], [" =2"], [""], ["masts=1", "masts=2"]])
def test_settings_need_a_name_and_a_value_and_are_given_once(pairs: list[str]) -> None:
    with pytest.raises(InputError, match=r"^a setting must have the form NAME=VALUE, not |^masts is given twice$"):
        parse_settings(pairs)


VALUES = st.recursive(st.none() | st.booleans() | st.floats() | st.integers() | st.text(), st.lists, max_leaves=4)


@given(st.dictionaries(st.text(max_size=8) | st.sampled_from(["masts", "rig", "keel", "loads"]), VALUES, max_size=3))
def test_any_settings_are_taken_or_refused(settings: dict[str, Any]) -> None:
    message = ""
    try:
        changed = with_settings(Boat(), settings)
    except InputError as error:
        message = str(error)
    else:
        assert isinstance(changed, Boat)
    assert "\n" not in message


def test_a_configuration_as_toml_is_read_back(tmp_path: Path) -> None:
    boat = Boat(Rig(Sail(colour='"🚢" \\ \x7f'), masts=2, names=("a", "b")), keel=None)
    file = tmp_path / "boat.toml"
    file.write_text(as_toml(asdict(boat)), encoding="utf-8")
    assert with_settings(Boat(), read_toml(file)) == boat
    assert with_settings(Boat(), json.loads(json.dumps(asdict(boat)))) == boat
