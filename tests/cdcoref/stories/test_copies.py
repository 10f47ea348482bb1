"""Near-duplicates are found, other reports of the same story are not; they count as one text."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cdcoref.corpora import CorpusFolder
from cdcoref.corpus import Document
from cdcoref.formats import tokenise_text
from cdcoref.stories import (
    DocumentVectors,
    divided,
    group_documents,
    identical_documents,
    near_duplicates,
    of_two_happenings,
    subjects,
)
from tests.cdcoref.conftest import grouping_f1
from tests.tables import rows_of

FOLDER = Path(__file__).resolve().parents[3] / "data" / "invented"


@pytest.fixture(scope="module")
def originals() -> tuple[Document, ...]:
    return CorpusFolder("invented", FOLDER).read("dev").corpus.documents


@pytest.fixture(scope="module")
def alone(originals: tuple[Document, ...]) -> float:
    return grouping_f1(originals, group_documents(originals))


def without(document: Document, gone: set[int], id: str) -> Document:
    """A document without some sentences."""
    kept = [document.tokens[start:end] for n, (start, end) in enumerate(document.sentences) if n not in gone]
    return Document.from_sentences(id, kept, topic=document.topic, subtopic=document.subtopic)


def copies_of(documents: tuple[Document, ...], number: int) -> list[Document]:
    """Copies of documents, each of which lacks a tenth of its sentences, and one at least."""
    chosen = random.Random(number)
    found = []
    for document in documents:
        count = len(document.sentences)
        gone = set(chosen.sample(range(count), max(1, round(count / 10)))) if count > 1 else set()
        found.append(without(document, gone, f"{document.id}~{number}"))
    return found


@pytest.mark.parametrize("with_originals", [True, False])
def test_copies_do_not_divide_stories(originals: tuple[Document, ...], alone: float, with_originals: bool) -> None:
    copies = [copy for number in range(5) for copy in copies_of(originals, number)]
    documents = [*originals, *copies] if with_originals else copies
    assert grouping_f1(documents, group_documents(documents)) > alone - 0.05


def test_copies_are_of_the_text_that_they_are_made_from(originals: tuple[Document, ...]) -> None:
    copies = copies_of(originals, 0)
    found = near_duplicates([*originals, *copies])
    assert all(copy.split("~")[0] == original for copy, original in found.items())
    assert len(found) > 0.95 * len(copies)
    assert near_duplicates(originals) == {}


def sentence(number: int, words: int = 12) -> list[str]:
    return [f"w{number}x{n}" for n in range(words)]


TEXT = Document.from_sentences("text", [sentence(n) for n in range(10)])
SHORTER = without(TEXT, {4}, "shorter")
EDITED = Document.from_sentences("edited", [sentence(n + 50 * (n == 7)) for n in range(9)])
QUOTING = Document.from_sentences("quoting", [sentence(n + 50 * (n > 2)) for n in range(10)])


def test_a_text_that_quotes_another_is_no_copy() -> None:
    assert near_duplicates([QUOTING, EDITED, SHORTER, TEXT]) == {"shorter": "text", "edited": "text"}


def test_an_earlier_version_half_as_long_is_a_copy() -> None:
    half, third = without(TEXT, set(range(5, 10)), "half"), without(TEXT, set(range(3, 10)), "third")
    assert near_duplicates([TEXT, half]) == {"half": "text"}
    assert near_duplicates([TEXT, third]) == {}


def test_texts_too_short_to_tell_are_no_copies() -> None:
    brief = Document.from_sentences("brief", [sentence(1)])
    assert near_duplicates([brief, replace(brief, id="same")]) == {}


def test_hidden_sentences_are_ignored() -> None:
    signed = Document.from_sentences("signed", [sentence(99, 200), *(sentence(n) for n in range(10))])
    assert near_duplicates([TEXT, signed]) == {}
    assert near_duplicates([TEXT, replace(signed, hidden=frozenset({0}))]) == {"text": "signed"}


@given(order=st.permutations([TEXT, SHORTER, EDITED, QUOTING]))
@settings(max_examples=10, deadline=None)
def test_the_order_of_documents_does_not_matter(order: list[Document]) -> None:
    assert near_duplicates(order) == near_duplicates([TEXT, SHORTER, EDITED, QUOTING])


def test_copies_count_for_nothing_in_how_rare_words_are(originals: tuple[Document, ...]) -> None:
    some = originals[:40]
    copies = [replace(document, id=f"{document.id}~{n}") for document in some[:10] for n in range(5)]
    documents = [*some, *copies]
    found = near_duplicates(documents)
    alone, all_of_them = DocumentVectors(some), DocumentVectors(documents, found)
    for one, other in itertools.pairwise(some):
        assert all_of_them.similarity(one.id, other.id) == pytest.approx(alone.similarity(one.id, other.id))
    groups = group_documents(all_of_them)
    assert [[id for id in group if "~" not in id] for group in groups] == group_documents(some)
    assert subjects(all_of_them, groups) == subjects(alone, group_documents(some))


WARNING = (
    "The weather service warned of floods in Ash County until Sunday. Heavy rain has fallen for two days. Drivers "
    "should avoid low roads."
)
OBITUARY = (
    "Harold Finch, 81, of Thornbury died at home. The former carpenter sang in the choir of the parish for years. The "
    "funeral will be held on Saturday."
)
QUAKE = """A quake of magnitude 5.1 shook Orvik on Monday and broke windows in the old town. Schools in the district
were closed for the day so that engineers could look at their walls. The institute of geology said that weaker shocks
were to be expected for some weeks. Nobody was hurt."""
RESULT = """Rovers beat Harwick United 3-1 on Saturday with two goals by Lund in the second half. The referee had to
stop play for ten minutes because of fog over the ground. The manager said that his players had kept their heads and
that the points were deserved."""


BAIL = """A 34-year-old man was arrested in Arley on Monday on suspicion of theft. He was released on bail until 4 June.
Anyone with information is asked to call the police."""

SALES = """Norvane Plc said on Tuesday that its sales rose 12 percent in the first half. The chief executive said that
demand for its boots had been strong in all its markets. The company will pay a dividend of 3 pence a share in June."""


RETIRING = """Headteacher Ada Holm of Tarn Primary School will retire in June after 31 years. Governors of Tarn Primary
thanked Holm for her work with three generations of children. "She knows every family in Tarn," the chairman said."""


@pytest.mark.parametrize(
    ("text", "changes", "expected"),
    [
        (RETIRING, {"Ada Holm": "Ivy Pell", "Holm": "Pell", "Tarn": "Arley", "June": "May", "31": "12"}, "another"),
        (QUAKE, {"5.1": "4.7", "Orvik": "Sandnes", "Monday": "Friday"}, "another"),
        (RESULT, {"Rovers": "Wanderers", "Harwick United": "Elmsby Town", "3-1": "2-0", "Lund": "Pike"}, "another"),
        (RESULT, {"3-1": "4-0", "Saturday": "Sunday"}, "another"),
        (BAIL, {"34": "51", "Arley": "Betton", "Monday": "Thursday", "4 June": "9 June"}, "another"),
        (SALES, {"Norvane": "Ekholm Foods", "12 percent": "18 percent", "3 pence": "7 pence"}, "another"),
        (WARNING, {"Ash": "Pike", "Sunday": "Monday"}, "another"),
        (OBITUARY, {"Harold Finch": "Edna Marsh", "81": "90", "Thornbury": "Yate", "carpenter": "nurse"}, "another"),
        (QUAKE, {"5.1": "5.3"}, "same story"),
        (QUAKE, {" Nobody was hurt.": ""}, "copy"),
        (QUAKE, {"A quake": "Schools shut after quake\n\nA quake"}, "copy"),
        (QUAKE, {"old town.": "old town, the Orvik Gazette reports."}, "copy"),
        (QUAKE, {"A quake": "By Ada Holm\nORVIK, March 3 (AP) - A quake"}, "copy"),
        (RESULT, {"deserved.": "deserved. Elmsby Town play at Harwick on Tuesday."}, "copy"),
    ],
)
def test_the_same_words_about_another_happening_are_no_copy(text: str, changes: dict[str, str], expected: str) -> None:
    changed = text
    for old, new in changes.items():
        changed = changed.replace(old, new)
    documents = [tokenise_text(text.replace("\n", " "), "a"), tokenise_text(changed, "b")]
    assert bool(near_duplicates(documents)) == (expected == "copy")
    assert len(group_documents(documents)) == (2 if expected == "another" else 1)


def test_identical_documents_have_the_same_words_title_and_day() -> None:
    text = tokenise_text("Shares fell on Monday.", "b")
    documents = [
        text,
        replace(text, id="a"),
        replace(text, id="c", metadata={"title": "Shares fall"}),
        replace(text, id="d", metadata={"date": "2024-03-05"}),
        replace(text, id="e", metadata={"date": "5 March 2024"}),
        replace(text, id="2024-03-05.txt"),
        tokenise_text("", "empty"),
        tokenise_text("", "also empty"),
    ]
    assert identical_documents(documents) == {"b": "a", "d": "2024-03-05.txt", "e": "2024-03-05.txt"}


def test_two_happenings_in_the_same_words_are_told_of_by_id() -> None:
    documents = [tokenise_text(text, id) for id, text in (("a", WARNING), ("b", WARNING.replace("Ash", "Pike")))]
    assert of_two_happenings(documents) == set()
    documents[1] = tokenise_text(WARNING.replace("Ash", "Pike").replace("Sunday", "Monday"), "b")
    assert of_two_happenings(documents) == {frozenset("ab")}


QUAKE = (
    "Magnitude 3.6 earthquake shakes Dry Fork\n\nBy Tremorbot\n\nA magnitude 3.6 earthquake was reported Monday "
    "six miles from Dry Fork, according to the bureau.\n\nDid you feel this earthquake? Tell the bureau.\n\nThis story "
    "was made by a program. An editor read it before it was published."
)


def test_a_byline_is_not_where_the_facts_of_a_text_are() -> None:
    changes = {"3.6": "4.1", "Dry Fork": "Puma Ridge", "Monday": "Wednesday"}
    other = QUAKE
    for word, new in changes.items():
        other = other.replace(word, new)
    documents = [tokenise_text(QUAKE, "a"), tokenise_text(other, "b")]
    assert of_two_happenings(documents) == {frozenset("ab")}


BAN = (
    "Driver banned\n\nTresk Gazette\n\nAnn Lee, of Mill Row, has been banned from driving for 14 months. She admitted "
    "it at Tresk court on Tuesday.\n\nPolice stopped her van on Mill Lane on 9 March. She was fined 410 pounds."
)


def test_what_differs_at_the_beginning_and_the_weeks_between() -> None:
    for row in rows_of(__file__, "templates.tsv"):
        text = BAN
        for change in row["changes"].split(" | "):
            text = text.replace(*change.split(" > "))
        documents = [tokenise_text(BAN, "2025-03-12_a"), tokenise_text(text, f"{row['day']}_b")]
        assert len(of_two_happenings(documents)) == int(row["differ"]), row


def test_a_copy_is_in_the_story_of_its_original() -> None:
    other = BAN.replace("Ann Lee", "Amy Roe").replace("14", "17").replace("Mill", "Ash")
    copy = BAN.replace("Driver banned", "Van driver loses licence").replace(" at Tresk court", "")
    groups = group_documents([tokenise_text(t, id) for id, t in (("copy", copy), ("other", other), ("original", BAN))])
    assert sorted(map(sorted, groups)) == [["copy", "original"], ["other"]]


def test_a_report_that_is_most_like_another_of_its_template_is_of_a_third_happening() -> None:
    other = BAN.replace("Ann Lee", "Amy Roe").replace("14", "17")
    reports = [tokenise_text(text, id) for id, text in (("a", BAN), ("b", other), ("c", other))]
    for likeness, sizes in ((0.9, [1, 2]), (0.1, [1, 1, 1])):
        groups = divided(reports, lambda one, two, of=likeness: of if {one, two} == {"b", "c"} else 0.5)  # type: ignore[misc]
        assert sorted(map(len, groups)) == sizes


def test_a_longer_report_may_have_the_words_of_a_shorter_one_about_another_happening() -> None:
    short = (
        "A chairlift carrying 12 skiers stopped above Vossdal for two hours on Sunday after ice blocked its motor.\n\n"
        "Rescuers lowered the passengers on ropes. The operator offered the passengers free tickets for life."
    )
    longer = short.replace("chairlift", "cable car").replace("Vossdal", "Larkhaven").replace("Sunday", "Tuesday")
    longer += "\n\nA woman told jokes until her turn came. Prosecutors have opened an inquiry. It was built in 1968."
    documents = [tokenise_text(short, "a"), tokenise_text(longer, "b")]
    assert of_two_happenings(documents) == {frozenset("ab")}
