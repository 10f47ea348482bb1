"""HTML in: the article with what its page says about it, fragments, what is no HTML, what cannot be read."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdcoref.errors import InputError
from cdcoref.formats import read_corpus, read_file
from tests.tables import cases

PAGE = """<!doctype html><html lang="en"><head><title>Ferry sinks off Tresk | Tresk Courier</title>
<meta property="og:title" content="Ferry sinks off Tresk"><meta property="og:site_name" content="Tresk Courier">
<meta name="author" content="Ann Lee"><meta property="article:published_time" content="2024-03-05T09:00:00Z">
<link rel="canonical" href="https://courier.example/ferry"></head>
<body><nav><a href="/">Home</a> <a href="/weather">Weather</a></nav><article><h1>Ferry sinks off Tresk</h1>
<p>At least 19 people were killed on Tuesday when a passenger ferry capsized in a storm and sank off the island of
Tresk, the coastguard said. The <i>Lady Maren</i> had left Port Ansel shortly before dawn.</p>
<p>Helicopters flew the injured to Ansel General Hospital, where doctors treated 12 passengers.</p></article>
<footer>All rights reserved.</footer></body></html>"""


def test_an_article_and_what_its_page_says(tmp_path: Path) -> None:
    (tmp_path / "ferry.html").write_text(PAGE)
    [document] = read_file(tmp_path / "ferry.html").documents
    assert document.id == "ferry.html"
    assert document.metadata == {
        "title": "Ferry sinks off Tresk",
        "author": "Ann Lee",
        "date": "2024-03-05",
        "url": "https://courier.example/ferry",
        "source": "Tresk Courier",
    }
    assert document.found == frozenset()
    assert document.text.startswith("Ferry sinks off Tresk\n\nAt least 19 people")
    assert "Weather" not in document.text
    assert document.tokens[:4] == ("Ferry", "sinks", "off", "Tresk")
    assert all(
        document.text[start:end] == word for word, (start, end) in zip(document.tokens, document.offsets, strict=True)
    )


@pytest.mark.parametrize(("owner", "source"), [("2017", None), ("© 2019", None), ("Tresk Courier", "Tresk Courier")])
def test_the_year_of_a_copyright_is_no_source(tmp_path: Path, owner: str, source: str | None) -> None:
    head = f'<head><title>Ferry sinks</title><meta name="copyright" content="{owner}"></head>'
    (tmp_path / "a.html").write_text(f"<!doctype html><html>{head}<body><p>A ferry sank.</p></body></html>")
    [document] = read_file(tmp_path / "a.html").documents
    assert document.metadata.get("source") == source


@pytest.mark.parametrize(("html", "text"), cases(__file__, "fragments.tsv", "html", "text"))
def test_fragments(tmp_path: Path, html: str, text: list[str]) -> None:
    for name in ("a.html", "a.txt"):
        (tmp_path / name).write_text(html)
        [document] = read_file(tmp_path / name).documents
        paragraphs = document.text.split("\n\n")
        assert set(text) <= set(paragraphs)
        assert not {"<", "&amp;", "var"} & set(document.tokens)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("html", ["<p>A café in Zürich burnt.</p>", "<html><p>A café in Zürich burnt."])
def test_fragments_have_their_letters(tmp_path: Path, html: str, encoding: str) -> None:
    (tmp_path / "a.html").write_bytes(html.encode(encoding))
    assert read_file(tmp_path / "a.html").documents[0].text == "A café in Zürich burnt."


@pytest.mark.parametrize(("html", "message"), [("<html><p></p></html>", "no text"), ("<html> <br>", "no text")])
def test_a_page_without_text(tmp_path: Path, html: str, message: str) -> None:
    (tmp_path / "a.html").write_text(html)
    with pytest.raises(InputError, match=message):
        read_file(tmp_path / "a.html")


@pytest.mark.parametrize("data", [b"\x00\x01\xfe\xff", b"<html>\x00\x01\xfe\xff</html>", bytes(range(256)) * 9])
def test_binary_data_named_html_is_one_sentence(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "x.html").write_bytes(data)
    (tmp_path / "ferry.txt").write_text("A ferry sank.")
    loaded = read_corpus(tmp_path)
    assert [document.id for document in loaded.corpus.documents] == ["ferry.txt"]
    assert loaded.problems == (f"{tmp_path / 'x.html'}: this is binary data and not HTML, whatever its name says",)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_document_or_one_sentence(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.mktemp("html") / "a.html"
    path.write_bytes(data)
    loaded = read_corpus([path])
    assert len(loaded.corpus.documents) + len(loaded.problems) == 1


def test_what_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "trafilatura", None)
    (tmp_path / "a.html").write_text(PAGE)
    (tmp_path / "b.txt").write_text("A ferry sank.")
    loaded = read_corpus([tmp_path])
    assert [document.id for document in loaded.corpus.documents] == ["b.txt"]
    [problem] = loaded.problems
    assert problem.endswith("needs trafilatura; install it with: pip install trafilatura")


def test_pages_and_tables_that_cdcoref_wrote_are_no_documents(tmp_path: Path) -> None:
    from cdcoref.predict import Plan, Prediction
    from cdcoref.views import write_csv, write_page, write_pairs

    (tmp_path / "b.txt").write_text("A ferry sank.")
    corpus = read_corpus([tmp_path]).corpus
    writers = {"view.html": write_page, "clusters.csv": write_csv}
    for name, write in writers.items():
        write(corpus, tmp_path / name)
    write_pairs(Prediction(corpus, (), Plan(1, 0, 0, 0, 0), pairs=()), tmp_path / "pairs.csv")
    loaded = read_corpus([tmp_path])
    assert (loaded.problems, len(loaded.corpus.documents)) == ((), 1)
    [note] = loaded.corpus.notes
    assert "3 files that cdcoref wrote were left out" in note
    for name in (*writers, "pairs.csv"):
        with pytest.raises(InputError, match="that cdcoref wrote"):
            read_file(tmp_path / name)
