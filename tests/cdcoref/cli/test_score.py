"""`cdcoref score` as it is run: output, options, exit codes, and no partial table."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cdcoref.scoring import MOST_RESAMPLES

Run = Callable[..., Any]


def document(number: int, *cells: str) -> str:
    rows = "".join(f"d{number} 0 {place} w{place} {cell}\n" for place, cell in enumerate(cells))
    return f"#begin document (d{number}); part 000\n{rows}#end document\n"


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """A key of three documents, a perfect response and a bad one, which merges two clusters of every document."""
    return written(tmp_path, 3)


def written(folder: Path, documents: int) -> list[Path]:
    good = "".join(document(n, f"({n}1", f"{n}1)", f"({n}1)", f"({n}2)") for n in range(documents))
    bad = "".join(document(n, f"({n}1", f"{n}1)", f"({n}1)", f"({n}1)") for n in range(documents))
    paths = [folder / name for name in ("key.conll", "good.conll", "bad_1.conll")]
    for path, text in zip(paths, (good, good, bad), strict=True):
        path.write_text(text)
    return paths


def test_a_table(cdcoref: Run, files: list[Path]) -> None:
    result = cdcoref("score", files[0], files[1])
    assert result.code == 0, result.err
    lines = result.out.splitlines()
    assert lines[0] == f"{files[0]}: level document, singletons kept; percent"
    assert lines[1].startswith("cluster ids are local to a #begin document block")
    assert lines[3].split() == ["Recall", "Precision", "F1"]
    metrics = ("Mentions", "MUC", "B3", "CEAFm", "CEAFe", "LEA", "BLANC", "CoNLL")
    assert tuple(line.split()[0] for line in lines[4:]) == metrics
    assert all(line.split()[-1] == "100.00" for line in lines[4:])


def test_responses_side_by_side_and_significance(cdcoref: Run, tmp_path: Path) -> None:
    test = [*written(tmp_path, 12), "--significance", "--resamples", 200]
    result = cdcoref("score", *test, "--level", "document", "--metrics", "conll,lea")
    assert result.code == 0, result.err
    lines = result.out.splitlines()
    assert lines[3:5] == ["1  good.conll", "2  bad_1.conll"]
    muc = next(line for line in lines if line.startswith("MUC")).split()
    assert len(muc) == 7
    assert "Units: 12 documents. Paired bootstrap: 200 resamples. Randomisation: 200 exchanges." in result.out
    assert "Smallest possible p-values: bootstrap 0.005, randomisation 0.005 (12 units)." in result.out
    values = json.loads(cdcoref("score", *test, "--level", "document", "--json").out)
    assert values["significance"]["f1"]["conll"]["difference"] > 0
    assert values["significance"]["units"] == 12
    assert [Path(entry["response"]).name for entry in values["responses"]] == ["good.conll", "bad_1.conll"]
    assert "Units: 12 documents." in cdcoref("score", *test, "--ids", "global", "--unit", "document").out


def test_json(cdcoref: Run, files: list[Path]) -> None:
    values = json.loads(cdcoref("score", files[0], files[2], "--json", "--singletons", "remove").out)
    assert values["muc"]["recall"] == 1
    lines = cdcoref("score", files[0], files[2], "--metrics", "b3,blanc").out.splitlines()
    assert [line.split()[0] for line in lines[-2:]] == ["B3", "BLANC"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--metrics bleu", "unknown metric 'bleu'; choose from mentions, muc, "),
        ("--unit document", "--unit chooses what --significance resamples"),
        ("--significance", "--significance compares two responses, not 1"),
        ("BAD --significance --resamples 200", "3 documents are too few to test whether responses differ; at least 10"),
        ("BAD --significance --resamples 99", "100"),
        (f"BAD --significance --resamples {MOST_RESAMPLES + 1}", str(MOST_RESAMPLES)),
        ("--level topic", "has no topic"),
        ("--kind event", "some mentions have no kind"),
    ],
)
def test_options_that_cannot_be(cdcoref: Run, files: list[Path], arguments: str, message: str) -> None:
    done = cdcoref("score", files[0], files[1], *arguments.replace("BAD", str(files[2])).split())
    assert (done.code, done.out) == (2, "")
    assert message in done.err


def test_a_bad_file_is_one_sentence_and_no_table(cdcoref: Run, files: list[Path], tmp_path: Path) -> None:
    cut = tmp_path / "cut.conll"
    cut.write_text(files[1].read_text()[:-30])
    result = cdcoref("score", files[0], files[1], cut)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(f"cdcoref: {cut}, line 16: the file ends without '#end document'")
    assert result.err.count("\n") == 1


def test_scoring_needs_no_deep_learning() -> None:
    code = (
        "import sys, cdcoref.cli.score, cdcoref.views.score_tables, cdcoref.scoring;"
        "from cdcoref.scoring import score; score(['ab', 'c'], ['a', 'bc']);"
        "print(*(name for name in ('torch', 'transformers', 'spacy', 'sklearn', 'scipy') if name in sys.modules))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.stdout == "\n", result.stderr
