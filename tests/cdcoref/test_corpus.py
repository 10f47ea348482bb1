"""The vocabulary: documents, mentions, clusters, and what a corpus refuses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError

words = st.lists(st.text(st.characters(exclude_categories=["Cs", "Z", "C"]), min_size=1, max_size=4), max_size=4)


@given(st.lists(words, max_size=5))
def test_text_made_of_sentences_has_one_line_each_and_offsets_into_it(sentences: list[list[str]]) -> None:
    document = Document.from_sentences("d", sentences)
    assert document.text.split("\n") == ([" ".join(sentence) for sentence in sentences] or [""])
    assert [document.text[start:end] for start, end in document.offsets] == list(document.tokens)
    numbers = document.sentence_of_tokens()
    assert numbers == [number for number, sentence in enumerate(sentences) for _ in sentence]
    lines = [document.line_of(start) for start, _ in document.offsets]
    assert lines == [number + 1 for number in numbers]


def test_extent_of_mentions() -> None:
    gapped, whole = Mention("d", (2, 4, 5)), Mention("d", (2, 3, 4, 5))
    assert (gapped.start, gapped.end, gapped.contiguous) == (2, 6, False)
    assert (whole.start, whole.end, whole.contiguous) == (2, 6, True)
    assert gapped.key != whole.key


DOCUMENTS = (Document.from_sentences("a", [["x", "y"]]), Document.from_sentences("b", [["z"]]))


@pytest.mark.parametrize("tokens", [(), (2,), (-1,), (1, 0), (0, 0)])
def test_tokens_that_do_not_exist_are_refused(tokens: tuple[int, ...]) -> None:
    with pytest.raises(InputError, match="ascending indices from 0 to 1"):
        Corpus(DOCUMENTS, (Mention("a", tokens),))


def test_unknown_documents_and_ids_used_twice_are_refused() -> None:
    with pytest.raises(InputError, match="'c', which is not in the corpus"):
        Corpus(DOCUMENTS, (Mention("c", (0,)),))
    with pytest.raises(InputError, match="two documents have the id 'a'"):
        Corpus((*DOCUMENTS, DOCUMENTS[0]))


def test_clusters_are_equal_kinds_and_names() -> None:
    mentions = (
        Mention("a", (0,), "event", "1"),
        Mention("a", (1,), "entity", "1"),
        Mention("b", (0,), "event", "1"),
        Mention("a", (0, 1), "event"),
        Mention("a", (0, 1), "entity"),
    )
    corpus = Corpus(DOCUMENTS, mentions)
    assert corpus.clusters() == [[mentions[0], mentions[2]], [mentions[1]], [mentions[3]], [mentions[4]]]
    assert corpus.of_kind("entity").mentions == (mentions[1], mentions[4])
    assert corpus.of_kind("both") == corpus


def test_subset_and_mentions_by_document() -> None:
    late, early = Mention("a", (1,)), Mention("a", (0, 1))
    corpus = Corpus(DOCUMENTS, (late, early, Mention("b", (0,))), notes=("left out: nothing",))
    assert corpus.subset(["b"]).documents == DOCUMENTS[1:]
    assert corpus.subset(["b"]).mentions == (Mention("b", (0,)),)
    assert corpus.by_document() == {"a": [early, late], "b": [Mention("b", (0,))]}
    assert corpus.subset(["a"]).by_document() == {"a": [early, late]}


def test_words_of_a_passage_are_one_line() -> None:
    document = Document(
        "a", ("A", "ferry", "sank", "."), ((0, 2), (2, 4)), "A\n ferry sank.", ((0, 1), (3, 8), (9, 13), (13, 14))
    )
    assert document.passage(0, 3) == "A ferry sank"
    assert [document.sentence_text(token) for token in range(4)] == ["A ferry", "A ferry", "sank.", "sank."]


def test_an_error_says_the_place() -> None:
    assert str(InputError("wrong", "a.txt", 3)) == "a.txt, line 3: wrong"
    assert str(InputError("wrong", "a.txt")) == "a.txt: wrong"
    assert str(InputError("wrong")) == "wrong"
