"""Small collections: documents with given mentions, linked by lemma without a model, and one with a tiny model."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch

from cdcoref.collection import Collection
from cdcoref.corpus import Corpus
from cdcoref.model import CorefModel, VectorOptions
from cdcoref.predict import Predictor
from cdlm.settings import with_settings

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
    """The tiny model with random heads for vectors and antecedents, which reads many documents at once."""
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
    model.settings = with_settings(model.settings, {"documents": "many"})
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


@pytest.fixture
def written(written: Any) -> Any:
    """Functions that write documents and read clusters."""

    class Here(written):
        FERRY, MUSEUM = FERRY, MUSEUM
        reports = staticmethod(partial(reports, annotated=written.annotated))
        clusters_of = staticmethod(clusters_of)
        members = staticmethod(members)

    return Here


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
def mention_id(path: Path) -> Callable[[str, str], str]:
    """The id of the first mention with a word in a document."""

    def find(document: str, word: str) -> str:
        with Collection.open(path) as collection:
            return next(m.id for m in collection.document(document).mentions if m.text == word)

    return find
