"""Tables and Markdown in: a document per row with its other columns, a document per Markdown file with its fields."""

from __future__ import annotations

import datetime
import gzip
from pathlib import Path

import pandas as pd
import pytest

from cdcoref.errors import InputError
from cdcoref.formats import ReadOptions, read_corpus, read_file

ROWS = [
    {
        "ID": "r1",
        "Title": "Ferry sinks",
        "date": datetime.date(2024, 3, 5),
        "paper": "Courier",
        "story": "A ferry sank.",
    },
    {"ID": "r2", "Title": None, "date": datetime.date(2024, 3, 7), "paper": "Post", "story": 'It,\nsank "again".'},
    {"ID": "r3", "Title": "Nothing", "date": None, "paper": "Post", "story": None},
]


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.csv.gz"])
def test_a_row_is_a_document(tmp_path: Path, name: str) -> None:
    pd.DataFrame(ROWS).to_csv(tmp_path / name, index=False, sep="\t" if "tsv" in name else ",")
    loaded = read_corpus([tmp_path / name], ReadOptions(columns={"text": "Story"}))
    first, second = loaded.corpus.documents
    assert (first.id, first.text, first.path) == ("r1", "A ferry sank.", None)
    assert first.metadata == {"title": "Ferry sinks", "date": "2024-03-05", "source": "Courier"}
    assert (second.id, second.text) == ("r2", 'It,\nsank "again".')
    assert second.metadata == {"date": "2024-03-07", "source": "Post"}
    assert (loaded.problems, len(loaded.corpus.notes)) == ((), 1)


def test_columns_whose_last_word_is_a_usual_name(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("Text ID,Full text,Pub date,Paper\n1,A ferry sank.,5/3/2024,Post\n2,It burnt.,13/3/2024,Post\n")
    assert [(d.id, d.text, dict(d.metadata)) for d in read_file(path).documents] == [
        ("a.csv:1", "A ferry sank.", {"Text ID": "1", "date": "2024-03-05", "source": "Post"}),
        ("a.csv:2", "It burnt.", {"Text ID": "2", "date": "2024-03-13", "source": "Post"}),
    ]


def test_columns_as_newsrooms_name_them(tmp_path: Path) -> None:
    known = {"title": "Ferry lost", "source": "Post", "author": "Ann Lee"}
    for header in ("Hed,Body,Masthead", "Headline text,Article text,Masthead", "Head Line,Copy text,Paper"):
        (tmp_path / "a.csv").write_text(f"{header},Byline\nFerry lost,A ferry sank.,Post,By Ann Lee\n")
        [document] = read_file(tmp_path / "a.csv").documents
        assert (document.text, dict(document.metadata)) == ("A ferry sank.", known)


def test_columns_with_german_and_french_names(tmp_path: Path) -> None:
    known = ("A ferry sank.", {"title": "Ferry", "date": "2024-03-13", "source": "Post"})
    for header in ("Titel;Text;Datum;Zeitung", "Titre;Texte;Date de publication;Journal"):
        path = tmp_path / "a.csv"
        path.write_text(f"{header}\nFerry;A ferry sank.;13.03.2024;Post\n", encoding="utf-8")
        assert [(document.text, document.metadata) for document in read_file(path).documents] == [known]


@pytest.mark.parametrize(
    ("stated", "days"),
    [
        (["5/3/2024", "13/3/2024"], ["2024-03-05", "2024-03-13"]),
        (["5/3/2024", "3/13/2024"], ["2024-05-03", "2024-03-13"]),
        (["5/3/2024", "13/3/2024", "3/13/2024"], ["5/3/2024", "2024-03-13", "2024-03-13"]),
        (["45356", "45364.5"], ["2024-03-05", "2024-03-13"]),
        (["5/3/24", "13/3/24 17:05"], ["2024-03-05", "2024-03-13"]),
        (["5/3/24", "3.13.24"], ["2024-05-03", "2024-03-13"]),
        (["3 Mar 2024", "March 4th 2024", "2024/03/05"], ["2024-03-03", "2024-03-04", "2024-03-05"]),
        (["2024-03-05T17:05:00Z", "Thursday 7 March 2024"], ["2024-03-05T17:05:00Z", "2024-03-07"]),
        (["5/3/2024", "6/6/2024"], ["5/3/2024", "2024-06-06"]),
    ],
)
def test_dates_in_figures_are_read_in_the_order_shown(tmp_path: Path, stated: list[str], days: list[str]) -> None:
    path = tmp_path / "a.csv"
    path.write_text("date,text\n" + "".join(f"{date},A ferry sank.\n" for date in stated))
    corpus = read_file(path)
    assert [document.metadata["date"] for document in corpus.documents] == days
    assert any("such as '5/3/2024'" in note for note in corpus.notes) == ("5/3/2024" in days)


def test_the_column_of_texts(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("n;Content\n1;A ferry sank.\n2;It burnt.\n")
    assert [(d.id, d.text, dict(d.metadata)) for d in read_file(path).documents] == [
        ("a.csv:1", "A ferry sank.", {"n": "1"}),
        ("a.csv:2", "It burnt.", {"n": "2"}),
    ]
    path.write_text("words\nA ferry sank.\n")
    assert [d.text for d in read_file(path).documents] == ["A ferry sank."]
    path.write_text("a,b\nA ferry sank.,x\n")
    with pytest.raises(InputError, match="--columns text=NAME; the columns are 'a', 'b'"):
        read_file(path)
    with pytest.raises(InputError, match="no column 'c'"):
        read_file(path, ReadOptions(columns={"text": "c"}))
    path.write_text("id,text\nx,A ferry sank.\nx,It burnt.\n")
    with pytest.raises(InputError, match="line 3: two rows have the id 'x'"):
        read_file(path)
    path.write_text("")
    with pytest.raises(InputError, match="the table is empty"):
        read_file(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("id,text\n1,x\n2,A ferry sank, killing 19.\n", "line 3: the row has 3 cells and the header 2 columns"),
        ("text\nA ferry sank, killing 19.\n", "line 2: the row has 2 cells and the header 1 column; name every"),
        ('id,text\n1,"x\ny"\n2,"A ferry sank.\n3,It burnt.\n', "line 4: .* end of data.* must be doubled"),
        ('id,text\n1,"He said "no" and left."\n', "line 2: .* must be doubled"),
    ],
)
def test_no_text_is_cut_off_or_swallowed(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(content)
    with pytest.raises(InputError, match=message):
        read_file(path)
    path.write_text("id,text\n1,A ferry sank.,,\n")
    assert read_file(path).documents[0].text == "A ferry sank."


def test_cells_between_tabs_need_no_quotation_marks(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text('id\ttext\n1\t"No," she said.\n2\t"Why?\n3\tIt "sank".\n')
    assert [d.text for d in read_file(path).documents] == ['"No," she said.', '"Why?', 'It "sank".']
    path.write_text('id\ttext\n1\t"No\tor\nyes"\n')
    assert [d.text for d in read_file(path).documents] == ["No\tor\nyes"]
    path.write_text('id\ttext\n1\t"No," she said.\tx\n')
    with pytest.raises(InputError, match="line 2: the row has 3 cells"):
        read_file(path)


@pytest.mark.parametrize("before", ["sep=;\r\n", "\r\n", "\ufeffsep=;\n\n"])
def test_lines_before_the_header(tmp_path: Path, before: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(before + "id;text\r\nx;A ferry, an old one, sank.\r\n", newline="")
    [document] = read_file(path).documents
    assert (document.id, document.text) == ("x", "A ferry, an old one, sank.")
    lines = before.count("\n")
    path.write_text(before + "id;text\nx;A ferry sank.;off Tresk\n", newline="")
    with pytest.raises(InputError, match=f"line {lines + 2}: the row has 3 cells"):
        read_file(path)
    path.write_text(before + "id;id;text\nx;y;A ferry sank.\n", newline="")
    with pytest.raises(InputError, match=f"line {lines + 1}: 2 columns are named 'id'"):
        read_file(path)


def test_encodings_and_long_cells(tmp_path: Path) -> None:
    long = "word " * 60_000
    (tmp_path / "a.csv").write_bytes(f"id,text\n1,Café {long}\n".encode("utf-16"))
    assert len(read_file(tmp_path / "a.csv").documents[0].tokens) == 60_001
    (tmp_path / "b.csv").write_bytes("text\nCafé\n".encode("cp1252"))
    with pytest.raises(InputError, match="cp1252"):
        read_file(tmp_path / "b.csv")
    assert read_file(tmp_path / "b.csv", ReadOptions(encoding="cp1252")).documents[0].text == "Café"


def test_markdown(tmp_path: Path) -> None:
    text = (
        "---\ntitle: 'Captain held'\ndate: 7 Mar 2024\n---\n# Captain arrested\n\nPolice on **Thursday** arrested\nthe "
        "[captain](http://x.example).\n\n- One\n- Two\n\n```\ncode\n```\n\n| a | b |\n|---|---|\n| c | d |\n"
    )
    for name, data in (("a.md", text.encode()), ("b.md.gz", gzip.compress(text.encode()))):
        (tmp_path / name).write_bytes(data)
        [document] = read_file(tmp_path / name).documents
        paragraphs = ["Captain arrested", "Police on Thursday arrested the captain.", "One", "Two", *"abcd"]
        assert document.text == "\n\n".join(paragraphs)
        assert document.metadata == {"title": "Captain held", "date": "2024-03-07"}
    (tmp_path / "d.md").write_bytes(b"---\r\n# of the desk\r\ntitle: Captain held\r\n---\r\nShe left.\r\n")
    [document] = read_file(tmp_path / "d.md").documents
    assert (document.text, document.metadata) == ("She left.", {"title": "Captain held"})
    (tmp_path / "e.md").write_text("---\n\nA ferry sank.\n\n---\n\nIt burnt.\n")
    assert read_file(tmp_path / "e.md").documents[0].text == "A ferry sank.\n\nIt burnt."
    front = "---\ntitle: \"Ferry: \\\"it sank\\\"\"\nauthor: 'O''Hara'\n---\n"
    (tmp_path / "f.md").write_text(f'{front}{{{{< figure src="a.jpg" >}}}}\n\nIt sank.[^1]\n\n[^1]: She said so.\n')
    [document] = read_file(tmp_path / "f.md").documents
    assert document.text == "It sank.\n\nShe said so."
    assert document.metadata == {"title": 'Ferry: "it sank"', "author": "O'Hara"}
    (tmp_path / "c.md").write_text("# Ferry sinks\n\nIt sank.\n")
    assert read_file(tmp_path / "c.md").documents[0].metadata == {"title": "Ferry sinks"}


@pytest.mark.parametrize(
    ("header", "name"),
    [("text,title,text", "text"), ("id,text,Id", "id"), ("text,mood,mood", "mood"), ("title,text, TITLE ", "title")],
)
def test_two_columns_of_one_name_are_refused(tmp_path: Path, header: str, name: str) -> None:
    path = tmp_path / "news.csv"
    path.write_text(f"{header}\nA ferry sank .,b,c\n")
    with pytest.raises(InputError, match=f"news.csv, line 1: 2 columns are named '{name}'; give each column a name of"):
        read_file(path)
    path.write_text("text,,\nA ferry sank .,b,c\n")  # columns without a name are left out
    assert [document.metadata for document in read_file(path).documents] == [{}]
