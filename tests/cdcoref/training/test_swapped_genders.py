"""Copies of texts in which genders are swapped: one word for one, and the same persons."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdcoref.training import with_genders_swapped
from tests.tables import cases

WORDS = (
    "He",
    "he",
    "SHE",
    "man",
    "Woman",
    "Mr.",
    "Paula",
    "James",
    "the",
    "Hale",
    ".",
    "her",
    "his",
    "him",
    "hers",
    "x",
)


@pytest.mark.parametrize(("text", "expected"), cases(__file__, "swapped_genders.tsv", "text", "expected"))
def test_texts(text: str, expected: str) -> None:
    assert " ".join(with_genders_swapped(text.split())) == expected


@given(st.lists(st.sampled_from(WORDS)))
def test_a_word_stays_a_word_with_its_capital(words: list[str]) -> None:
    swapped = with_genders_swapped(words)
    assert len(swapped) == len(words)
    assert [word[:1].isupper() for word in swapped] == [word[:1].isupper() for word in words]
