"""Texts of a Python program: what becomes of strings, tokens, sentences, texts with metadata and documents."""

from __future__ import annotations

import datetime

from cdcoref.corpus import Document
from cdcoref.formats import tokenise_text
from cdcoref.predict import corpus_of_texts

WORDS = ["A", "ferry", "sank", "."]


def test_lists_are_numbered_and_objects_keep_their_names() -> None:
    known = tokenise_text("It burnt.", "known")
    corpus = corpus_of_texts(["A ferry sank.", WORDS, [WORDS, ["It", "burnt"]], {"id": "x", "text": WORDS}, known, []])
    assert [document.id for document in corpus.documents] == ["1", "2", "3", "x", "known", "6"]
    text, tokens, sentences, named, same, empty = corpus.documents
    assert text == tokenise_text("A ferry sank.", "1")
    assert tokens == Document.from_sentences("2", [WORDS])
    assert sentences == Document.from_sentences("3", [WORDS, ["It", "burnt"]])
    assert named.tokens == tuple(WORDS)
    assert same is known
    assert (empty.tokens, empty.sentences) == ((), ())


def test_texts_by_id_and_their_metadata() -> None:
    text = "Ferry sinks off Tresk\n\nA ferry sank."
    corpus = corpus_of_texts({"a": WORDS, "b": {"text": text, "date": datetime.date(2024, 3, 5), "n": 3, "url": None}})
    assert [document.id for document in corpus.documents] == ["a", "b"]
    assert corpus.documents[1].metadata == {"title": "Ferry sinks off Tresk", "date": "2024-03-05", "n": 3}
    assert corpus.documents[1].found == {"title"}
