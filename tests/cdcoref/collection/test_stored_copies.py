"""Near-duplicates in a collection: stories are those of a folder, whatever came first, and removals leave an heir."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from cdcoref.collection import Collection, document_page_lines
from cdcoref.corpora import CorpusFolder
from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.formats import read_jsonl, tokenise_text, write_jsonl
from cdcoref.stories import group_documents
from tests.cdcoref.conftest import grouping_f1

FOLDER = Path(__file__).resolve().parents[3] / "data" / "invented"


def without(document: Document, gone: set[int], id: str) -> Document:
    kept = [document.tokens[start:end] for n, (start, end) in enumerate(document.sentences) if n not in gone]
    return Document.from_sentences(id, kept, topic=document.topic, subtopic=document.subtopic)


@pytest.fixture(scope="module")
def originals() -> Sequence[Document]:
    """Ten texts of at least five sentences."""
    documents = CorpusFolder("invented", FOLDER).read("dev").corpus.documents
    return [document for document in documents if len(document.sentences) >= 5][:10]


def stories_of(collection: Collection) -> list[list[str]]:
    found: dict[int | None, list[str]] = {}
    for document in collection.documents(limit=1_000):
        found.setdefault(document.story, []).append(document.id)
    return list(found.values())


def add_one_by_one(collection: Collection, documents: Sequence[Document]) -> None:
    """Add documents with one mention each, so that no model is needed."""
    for document in documents:
        collection.add(Corpus((document,), (Mention(document.id, (0,), "entity"),)))


@pytest.mark.parametrize("seed", [None, 0])
def test_copies_one_by_one_divide_no_story(lemma: Collection, originals: Sequence[Document], seed: int | None) -> None:
    documents = [
        without(document, {n} if n else set(), f"{document.id}~{n}") for document in originals for n in range(3)
    ]
    alone = grouping_f1(originals, group_documents(originals))
    different = list({document.tokens: document for document in documents}.values())
    if seed is not None:
        random.Random(seed).shuffle(different)
    add_one_by_one(lemma, different)
    assert grouping_f1(different, stories_of(lemma)) > alone - 0.03
    copies = lemma.corpus().copies()
    assert sum(map(len, copies.values())) >= 0.9 * (len(different) - len(originals))
    assert all(copy.split("~")[0] == original.split("~")[0] for original, own in copies.items() for copy in own)


def sentence(number: int) -> list[str]:
    return [f"w{number}x{n}" for n in range(12)]


TEXT = Document.from_sentences("text", [sentence(n) for n in range(10)])
FIRST, SECOND = without(TEXT, {4}, "first"), without(TEXT, {5, 6}, "second")
OTHER = Document.from_sentences("other", [sentence(n + 50) for n in range(6)])


def test_copies_are_shown(lemma: Collection, tmp_path: Path) -> None:
    add_one_by_one(lemma, [TEXT, OTHER, FIRST, SECOND])
    page = lemma.document("second")
    assert page.copies == ("text", "first")
    assert page.document.copy_of == "text"
    assert "near-duplicate of: text, first" in list(document_page_lines(page))
    assert lemma.document("text").copies == ("first", "second")
    assert lemma.document("other").copies == ()
    write_jsonl(lemma.corpus(), tmp_path / "all.jsonl")
    assert read_jsonl(tmp_path / "all.jsonl").copies() == {"text": ["first", "second"]}


def test_a_text_is_the_original_of_all_that_are_parts_of_it_whatever_came_first(lemma: Collection) -> None:
    parts = [without(TEXT, gone, f"part{n}") for n, gone in enumerate([{0, 1, 2, 3}, {4, 5, 6}, {7, 8, 9}])]
    add_one_by_one(lemma, [*parts, without(TEXT, {0, 1, 2, 3, 9}, "copy of a part"), OTHER])
    assert lemma.corpus().copies() == {"part0": ["copy of a part"]}
    add_one_by_one(lemma, [TEXT])
    assert lemma.corpus().copies() == {"text": ["part0", "part1", "part2", "copy of a part"]}
    assert {frozenset(story) for story in stories_of(lemma)} == {
        frozenset({"text", "part0", "part1", "part2", "copy of a part"}),
        frozenset({"other"}),
    }


def test_a_removed_original_leaves_its_place_to_the_first_of_its_copies(lemma: Collection) -> None:
    add_one_by_one(lemma, [TEXT, OTHER, FIRST, SECOND])
    lemma.remove(["text"])
    assert lemma.corpus().copies() == {"first": ["second"]}
    lemma.remove(["second"])
    assert lemma.corpus().copies() == {}
    add_one_by_one(lemma, [SECOND])
    assert lemma.corpus().copies() == {"first": ["second"]}


QUAKES = [
    tokenise_text(
        f"A quake of magnitude {size} shook {town} on {day}. The tremor was felt in the villages around it. "
        "Officials said that there were no reports of damage or injuries. Seismologists expect aftershocks in the "
        "coming days. Residents ran into the streets when their houses began to shake.",
        town,
    )
    for size, town, day in ((4.1, "Tresk", "Monday"), (5.3, "Osterby", "Friday"), (4.1, "Vik", "Sunday"))
]


def test_reports_of_one_template_are_in_different_stories_whenever_they_come(lemma: Collection) -> None:
    for count in (2, 3, 3):
        add_one_by_one(lemma, QUAKES[:count])
        assert sorted(stories_of(lemma)) == [[quake.id] for quake in sorted(QUAKES[:count], key=lambda d: d.id)]
        assert lemma.corpus().copies() == {}
    assert sorted(stories_of(lemma)) == sorted(group_documents(QUAKES))
