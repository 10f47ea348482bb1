"""Quotations: which tokens stand in one, and in which."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cdcoref.corpus import Document, Mention
from cdcoref.language import mention_facts, quotations


def numbers_of(*sentences: str) -> list[int]:
    return quotations(Document.from_sentences("d", [sentence.split() for sentence in sentences]))


def test_marks_belong_to_what_they_enclose() -> None:
    assert numbers_of("“ I left , ” he said . “ Why ? ”") == [1, 1, 1, 1, 1, 0, 0, 0, 2, 2, 2, 2]


def test_straight_marks_and_those_of_treebanks_are_marks_too() -> None:
    assert numbers_of('" Go " said she , " now "') == [1, 1, 1, 0, 0, 0, 2, 2, 2]
    assert numbers_of("`` Go '' said she") == [1, 1, 1, 0, 0]


def test_a_quotation_goes_on_over_sentences_and_another_paragraph_begins_another() -> None:
    assert numbers_of("“ I left .", "He stayed .", "“ And then ”", "he wept") == [1] * 4 + [1] * 3 + [2] * 4 + [0, 0]


def test_a_mark_that_closes_nothing_and_one_that_is_not_closed() -> None:
    assert numbers_of("he left ”") == [0, 0, 0]
    assert numbers_of("“ he", *["left"] * 15) == [1, 1] + [1] * 12 + [0] * 3


def test_apostrophes_are_none() -> None:
    assert numbers_of("Anna 's ' old ' ship") == [0] * 6


def test_a_mention_has_the_number_that_it_is_given() -> None:
    document = Document.from_sentences("d", [["“", "I", "left", "”"]])
    mention = Mention("d", (1,), "entity")
    assert mention_facts(document, mention, 0, quotations(document)[1]).quotation == 1
    assert mention_facts(document, mention, 0).quotation == 0


TOKENS = st.lists(st.lists(st.sampled_from(["“", "”", '"', "``", "''", "he", "said"]), max_size=6), max_size=20)


@given(TOKENS)
def test_numbers_follow_the_text(sentences: list[list[str]]) -> None:
    document = Document.from_sentences("d", sentences)
    found = quotations(document)
    assert len(found) == len(document.tokens)
    quoted = [number for number in found if number]
    assert quoted == sorted(quoted)
    assert set(quoted) == set(range(1, max(found, default=0) + 1))
