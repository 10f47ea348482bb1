"""Names that people gave to clusters: written with JSON lines, read back, and refused where they make no sense."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.formats import (
    day_of,
    read_corpus,
    read_jsonl,
    read_mention_table,
    select_documents,
    tokenise_text,
    write_corpus,
    write_jsonl,
)
from tests.tables import cases

NAMES = {("event", "c1"): "The mill fire, 1987", ("entity", "c1"): "=Mill", (None, "c3"): "Zo\u00eb"}


@pytest.fixture
def named() -> Corpus:
    """Two documents, with an event and an entity of one name, a cluster without a kind, and one without a name."""
    documents = tuple(Document.from_sentences(id, [["fire", "mill", "it"]]) for id in "ab")
    mentions = (
        Mention("a", (0,), "event", "c1"), Mention("a", (1,), "entity", "c1"), Mention("b", (0,), "event", "c1"),
        Mention("b", (2,), None, "c3"), Mention("b", (1,), "entity", "c4"),
    )  # fmt: skip
    return Corpus(documents, mentions, names=NAMES)


def test_names_are_kept(named: Corpus, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl.gz"
    assert write_corpus(named, path) == ()
    assert read_jsonl(path) == named
    assert read_corpus([path]).corpus == named
    assert read_mention_table(path).names == ["c1", "c1", "c3", "c4"]
    assert named.name_of(named.mentions[4]) is None
    assert named.with_kind("entity").names[("entity", "c3")] == "Zo\u00eb"


def test_each_line_has_the_names_of_its_clusters(named: Corpus, tmp_path: Path) -> None:
    write_jsonl(named, tmp_path / "x.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "x.jsonl").read_text(encoding="utf-8").splitlines()]
    assert lines[0]["clusters"] == [
        {"cluster": "c1", "kind": "event", "name": "The mill fire, 1987"},
        {"cluster": "c1", "kind": "entity", "name": "=Mill"},
    ]
    assert lines[1]["clusters"][1] == {"cluster": "c3", "name": "Zo\u00eb"}
    write_jsonl(Corpus(named.documents, named.mentions), tmp_path / "x.jsonl")
    assert "clusters" not in (tmp_path / "x.jsonl").read_text(encoding="utf-8")


@pytest.mark.parametrize("suffix", ["conll", "conllu", "spacy"])
def test_other_formats_say_that_names_are_lost(named: Corpus, tmp_path: Path, suffix: str) -> None:
    if suffix == "spacy":
        pytest.importorskip("spacy")
    kinds = named.of_kind("event")
    assert any("omitted: 1 cluster name, since" in note for note in write_corpus(kinds, tmp_path / f"x.{suffix}"))
    rest = ("omitted: the kinds of mentions, since CoNLL has none",) if suffix == "conll" else ()
    assert write_corpus(Corpus(kinds.documents, kinds.mentions), tmp_path / f"y.{suffix}") == rest


def test_of_two_names_the_first_is_kept(tmp_path: Path) -> None:
    def line(id: str, name: str) -> str:
        mention = {"start": 0, "end": 4, "cluster": "c1"}
        return json.dumps(
            {"id": id, "text": "fire", "mentions": [mention], "clusters": [{"cluster": "c1", "name": name}]}
        )

    one, other = tmp_path / "one.jsonl", tmp_path / "other.jsonl"
    one.write_text(f"{line('a', 'x')}\n{line('b', 'y')}\n")
    other.write_text(line("c", "z"))
    loaded = read_corpus([one, other])
    assert loaded.corpus.names == {(None, "c1"): "x"}
    assert loaded.corpus.notes == (
        f"{one}: cluster 'c1' is named 'x' and 'y'; the first name is kept",
        "cluster 'c1' is named 'x' and 'z'; the first name is kept",
    )


@pytest.mark.parametrize(
    "entry",
    [
        "{}", "[1]", '[{"name": "x"}]', '[{"cluster": "c1", "name": 1}]', "3",
        '[{"cluster": "c1", "name": "x", "kind": "thing"}]', '[{"cluster": null, "name": "x"}]',
        '[{"cluster": "c1", "name": "x", "kind": []}]',
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(tmp_path: Path, entry: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"id": "a", "text": "fire"}\n{"id": "b", "text": "fire", "clusters": ' + entry + "}\n")
    for read in (read_jsonl, read_mention_table):
        with pytest.raises(InputError, match=r"x.jsonl, line 2: .*'clusters'"):
            read(path)


@pytest.mark.parametrize(("text", "found"), cases(__file__, "beginnings.tsv", "text", "found"))
def test_headline_byline_dateline_date(text: str, found: dict[str, str]) -> None:
    document = tokenise_text(text, "a.txt")
    assert document.metadata == found
    assert document.found == found.keys()


def test_a_date_in_the_name_comes_first() -> None:
    assert tokenise_text("TRESK, 5 March 2024 - A ferry sank.", "2024-03-06.txt").metadata["date"] == "2024-03-06"


@given(st.text(max_size=300), st.text(max_size=20))
def test_any_text_is_looked_at(text: str, id: str) -> None:
    document = tokenise_text(text, id)
    assert document.metadata.keys() <= {"title", "author", "date", "source", "place"}
    assert all(document.metadata.values())


def document(id: str, text: str = "x", **metadata: str) -> Document:
    return replace(Document.from_sentences(id, [text.split()]), metadata=metadata)


CORPUS = Corpus(
    (
        document("a", date="2024-03-05T10:00:00Z", source="Reuters"),
        document("b", date="6 March 2024", source="reuters "),
        document("2024-03-07.txt", source="AP"),
        document("c", source="AP"),
    ),
    (Mention("a", (0,), "event"), Mention("b", (0,), "event")),
)


@pytest.mark.parametrize(
    ("since", "source", "ids"),
    [
        (None, None, ["a", "b", "2024-03-07.txt", "c"]),
        ("2024-03-06", None, ["b", "2024-03-07.txt"]),
        (None, "REUTERS", ["a", "b"]),
        ("2024-03-06", "AP", ["2024-03-07.txt"]),
        ("2025-01-01", None, []),
    ],
)
def test_documents_are_chosen(since: str | None, source: str | None, ids: list[str]) -> None:
    chosen = select_documents(CORPUS, since, source)
    assert [document.id for document in chosen.documents] == ids
    assert {mention.document for mention in chosen.mentions} == {"a", "b"} & set(ids)


def test_what_is_left_out_is_said() -> None:
    notes = select_documents(CORPUS, "2024-03-06").notes
    assert notes == ("2 documents of 4 chosen", "1 document without a known date left out by --since")
    with pytest.raises(InputError, match="is not a day"):
        select_documents(CORPUS, "yesterday")


def test_a_stated_date_comes_before_that_of_the_name() -> None:
    assert day_of("2024-03-07.txt", "", {"date": "2024-03-05"}) == "2024-03-05"
    assert day_of("2024-03-07.txt", "", {"date": 5}) == "2024-03-07"
