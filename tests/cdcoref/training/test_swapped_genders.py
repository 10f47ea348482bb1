"""Copies of texts in which genders are swapped: one word for one, and the same persons."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdcoref.training import with_genders_swapped

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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He hurt himself .", "She hurt herself ."),
        ("She saw him and his dog .", "He saw her and her dog ."),
        ("I saw her . Her dog saw her in the park .", "I saw him . His dog saw him in the park ."),
        ("He gave her the key to her car .", "She gave him the key to his car ."),
        ("The car is his .", "The car is hers ."),
        ("The nurse said she was tired .", "The nurse said he was tired ."),
        ("Mr. Hale met Mrs. Hale .", "Ms. Hale met Mr. Hale ."),
        ("Will he come ?", "Will she come ?"),
        ("Robin Voss left .", "Robin Voss left ."),
        ("Jane Scott left . Scott wept .", "Gunter Scott left . Scott wept ."),
        ("HE LEFT .", "SHE LEFT ."),
        ("", ""),
    ],
)
def test_texts(text: str, expected: str) -> None:
    assert " ".join(with_genders_swapped(text.split())) == expected


@given(st.lists(st.sampled_from(WORDS)))
def test_a_word_stays_a_word_with_its_capital(words: list[str]) -> None:
    swapped = with_genders_swapped(words)
    assert len(swapped) == len(words)
    assert [word[:1].isupper() for word in swapped] == [word[:1].isupper() for word in words]
