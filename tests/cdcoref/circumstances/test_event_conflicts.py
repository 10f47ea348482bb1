"""Which events cannot be one by their circumstances."""

from __future__ import annotations

import numpy as np
import pytest

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.reading import Readings


def corpus(*texts: str) -> Corpus:
    """Documents of sentences that end with " / "; a word with * before it is an event."""
    documents, mentions = [], []
    for number, text in enumerate(texts):
        id = f"{number}"
        words = [sentence.split() for sentence in text.split(" / ")]
        document = Document.from_sentences(id, [[word.removeprefix("*") for word in own] for own in words])
        documents.append(document)
        flat = [word for own in words for word in own]
        mentions += [Mention(id, (place,), "event") for place, word in enumerate(flat) if word.startswith("*")]
    return Corpus(tuple(documents), tuple(mentions))


def conflict(*texts: str) -> bool:
    """Whether the first two events of the texts conflict; the answer does not depend on their order."""
    tables = Readings(corpus(*texts)).circumstance_tables
    one, other = np.array([0]), np.array([1])
    found = tables.conflicts(one, other).tolist()
    assert found == tables.conflicts(other, one).tolist()
    return found[0]


DATED = "16 May 2024 / "


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["A *fire broke out in Peru .", "A *fire broke out in Chile ."], True),
        (["A *fire broke out in Peru .", "A *fire broke out near Lima ."], False),
        (["A *fire broke out near Arequipa .", "A *fire broke out near Lima ."], True),
        (["A *fire broke out in Ohio .", "A *fire broke out in Nevada ."], True),
        (["A *fire broke out .", "A *fire broke out near Lima ."], False),
        ([DATED + "A *fire broke out on Monday .", DATED + "A *fire broke out on May 2 ."], True),
        ([DATED + "A *fire broke out on Monday .", DATED + "A *fire broke out on Tuesday ."], False),
        ([DATED + "A *fire broke out on Monday . / The other *fire on May 2 was smaller ."], True),
        ([DATED + "The *fire killed two .", DATED + "The *fire killed nine ."], False),
        (["Genk 's Piet Maassen *joined Marseille .", "Davud Okello 's *move to Marseille is done ."], True),
        (["Genk *signed Piet Maassen .", "Piet Maassen *joined Genk ."], False),
        (["Police *arrested Piet Maassen .", "The *arrest of Davud Okello came late ."], True),
        (["Police *arrested Piet Maassen .", "Davud Okello was *arrested ."], True),
        (["Police *arrested Piet Maassen .", "Davud Okello *left ."], False),
        ([DATED + "The *fire began on Monday . / It is the worst since 2017 , when a *fire killed 60 ."], True),
        (["Genk *signed the defender Piet Maassen .", "Genk *signed the striker Davud Okello ."], True),
        (["Genk *signed the defender Piet Maassen .", "They *signed Piet Maassen in May ."], False),
        (["A ferry *sank on Friday . / In 2009 another ferry *sank ."], True),
        (["A ferry *sank on Friday . / It *sank at noon on Friday ."], False),
        (["The ferry *sank in 2009 . / It *sank at noon ."], False),
        (["A *fire in Peru came two days after a *fire in Chile ."], True),
    ],
)
def test_conflicts(texts: list[str], expected: bool) -> None:
    assert conflict(*texts) == expected


THERE = "16 May 2024 / It came two days after a *fire near Lima in Peru ."


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ([THERE, "16 May 2024 / A *fire broke out near Lima on Tuesday ."], True),
        ([THERE, "16 May 2024 / Three died near Lima on Tuesday . / The *fire was put out ."], True),
        ([THERE, "16 May 2024 / A *blaze broke out near Lima on Tuesday ."], False),
        ([THERE, "16 May 2024 / A *fire broke out near Lima on May 2 ."], False),
        ([THERE, "16 May 2024 / A *fire broke out in Chile on Tuesday ."], False),
        (["Lund won the *election . / Turnout in the *vote was low ."], True),
        (["Lund won the *election . / A *vote on the budget follows ."], False),
        (["Lund won the *election . / It was the closest since 2017 , when the *vote was even ."], False),
        (["Lund won the *election .", "Turnout in the *vote was low ."], False),
        (["Genk *signed Piet Maassen .", "Piet Maassen *joined Genk ."], True),
        (["Genk *signed Piet Maassen .", "Davud Okello *joined Genk ."], False),
        ([THERE, "16 May 2024 / A *fire broke out near Lima in 2024 ."], False),
        ([THERE.replace("two days", "3 weeks"), "16 May 2024 / A *fire began near Lima in April ."], True),
        (["16 May 2024 / A *fire broke out near Lima on Tuesday ."] * 2, True),
        (
            [
                "16 May 2024 / A *fire will be lit near Lima on May 20 .",
                "20 May 2024 / A *fire was lit near Lima on Monday .",
            ],
            True,
        ),
        (["16 May 2024 / A *fire broke out on Tuesday ."] * 2, False),
        ([THERE] * 2, False),
    ],
)
def test_reports_of_one_day_and_place_agree(texts: list[str], expected: bool) -> None:
    tables = Readings(corpus(*texts)).circumstance_tables
    one, other = np.array([0]), np.array([1])
    assert tables.agree(one, other).tolist() == tables.agree(other, one).tolist() == [expected]


def test_tables_agree_with_places() -> None:
    names = ["Peru", "Chile", "Lima", "Arequipa", "Ohio", "Nevada", "Detroit", "Chicago", "Norway", "Oslo"]
    own = corpus(*(f"A *fire began in {name} ." for name in names))
    tables = Readings(own).circumstance_tables
    places = [one.where[0].place for one in Readings(own).circumstances]
    first, second = np.triu_indices(len(names), 1)
    expected = [places[one].excludes(places[other]) for one, other in zip(first, second, strict=True)]
    assert tables.conflicts(first, second).tolist() == expected
