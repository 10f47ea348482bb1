"""CSV for spreadsheets: the same rows as a data frame, no formula, no broken file."""

from __future__ import annotations

import csv
import gzip
from dataclasses import replace
from pathlib import Path

import pytest

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.predict import Prediction
from cdcoref.reports import MentionRow, Results
from cdcoref.views import WRITERS, write_csv


def test_csv_holds_a_row_a_mention(news: Prediction, tmp_path: Path) -> None:
    write_csv(news, tmp_path / "x.csv")
    with (tmp_path / "x.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == list(MentionRow._fields)
    assert len(rows) == len(news.corpus.mentions)
    assert rows[0] == {
        "cluster": "sinking", "cluster_name": "", "kind": "event", "text": "sinks", "document": "harbour.txt",
        "line": "1", "start": "6",
        "end": "11", "confidence": "0.9000", "cluster_mentions": "3", "cluster_documents": "2", "story": "1",
        "sentence": "Ferry sinks", "title": "Ferry sinks", "date": "", "source": "", "author": "", "url": "",
        "metadata": "", "when": "", "where": "", "participants": "ferry Maren",
        "when_stated": "", "where_stated": "",
        "participants_stated": "ferry Maren (harbour.txt:17-28); Maren (inquiry.txt:19-24)",
    }  # fmt: skip
    write_csv(news, tmp_path / "x.csv.gz")
    assert gzip.decompress((tmp_path / "x.csv.gz").read_bytes()) == (tmp_path / "x.csv").read_bytes()


def test_csv_is_read_by_spreadsheets_and_by_pandas(tmp_path: Path) -> None:
    import pandas as pd

    document = Document.from_sentences("é", [["José"]])
    write_csv(Corpus((document,), (Mention("é", (0,), "entity", "c"),)), tmp_path / "x.csv")
    assert (tmp_path / "x.csv").read_bytes().startswith(b"\xef\xbb\xbfcluster,")
    frame = pd.read_csv(tmp_path / "x.csv")
    assert list(frame.columns) == list(MentionRow._fields)
    assert frame["text"].tolist() == ["José"]


@pytest.mark.parametrize(
    "text",
    [
        *("=1+1", "+1", "-1", "@SUM(A1)", " =1", "＝1", "\t=1", "=cmd|' /C calc'!A0", '=HYPERLINK("x","y")'),
        *("\u00a0=1", "\u200b=1", "\ufeff=1", "\x0b=1"),
    ],
)
def test_no_cell_is_a_formula(text: str, tmp_path: Path) -> None:
    document = Document.from_sentences(text, [[text]])
    corpus = Corpus((document,), (Mention(text, (0,), "event", text),), names={("event", text): text})
    write_csv(corpus, tmp_path / "x.csv")
    with (tmp_path / "x.csv").open(encoding="utf-8-sig", newline="") as file:
        [row] = csv.DictReader(file)
    for name in ("cluster", "cluster_name", "text", "document", "sentence"):
        assert row[name].startswith("'")
    assert row["document"] == f"'{text}"
    assert row["text"] == "'" + " ".join(text.split())
    assert row["story"] == row["confidence"] == ""


def test_what_quotes_and_breaks_lines_comes_back(tmp_path: Path) -> None:
    document = Document("a", ('say "x",', "y"), ((0, 2),), 'say "x",\r\ny', ((0, 8), (10, 11)))
    write_csv(Corpus((document,), (Mention("a", (0, 1), "event", 'c"1\n2'),)), tmp_path / "x.csv")
    with (tmp_path / "x.csv").open(encoding="utf-8-sig", newline="") as file:
        [row] = csv.DictReader(file)
    assert (row["cluster"], row["text"]) == ('c"1\n2', 'say "x", y')


@pytest.mark.parametrize("suffix", [".html", ".csv", ".csv.gz"])
def test_a_failed_write_changes_none(
    news: Prediction, suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"x{suffix}"
    path.write_text("as before")
    monkeypatch.setattr("os.fsync", lambda _: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(InputError, match=r"No space left on device"):
        WRITERS[suffix](news, path)
    assert path.read_text() == "as before"
    assert list(tmp_path.iterdir()) == [path]


def test_metadata_are_columns(tmp_path: Path) -> None:
    import pandas as pd

    metadata = {"title": "=1", "date": "2024-03-05", "source": "AP", "author": ["A. Lee", "B. Ray"], "n": 3}
    document = replace(Document.from_sentences("a", [["sank"]]), metadata=metadata)
    corpus = Corpus((document,), (Mention("a", (0,), "event", "c"),))
    write_csv(corpus, tmp_path / "x.csv")
    for frame in (pd.read_csv(tmp_path / "x.csv", keep_default_na=False), Results.of(corpus).to_dataframe()):
        [row] = frame.to_dict("records")
        assert row["title"].removeprefix("'") == "=1"
        found = [row[name] for name in ("date", "source", "author", "url", "metadata")]
        assert found == ["2024-03-05", "AP", "A. Lee, B. Ray", "", '{"n": 3}']
