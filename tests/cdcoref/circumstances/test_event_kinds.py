"""Which events are subjects of others, and whom they happen to."""

from __future__ import annotations

import pytest

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.reading import Readings


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("The *blaze *burned 1,200 hectares .", [("blaze", "burned")]),
        ("A two-day *strike has *grounded 300 flights .", [("strike", "grounded")]),
        ("The *strike by pilots *grounded 300 flights .", [("strike", "grounded")]),
        ("The *strike by pilots who *closed the airport .", []),
        ("*Fire *destroys a mill .", [("Fire", "destroys")]),
        ("The *fire *broke out at noon .", []),
        ("The *fire was *caused by a spark .", []),
        ("Police *said *wounded men were found .", []),
        ("The *fire , which *killed two , is out .", []),
        ("The *quake *killed two and *injured nine .", [("quake", "killed")]),
    ],
)
def test_subjects(text: str, pairs: list[tuple[str, str]]) -> None:
    words = text.split()
    document = Document.from_sentences("a", [[word.removeprefix("*") for word in words]])
    events = [Mention("a", (place,), "event") for place, word in enumerate(words) if word.startswith("*")]
    found = Readings(Corpus((document,), tuple(events))).circumstances
    tokens = document.tokens
    assert [
        (tokens[one.subject.start], tokens[event.start])
        for event, one in zip(events, found, strict=True)
        if one.subject is not None
    ] == pairs


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Genk *signed the Ugandan striker Davud Okello from Marseille .", "davud okello"),
        ("Genk *signed him from Marseille .", ""),
        ("The *signing of Davud Okello", ""),
        ("Police *said Davud Okello fled .", ""),
        ("Genk *signed a man called Okello .", ""),
        ("Genk *signed on Monday Davud Okello .", ""),
    ],
)
def test_named_objects(text: str, name: str) -> None:
    words = text.split()
    document = Document.from_sentences("a", [[word.removeprefix("*") for word in words]])
    place = next(place for place, word in enumerate(words) if word.startswith("*"))
    (one,) = Readings(Corpus((document,), (Mention("a", (place,), "event"),))).circumstances
    assert " ".join(one.named_object) == name
