"""Both command lines as a whole: versions, help of every command, its examples, and completion in shells."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main
from typer.testing import CliRunner

from cdcoref import __version__
from cdcoref.cli import app as cdcoref_app
from cdlm.cli import app as cdlm_app

PROGRAMS = {"cdcoref": typer.main.get_command(cdcoref_app), "cdlm": typer.main.get_command(cdlm_app)}


def commands_of(words: tuple[str, ...], command: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    """A command and all commands below it."""
    yield words, command
    for name, child in getattr(command, "commands", {}).items():
        yield from commands_of((*words, name), child)


EVERY = {" ".join(words): command for name, app in PROGRAMS.items() for words, command in commands_of((name,), app)}


def test_the_version(cdcoref: Callable[..., Any]) -> None:
    done = cdcoref("--version")
    assert (done.code, done.out, done.err) == (0, f"cdcoref {__version__}\n", "")


@pytest.mark.parametrize("words", EVERY)
def test_every_command_and_option_says_what_it_does(words: str) -> None:
    command = EVERY[words]
    assert command.help
    assert all("\n" not in paragraph.strip() for paragraph in command.help.split("\n\n"))  # as wide as the terminal
    for parameter in command.params:
        text = getattr(parameter, "help", None)
        assert text, parameter.name
        assert text.strip()[-1] in ".)", f"{parameter.name}: {text}"


@pytest.mark.parametrize("words", EVERY)
def test_help_names_what_to_give_and_no_python_type(words: str) -> None:
    program, *rest = words.split()
    app = {"cdcoref": cdcoref_app, "cdlm": cdlm_app}[program]
    done = CliRunner().invoke(app, [*rest, "--help"], env={"COLUMNS": "150", "TERM": "dumb"})
    assert done.exit_code == 0
    assert "Show this message and exit." in done.output
    assert not re.findall(r"<(?:bool|str|int|float|path|Path|list)\b[^>]*>", done.output)


def parsed(words: list[str]) -> dict[str, Any]:
    """The values of a command line, which is parsed and not run."""
    name, *arguments = words
    command: Any = PROGRAMS[name]
    while hasattr(command, "commands"):
        if arguments[0] not in command.commands:  # the collection's file may come before the kind of correction
            arguments[:2] = arguments[1::-1]
        command = command.commands[arguments.pop(0)]
    with command.make_context(name, arguments) as context:
        return dict(context.params)


EXAMPLES = [
    line.removeprefix("$ ")
    for command in EVERY.values()
    for line in (command.epilog or "").splitlines()
    if line.startswith("$ ")
]


@pytest.mark.parametrize("example", [example for example in EXAMPLES if not example.endswith("--help")])
def test_examples_in_help_can_be_parsed(example: str) -> None:
    words = shlex.split(example)
    if words[0] == "accelerate":
        words = words[words.index("-m") + 1 :]
    assert parsed(words)
    assert len(f" $ {example}") <= 100


def test_every_command_has_examples() -> None:
    without = {words for words, command in EVERY.items() if not command.epilog}
    assert {words for words in without if not words.startswith("cdcoref correct ")} <= {"cdlm"}


def test_help_of_a_correction_is_about_it(cdcoref: Callable[..., Any]) -> None:
    every = cdcoref("correct", "--help")
    assert (every.code, every.err) == (0, "")
    for arguments in (("same", "--help"), ("news.cdcoref", "same", "--help"), ("same", "news.cdcoref", "--help")):
        done = cdcoref("correct", *arguments)
        assert (done.code, done.err) == (0, "")
        assert "their clusters become one" in done.out
        assert "rename" in every.out
        assert "rename" not in done.out
    assert cdcoref("correct", "news.cdcoref", "--help").out == every.out


def test_what_is_wrong_with_a_correction_is_named_and_not_the_file(
    cdcoref: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("news.cdcoref").touch()
    for arguments in (("news.cdcoref", "apart", "m1", "m2"), ("apart", "news.cdcoref", "m1", "m2")):
        done = cdcoref("correct", *arguments)
        assert (done.code, done.out) == (2, "")
        assert "No such command 'apart'" in done.err
    done = cdcoref("correct", "news.cdcoref")
    assert done.code == 2
    assert "Name a correction after the file: same, not-same" in done.err
