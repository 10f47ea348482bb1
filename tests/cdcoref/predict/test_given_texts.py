"""Texts of a Python program: what becomes of strings, tokens, sentences, texts with metadata and documents."""

from __future__ import annotations

import csv
import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import spacy

from cdcoref.clustering import PairScores
from cdcoref.corpus import Document
from cdcoref.errors import InputError
from cdcoref.formats import tokenise_text
from cdcoref.linking import MentionLinks, compared_pairs
from cdcoref.predict import PredictionOptions, Predictor, corpus_of_texts, load
from cdcoref.views import write_pairs

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


DOC = spacy.blank("en")("A ferry sank.")


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (b"A ferry sank.", "give texts by id, a list of texts or a corpus, not bytes"),
        (DOC, "cdcoref.spacy.link"),
        ([DOC], "cdcoref.spacy.link"),
        ([("a", "A ferry sank.")], "give texts with their ids as a dictionary"),
        ([["A ferry sank.", "It burnt down."]], "'1' is a list of texts, not of tokens"),
        (pd.Series(["A ferry sank.", None], index=[3, 4]), "the text of '4' must be .*leave out what is missing"),
        (pd.Series(["A ferry sank.", pd.NA], dtype="string"), "the text of '1' must be .*, not NAType"),
        ([{"id": "a", "body": "A ferry sank."}], "the dictionary of the text 'a' has no 'text'"),
        ([Path("a.txt")], "not PosixPath; read files with cdcoref.formats.read_corpus"),
        (Path("folder"), "not PosixPath; read files with cdcoref.formats.read_corpus"),
        ([3.5], "the text of '1' must be a string or a list of tokens, not float"),
        (None, "give texts by id, a list of texts or a corpus, not NoneType"),
        ({1: "A ferry sank."}, "the id of a text must be a string, not 1"),
        ({"a": "half \ud83d"}, "document 'a' contains half of a surrogate pair, which is not a character"),
        ([[["a"], "b"]], "must be a list of tokens, or a list of sentences"),
        ([{"id": "x", "text": "a"}, {"id": "x", "text": "b"}], "two documents have the id 'x'"),
    ],
)
def test_what_is_no_list_of_texts_is_refused(texts: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        corpus_of_texts(texts)


def test_tokens_of_several_words_and_pairs_of_tokens_are_tokens() -> None:
    corpus = corpus_of_texts([["New York", "slept"], ("New", "York"), ["New York slept"]])
    assert [document.tokens for document in corpus.documents] == [
        ("New York", "slept"),
        ("New", "York"),
        ("New York slept",),
    ]


@pytest.mark.parametrize("name", ["style", "device", "precision"])
def test_options_of_loading_are_told_where_they_belong(name: str) -> None:
    with pytest.raises(InputError, match=f"a prediction has no option '{name}'; it is an argument of cdcoref.load"):
        PredictionOptions.with_settings(None, {name: "people"})


@pytest.mark.parametrize("model", [None, 3, ["small"], ""])
def test_a_model_that_is_no_name_is_refused(model: Any) -> None:
    with pytest.raises(InputError, match="the model must be a name or a folder, not"):
        load(model)


TEXTS = ["A ferry sank off Tresk on Friday. Police held the captain.", "The ferry sank near Tresk. It was towed."]


@pytest.fixture(scope="module")
def predictor() -> Predictor:
    """The default model, which finds antecedents."""
    return load()


def test_pairs_and_antecedents_are_in_the_order_of_their_first_mention() -> None:
    compared = PairScores(4, np.array([2, 0]), np.array([3, 2]), np.array([0.5, 0.25]))
    links = MentionLinks(compared, np.array([1]), np.array([0]), np.array([0.75]))
    nobody = np.zeros(0, dtype=np.int64)
    nothing = MentionLinks(PairScores(4, nobody, nobody, np.zeros(0)), nobody, nobody, np.zeros(0))
    assert compared_pairs([links, nothing]) == [(0, 2, 0.25, False), (1, 0, 0.75, True), (2, 3, 0.5, False)]
    assert compared_pairs([]) == []


def test_a_prediction_keeps_its_pairs_if_asked(predictor: Predictor, tmp_path: Path) -> None:
    without = predictor.predict(TEXTS)
    assert without.pairs is None
    with pytest.raises(InputError, match="has no pairs"):
        write_pairs(without, tmp_path / "x.csv")
    prediction = predictor.predict(TEXTS, pairs=True)
    assert prediction.corpus == without.corpus
    assert any(pair.antecedent for pair in prediction.pairs or ())
    pairs = prediction.pairs or ()
    assert pairs
    known = set(prediction.corpus.mentions)
    assert all({pair.first, pair.second} <= known and pair.first != pair.second for pair in pairs)
    assert all(pair.first.kind == pair.second.kind and 0 <= pair.probability <= 1 for pair in pairs)
    # The confidence of a mention is the mean probability of its pairs with the others of its cluster.
    for mention in prediction.corpus.mentions:
        own = [p for p in pairs if mention in (p.first, p.second) and p.first.cluster == p.second.cluster]
        others = sum(one.cluster == mention.cluster for one in known) - 1
        if others and len(own) == others and not any(pair.antecedent for pair in own):
            assert mention.confidence == pytest.approx(sum(pair.probability for pair in own) / others)
    part = prediction.subset(["1"])
    assert {p.first.document for p in part.pairs or ()} <= {"1"}
    write_pairs(prediction, tmp_path / "x.csv")
    with (tmp_path / "x.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(pairs)
    for row, pair in zip(rows, pairs, strict=True):
        assert (row["first_document"], row["kind"]) == (pair.first.document, pair.first.kind)
        assert float(row["probability"]) == pytest.approx(pair.probability, abs=1e-4)
        assert row["one_cluster"] == str(int(pair.first.cluster == pair.second.cluster))
        text = TEXTS[int(row["second_document"]) - 1]
        assert text[int(row["second_start"]) : int(row["second_end"])] == row["second_text"]
