"""The stories of documents that come later, against those of all documents at once."""

from __future__ import annotations

import random

import numpy as np
import pytest
from scipy.sparse import csr_array

from cdcoref.corpora import read_ecb
from cdcoref.corpus import Document
from cdcoref.stories import DocumentVectors, Neighbourhood, group_documents, nearest_to, place_documents, words_of
from tests.cdcoref.conftest import grouping_f1

TEXTS = {
    "ferry": "The ferry Maren sank in the storm off Tresk with sailors aboard",
    "museum": "Thieves stole a Torvik painting from the Lindmere museum at night",
    "court": "Judge Bell sentenced the banker Odell to prison for fraud in Ansel",
}


def documents(count: int) -> list[Document]:
    """So many documents, of three stories in turn."""
    names = list(TEXTS)
    return [
        Document.from_sentences(f"{names[n % 3]}{n}", [TEXTS[names[n % 3]].split(), ["Report", f"x{n}"]])
        for n in range(count)
    ]


def neighbourhood(known: list[Document], story: list[int], new: list[Document]) -> Neighbourhood:
    """All documents as each other's neighbours."""
    column: dict[str, int] = {}
    rows, columns, values = [], [], []
    for row, document in enumerate([*known, *new]):
        for word, weight in words_of(document).items():
            rows.append(row)
            columns.append(column.setdefault(word, len(column)))
            values.append(weight)
    table = csr_array((values, (rows, columns)), shape=(len(known) + len(new), len(column)))
    table.sort_indices()
    share = DocumentVectors(known).share if known else np.zeros(0)
    of_id = dict(zip(DocumentVectors(known).ids, share.tolist(), strict=True))
    frequency = np.zeros(len(column))
    for document in known:
        for word in words_of(document):
            frequency[column[word]] += of_id[document.id]
    stories = np.array([*story, *[-1] * len(new)])
    return Neighbourhood(table, stories, np.arange(len(stories)), frequency, float(share.sum()))


def groups(label: np.ndarray) -> set[frozenset[int]]:
    return {frozenset(np.flatnonzero(label == name).tolist()) for name in np.unique(label)}


def test_a_new_document_joins_its_story_or_begins_one() -> None:
    known = documents(8)  # of the court there are two
    story = [n % 3 for n in range(8)]
    placed = place_documents(neighbourhood(known, story, documents(9)[8:]))
    assert groups(placed.label) == {frozenset({0, 3, 6}), frozenset({1, 4, 7}), frozenset({2, 5, 8})}
    other = Document.from_sentences("x", [["Nothing", "like", "anything", "before"]])
    placed = place_documents(neighbourhood(known, story, [other]))
    assert frozenset({8}) in groups(placed.label)
    assert placed.share.tolist() == [1.0]


def test_a_story_that_began_wrongly_is_divided_when_a_document_of_it_comes() -> None:
    known = documents(8)
    wrong = [0, 0, 1, 0, 0, 1, 0, 0]  # ferry and museum in one
    placed = place_documents(neighbourhood(known, wrong, documents(10)[9:]))
    assert groups(placed.label) == {frozenset({0, 3, 6, 8}), frozenset({1, 4, 7}), frozenset({2, 5})}


def test_a_story_that_no_new_document_has_to_do_with_stays_as_it_is() -> None:
    known = documents(8)
    wrong = [0, 0, 1, 0, 0, 1, 0, 0]
    placed = place_documents(neighbourhood(known, wrong, documents(12)[11:]))
    assert groups(placed.label) == {frozenset({0, 1, 3, 4, 6, 7}), frozenset({2, 5, 8})}


@pytest.mark.parametrize(("count", "divided"), [(150, True), (153, False)])
def test_a_story_of_more_than_a_hundred_documents_is_never_divided(count: int, divided: bool) -> None:
    known = documents(count)
    wrong = [int(n % 3 == 2) for n in range(count)]  # ferry and museum in one
    placed = place_documents(neighbourhood(known, wrong, documents(count + 1)[count:]))
    ferry, museum, court = (frozenset(range(first, count + (first == 0), 3)) for first in range(3))
    assert groups(placed.label) == ({ferry, museum, court} if divided else {ferry | museum, court})


def test_the_share_of_a_document_is_less_the_more_are_like_it() -> None:
    known = documents(6)
    placed = place_documents(neighbourhood(known, [n % 3 for n in range(6)], documents(9)[6:]))
    assert placed.share == pytest.approx([1 / 3] * 3)


def test_the_nearest_of_a_few_rows() -> None:
    vectors = DocumentVectors(documents(9)).matrix
    full = (vectors @ vectors.T).toarray()
    np.fill_diagonal(full, -1)
    for limit in (1, 2, 5, 20):
        pairs = nearest_to(vectors, np.array([1, 4]), limit)
        assert pairs == sorted(set(pairs))
        for row in (1, 4):
            own = [full[row, b if a == row else a] for a, b in pairs if row in (a, b)]
            assert len(own) >= min(limit, 8)
            assert max(own) == full[row].max()


def test_no_documents() -> None:
    placed = place_documents(neighbourhood([], [], documents(1)))
    assert groups(placed.label) == {frozenset({0})}


def test_document_by_document_is_nearly_as_good_as_all_at_once(ecb_root: str) -> None:
    """Thirty documents of two topics of ECB+ train."""
    corpus = list(read_ecb(ecb_root, (1, 3)).documents)
    random.Random(1).shuffle(corpus)
    corpus = corpus[:30]
    label = np.zeros(0, dtype=np.int64)
    for number in range(len(corpus)):
        near = neighbourhood(corpus[:number], label.tolist(), [corpus[number]])
        label = np.unique(place_documents(near).label, return_inverse=True)[1]
    found = [[corpus[n].id for n in group] for group in groups(label)]
    assert grouping_f1(corpus, found) > grouping_f1(corpus, group_documents(corpus)) - 0.05
