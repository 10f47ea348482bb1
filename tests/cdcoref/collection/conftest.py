"""Small collections: documents with given mentions, linked by lemma without a model, and one with a tiny model."""

from __future__ import annotations

import copy
import json
import sqlite3
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from cdcoref.collection import Collection
from cdcoref.corpus import Corpus, Document
from cdcoref.model import CorefConfig, CorefModel, VectorOptions
from cdcoref.predict import Predictor

FERRY = ("The ferry Maren sank in the storm off Tresk on Friday .", "Police arrested the captain of the ferry .")
MUSEUM = ("Thieves stole a Torvik painting from the Lindmere museum .", "The museum guard saw two thieves .")


def reports(count: int, annotated: Callable[..., Corpus]) -> list[Corpus]:
    """`count` documents, of two stories in turn, no two the same."""
    return [
        annotated(f"{'ferry' if n % 2 == 0 else 'museum'}{n}", *(FERRY if n % 2 == 0 else MUSEUM), f"Report {n} ends .")
        for n in range(count)
    ]


@pytest.fixture(scope="module")
def random_reader(tiny_model: CorefModel) -> Predictor:
    """The tiny model with random heads for vectors and antecedents."""
    model = copy.deepcopy(tiny_model)
    torch.manual_seed(3)
    model.add_vectors(
        VectorOptions(
            layers=2, pair_features=("same_head",), vector_width=8, candidates=3, min_probability=0.01, antecedents=4
        )
    )
    assert model.vector_scorer is not None
    with torch.no_grad():
        for parameter in model.vector_scorer.parameters():
            parameter.normal_(std=0.8)
    return Predictor(model.eval())


def clusters_of(corpus: Corpus) -> set[frozenset[object]]:
    """The clusters, whatever their names."""
    return {frozenset(mention.key for mention in cluster) for cluster in corpus.clusters()}


def members(collection: Collection) -> dict[str, set[str]]:
    """The words of every cluster's mentions with their documents, by the cluster's id."""
    found: dict[str, set[str]] = {}
    documents = {document.id: document for document in collection.corpus().documents}
    for mention in collection.corpus().mentions:
        words = " ".join(documents[mention.document].tokens[token] for token in mention.tokens)
        found.setdefault(mention.cluster or "", set()).add(f"{mention.document}:{mention.start}:{words}")
    return found


def packed(pairs: Mapping[tuple[int, int], float]) -> bytes:
    """Logits of pairs of mentions, by their places in two documents, as a collection stores them."""
    places = np.array([*pairs], dtype="<i4").reshape(-1, 2)
    return zlib.compress(places.T.tobytes() + np.array([*pairs.values()], dtype="<f4").tobytes())


def with_logits(
    path: Path, corpus: Corpus, logits: Mapping[tuple[str, str], Mapping[tuple[int, int], float]], **options: Any
) -> None:
    """Make a collection of documents of one story, whose mentions a model has compared with these logits.

    The logits are given by the ids of two documents (or twice that of one) and the places of mentions in them.
    """
    last = Document.from_sentences("last", [["Nothing", "else", "."]])
    with Collection.create(path, "lemma", **options) as collection:
        collection.add(replace(corpus, documents=(*corpus.documents, last)))
    with closing(sqlite3.connect(path)) as connection, connection:
        (settings,) = connection.execute("SELECT value FROM settings WHERE name = 'settings'").fetchone()
        config = CorefConfig(vectors=VectorOptions(layers=1, antecedents=4)).to_dict()
        known = {**json.loads(settings), "model": "a model", "fingerprint": "x", "clustering": config}
        connection.execute("UPDATE settings SET value = ? WHERE name = 'settings'", (json.dumps(known),))
        connection.execute("UPDATE documents SET story = 1")
        connection.execute("DELETE FROM stories WHERE number > 1")
        for ids, pairs in logits.items():
            query = "INSERT OR REPLACE INTO scores SELECT one.number, other.number, ? FROM documents AS one, documents "
            connection.execute(query + "AS other WHERE one.id = ? AND other.id = ?", (packed(pairs), *ids))
    with Collection.open(path) as collection:
        collection.remove(["last"])  # the rest of the story is clustered again


def compared(collection: Collection) -> set[tuple[str, str]]:
    """The pairs of documents that have stored scores."""
    query = (
        "SELECT one.id, other.id FROM scores JOIN documents AS one ON one.number = scores.first "
        "JOIN documents AS other ON other.number = scores.second"
    )
    with closing(sqlite3.connect(collection.path)) as connection:
        return {(min(pair), max(pair)) for pair in connection.execute(query)}


@pytest.fixture
def written(written: Any) -> Any:
    """Functions that write documents and read clusters."""

    class Here(written):
        FERRY, MUSEUM = FERRY, MUSEUM

        @classmethod
        def all_at_once(cls, folder: Path, count: int) -> Any:
            """The clusters of the first `count` documents, added at once."""
            with Collection.create(folder / "all.cdcoref", "lemma") as other:
                other.add(cls.joined(*cls.reports(count)))
                return clusters_of(other.corpus())

        reports = staticmethod(partial(reports, annotated=written.annotated))
        clusters_of = staticmethod(clusters_of)
        members = staticmethod(members)
        compared = staticmethod(compared)
        packed = staticmethod(packed)
        with_logits = staticmethod(with_logits)

    return Here


@pytest.fixture(scope="module")
def predictor(tiny_model_folder: Path) -> Predictor:
    """A tiny model."""
    return Predictor(CorefModel.from_pretrained(tiny_model_folder))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a collection may be made."""
    return tmp_path / "news.cdcoref"


@pytest.fixture
def lemma(path: Path) -> Iterator[Collection]:
    """An empty collection that links by lemma."""
    with Collection.create(path, "lemma") as collection:
        yield collection


@pytest.fixture
def news(written: Any, lemma: Collection) -> Collection:
    """Four documents of two stories."""
    lemma.add(written.joined(*written.reports(4)))
    return lemma


@pytest.fixture
def mention_id(path: Path) -> Callable[[str, str], str]:
    """The id of the first mention with a word in a document."""

    def find(document: str, word: str) -> str:
        with Collection.open(path) as collection:
            return next(m.id for m in collection.document(document).mentions if m.text == word)

    return find
