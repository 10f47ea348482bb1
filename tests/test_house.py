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
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("cdcoref", "cdlm")
MODULES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
HEAVY = ("torch", "transformers", "spacy", "sklearn", "scipy", "numba", "ray", "fastapi", "uvicorn")
MODEL_LIMIT = 36 * 10**6

ROOTS = {"cdcoref", "cdlm", "cdcoref.__main__", "cdlm.__main__"}
"""The packages themselves, and what starts the command line."""

LANGUAGE_MODEL = {
    f"cdlm.{room}"
    for room in ("checkpoints", "config", "encoder", "files", "hub", "quantization", "tokens", "validation")
}
MAY_IMPORT: dict[str, set[str]] = {
    "cdlm.errors": set(),
    "cdlm.extras": set(),
    "cdlm.printing": set(),
    "cdlm.command_line": {"cdlm.errors", "cdlm.printing"},
    "cdlm.files": {"cdlm.errors"},
    "cdlm.quantization": set(),
    "cdlm.validation": {"cdlm.errors"},
    "cdlm.settings": {"cdlm.errors", "cdlm.validation"},
    "cdlm.config": {"cdlm.errors", "cdlm.validation"},
    "cdlm.tokens": {"cdlm.errors"},
    "cdlm.hub": {"cdlm.errors"},
    "cdlm.checkpoints": {"cdlm.config", "cdlm.errors", "cdlm.files", "cdlm.hub", "cdlm.validation"},
    "cdlm.encoder": {"cdlm.checkpoints", "cdlm.config", "cdlm.errors", "cdlm.quantization"},
    "cdlm.masked_lm": {"cdlm.checkpoints", "cdlm.encoder", "cdlm.errors"},
    "cdlm.convert": {
        *("cdlm.checkpoints", "cdlm.config", "cdlm.encoder", "cdlm.errors", "cdlm.files", "cdlm.tokens"),
        "cdlm.validation",
    },
    "cdlm.starting_encoders": {
        "cdlm.extras",
        *("cdlm.checkpoints", "cdlm.config", "cdlm.convert", "cdlm.errors", "cdlm.quantization", "cdlm.tokens"),
    },
    "cdlm.tasks": {
        *("cdlm.checkpoints", "cdlm.config", "cdlm.encoder", "cdlm.errors", "cdlm.files", "cdlm.precision"),
        *("cdlm.runs", "cdlm.sequences", "cdlm.settings", "cdlm.starting_encoders", "cdlm.tokens", "cdlm.validation"),
    },
    "cdlm.precision": set(),
    "cdlm.devices": set(),
    "cdlm.runs": {
        *("cdlm.config", "cdlm.devices", "cdlm.encoder", "cdlm.errors", "cdlm.files", "cdlm.precision"),
        "cdlm.validation",
    },
    "cdlm.progress": set(),
    "cdlm.intervals": set(),
    "cdlm.documents": {"cdlm.errors"},
    "cdlm.sequences": {"cdlm.errors", "cdlm.tokens"},
    "cdlm.pretraining": {
        "cdlm.extras",
        *("cdlm.checkpoints", "cdlm.config", "cdlm.documents", "cdlm.encoder", "cdlm.errors", "cdlm.files"),
        *(
            "cdlm.devices",
            "cdlm.intervals",
            "cdlm.masked_lm",
            "cdlm.validation",
            "cdlm.runs",
            "cdlm.sequences",
            "cdlm.starting_encoders",
            "cdlm.tokens",
        ),
    },
    "cdlm.alignment": {
        *("cdlm.documents", "cdlm.encoder", "cdlm.errors", "cdlm.intervals", "cdlm.sequences", "cdlm.tokens"),
    },
    "cdlm.heat_map": {"cdlm.extras", "cdlm.alignment", "cdlm.errors", "cdlm.files"},
    "cdlm.cli": {
        *("cdlm.alignment", "cdlm.checkpoints", "cdlm.convert", "cdlm.documents", "cdlm.encoder", "cdlm.errors"),
        *(
            "cdlm.command_line",
            "cdlm.devices",
            "cdlm.files",
            "cdlm.heat_map",
            "cdlm.pretraining",
            "cdlm.printing",
            "cdlm.progress",
            "cdlm.settings",
            "cdlm.tasks",
        ),
        "cdlm.tokens",
    },
    "cdcoref.errors": {"cdlm.errors"},
    "cdcoref.corpus": {"cdcoref.errors"},
    "cdcoref.clustering": set(),
    "cdcoref.dates": set(),
    "cdcoref.amounts": {"cdcoref.dates"},
    "cdcoref.particulars": set(),
    "cdcoref.countries": set(),
    "cdcoref.words": {"cdcoref.amounts", "cdcoref.countries", "cdcoref.dates", "cdcoref.particulars"},
    "cdcoref.casing": {"cdcoref.corpus", "cdcoref.dates"},
    "cdcoref.beside": {"cdcoref.amounts", "cdcoref.dates", "cdcoref.particulars", "cdcoref.words"},
    "cdcoref.formats": {"cdcoref.corpus", "cdcoref.errors", "cdcoref.wording", "cdlm.files"},
    "cdcoref.corpora": {"cdcoref.corpus", "cdcoref.errors", "cdcoref.formats", "cdcoref.wording", "cdlm.documents"},
    "cdcoref.scoring": {
        "cdlm.extras",
        "cdcoref.corpus",
        "cdcoref.errors",
        "cdcoref.formats",
        "cdcoref.wording",
        "cdcoref.words",
    },
    "cdcoref.stories": {
        *("cdcoref.casing", "cdcoref.clustering", "cdcoref.corpus", "cdcoref.errors", "cdcoref.scoring")
    },
    "cdcoref.sequences": {
        *("cdcoref.beside", "cdcoref.casing", "cdcoref.corpus", "cdcoref.errors", "cdcoref.particulars"),
        "cdcoref.words",
        *("cdlm.tokens", "cdlm.validation"),
    },
    "cdcoref.model": {
        *(
            "cdcoref.clustering",
            "cdcoref.corpus",
            "cdcoref.errors",
            "cdcoref.sequences",
            "cdlm.settings",
            "cdlm.starting_encoders",
        ),
        *LANGUAGE_MODEL,
    },
    "cdcoref.linking": {
        *("cdcoref.clustering", "cdcoref.corpus", "cdcoref.errors", "cdcoref.model", "cdcoref.sequences"),
        *("cdcoref.casing", "cdcoref.particulars", "cdcoref.stories", "cdcoref.words"),
    },
    "cdcoref.engines": {"cdlm.extras", "cdcoref.corpus", "cdcoref.errors", "cdcoref.linking", "cdcoref.model"},
    "cdcoref.wording": set(),
    "cdcoref.labels": set(),
    "cdcoref.ranking": {"cdcoref.corpus"},
    "cdcoref.results": {
        *("cdcoref.corpus", "cdcoref.errors", "cdcoref.labels", "cdcoref.ranking", "cdcoref.wording", "cdlm.extras"),
    },
    "cdcoref.prediction": {
        *("cdcoref.corpus", "cdcoref.engines", "cdcoref.errors", "cdcoref.formats", "cdcoref.linking"),
        *("cdcoref.model", "cdcoref.results", "cdcoref.stories", "cdcoref.wording", "cdlm.precision"),
    },
    "cdcoref.collection": {
        *("cdcoref.corpus", "cdcoref.engines", "cdcoref.errors", "cdcoref.formats", "cdcoref.labels"),
        *("cdcoref.linking", "cdcoref.model", "cdcoref.prediction", "cdcoref.results", "cdcoref.stories"),
        *("cdcoref.casing", "cdcoref.words"),
    },
    "cdcoref.training": {
        *("cdcoref.clustering", "cdcoref.corpora", "cdcoref.corpus", "cdcoref.errors", "cdcoref.linking"),
        *("cdcoref.model", "cdcoref.scoring", "cdcoref.sequences", "cdcoref.stories", "cdlm.encoder", "cdlm.files"),
        *("cdlm.runs", "cdlm.starting_encoders", "cdlm.tokens", "cdlm.validation"),
        *("cdcoref.dates", "cdcoref.words"),
    },
    "cdcoref.evaluation": {
        *("cdcoref.corpora", "cdcoref.corpus", "cdcoref.engines", "cdcoref.errors", "cdcoref.linking", "cdcoref.model"),
        *("cdcoref.prediction", "cdcoref.scoring", "cdcoref.training"),
    },
    "cdcoref.spacy": {
        *(
            "cdcoref.corpus",
            "cdcoref.errors",
            "cdcoref.formats",
            "cdcoref.linking",
            "cdcoref.prediction",
            "cdcoref.results",
        ),
    },
    "cdcoref.views": {
        *("cdlm.extras", "cdlm.printing"),
        *(
            "cdcoref.collection",
            "cdcoref.corpus",
            "cdcoref.errors",
            "cdcoref.formats",
            "cdcoref.labels",
            "cdcoref.ranking",
            "cdcoref.results",
            "cdcoref.scoring",
        ),
        *("cdcoref.wording", "cdlm.files"),
    },
    "cdcoref.server": {
        "cdlm.extras",
        *("cdcoref.collection", "cdcoref.corpus", "cdcoref.errors", "cdcoref.formats", "cdcoref.prediction"),
        *("cdcoref.results", "cdcoref.views", "cdcoref.wording"),
    },
    "cdcoref.cli": {
        *(
            "cdcoref.collection",
            "cdcoref.corpora",
            "cdcoref.corpus",
            "cdcoref.errors",
            "cdcoref.evaluation",
            "cdcoref.formats",
        ),
        *("cdcoref.model", "cdcoref.prediction", "cdcoref.results", "cdcoref.scoring", "cdcoref.server"),
        *(
            "cdcoref.stories",
            "cdcoref.training",
            "cdcoref.views",
            "cdcoref.wording",
            "cdlm.command_line",
            "cdlm.printing",
            "cdlm.progress",
        ),
        "cdlm.settings",
        "cdlm.files",
    },
}
"""What each room may import. A room is a folder with its door, or a file beside the folders; none may import itself."""


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


def imported_names(path: Path) -> set[str]:
    """Every module that a file imports, also inside functions; relative imports as absolute ones."""
    package = path.relative_to(ROOT).with_suffix("").parts[:-1]
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
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
    wrong = []
    for path in MODULES:
        room = room_of(module_name(path))
        for name in imported_names(path):
            other = room_of(name)
            if other is None or other == room or room in ROOTS or other in ROOTS:
                continue
            if other not in MAY_IMPORT[room or ""]:
                wrong.append(f"{path.relative_to(ROOT)} imports {name}")
    assert not wrong


def test_the_table_of_imports_has_no_circle_and_no_room_that_is_gone() -> None:
    rooms = {room_of(module_name(path)) for path in MODULES} - ROOTS
    assert set(MAY_IMPORT) == rooms
    done: set[str] = set()
    while len(done) < len(MAY_IMPORT):
        ready = {room for room, others in MAY_IMPORT.items() if others <= done} - done
        assert ready, f"circle among {sorted(set(MAY_IMPORT) - done)}"
        done |= ready


def test_nobody_reaches_past_a_door() -> None:
    past = []
    for path in (*MODULES, *sorted((ROOT / "scripts").rglob("*.py"))):
        room = room_of(module_name(path))
        for name in imported_names(path):
            other = room_of(name)
            if other is not None and other != room and name != other and (ROOT / other.replace(".", "/")).is_dir():
                past.append(f"{path.relative_to(ROOT)} imports {name}")
    assert not past


def test_every_door_names_what_may_be_used() -> None:
    doors = [path for path in MODULES if path.name == "__init__.py" and len(path.relative_to(ROOT).parts) == 3]
    assert len(doors) > 5
    for door in doors:
        if door.parent.name != "cli":
            module = importlib.import_module(module_name(door))
            assert module.__all__
            assert not [name for name in module.__all__ if not hasattr(module, name)]


def test_every_file_is_short() -> None:
    lengths = {str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES}
    assert not {path: length for path, length in lengths.items() if length > 420}


def test_every_file_says_what_it_is_about() -> None:
    vague = re.compile(r"(utils?|helpers?|common|misc)$")
    assert not [path for path in MODULES if vague.search(path.stem)]
    assert not [path for path in MODULES if ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) is None]


def test_package_data_is_declared(setup_cfg: configparser.ConfigParser) -> None:
    for package in PACKAGES:
        folder = ROOT / package
        patterns = lines_of(setup_cfg["options.package_data"][package])
        shipped = {path for pattern in patterns for path in folder.glob(pattern)}
        files = {path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
        data = {path for path in files if path.suffix != ".py"}
        assert data <= shipped


def test_the_default_model_is_in_the_package_and_small() -> None:
    models = [path.parent for path in (ROOT / "cdcoref" / "models").glob("*/model.safetensors")]
    assert len(models) == 1
    files = [path for path in models[0].iterdir() if path.is_file()]
    assert {"README.md", "config.json", "model.safetensors"} <= {path.name for path in files}
    assert sum(path.stat().st_size for path in files) <= MODEL_LIMIT


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
@pytest.mark.parametrize("package", ["cdcoref.prediction", "cdlm.encoder"])
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
