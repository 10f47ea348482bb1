"""The generated reference of commands: it has every command and every option."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import typer.main

from cdcoref.cli import app as cdcoref
from cdlm.cli import app as cdlm


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
