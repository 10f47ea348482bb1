"""The generated references: of commands, with every option, and of settings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import typer.main

from cdcoref.cli import app as cdcoref
from cdcoref.training import PRESETS, TrainingConfig
from cdlm.cli import app as cdlm
from cdlm.settings import with_settings


def leaves(words: str, command: Any) -> Iterator[tuple[str, Any]]:
    for name, child in getattr(command, "commands", {}).items():
        yield from leaves(f"{words} {name}", child)
    if not hasattr(command, "commands"):
        yield words, command


def test_every_command_and_option_is_in_the_reference(load_script: Callable[[str], ModuleType]) -> None:
    sections = {
        section.partition("\n")[0]: section for section in load_script("command_reference").page().split("\n### ")
    }
    found = [*leaves("cdcoref", typer.main.get_command(cdcoref)), *leaves("cdlm", typer.main.get_command(cdlm))]
    assert len(found) > 20
    for words, command in found:
        if not command.hidden:
            for parameter in command.params:
                if parameter.param_type_name == "option" and not parameter.hidden:
                    assert f"`{parameter.opts[0]}`" in sections[words]


def names_of(table: dict[str, Any], groups: set[str], prefix: str = "") -> Iterator[str]:
    """The settings in a table; what is not in `groups` is a value, also if it is a table."""
    for name, value in table.items():
        if f"{prefix}{name}" in groups:
            yield from names_of(value, groups, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}"


def test_every_setting_is_there_with_default_and_meaning(load_script: Callable[[str], ModuleType]) -> None:
    page = load_script("settings_reference").page()
    rows = [[cell.strip() for cell in line.split(" | ")] for line in page.splitlines() if line.startswith("| `")]
    found = {}
    for row in rows:
        names, defaults = row[0].removeprefix("| ").split("<br>"), row[1].split("<br>")
        assert len(row[2].removesuffix(" |")) > 10
        found |= zip([name.strip("`") for name in names], [default.strip("`") for default in defaults], strict=True)
    groups = set(re.findall("^## `(.*)`$", page, re.MULTILINE)) | {"model.vectors.combine"}
    config = TrainingConfig()
    assert sorted(found) == sorted(names_of(config.to_dict(), groups))
    assert (found["run.epochs"], found["kind"], found["int8"], found["corpora.genres"]) == (
        "1",
        "both",
        "false",
        "none",
    )
    assert with_settings(config, {"epochs": 3}).run.epochs == 3  # the end of a name is enough
    assert all(f"`{name}`" in page for name in PRESETS)
