"""The Dockerfile without Docker: its commands are those of the README and the documents, and its health check works."""

from __future__ import annotations

import configparser
import json
import re
import shlex
from pathlib import Path

import pytest
import typer.main

from cdcoref.cli import app
from cdcoref.server import Server, ServerOptions

ROOT = Path(__file__).resolve().parents[3]


def instructions() -> list[tuple[str, str]]:
    """The instructions of the Dockerfile with their arguments, lines joined."""
    text = re.sub(r"^#.*\n", "", (ROOT / "Dockerfile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    lines = text.replace("\\\n", " ").splitlines()
    return [(name, rest.strip()) for name, _, rest in (line.strip().partition(" ") for line in lines if line.strip())]


def arguments(wanted: str) -> list[str]:
    return [rest for name, rest in instructions() if name == wanted]


def setup_cfg() -> configparser.ConfigParser:
    config = configparser.ConfigParser()
    config.read_string((ROOT / "setup.cfg").read_text(encoding="utf-8"))
    return config


def test_the_installation_is_that_of_the_readme_with_extras() -> None:
    [pip] = [shlex.split(line) for line in arguments("RUN") if line.startswith("pip ")]
    readme = (ROOT / "README.md").read_text(encoding="utf-8").split("<!-- commands -->")[1]
    installs = shlex.split(readme.strip().splitlines()[1].partition("&&")[0])
    assert [word for word in pip[:-1] if word != "--no-cache-dir"] == installs[:-1]
    target, extras = re.fullmatch(r"(\.)\[(.*)\]", pip[-1]).groups()  # type: ignore[union-attr]
    assert target == installs[-1]
    assert set(extras.split(",")) <= set(setup_cfg()["options.extras_require"])
    assert arguments("COPY") == [". ."]
    [python] = arguments("FROM")
    lowest = setup_cfg()["options"]["python_requires"].removeprefix(">=")
    assert tuple(map(int, python.removeprefix("python:").removesuffix("-slim").split("."))) >= tuple(
        map(int, lowest.split("."))
    )


def test_the_command_is_one_of_the_program() -> None:
    [[entry], command] = [json.loads(line) for name in ("ENTRYPOINT", "CMD") for line in arguments(name)]
    scripts = setup_cfg()["options.entry_points"]["console_scripts"]
    assert re.search(rf"^{entry} = ", scripts, re.MULTILINE)
    serve = typer.main.get_command(app).commands[command[0]]  # type: ignore[attr-defined]
    given = serve.make_context("serve", command[1:]).params
    assert (given["file"], given["host"]) == (Path("news.cdcoref"), "0.0.0.0")
    assert arguments("EXPOSE") == [str(given["port"])]


@pytest.fixture
def served(news: Path) -> Server:
    """A collection served as in the container, but on any free port."""
    return Server(news, ServerOptions("0.0.0.0", 0, "a token of some length"))


def test_the_health_check_finds_a_server_and_misses_none(served: Server) -> None:
    [check] = arguments("HEALTHCHECK")
    command = json.loads(check.partition("CMD")[2])
    assert command[:2] == ["python", "-c"]
    with served:
        code = command[2].replace("127.0.0.1:8321", f"127.0.0.1:{served.address.rpartition(':')[2]}")
        exec(code, {})
    with pytest.raises(OSError, match="refused"):
        exec(code, {})
