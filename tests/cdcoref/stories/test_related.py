"""Which stories are about one subject."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cdcoref.corpus import Document
from cdcoref.stories import DocumentVectors, subjects

CRASH = "the pilot of the plane from Lund spoke of smoke in the cockpit before the crash near the airport"
INQUIRY = "the inquiry blamed the airline for smoke in the cockpit of the plane from Lund and not its pilot"
HARVEST = "farmers expect less wheat and barley after a dry spring while prices at the grain market rise"
TEXTS = {"crash 1": CRASH, "crash 2": CRASH + " on Monday", "inquiry": INQUIRY, "harvest": HARVEST, "empty": ""}


def vectors() -> DocumentVectors:
    return DocumentVectors([Document.from_sentences(name, [text.split()]) for name, text in TEXTS.items()])


def test_a_crash_and_its_inquiry_are_one_subject() -> None:
    stories = [["crash 1", "crash 2"], ["harvest"], ["inquiry"], ["empty"]]
    assert subjects(vectors(), stories) == [0, 1, 0, 2]


def test_no_stories_have_no_subjects() -> None:
    assert subjects(vectors(), []) == []


@given(st.permutations([["crash 2", "crash 1"], ["harvest"], ["inquiry"], ["empty"]]))
def test_the_order_of_stories_does_not_matter(stories: list[list[str]]) -> None:
    found = dict(zip((story[-1] for story in stories), subjects(vectors(), stories), strict=True))
    assert found["crash 1"] == found["inquiry"]
    assert len({found["crash 1"], found["harvest"], found["empty"]}) == 3
    assert list(dict.fromkeys(subjects(vectors(), stories))) == [0, 1, 2]
