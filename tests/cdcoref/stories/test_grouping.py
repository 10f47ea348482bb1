"""Documents of one story are grouped, others are not, in whatever order and number they come."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cdcoref.corpus import Corpus, Document
from cdcoref.errors import InputError
from cdcoref.formats import tokenise_text
from cdcoref.stories import DocumentVectors, group_documents, subjects
from tests.cdcoref.conftest import grouping_f1

STORIES = {
    "dam": [
        "A dam above the village of Orsk burst on Monday after days of rain. About 300 people had to leave their homes "
        "when the water of the Vella river flooded the valley. Nobody was hurt, the mayor said.",
        "Orsk under water: after heavy rain the dam on the Vella broke early on Monday. Villagers were brought to a "
        "school in Tarn. Mayor Ines Holm thanked the fire brigade, which had warned people in time.",
        "Engineers had warned for years that the dam near Orsk could fail. On Tuesday, a day after it did, and the "
        "Vella swept away two bridges, Mayor Holm demanded to know why nothing was repaired.",
    ],
    "final": [
        "Striker Joana Prell scored twice as Rovers beat Athletic 3-1 in the cup final at the Stadium of Light in "
        "Bergen on Saturday. It is the club's first trophy since 1987.",
        "Rovers have won the cup for the first time in decades. Coach Edvin Marsh praised Prell, whose two goals "
        "decided the final against Athletic in front of 40,000 fans in Bergen.",
    ],
    "merger": [
        "The airline Nordwing agreed to buy its smaller competitor Skylane for 2.1 billion euros, the companies said. "
        "Regulators in Brussels must approve the takeover. Shares of Skylane rose by a quarter.",
        "Skylane's pilots fear for their jobs after Nordwing offered 2.1 billion euros for the airline. Their union "
        "called on regulators in Brussels to stop the takeover.",
    ],
    "other dam": [
        "In the desert state of Quill, a dam that had stood for a century collapsed on Friday. The flood killed twelve "
        "miners at the Harrow copper mine, its owner Basal Metals reported.",
        "Basal Metals faces charges over the collapse of a dam at its Harrow mine. Prosecutors in Quill say that the "
        "company ignored cracks; twelve miners died on Friday.",
    ],
}
DOCUMENTS = [tokenise_text(text, f"{name} {n}") for name, texts in STORIES.items() for n, text in enumerate(texts)]


def story_of(id: str) -> str:
    return id.rsplit(" ", 1)[0]


def as_sets(groups: list[list[str]]) -> set[frozenset[str]]:
    return {frozenset(group) for group in groups}


GOLD = {frozenset(d.id for d in DOCUMENTS if story_of(d.id) == name) for name in STORIES}


def test_stories_are_told_apart_also_two_of_one_kind() -> None:
    assert as_sets(group_documents(DOCUMENTS)) == GOLD


def test_two_documents_are_enough_to_tell() -> None:
    for a, first in enumerate(DOCUMENTS):
        for second in DOCUMENTS[a + 1 :]:
            together = len(group_documents([first, second])) == 1
            assert together == (story_of(first.id) == story_of(second.id)), (first.id, second.id)


@settings(max_examples=30)
@given(shuffle=st.randoms(use_true_random=False), size=st.integers(0, len(DOCUMENTS)))
def test_groups_do_not_depend_on_the_order_of_documents(shuffle: random.Random, size: int) -> None:
    chosen = DOCUMENTS[:size]
    expected = as_sets(group_documents(chosen))
    shuffle.shuffle(chosen)
    groups = group_documents(chosen)
    assert as_sets(groups) == expected
    # Groups, and the ids in them, come in the order of the documents.
    place = {document.id: n for n, document in enumerate(chosen)}
    assert [place[group[0]] for group in groups] == sorted(place[group[0]] for group in groups)
    assert all([place[id] for id in group] == sorted(place[id] for id in group) for group in groups)


def test_hidden_sentences_do_not_count() -> None:
    a = Document.from_sentences("a", [["flood", "valley", "Orsk"], ["nothing", "else"]], hidden=frozenset({0}))
    b = Document.from_sentences("b", [["flood", "valley", "Orsk"]])
    assert group_documents([a, b]) == [["a"], ["b"]]
    assert group_documents([replace(a, hidden=frozenset()), b]) == [["a", "b"]]


def test_documents_without_words_are_alone() -> None:
    empty = [Document.from_sentences(id, []) for id in "ab"]
    function_words = Document.from_sentences("c", [["It", "was", "the", "."]])
    assert group_documents([*empty, function_words]) == [["a"], ["b"], ["c"]]
    assert group_documents([]) == []


def test_copies_are_together() -> None:
    assert group_documents([replace(DOCUMENTS[0], id=id) for id in "abc"]) == [["a", "b", "c"]]


def test_annotated_groups() -> None:
    documents = [
        replace(DOCUMENTS[0], id="a", topic="1", subtopic="1x"),
        replace(DOCUMENTS[1], id="b", topic="2", subtopic="2x"),
        replace(DOCUMENTS[2], id="c", topic="1", subtopic="1y"),
        replace(DOCUMENTS[3], id="d", topic="1", subtopic="1x"),
    ]
    assert group_documents(documents, "gold_topic") == [["a", "c", "d"], ["b"]]
    assert group_documents(documents, "gold_subtopic") == [["a", "d"], ["b"], ["c"]]
    assert group_documents(documents, "none") == [["a", "b", "c", "d"]]
    with pytest.raises(InputError, match="'dam 0' has no annotated subtopic"):
        group_documents(DOCUMENTS, "gold_subtopic")
    with pytest.raises(ValueError, match="predicted, gold_subtopic"):
        group_documents(documents, "golden")  # type: ignore[arg-type]


def test_thousands_of_documents_are_compared_in_blocks() -> None:
    """Two million similarities are held at a time: those of each block with all documents."""
    words = [[f"alpha{n % 1000}", f"beta{n % 1000}", f"gamma{n % 1000}", f"own{n}"] for n in range(2000)]
    documents = [Document.from_sentences(f"d{n}", [own]) for n, own in enumerate(words)]
    assert as_sets(group_documents(documents)) == {frozenset([f"d{n}", f"d{n + 1000}"]) for n in range(1000)}


def test_forms_of_one_word_count_as_one() -> None:
    texts = {"one": "The dockers struck.", "same": "The docker strikes.", "other": "The pilots landed."}
    made = DocumentVectors([tokenise_text(text, id) for id, text in texts.items()])
    assert made.similarity("one", "same") == pytest.approx(1)
    assert made.similarity("one", "other") == 0
    assert DocumentVectors(made.documents, forms=True).similarity("one", "same") == 0


def test_similarity_of_two_documents() -> None:
    made = DocumentVectors(DOCUMENTS)
    assert made.similarity("dam 0", "dam 0") == pytest.approx(1)
    assert made.similarity("dam 0", "dam 1") == made.similarity("dam 1", "dam 0")
    assert made.similarity("dam 0", "dam 1") > made.similarity("dam 0", "other dam 0") > 0
    assert 0 <= made.similarity("dam 0", "merger 0") < 0.2


def test_quality_on_ecb_dev_is_what_is_reported(ecb_dev: Corpus) -> None:
    documents = ecb_dev.documents
    assert grouping_f1(documents, group_documents(documents)) == pytest.approx(0.952, abs=0.001)


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
