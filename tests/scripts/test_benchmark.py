"""Benchmarks by name: each is listed with what it measures, and explains its options."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType

import pytest

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
