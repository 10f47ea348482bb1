"""Experiments on the default model: the files are well formed, and the table says what the results say."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from cdcoref.errors import InputError
from cdcoref.training import PRESETS
from cdlm.settings import parse_settings, with_settings

SCRIPTS = Path(__file__).parents[2] / "scripts"


@pytest.fixture(scope="module")
def script(load_script: Callable[[str], ModuleType]) -> ModuleType:
    return load_script("run_experiments")


@pytest.mark.parametrize("path", sorted((SCRIPTS / "experiments").glob("*.toml")), ids=lambda path: path.stem)
def test_every_experiment_changes_settings_that_exist(script: ModuleType, path: Path) -> None:
    what, settings = script.read_experiment(path)
    assert what
    shipped = PRESETS["all-corpora"]
    assert bool(settings) == (with_settings(shipped, parse_settings(settings)) != shipped)


def test_an_experiment_without_settings_is_refused(script: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text('what = "nothing"\n')
    with pytest.raises(InputError, match="two entries"):
        script.read_experiment(path)


def test_the_table_has_means_and_deviations_over_seeds(script: ModuleType, tmp_path: Path) -> None:
    def seed(kept: float, removed: float) -> dict[str, object]:
        return {"scores": {"ecb event predicted": {"model": [kept, removed], "lemma": [75.0, 68.0]}}, "seconds": 1}

    result = {"what": "as it is", "set": [], "seeds": {"0": seed(77.0, 70.0), "1": seed(79.0, 70.0)}}
    (tmp_path / "shipped.json").write_text(json.dumps(result))
    lines = script.table(tmp_path).splitlines()
    assert lines[0] == "- **shipped**: as it is (2 seeds)"
    assert lines[-1] == "| ecb event predicted | 75.0 (68.0) | 78.0 ± 1.4 (70.0 ± 0.0) |"


def test_a_setting_that_only_some_experiments_measured_has_a_dash_elsewhere(script: ModuleType, tmp_path: Path) -> None:
    def scores(*settings: str) -> dict[str, object]:
        return {"scores": {name: {"model": [70.0, 60.0], "lemma": [50.0, 40.0]} for name in settings}, "seconds": 1}

    for name, seeds in (("a", {"0": scores("one")}), ("b", {"0": scores("one"), "1": scores("one", "two")})):
        (tmp_path / f"{name}.json").write_text(json.dumps({"what": name, "set": [], "seeds": seeds}))
    *_, one, two = script.table(tmp_path).splitlines()
    assert one == "| one | 50.0 (40.0) | 70.0 (60.0) | 70.0 ± 0.0 (60.0 ± 0.0) |"
    assert two == "| two | 50.0 (40.0) | – | 70.0 (60.0) |"


def test_without_results_the_table_says_so(script: ModuleType, tmp_path: Path) -> None:
    assert "no results" in script.table(tmp_path)


def test_results_of_other_settings_are_not_continued(script: ModuleType, tmp_path: Path) -> None:
    output = tmp_path / "a.json"
    assert script.results_so_far(output, ["a=1"]) == {"seeds": {}}
    output.write_text(json.dumps({"what": "a", "set": ["a=1"], "seeds": {"0": {}}}))
    assert script.results_so_far(output, ["a=1"])["seeds"] == {"0": {}}
    with pytest.raises(InputError, match=r"a\.json: it holds results of other settings"):
        script.results_so_far(output, ["a=2"])
