"""coval as the engine: told from its namesake, called as it wants to be. (coval itself is not installed here.)"""

from __future__ import annotations

import gzip
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cdcoref.errors import InputError
from cdcoref.scoring import Options, score_with_coval

CONLL = "#begin document (d)\nd 0 0 w (1)\n#end document\n"

READER = """
def get_coref_infos(key_file, sys_file, NP_only, remove_nested, keep_singletons, min_span):
    print("noise that must not be seen")
    texts = [open(name).read() for name in (key_file, sys_file)]
    if "(7)" in texts[1]:
        return {}["(d)\\n"]
    return {"key": texts[0], "system": texts[1], "options": (NP_only, remove_nested, keep_singletons, min_span)}
"""

EVALUATOR = """
def mentions(): return 1
def muc(): return 2
def b_cubed(): return 3
def ceafe(): return 4
def ceafm(): return 5
def lea(): return 6
def evaluate_documents(infos, metric, beta):
    assert infos["key"] == infos["system"] and infos["options"] == (False, True, False, False) and beta == 1
    return metric() / 10, metric() / 20, metric() / 40
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "x.conll.gz"
    path.write_bytes(gzip.compress(CONLL.encode()))
    return path


def install(folder: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str]) -> None:
    for name, text in files.items():
        file = folder / "site" / "coval" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        for package in (file.parent, folder / "site" / "coval"):
            (package / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(folder / "site"))


@pytest.fixture(autouse=True)
def _without_coval() -> Iterator[None]:
    for name in [name for name in sys.modules if name.split(".")[0] == "coval"]:
        del sys.modules[name]
    yield
    for name in [name for name in sys.modules if name.split(".")[0] == "coval"]:
        del sys.modules[name]


SCORER = {"__init__.py": "", "eval/evaluator.py": EVALUATOR, "conll/reader.py": READER}


def test_its_functions_are_called(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    install(tmp_path, monkeypatch, SCORER)
    result = score_with_coval(path, path, Options(singletons="remove", remove_nested=True))
    assert list(result.scores.metrics) == ["mentions", "muc", "b3", "ceafm", "ceafe", "lea"]
    assert (result.scores["b3"].recall, result.scores["b3"].precision, result.scores["b3"].f1) == (0.3, 0.15, 0.075)
    assert result.scores.conll_f1 == pytest.approx((2 + 3 + 4) / 3 / 40)
    assert result.notes == ("computed by coval",)
    assert capsys.readouterr().out == ""


def test_a_document_that_it_does_not_find(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch, SCORER)
    other = tmp_path / "other.conll"
    other.write_text(CONLL.replace("(1)", "(7)"))
    with pytest.raises(InputError, match=r"other.conll: coval failed: document '\(d\)' is missing"):
        score_with_coval(path, other, Options())


def test_not_installed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "coval", None)
    with pytest.raises(InputError, match=r"coval is not installed.*pip install git"):
        score_with_coval(path, path, Options())


@pytest.mark.parametrize(
    "files", [{"cli.py": ""}, {"__init__.py": "raise SystemExit('it was run')"}, {"eval/evaluator.py": EVALUATOR}]
)
def test_the_program_of_the_same_name(
    files: dict[str, str], path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, monkeypatch, files)
    with pytest.raises(InputError, match="is not the coreference scorer"):
        score_with_coval(path, path, Options())


def test_what_it_cannot_do(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch, SCORER)
    with pytest.raises(InputError, match="supports neither levels nor kinds"):
        score_with_coval(path, path, Options(level="topic"))
    with pytest.raises(InputError, match="coval has none of the chosen metrics"):
        score_with_coval(path, path, Options(metrics=("blanc",)))
    lines = tmp_path / "x.jsonl"
    lines.write_text('{"id": "d", "tokens": ["w"]}\n')
    with pytest.raises(InputError, match="coval reads only CoNLL"):
        score_with_coval(lines, path, Options())
