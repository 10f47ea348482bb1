"""Paths, devices and disks that cannot be used: one sentence and exit code 2, in every command."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import typer

from cdcoref.collection import Collection
from cdlm.errors import LONGEST_SHOWN

LONG = "x" * 300
DEEP = "/tmp" + "/xxx" * 1200
BASES = """
cdcoref demo -o {}.html
cdcoref predict {x.jsonl} | -o {} | -o {}.html | -o {} --format brat | --pairs {}.csv | --model {} | --cache {}
cdcoref add {c.cdcoref} {x.jsonl}
cdcoref add {}.cdcoref x.jsonl
cdcoref add new.cdcoref x.jsonl | --model {}
cdcoref show {}
cdcoref serve {c.cdcoref} | --token-file {}
cdcoref remove {} x
cdcoref rebuild {c.cdcoref} | --model {}
cdcoref train -o {m} --train {x.jsonl} --dev {x.jsonl} | --config {} | --encoder {}
cdcoref train -o m | --ecb-root {} | --corpus ecb:{}
cdcoref evaluate {x.jsonl} | --model {}
cdcoref evaluate | --ecb-root {} | --corpus ecb:{}
cdcoref stats {}
cdcoref stats | --corpus litbank:{} | --ecb-root {}
cdcoref export {} -o y.jsonl
cdcoref export x.jsonl | -o {}.jsonl | -o {} --format brat
cdcoref export -o y.jsonl | --ecb-root {} | --corpus gvc:{}
cdcoref score {x.jsonl} {x.jsonl}
cdcoref correct {} | same m1 m2 | not-same m1 m2 | split m1 | move m1 c2 | not-a-mention m1 | rename c1 x
cdcoref correct {} | join-stories s1 s2 | split-story a | move-document a s2 | day c1 2024-03-05 | place c1 Tresk
cdcoref correct {} | undo | redo 1 | list
cdlm convert {} -o o
cdlm pretrain --corpus {} -o o
cdlm pretrain --corpus x.jsonl -o o | --dev {} | --config {}
cdlm perplexity --corpus {} --model default
cdlm perplexity --corpus x.jsonl --model {}
cdlm align --ecb-root {} --model default
cdlm tables | --results {} | --ecb-root {} | --multi-news {} | --matching aan:{}
cdlm match train -o {o} --train {p.jsonl} --dev {p.jsonl} | --config {} | --encoder {}
cdlm match train -o o --benchmark aan:{}
cdlm match predict {} --model default
cdlm match predict p.jsonl | --model {} | --model default -o {}
cdlm match evaluate {} --model default
cdlm match evaluate | p.jsonl --model {} | --benchmark aan:{} --model default
cdlm qa train -o {o} --train {q.json} --dev {q.json} | --config {} | --encoder {}
cdlm qa predict {} --model default
cdlm qa predict q.json | --model {} | --model default -o {}
cdlm qa evaluate {} --model default
cdlm qa evaluate q.json | --model {} | --predictions {}
""".strip().splitlines()
"""Every command and, after bars, every option that takes a path; braces are around paths."""


def _lines(base: str) -> list[str]:
    """The command with the name of a path left open, ``{}``: each of its own in turn, or that of an option."""
    command, *options = base.split(" | ")
    plain = re.sub(r"\{(.+?)\}", r"\1", command)
    paths = [match for match in re.finditer(r"\{(.*?)\}", command) if match[1] or not options]
    opened = [f"{command[: path.start()]}{{}}{command[path.end() :]}" for path in paths]
    return [*(re.sub(r"\{(.+?)\}", r"\1", line) for line in opened), *(f"{plain} {option}" for option in options)]


COMMANDS = [line for base in BASES for line in _lines(base)]
QUESTION = {
    "_id": "q1",
    "question": "Where was the captain born?",
    "answer": "Tresk",
    "supporting_facts": [["Maren", 0], ["Jonas Pell", 0]],
    "context": [["Maren", ["Her captain was Jonas Pell."]], ["Jonas Pell", ["Jonas Pell was born in Tresk."]]],
}
DOCUMENT = {
    "id": "a",
    "text": "A ferry sank. The ferry was old.",
    "mentions": [
        {"start": 2, "end": 7, "kind": "entity", "cluster": "1"},
        {"start": 18, "end": 23, "kind": "entity", "cluster": "1"},
    ],
}

Command = Callable[[str], tuple[int, list[str]]]
SmallFiles = Callable[[int], AbstractContextManager[None]]


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run a command line as its entry point does, but in this process: exit code and lines on standard error out."""

    def run(line: str) -> tuple[int, list[str]]:
        program, *_ = arguments = line.split()
        monkeypatch.setattr(sys, "argv", arguments)
        capsys.readouterr()
        code: Any = 0
        try:
            import_module(f"{program}.cli").main()
        except SystemExit as end:
            code = end.code
        return int(code or 0), capsys.readouterr().err.splitlines()

    return run


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with a file of each sort that commands read."""
    monkeypatch.chdir(tmp_path)
    Path("x.jsonl").write_text(json.dumps(DOCUMENT) + "\n")
    Path("p.jsonl").write_text(json.dumps({"text_a": "A ferry sank.", "text_b": "It sank.", "label": 1}) + "\n")
    Path("q.json").write_text(json.dumps([QUESTION]))
    Collection.create("c.cdcoref", "lemma").close()
    return tmp_path


def test_every_command_is_tried() -> None:
    def names(command: Any, name: str) -> Iterator[str]:
        if not hasattr(command, "commands"):
            yield name
        for part, below in getattr(command, "commands", {}).items():
            yield from names(below, f"{name} {part}")

    for program in ("cdcoref", "cdlm"):
        tried = [line.replace("correct {} ", "correct ").replace("correct c.cdcoref ", "correct ") for line in COMMANDS]
        app = import_module(f"{program}.cli").app
        assert [n for n in names(typer.main.get_command(app), program) if not any(t.startswith(n) for t in tried)] == []


@pytest.mark.parametrize("line", COMMANDS)
def test_paths_that_are_too_long(line: str, files: Path, command: Command) -> None:
    before = sorted(path.name for path in files.iterdir())
    for name in (LONG, DEEP):
        code, said = command(line.replace("{}", name))
        assert code == 2
        assert said[-1].startswith(line.split()[0] + ": "), said
        assert len(said) == 1 or said[1:] in (
            ["cdcoref: the input contains no documents"],
            ["cdcoref: there is no document to add"],
        )
        assert max(map(len, said)) < LONGEST_SHOWN + 150
    assert sorted(path.name for path in files.iterdir()) == before


@pytest.mark.parametrize("line", [line for line in COMMANDS if "default" not in line])
def test_a_removed_directory(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    code, said = command(line.replace("{}", "name"))
    assert (code, said) == (2, [f"{line.split()[0]}: the working directory was removed; change to another one"])


@pytest.mark.parametrize("limit", [2_000, 30_000])
@pytest.mark.parametrize("line", ["correct same m1 m2", "correct rename c1 ferry", "remove a", "add x.jsonl"])
def test_collections_on_a_full_disk_are_left_as_they_were(
    line: str, limit: int, files: Path, command: Command, small_files: SmallFiles
) -> None:
    texts = [{**DOCUMENT, "id": id, "text": DOCUMENT["text"] + f" It was in the {id} port."} for id in "bc"]
    Path("y.jsonl").write_text("".join(json.dumps(text) + "\n" for text in texts))
    assert command("cdcoref add c.cdcoref y.jsonl")[0] == 0
    with Collection.open("c.cdcoref") as collection:
        before, corrections = collection.corpus(), collection.corrections()
    first, *rest = line.replace("remove a", "remove b").split()
    with small_files(limit):
        code, said = command(f"cdcoref {first} c.cdcoref {' '.join(rest)}")
    assert (code, len(said)) == (2, 1), said
    assert said[0].startswith("cdcoref: c.cdcoref: the disk is full")
    with Collection.open("c.cdcoref") as collection:
        assert (collection.corpus(), collection.corrections()) == (before, corrections)
    code, said = command(f"cdcoref {first} c.cdcoref {' '.join(rest)}")
    assert code == 0, said
