"""The command line as a whole: its version, its commands, and that each says what it does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from cdcoref import __version__
from cdcoref.cli import app


def test_the_version(cdcoref: Callable[..., Any]) -> None:
    done = cdcoref("--version")
    assert (done.code, done.out, done.err) == (0, f"cdcoref {__version__}\n", "")


@pytest.mark.parametrize("command", [command.name for command in app.registered_commands])
def test_every_command_and_option_says_what_it_does(cdcoref: Callable[..., Any], command: str) -> None:
    import typer.main

    done = cdcoref(command, "--help")
    assert done.code == 0
    parsed = typer.main.get_command(app).commands[command]  # type: ignore[attr-defined]
    assert parsed.help
    for parameter in parsed.params:
        text = getattr(parameter, "help", None)
        assert text, f"{command} {parameter.name}"
        assert text.strip()[-1] in ".)", f"{command} {parameter.name}: {text}"
