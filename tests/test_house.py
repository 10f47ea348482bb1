"""The order of the house: what is imported when, who may import whom, sizes, names, package data, pinned versions."""

from __future__ import annotations

import ast
import configparser
import importlib
import json
import os
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("cdcoref", "cdlm")
MODULES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
HEAVY = ("torch", "transformers", "spacy", "sklearn", "scipy", "numba", "ray", "fastapi", "uvicorn")
MODEL_LIMITS = {"base": 124 * 10**6, "small": 35 * 10**6}
"""Bytes of each model that ships."""
PIPELINE_LIMIT = 15 * 10**6
LARGEST_FILE = 60 * 10**6


@pytest.fixture(scope="module")
def setup_cfg() -> configparser.ConfigParser:
    config = configparser.ConfigParser()
    config.read_string((ROOT / "setup.cfg").read_text(encoding="utf-8"))
    return config


def lines_of(block: str) -> list[str]:
    return [line.strip() for line in block.split("\n") if line.strip()]


def modules_after(code: str) -> set[str]:
    """The top-level modules that a fresh interpreter has loaded after it ran `code`."""
    report = "import json, sys\nprint(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"
    done = subprocess.run([sys.executable, "-c", f"{code}\n{report}"], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout.splitlines()[-1]))


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports_of(path: Path) -> list[ast.Import | ast.ImportFrom]:
    """The import statements of a file, also inside functions."""
    return [node for node in ast.walk(tree_of(path)) if isinstance(node, ast.Import | ast.ImportFrom)]


def imported_names(path: Path) -> set[str]:
    """Every module that a file imports; relative imports as absolute ones."""
    package = path.relative_to(ROOT).with_suffix("").parts[:-1]
    names: set[str] = set()
    for node in imports_of(path):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        else:
            base = package[: len(package) - node.level + 1] if node.level else ()
            names.add(".".join((*base, node.module or "")).rstrip("."))
    return names


@pytest.mark.parametrize("package", PACKAGES)
def test_help_loads_no_heavy_library(package: str) -> None:
    code = f"""
import contextlib, io, sys
sys.argv = ["{package}", "--help"]
from {package}.cli import main
with contextlib.redirect_stdout(io.StringIO()) as page, contextlib.suppress(SystemExit):
    main()
assert "Usage" in page.getvalue()
"""
    assert modules_after(code).isdisjoint(HEAVY)


@pytest.mark.parametrize(("package", "absent"), [("scoring", HEAVY), ("formats", ("torch", "transformers"))])
def test_files_and_scores_need_no_model_library(package: str, absent: tuple[str, ...]) -> None:
    folder = ROOT / "cdcoref" / package
    modules = [f"cdcoref.{package}", *(f"cdcoref.{package}.{path.stem}" for path in sorted(folder.glob("[!_]*.py")))]
    assert len(modules) > 1
    assert modules_after(f"import {', '.join(modules)}").isdisjoint(absent)


def room_of(module: str) -> str | None:
    """The room of the house that a module of the two packages lies in: a folder, or a file beside the folders."""
    parts = module.split(".")
    if parts[0] not in PACKAGES:
        return None
    return ".".join(parts[:2])


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_imports_go_one_way() -> None:
    """The contracts are in .importlinter; a new folder or file must be given its place there."""
    done = subprocess.run(["lint-imports", "--no-cache"], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stdout


def test_nobody_reaches_past_a_door() -> None:
    past = []
    for path in (*MODULES, *sorted((ROOT / "scripts").rglob("*.py"))):
        room = room_of(module_name(path))
        for name in imported_names(path):
            other = room_of(name)
            if other is not None and other != room and name != other and (ROOT / other.replace(".", "/")).is_dir():
                past.append(f"{path.relative_to(ROOT)} imports {name}")
    assert not past


def behind_doors(path: Path) -> set[str]:
    """The modules of folders that a file imports from directly, past the folder's ``__init__``."""
    reached: set[str] = set()
    for node in imports_of(path):
        if isinstance(node, ast.Import):
            reached.update(alias.name for alias in node.names)
        elif node.module and room_of(node.module) is not None:
            public = getattr(importlib.import_module(node.module), "__all__", ())
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                reached.add(name if is_file(name) and alias.name not in public else node.module)
    return {name for name in reached if room_of(name) not in (None, name) and is_file(name)}


def is_file(module: str) -> bool:
    return (ROOT / module.replace(".", "/")).with_suffix(".py").is_file()


def test_tests_import_through_doors() -> None:
    tests = sorted((ROOT / "tests").rglob("*.py"))
    assert not [f"{path.relative_to(ROOT)} imports {name}" for path in tests for name in sorted(behind_doors(path))]


def test_every_door_names_what_may_be_used() -> None:
    doors = [path for path in MODULES if path.name == "__init__.py" and len(path.relative_to(ROOT).parts) == 3]
    assert len(doors) > 5
    for door in doors:
        if door.parent.name != "cli":
            module = importlib.import_module(module_name(door))
            assert module.__all__
            assert not [name for name in module.__all__ if not hasattr(module, name)]


def test_every_file_says_what_it_is_about() -> None:
    vague = re.compile(r"(utils?|helpers?|common|misc)$")
    assert not [path for path in MODULES if vague.search(path.stem)]
    assert not [path for path in MODULES if ast.get_docstring(tree_of(path)) is None]


def test_no_two_files_of_cdcoref_have_one_name() -> None:
    """A command's file is named after the command, so it may share its name with another file."""
    files = (path for path in (ROOT / "cdcoref").rglob("*.py") if "cli" not in path.parts[-2:-1])
    stems = Counter(path.stem for path in files if path.stem[0] != "_")
    assert not [stem for stem, count in stems.items() if count > 1]


def test_package_data_is_declared(setup_cfg: configparser.ConfigParser) -> None:
    for package in PACKAGES:
        folder = ROOT / package
        patterns = lines_of(setup_cfg["options.package_data"][package])
        shipped = {path for pattern in patterns for path in folder.glob(pattern)}
        files = {path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
        data = {path for path in files if path.suffix != ".py"}
        assert data <= shipped


def test_the_models_are_in_the_package_and_small() -> None:
    for name, limit in MODEL_LIMITS.items():
        files = [path for path in (ROOT / "cdcoref" / "models" / name).iterdir() if path.is_file()]
        assert {"README.md", "config.json", "tokenizer.json", "training.json"} <= {path.name for path in files}
        assert sum(path.stat().st_size for path in files) <= limit
        assert max(path.stat().st_size for path in files) <= LARGEST_FILE


PIPELINE = ROOT / "cdcoref" / "models" / "english"


@pytest.mark.skipif(not PIPELINE.is_dir(), reason="the pipeline has not been built")
def test_the_pipeline_is_in_the_package_with_its_license() -> None:
    files = [path for path in PIPELINE.rglob("*") if path.is_file()]
    assert {"config.cfg", "meta.json", "LICENSE", "LICENSES_SOURCES"} <= {path.name for path in files}
    assert sum(path.stat().st_size for path in files) <= PIPELINE_LIMIT


def test_every_requirement_is_pinned(setup_cfg: configparser.ConfigParser) -> None:
    pins = {}
    for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            name, version = line.split("==")
            pins[name] = version
    blocks = [setup_cfg["options"]["install_requires"], *setup_cfg["options.extras_require"].values()]
    requirements = [Requirement(line) for block in blocks for line in lines_of(block)]
    for requirement in requirements:
        if requirement.url is None:
            assert pins[canonicalize_name(requirement.name)] in requirement.specifier, requirement


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        ({}, "1000 64"),
        ({"OMP_WAIT_POLICY": "ACTIVE"}, "None 64"),
        ({"GOMP_SPINCOUNT": "9"}, "9 64"),
        ({"ONEDNN_PRIMITIVE_CACHE_CAPACITY": "8"}, "1000 8"),
    ],
)
@pytest.mark.parametrize("package", ["cdcoref.predict", "cdlm.encoder"])
def test_how_long_threads_wait_and_how_many_kernels_are_kept(
    package: str, chosen: dict[str, str], expected: str
) -> None:
    """Both are set before PyTorch is imported, unless the user has chosen."""
    ours = {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME", "ONEDNN_PRIMITIVE_CACHE_CAPACITY"}
    environment = {name: value for name, value in os.environ.items() if name not in ours} | chosen
    code = f"""
import os, sys
class Watch:
    def find_spec(self, name, path=None, target=None):
        if name == "torch":
            print(os.environ.get("GOMP_SPINCOUNT"), os.environ.get("ONEDNN_PRIMITIVE_CACHE_CAPACITY"))
            sys.exit()
sys.meta_path.insert(0, Watch())
import {package}
from cdcoref.model import CorefModel
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, env=environment)
    assert done.stdout == f"{expected}\n", done.stderr
