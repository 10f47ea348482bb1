"""Own values in the tables: from what the commands print, and from corpora counted by hand."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from cdlm.cli import main
from cdlm.documents import AnnotatedDocument, MentionSpan
from cdlm.errors import InputError
from cdlm.tables import CorpusFolders, FilledTable, filled_tables, markdown
from tests.commands import Finished

Command = Callable[..., str]


@pytest.fixture
def run(run_command: Callable[..., Finished]) -> Command:
    """Run `cdlm`; its standard output, if it succeeded, or its standard error."""

    def call(*arguments: object, code: int = 0) -> str:
        done = run_command(main, "cdlm", *arguments)
        assert done.code == code, done.err
        return done.err if code else done.out

    return call


def only(number: int, **options: object) -> FilledTable:
    (table,) = filled_tables([number], **options)  # type: ignore[arg-type]
    return table


def test_without_results_only_the_published_values_and_the_commands_are_shown() -> None:
    for filled in filled_tables():
        assert not filled.own
        assert not filled.is_whole
        text = markdown([filled])
        assert "ours" not in text
        assert all(f"- `{command}`" in text for command in filled.table.commands)


RATES = {"recall": 0.5, "precision": 0.75, "f1": 0.6}
COREFERENCE = {"event": {"predicted": {**dict.fromkeys(("muc", "b3", "ceafe", "lea"), RATES), "conll_f1": 0.6}}}
WITHOUT_CONTEXT = {"event": {"predicted": {**COREFERENCE["event"]["predicted"], "conll_f1": 0.5}}}
PRINTED: dict[str, object] = {
    "perplexity-cdlm-dev": [{"value": 5.314}],
    "coreference-event-cdlm": COREFERENCE,
    "coreference-event-sentences": WITHOUT_CONTEXT,
    "matching-aan-prefix": {"f1": 0.875},
    "questions-rand": {"f1": 2 / 3, "sp_f1": 2 / 3, "joint_f1": 0.5},
    "alignment-local": {"model": {"event positive": {"mean": 95.25}, "event negative": {"mean": 50.5}}},
}
"""By file of results, what its command prints, as far as tables show it."""


@pytest.mark.parametrize(
    ("number", "row", "cells"),
    [
        (1, "CDLM", ("5.31", "-")),
        (2, "event: CDLM", (*("50.0", "75.0", "60.0") * 4, "60.0")),
        (3, "full document CDLM", ("60.0", "-")),
        (3, "sentences only CDLM", ("50.0", "-10.0")),
        (4, "Prefix CDLM", ("87.5", "-", "-", "-")),
        (5, "Rand CDLM", ("66.7", "66.7", "50.0")),
        (6, "Local CDLM", ("95.2", "-", "50.5", "-")),
    ],
)
def test_what_commands_print_fills_the_tables(tmp_path: Path, number: int, row: str, cells: tuple[str, ...]) -> None:
    for name, printed in PRINTED.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(printed))
    table = only(number, results=tmp_path)
    assert table.own[row] == cells
    assert not table.is_whole


@pytest.mark.parametrize("text", ["", "[]", '{"f1": "x"}', '{"precision": 1}', "null", "\xff"])
def test_results_that_are_none_are_refused(run: Command, tmp_path: Path, text: str) -> None:
    (tmp_path / "matching-pan-cdlm.json").write_text(text, encoding="latin-1")
    said = run("tables", 4, "--results", tmp_path, code=2)
    assert said.startswith(f"cdlm: {tmp_path / 'matching-pan-cdlm.json'}: the file is not what the command")
    assert said.count("\n") == 1


def test_wrong_arguments_are_one_sentence(run: Command, tmp_path: Path) -> None:
    cases: dict[tuple[object, ...], str] = {
        (11,): "the paper has no table 11; choose from 1 to 10",
        (1, "--results", tmp_path / "none"): "there is no such folder",
        (9, "--matching", "aan"): "--matching takes NAME:DIR",
        (9, "--matching", "news:x"): "there is no benchmark named 'news'",
        (8, "--ecb-root", tmp_path): "none of the splits of ECB+ can be read here",
        (7, "--multi-news", tmp_path / "none"): "there is no such file or folder",
    }
    for arguments, message in cases.items():
        said = run("tables", *arguments, code=2)
        assert message in said
        assert said.count("\n") == 1


def test_numbers_select_tables(run: Command) -> None:
    text = run("tables", 6, 1, 6)
    assert re.findall(r"^## Table (\d+)", text, flags=re.MULTILINE) == ["6", "1"]
    assert run("tables").count("## Table ") == 10


def benchmark(folder: Path) -> Path:
    """The benchmark aan with 4, 2 and 1 pairs of 6 different texts."""
    pairs = {
        "train": [(1, "a", "b"), (0, "a", "c"), (1, "b", "a"), (0, "d", "d")],
        "dev": [(1, "a", "e"), (0, "b", "c")],
        "test": [(1, "f", "a")],
    }
    (folder / "aan").mkdir()
    for split, rows in pairs.items():
        with (folder / "aan" / f"{split}_cite.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows((label, f"text {one}", f"text {other}") for label, one, other in rows)
    return folder / "aan"


def test_pairs_and_different_texts_of_a_benchmark(tmp_path: Path) -> None:
    folders = CorpusFolders(benchmarks={"aan": benchmark(tmp_path)})
    pairs, texts = filled_tables([9, 10], folders=folders)
    assert pairs.own["AAN"] == ("4", "2", "1")
    assert texts.own["AAN"] == ("7", "6")
    assert set(pairs.own) == set(texts.own) == {"AAN"}


def test_sets_of_multi_news_by_their_number_of_documents(run: Command, tmp_path: Path) -> None:
    sizes = [1, 2, 3, 3, 3, 5, 10, 10, 11, 4]
    lines = [" ||||| ".join(f"document {n}" for n in range(size)) for size in sizes]
    lines[5] += " ||||| "  # an empty document is none
    (tmp_path / "train.src").write_text("\n".join(lines) + "\n")
    table = only(7, folders=CorpusFolders(multi_news=tmp_path))
    own = {name: cells[0] for name, cells in table.own.items()}
    expected = {"3": "3", "4": "1", "5": "1", "6": "0", "7": "0", "8": "0", "9": "0", "10": "2", "total": "7"}
    assert own == expected
    assert table.is_whole
    assert "`" not in run("tables", 7, "--multi-news", tmp_path / "train.src")


def test_a_split_of_ecb_that_is_not_there_is_a_dash(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def read(corpus: str, folder: Path, split: str) -> list[AnnotatedDocument]:
        if split == "test":
            raise InputError("topic 36 is missing", folder)
        spans = (MentionSpan((0,), "event", "e"), MentionSpan((1,), "entity", "x"), MentionSpan((2,), "entity", None))
        return [AnnotatedDocument(name, name, ("a", "b", "c"), spans, "1") for name in ("d", "e")]

    monkeypatch.setattr("cdlm.tables.filling.annotated_documents", read)
    table = only(8, folders=CorpusFolders(ecb=tmp_path))
    assert table.own == {
        "topics": ("1", "1", "-"),
        "documents": ("2", "2", "-"),
        "mentions": ("2 / 4", "2 / 4", "-"),
        "clusters": ("1 / 1", "1 / 1", "-"),
    }
    assert table.notes == ("test: topic 36 is missing",)
    assert not table.is_whole
