"""Unmarked sequences: which text they show, where its words are, and what is left out."""

from __future__ import annotations

import numpy as np

from cdcoref.corpus import Document
from cdcoref.inputs import ReadingBuilder
from cdlm.tokens import Tokenizer

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
