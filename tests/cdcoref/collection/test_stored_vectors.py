"""Vectors are stored: no document is read alone twice, and what was stored without them gets them when it is needed."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdcoref.collection import Collection, adding
from cdcoref.collection.reader import Reader
from cdcoref.collection.stored_vectors import packed_vectors, unpacked_vectors
from cdcoref.corpus import Corpus, Document
from cdcoref.errors import InputError
from cdcoref.formats import tokenise_text
from cdcoref.linking import MentionVectors
from cdcoref.linking import vector_table as vectors_module
from cdcoref.model import CorefModel
from cdcoref.predict import Predictor

TEXTS = {
    f"ferry{n}": f"The ferry Maren sank in a storm off Tresk. Police arrested the captain on Friday. He met {extra}.\n"
    for n, extra in enumerate(("sailors", "the weather man", "lawyers", "a judge"))
}


@pytest.fixture
def predictor(random_reader: Predictor) -> Predictor:
    return random_reader


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Collection]:
    """Makes a collection with the model."""
    return lambda name="a", **options: Collection.create(tmp_path / f"{name}.cdcoref", "default", **options)


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ids of the documents that are read alone."""
    ids: list[str] = []
    plain = vectors_module.read_documents

    def noted(model: CorefModel, documents: Sequence[Document], **options: Any) -> Iterator[Any]:
        ids.extend(document.id for document in documents)
        return plain(model, documents, **options)

    monkeypatch.setattr(vectors_module, "read_documents", noted)
    return ids


def compared(collection: Collection) -> set[tuple[str, str]]:
    """The pairs of documents of which scores are stored."""
    query = (
        "SELECT one.id, other.id FROM scores JOIN documents AS one ON one.number = scores.first "
        "JOIN documents AS other ON other.number = scores.second"
    )
    return {(min(pair), max(pair)) for pair in collection._database.connection.execute(query)}


def stored(collection: Collection) -> dict[str, bytes]:
    query = "SELECT id, packed FROM vectors JOIN documents ON documents.number = vectors.document"
    return dict(collection._database.connection.execute(query))


@given(
    mentions=st.integers(1, 6),
    width=st.integers(1, 5),
    learnt=st.integers(0, 3),
    seed=st.integers(0, 100),
)
def test_what_was_stored_comes_back(mentions: int, width: int, learnt: int, seed: int) -> None:
    rng = np.random.default_rng(seed)

    def table(rows: int, columns: int) -> np.ndarray:
        return rng.standard_normal((rows, columns)).astype(np.float16)

    widths = {"mention": width, "context": width, "learnt": learnt, "anaphora": 2}
    vectors = MentionVectors(
        {name: table(mentions, columns) for name, columns in widths.items()},
        {"sentence": table(3, width), "document": table(2, width), "opening": table(2, width)},
        {"sentence": rng.integers(0, 3, mentions), "document": np.ones(mentions, dtype=np.int64)},
    )
    packed = packed_vectors(vectors)
    again = unpacked_vectors(packed)
    for name in ("mention", "context", "learnt"):
        np.testing.assert_array_equal(again.own[name], vectors.own[name])
    for name, of in (("sentence", "sentence"), ("document", "document"), ("opening", "document")):
        np.testing.assert_array_equal(again.shared[name][again.rows[of]], vectors.shared[name][vectors.rows[of]])
    np.testing.assert_array_equal(again.own["anaphora"], np.zeros((mentions, 2)))
    for damaged in (b"", packed[:-1], packed[:-2], packed + b"00", packed[:10], packed[:20] + b"\xff" + packed[21:]):
        with pytest.raises(sqlite3.DatabaseError, match="damaged"):
            unpacked_vectors(damaged)


def test_no_document_is_read_alone_twice(
    make: Callable[..., Collection], predictor: Predictor, read: list[str]
) -> None:
    with make() as collection:
        for id, text in TEXTS.items():
            collection.add({id: text}, predictor)
        assert read == list(TEXTS)
        assert collection.counts().stories == 1
        assert stored(collection).keys() == TEXTS.keys()
        collection.remove(["ferry1"])
        assert stored(collection).keys() == TEXTS.keys() - {"ferry1"}


def test_given_mentions_are_read_once(
    written: Any, make: Callable[..., Collection], predictor: Predictor, read: list[str]
) -> None:
    parts = written.reports(6)
    with make() as collection:
        for part in parts:
            collection.add(part, predictor)
        assert sorted(read) == sorted(part.documents[0].id for part in parts)
        collection.rebuild(predictor)
        assert len(read) == 2 * len(parts)
        assert len(stored(collection)) == len(parts)


def test_a_new_document_is_compared_with_all_of_its_story(
    make: Callable[..., Collection], predictor: Predictor
) -> None:
    """Although it is read together with the nearest alone."""
    with make(max_pairs=1) as collection:
        for id, text in TEXTS.items():
            report = collection.add({id: text}, predictor)
        assert report.pairs == 1
        assert compared(collection) == set(combinations_with_replacement(sorted(TEXTS), 2))


def test_in_a_large_story_a_new_document_is_compared_with_the_nearest(
    make: Callable[..., Collection], predictor: Predictor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adding, "LARGEST_COMPARED", 3)
    with make(max_pairs=2) as collection:
        for id, text in TEXTS.items():
            collection.add({id: text}, predictor)
        pairs = set(combinations_with_replacement(sorted(TEXTS), 2))
        assert len(pairs - compared(collection)) == 1
        assert all("ferry3" in pair for pair in pairs - compared(collection))


def test_a_changed_document_is_compared_with_its_story_again(
    make: Callable[..., Collection], predictor: Predictor
) -> None:
    with make() as collection:
        collection.add(TEXTS, predictor)
        report = collection.add({"ferry1": TEXTS["ferry1"] + "Nobody was hurt.\n"}, predictor)
        assert (report.replaced, report.pairs) == (("ferry1",), 3)
        assert compared(collection) == set(combinations_with_replacement(sorted(TEXTS), 2))
        assert stored(collection).keys() == TEXTS.keys()


def test_damaged_vectors_are_refused(make: Callable[..., Collection], predictor: Predictor) -> None:
    with make() as collection:
        collection.add({"ferry0": TEXTS["ferry0"]}, predictor)
        before = collection.corpus()
        collection._database.connection.execute("UPDATE vectors SET packed = x'00'")
        with pytest.raises(InputError, match="damaged"):
            collection.add({"ferry1": TEXTS["ferry1"]}, predictor)
        assert collection.corpus() == before


def test_a_document_that_is_replaced_meanwhile_is_compared_as_it_is_now(
    written: Any, make: Callable[..., Collection], predictor: Predictor, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = "Nobody was hurt. " + TEXTS["ferry0"]
    plain = Reader.scores
    path = None
    meanwhile = [changed]

    def interrupted(self: Reader, *arguments: Any) -> Any:
        result = plain(self, *arguments)
        while path is not None and meanwhile:
            text = meanwhile.pop()
            with Collection.open(path) as other:
                other.add({"ferry0": text}, predictor)
        return result

    with make("expected") as expected, make() as collection:
        for part in ({"ferry0": TEXTS["ferry0"]}, {"ferry0": changed}, {"ferry1": TEXTS["ferry1"]}):
            expected.add(part, predictor)
        collection.add({"ferry0": TEXTS["ferry0"]}, predictor)
        path = collection.path
        monkeypatch.setattr(Reader, "scores", interrupted)
        collection.add({"ferry1": TEXTS["ferry1"]}, predictor)
        assert not meanwhile
        assert written.clusters_of(collection.corpus()) == written.clusters_of(expected.corpus())
        query = "SELECT logits FROM scores ORDER BY first, second"
        rows = [c._database.connection.execute(query).fetchall() for c in (collection, expected)]
        assert rows[0] == rows[1]


def test_a_document_that_is_removed_meanwhile_is_not_compared(
    make: Callable[..., Collection], predictor: Predictor, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = Reader.mentions

    def interrupted(self: Reader, *arguments: Any) -> Any:
        with Collection.open(path) as other:
            if "ferry0" in {document.id for document in other.documents()}:
                other.remove(["ferry0"])
        return plain(self, *arguments)

    with make() as collection:
        collection.add({"ferry0": TEXTS["ferry0"]}, predictor)
        path = collection.path
        monkeypatch.setattr(Reader, "mentions", interrupted)
        assert collection.add({"ferry1": TEXTS["ferry1"]}, predictor).pairs == 0
        assert compared(collection) == {("ferry1", "ferry1")}


def test_a_corpus_without_mentions(make: Callable[..., Collection], predictor: Predictor) -> None:
    with make() as collection:
        for id in ("a", "b"):
            document = tokenise_text("", id)
            collection.add(Corpus((document,)), predictor)
        assert stored(collection) == {}
