"""Pairs of texts from JSON lines, CSV and the benchmarks' files: what is read, and what is refused where."""

from __future__ import annotations

import csv
import json
import string
from pathlib import Path

import pytest

from cdlm.errors import InputError
from cdlm.tasks import BENCHMARKS, TextPair, benchmark_file, read_pairs

# The form of the released files: no header, label first, U+0001 where the citation stands, quotes doubled.
BENCHMARK_CSV = (
    '1,"We parse \x01 with ""chart"" parsers, na\u00efvely.\nIt works.","Chart parsing in cubic time."\n'
    "0,A study of bees.,Chart parsing in cubic time.\r\n"
    '"1",One,Two\n'
)


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


def test_json_lines(tmp_path: Path) -> None:
    lines = [
        {"text_a": "Fire.", "text_b": "A fire.", "label": 1, "id": "x", "source": "ignored"},
        {"text_a": "Caf\u00e9\u0001", "text_b": "b", "label": 0},
    ]
    path = write(tmp_path, "pairs.jsonl", json.dumps(lines[0]) + "\n\n" + json.dumps(lines[1]) + "\n")
    assert read_pairs(path) == [TextPair("x", "Fire.", "A fire.", 1), TextPair("3", "Caf\u00e9\u0001", "b", 0)]


def test_csv_with_a_header(tmp_path: Path) -> None:
    path = write(tmp_path, "pairs.csv", 'label,id,text_b,text_a\n1,p,"b, b",a\n0,q,b,"a\nsecond line"\n')
    assert read_pairs(path) == [TextPair("p", "a", "b, b", 1), TextPair("q", "a\nsecond line", "b", 0)]


def test_the_benchmarks_files(tmp_path: Path) -> None:
    path = write(tmp_path, "train_cite.csv", BENCHMARK_CSV)
    first, *others = read_pairs(path)
    assert first == TextPair(
        "2", 'We parse  with "chart" parsers, navely.\nIt works.', "Chart parsing in cubic time.", 1
    )
    assert others == [
        TextPair("3", "A study of bees.", "Chart parsing in cubic time.", 0),
        TextPair("4", "One", "Two", 1),
    ]


def test_stray_quotes_are_read_as_by_pythons_own_reader(tmp_path: Path) -> None:
    lines = ['1,"The "chart" parser, as in Earley",Two', '0,A "study" of bees,"Quoted"', '1,"a"b,c""d', '0,5" disks,x']
    path = write(tmp_path, "train_cite.csv", "\n".join(lines))
    with path.open(newline="") as file:
        expected = [(int(label), first, second) for label, first, second, *_ in csv.reader(file)]
    assert expected[1:] == [(0, 'A "study" of bees', "Quoted"), (1, "ab", 'c""d'), (0, '5" disks', "x")]
    assert [(pair.label, pair.first, pair.second) for pair in read_pairs(path)] == expected


@pytest.mark.parametrize("name", BENCHMARKS)
def test_the_files_of_a_benchmark_are_found(name: str, tmp_path: Path) -> None:
    for split, file in BENCHMARKS[name].items():
        assert benchmark_file(name, write(tmp_path, file, BENCHMARK_CSV).parent, split) == tmp_path / file
    with pytest.raises(InputError, match=r"dev.*should be this file"):
        benchmark_file(name, tmp_path / "elsewhere", "dev")


def test_labels_may_be_absent_where_they_are_predicted(tmp_path: Path) -> None:
    path = write(tmp_path, "pairs.csv", "text_a,text_b\na,b\n")
    assert read_pairs(path, labelled=False) == [TextPair("2", "a", "b", None)]


def test_cells_may_be_long(tmp_path: Path) -> None:
    text = "word " * 40_000
    assert read_pairs(write(tmp_path, "pairs.csv", f"1,{text},b\n"))[0].first == text


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ('{"text_a": "a", "label": 1}\n', 1, "text_b is missing or empty"),
        ('\n{"text_a": "a", "text_b": "b"}\n', 2, "label is missing"),
        ('{"text_a": "a", "text_b": "b", "label": 2}\n', 1, "the label is 2; it must be 0 or 1"),
        ('{"text_a": "a", "text_b": "b", "label": 1}\n[1]\n', 2, "expected a JSON object"),
        ('{"text_a": "a", "text_b": "b", "label": 1}\n{"text\n', 2, "not JSON"),
        (
            '{"text_a":"a","text_b":"b","label":1,"id":"x"}\n{"text_a":"a","text_b":"b","label":1,"id":"x"}\n',
            2,
            "two pairs",
        ),
        ("text_a,text_b,label\na,b,1\na,b,yes\n", 3, "the label is 'yes'; it must be 0 or 1"),
        ("text_a,text_b,label\na,b\n", 2, "label is missing"),
        ("first,second,label\na,b,1\n", 1, "the first line must name the columns"),
        ("1,a,b\n0,a\n", 2, "2 cells, not label,text,text"),
        ('1,a,b\n0,"a\nb",c\n1,"d,e\n0,f,g\n', 4, "never closed"),
    ],
)
def test_bad_files_are_refused_with_their_line(text: str, line: int, message: str, tmp_path: Path) -> None:
    path = write(tmp_path, "pairs", text)
    with pytest.raises(InputError, match=message) as raised:
        read_pairs(path)
    assert (raised.value.path, raised.value.line) == (str(path), line)


def test_cleaning_keeps_ascii_text_and_nothing_else(tmp_path: Path) -> None:
    text = "".join(chr(code) for code in (*range(0xD800), *range(0xE000, 0x10000), 0x1F6A2))
    cells = ['"' + cell.replace('"', '""') + '"' for cell in (text, text[::-1])]
    (pair,) = read_pairs(write(tmp_path, "train_cite.csv", f"1,{','.join(cells)}\n"))
    kept = [c for c in text if c in string.digits + string.ascii_letters + string.punctuation + " \t\n\r\x0b\x0c"]
    assert (pair.first, pair.second) == ("".join(kept), "".join(kept[::-1]))


def test_an_id_of_zero_is_an_id(tmp_path: Path) -> None:
    rows = [{"id": number, "text_a": "a", "text_b": "b"} for number in (0, 1, "")]
    (tmp_path / "pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert [pair.id for pair in read_pairs(tmp_path / "pairs.jsonl", labelled=False)] == ["0", "1", "3"]
