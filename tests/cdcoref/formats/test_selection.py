"""Documents chosen by day and source, whether their metadata state these or their texts do."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.formats import day_of, select_documents


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
