"""What the README shows is there: its code stands in blocks, and the commands, options and scripts in them exist."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer.main

from cdcoref.cli import app as cdcoref
from cdlm.cli import app as cdlm

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
PROGRAMS = {"cdcoref": typer.main.get_command(cdcoref), "cdlm": typer.main.get_command(cdlm)}
FENCE = "```"


def commands() -> Iterator[str]:
    """All command lines of the two programs: lines of blocks of code, and code within sentences."""
    blocks = TEXT.split(f"\n{FENCE}")[1::2]
    lines = [line for block in blocks for line in block.splitlines()]
    for text in [*lines, *re.findall(r"`([^`]+)`", re.sub(r"\n```.*?\n```", "", TEXT, flags=re.DOTALL))]:
        for part in re.split(r"&&|\s{2,}(?=cdcoref)", " ".join(text.split("#")[0].split())):
            if re.match(r"(cdcoref|cdlm) [a-z]", part.strip()):
                yield part.strip()


@pytest.mark.parametrize(
    "path", sorted(path.relative_to(ROOT) for path in [*ROOT.glob("*.md"), *ROOT.glob("[ds]*/**/*.md")])
)
def test_blocks_of_code_begin_and_end_on_lines_of_their_own(path: Path) -> None:
    lines = [line for line in (ROOT / path).read_text(encoding="utf-8").splitlines() if FENCE in line]
    assert len(lines) % 2 == 0
    assert not [line for line in lines if not re.fullmatch(r"```[a-z]*", line)]


def test_commands_and_their_options_exist() -> None:
    shown = sorted(set(commands()))
    assert len(shown) > 40
    wrong = []
    for line in shown:
        program, *words = shlex.split(line.replace("...", ""))
        command = PROGRAMS[program]
        while words and hasattr(command, "commands"):
            command = command.commands.get(words.pop(0).split("|")[0])
        if command is None:
            wrong.append(line)
            continue
        known = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
        wrong += [f"{line}: {word}" for word in words if word.startswith("-") and word != "-" and word not in known]
    assert not wrong


def test_scripts_exist() -> None:
    named = set(re.findall(r"scripts/\w+\.py", TEXT))
    assert len(named) > 10
    assert not [name for name in named if not (ROOT / name).exists()]
