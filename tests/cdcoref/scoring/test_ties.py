"""What ties mentions: known answers."""

from __future__ import annotations

import pytest

from cdcoref.language import MentionWords
from cdcoref.scoring.ties import TIES, strongest_tie


@pytest.mark.parametrize(
    ("some", "others", "tie"),
    [
        (["the old ferry"], ["a tug", "The old ferry"], "the same words"),
        (["the old ferry"], ["this ferry"], "the same head"),
        (["Anna Berg"], ["Mayor Berg"], "the same head"),
        (["Berg 's office"], ["the mayor of Berg"], "a name"),
        (["exploded"], ["the explosion"], "the stem of the heads"),
        (["the raid"], ["the raiders"], "the stem of the heads"),
        (["the war"], ["warming"], "nothing in common"),
        (["the steel bridge"], ["girders of steel"], "another word"),
        (["she"], ["Anna Berg"], "a pronoun"),
        (["she", "Anna Berg"], ["Berg"], "the same head"),
        (["Anna Berg"], ["the mayor"], "a name and a noun"),
        (["Anna Berg", "the clerk"], ["the mayor"], "nothing in common"),
        (["the tremor"], ["the quake"], "nothing in common"),
    ],
)
def test_the_strongest_tie(some: list[str], others: list[str], tie: str) -> None:
    words = [[MentionWords.of(text.split()) for text in side] for side in (some, others)]
    assert strongest_tie(*words) == tie
    assert strongest_tie(*reversed(words)) == tie
    assert tie in TIES
