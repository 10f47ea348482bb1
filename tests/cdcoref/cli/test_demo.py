"""`cdcoref demo`: the sample in the package becomes a page, which is opened or not."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cdcoref import predict

Run = Callable[..., Any]


@pytest.fixture(scope="module")
def predictor(tiny_model_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A tiny model that compares the sample once."""
    predictor = predict.load(tiny_model_folder, device="cpu")
    return SimpleNamespace(predict=partial(predictor.predict, cache=tmp_path_factory.mktemp("computed")))


@pytest.fixture
def opened(predictor: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """With a tiny model, in an empty folder: the addresses that a browser was asked to open."""
    addresses: list[str] = []
    monkeypatch.setitem(vars(predict), "load", lambda: predictor)
    monkeypatch.setattr("webbrowser.open", lambda address: not addresses.append(address))
    monkeypatch.chdir(tmp_path)
    return addresses


def test_the_sample_is_opened_as_a_page(cdcoref: Run, opened: list[str], tmp_path: Path) -> None:
    done = cdcoref("demo")
    assert done.code == 0, done.err
    page = tmp_path / "cdcoref-demo.html"
    assert done.out == f"{page}\n"
    assert opened == [page.as_uri()]
    assert done.err.splitlines()[-1].startswith("cdcoref: 7 documents in ")
    text = page.read_text(encoding="utf-8")
    assert all(f'"{name}_1.txt"' in text for name in ("ferry", "museum"))
    assert str(files("cdcoref")) not in text  # nothing of the machine that made it


def test_without_a_browser_it_says_so(cdcoref: Run, opened: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webbrowser.open", lambda address: False)
    assert cdcoref("demo").err.endswith("cdcoref: no browser was found; open this file in one\n")


def test_the_sample_that_is_shipped_is_the_sample(sample: Path) -> None:
    shipped = {path.name: path.read_bytes() for path in Path(str(files("cdcoref") / "sample")).iterdir()}
    assert shipped == {path.name: path.read_bytes() for path in sample.glob("*.txt")}
    assert len(shipped) == 7
