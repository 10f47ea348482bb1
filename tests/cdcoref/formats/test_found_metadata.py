"""What the beginning of a text and its file's name plainly state, and what they do not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdcoref.formats import tokenise_text


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Ferry sinks off Tresk\n\nA ferry sank.", {"title": "Ferry sinks off Tresk"}),
        ("A ferry sank.\nIt did.", {}),
        ("Ferry sinks off Tresk", {}),
        ("WASHINGTON (Reuters) - The president spoke.", {"place": "WASHINGTON", "source": "Reuters"}),
        ("TRESK, 5 March 2024. A ferry sank.", {"place": "TRESK", "date": "2024-03-05"}),
        ("ATHENS, Greece (AP) — Fires spread.", {"place": "ATHENS, Greece", "source": "AP"}),
        ("Published: Tuesday, 5 March 2024, 10:00 GMT\n\nA ferry sank.", {"date": "2024-03-05"}),
        (
            "5 March 2024\nFerry sinks off Tresk\nA ferry sank.",
            {"title": "Ferry sinks off Tresk", "date": "2024-03-05"},
        ),
        ("5 March 2024\nA ferry sank.", {"date": "2024-03-05"}),
        ("By Ann Lee\n\nA ferry sank.", {"author": "Ann Lee"}),
        (
            "2024-03-05\nBy Ann Lee\n\nFerry sinks off Tresk\n\nA ferry sank.",
            {"title": "Ferry sinks off Tresk", "author": "Ann Lee", "date": "2024-03-05"},
        ),
        ("2024-03-05\nA ferry sank.\nFerry sinks off Tresk\n", {"date": "2024-03-05"}),
        ("BY ANN LEE and Bob de Vries, Staff Writers\nA ferry sank.", {"author": "ANN LEE and Bob de Vries"}),
        ("By Thursday the ferry sank\n\nNo.", {"title": "By Thursday the ferry sank"}),
        ("It sank on 5 March 2024 in the storm.\n\nNo.", {}),
        ("", {}),
    ],
)
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
