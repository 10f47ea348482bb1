"""The documents: their commands and Python run, the commands, options and scripts that they name exist.

A block of code that is not run has the reason above it, ``<!-- not run: REASON -->``.
"""

from __future__ import annotations

import contextlib
import glob
import io
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import typer.main

from cdcoref.cli import app as cdcoref
from cdcoref.cli import main as run_cdcoref
from cdcoref.linking import LinkedStory
from cdcoref.predict import Predictor
from cdlm.cli import app as cdlm
from cdlm.cli import main as run_cdlm
from cdlm.shipped_models import MODELS
from cdlm.tables import CorpusFolders, filled_tables, markdown

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PROGRAMS = {"cdcoref": typer.main.get_command(cdcoref), "cdlm": typer.main.get_command(cdlm)}
MAINS = {"cdcoref": run_cdcoref, "cdlm": run_cdlm}
FENCE = "```"
README_LIMIT = 10 * 1024


class Block(NamedTuple):
    """A block of code, with the line of text above it."""

    above: str
    language: str
    text: str

    @property
    def commands(self) -> list[str]:
        """Its command lines, without remarks."""
        lines = [line.split(" #")[0].strip() for line in self.text.splitlines()]
        return [line for line in lines if re.match(r"(cdcoref|cdlm|pip|python|accelerate|mkdocs) ", line)]


def blocks(page: Path) -> Iterator[Block]:
    text = page.read_text(encoding="utf-8")
    for match in re.finditer(r"^```(\w*)\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE):
        above = text[: match.start()].rstrip("\n").rpartition("\n")[2]
        yield Block(above, match[1], match[2])


def named_commands(page: Path) -> Iterator[str]:
    """All command lines of the two programs: lines of blocks, and code within sentences."""
    text = page.read_text(encoding="utf-8")
    lines = [line for block in blocks(page) for line in block.text.splitlines()]
    for line in [*lines, *re.findall(r"`([^`]+)`", re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE))]:
        for part in line.split(" #")[0].split("&&"):
            if re.match(r"(cdcoref|cdlm) [a-z]", part.strip()):
                yield " ".join(part.split())


def test_blocks_of_code_begin_and_end_on_lines_of_their_own() -> None:
    for path in [*ROOT.glob("*.md"), *ROOT.glob("[ds]*/**/*.md")]:
        lines = [line for line in path.read_text(encoding="utf-8").splitlines() if FENCE in line]
        assert len(lines) % 2 == 0, path
        assert not [line for line in lines if not re.fullmatch(r"```[a-z]*", line)], path


def test_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_bytes()) <= README_LIMIT


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_and_their_options_exist(page: Path) -> None:
    wrong = []
    for line in sorted(set(named_commands(page))):
        program, *words = shlex.split(line.replace("...", ""))
        command = PROGRAMS[program]
        while words and hasattr(command, "commands"):
            if words[0] not in command.commands:  # a collection's file comes before the kind of correction
                words[:2] = words[1::-1]
            command = command.commands.get(words.pop(0))
        if command is None:
            wrong.append(line)
            continue
        options = (name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts))
        known = {"--help", *options}
        wrong += [f"{line}: {word}" for word in words if re.match(r"-+[a-z]", word) and word not in known]
    assert not wrong


def test_files_that_are_named_exist() -> None:
    pattern = r"`((?:scripts|cdcoref|cdlm|docs|tests|data)/[\w./]+)`|python (scripts/\w+\.py)"
    for page in [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]:
        found = {match[1] or match[2] for match in re.finditer(pattern, page.read_text(encoding="utf-8"))}
        assert not [name for name in found if not (ROOT / name).exists()], page.name


def run_command(line: str, every: int = 1) -> str:
    """Run a command line in this process, on every n-th file of a wildcard; its standard output, if it succeeded."""
    program, *words = shlex.split(line)
    words = [name for word in words for name in (sorted(glob.glob(word))[::every] if "*" in word else [word])]
    output = io.StringIO()
    code: object = 0
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(output):
        patch.setattr(sys, "argv", [program, *words])
        try:
            MAINS[program]()
        except SystemExit as end:
            code = end.code
    assert not code, line
    return output.getvalue()


def without_confidence(text: str) -> list[str]:
    """Lines without the confidence at their ends, which depends on the processor in its last digit."""
    return [re.sub(r"\s+[01]\.\d\d$", "", line.rstrip()) for line in text.strip("\n").splitlines()]


@pytest.fixture(scope="module")
def computed_once(computed: Path, models_are_read_once: None) -> Iterator[None]:
    """What models computed is looked up: the pages predict the sample again and again."""
    stream = Predictor.stream_subjects

    def with_cache(
        self: Predictor, *arguments: Any, cache: Path | None = None, **others: Any
    ) -> Iterator[list[LinkedStory]]:
        return stream(self, *arguments, cache=cache or computed, **others)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Predictor, "stream_subjects", with_cache)
        yield


@pytest.mark.slow
@pytest.mark.usefixtures("computed_once")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_page_shows_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The blocks of a page run one after the other in one folder, in which `data/` is that of the repository.

    Only the README shows what the default model finds. Elsewhere the smaller model and fewer files take their place.
    """
    every = 1 if page.name == "README.md" else 3
    if page.name != "README.md":
        monkeypatch.setattr("cdcoref.model.folder.DEFAULT_MODEL", MODELS["small"])
    (tmp_path / "data").symlink_to(ROOT / "data")
    monkeypatch.chdir(tmp_path)
    printed = ""
    for block in blocks(page):
        if block.above.startswith("<!-- not run: ") or block.above == "<!-- commands -->":
            continue
        if shown := re.fullmatch(r"<!-- output of: (.*) -->", block.above):
            assert "\n".join(without_confidence(block.text)) in "\n".join(without_confidence(run_command(shown[1])))
        elif block.above == "<!-- output of the block above -->":
            assert block.text == printed
        elif block.language == "python":
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                exec(compile(block.text, str(page), "exec"), {"__name__": "__main__"})
            printed = output.getvalue()
        elif not block.language:
            for line in block.commands:
                run_command(line, every)


PAGE = Path(__file__).resolve().parents[2] / "docs" / "tables.md"


def test_the_table_of_the_page(shared: Path) -> None:
    tables = filled_tables([8], folders=CorpusFolders(ecb=shared / "corpora" / "ecbplus"))
    assert markdown(tables) in PAGE.read_text(encoding="utf-8").replace("### Table", "## Table")
