"""What the beginning of a text and its file's name plainly state; documents chosen by day and source."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.formats import day_of, select_documents, tokenise_text
from tests.tables import cases


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
