"""How words are spelt: capitals, digits and signs, what stands beside a word, and headlines."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdcoref.corpus import Document
from cdcoref.inputs import OF_CAPITALS, SPELLING, ReadingBuilder
from cdlm.tokens import Tokenizer

if TYPE_CHECKING:
    from cdlm.tokens import Tokenizer


WORDS = st.text("aZ9-ßÉ", min_size=1, max_size=4)
SpellingOf = Callable[[list[list[str]]], np.ndarray]
Told = Callable[..., list[dict[str, float]]]
SENTENCES = st.lists(st.lists(WORDS, max_size=6), max_size=4)


@pytest.fixture(scope="module")
def spelling_of(wordpiece: Tokenizer) -> SpellingOf:
    """The spelling features of the words of sentences. *Shape:* (words, `SPELLING`)"""
    builder = ReadingBuilder(wordpiece, 512, 512, 1)

    def table(sentences: list[list[str]]) -> np.ndarray:
        read = [sequence.spelling for sequence in builder(Document.from_sentences("d", sentences))]
        return np.concatenate([np.empty((0, len(SPELLING))), *read])

    return table


@pytest.fixture(scope="module")
def told(spelling_of: SpellingOf) -> Told:
    """What is told of every word, by name, without what is 0."""

    def named(*sentences: str) -> list[dict[str, float]]:
        table = spelling_of([sentence.split() for sentence in sentences])
        return [{name: float(value) for name, value in zip(SPELLING, row, strict=True) if value} for row in table]

    return named


def test_a_name_of_two_words(told: Told) -> None:
    assert told("The Sea Lark sank .") == [
        {
            "capital": 1,
            "begins_sentence": 1,
            "before_capital": 1,
            "before_name": 1,
            "share_of_capitals": np.float32(2 / 3),
        },
        {"capital": 1, "name": 1, "after_capital": 1, "before_capital": 1, "before_name": 1, "share_of_capitals": 0.5},
        {"capital": 1, "name": 1, "after_capital": 1, "after_name": 1, "share_of_capitals": 0.5},
        {"after_capital": 1, "after_name": 1, "share_of_capitals": 1},
        {"sign": 1, "share_of_capitals": np.float32(2 / 3)},
    ]


def test_figures_signs_and_acronyms(told: Told) -> None:
    assert told("the U.S. 3rd $ 40") == [
        {"begins_sentence": 1, "before_capital": 1, "before_name": 1, "share_of_capitals": 0.5},
        {"capital": 1, "capitals": 1, "name": 1},
        {"digit": 1, "after_capital": 1, "after_name": 1, "share_of_capitals": 1},
        {"sign": 1, "share_of_capitals": 0.5},
        {"digit": 1, "share_of_capitals": 0.5},
    ]


def test_capitals_of_a_headline_are_no_names(told: Told) -> None:
    headline, sentence = told("Ferry Captain Arrested Over Sinking", "a Sinking")[:5], told("a Sinking")
    assert not any("name" in word for word in headline)
    assert "name" in sentence[1]


def test_a_sentence_of_capitals_tells_as_little_as_one_of_small_letters(told: Told) -> None:
    assert told("THE SEA LARK SANK IN 2009 .") == told("the sea lark sank in 2009 .")


@given(SENTENCES)
def test_numbers_are_from_0_to_1_and_of_the_sentence_alone(spelling_of: SpellingOf, sentences: list[list[str]]) -> None:
    table = spelling_of(sentences)
    assert table.shape == (sum(map(len, sentences)), len(SPELLING))
    assert ((table >= 0) & (table <= 1)).all()
    alone = [spelling_of([sentence]) for sentence in sentences]
    np.testing.assert_array_equal(table, np.concatenate([*alone, table[:0]]))


@given(SENTENCES)
def test_without_capitals_nothing_is_told_of_any(spelling_of: SpellingOf, sentences: list[list[str]]) -> None:
    small = [[word.lower() for word in sentence] for sentence in sentences]
    table = spelling_of(small)
    assert not table[:, OF_CAPITALS].any()


LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"


def test_windows_cover_the_text_once(wordpiece: Tokenizer) -> None:
    sentences = [list(LETTERS[3 * n : 3 * n + 3]) for n in range(12)]
    document = Document.from_sentences("d", sentences, hidden=frozenset([5]))
    windows = list(ReadingBuilder(wordpiece, 13, 64, 2)(document))
    assert [w.words.tolist() for w in windows] == [
        list(range(9)), list(range(9, 15)) + list(range(18, 21)), list(range(21, 30)), list(range(30, 36)),
    ]  # fmt: skip
    for window in windows:
        assert window.document is document
        assert len(window) <= 13
        assert window.is_global.tolist() == [True] + [False] * (len(window) - 1)
        pieces = np.array(wordpiece.tokens(window.input_ids.tolist()))
        assert [*pieces[:2], pieces[-1]] == ["[CLS]", "<doc-s>", "</doc-s>"]
        assert pieces[window.word_places].tolist() == [LETTERS[t] for t in window.words]
        assert set((window.ends - window.starts).tolist()) == {1, 2}
        assert window.begins.tolist() == [token % 3 == 0 for token in window.words]


def test_a_part_of_a_long_sentence_begins_where_the_sequence_does(wordpiece: Tokenizer) -> None:
    document = Document.from_sentences("d", [list(LETTERS[:10]), ["a"]])
    windows = list(ReadingBuilder(wordpiece, 8, 8, 2)(document))
    assert sum(len(window.words) for window in windows) == 11
    assert len(windows) > 2
    for window in windows:
        assert [n for n, begins in enumerate(window.begins) if begins] == [0]


def test_a_document_without_words_has_no_window(wordpiece: Tokenizer) -> None:
    assert list(ReadingBuilder(wordpiece, 13, 64, 2)(Document.from_sentences("e", [[], []]))) == []
