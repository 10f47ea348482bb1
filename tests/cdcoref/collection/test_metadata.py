"""Metadata of documents in a collection: kept, listed, chosen by, and brought up to date."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from cdcoref.collection import Collection
from cdcoref.corpus import Corpus
from cdcoref.errors import InputError


def with_metadata(corpus: Corpus, **metadata: str) -> Corpus:
    return replace(corpus, documents=tuple(replace(document, metadata=metadata) for document in corpus.documents))


@pytest.fixture
def dated(lemma: Collection, written: Any) -> Collection:
    """Three documents of two sources, the second without a date."""
    metadata = ({"source": "AP", "date": "2024-03-05"}, {"source": "Reuters"}, {"source": "ap", "date": "2024-03-07"})
    for corpus, known in zip(written.reports(3), metadata, strict=True):
        lemma.add(with_metadata(corpus, **known))
    return lemma


def test_documents_are_listed_and_chosen(dated: Collection) -> None:
    listed = [(document.id, document.date, document.metadata["source"]) for document in dated.documents()]
    assert listed == [("ferry2", "2024-03-07", "ap"), ("museum1", None, "Reuters"), ("ferry0", "2024-03-05", "AP")]
    assert [document.id for document in dated.documents(since="2024-03-06")] == ["ferry2"]
    assert [document.id for document in dated.documents(source=" Ap ", limit=1)] == ["ferry2"]
    assert dated.document_count(source="AP") == 2
    assert dated.document_count(since="2024-03-05", source="Reuters") == 0
    with pytest.raises(InputError, match="is not a day"):
        dated.documents(since="tomorrow")
    assert dated.document("ferry0").document.metadata == {"source": "AP", "date": "2024-03-05"}
    assert dated.prediction().corpus.documents[0].metadata["source"] == "AP"


def test_a_document_that_is_there_takes_what_is_stated_now(dated: Collection, written: Any) -> None:
    first = written.reports(1)[0]
    report = dated.add(with_metadata(first, source="Courier", title="Ferry sinks"))
    assert (report.added, report.known) == ((), {"ferry0": "ferry0"})
    assert dated.document("ferry0").document.metadata == {
        "source": "Courier",
        "date": "2024-03-05",
        "title": "Ferry sinks",
    }
    dated.add(first)
    assert dated.document("ferry0").document.metadata["source"] == "Courier"


def test_a_clusters_documents_are_in_the_order_of_their_stated_dates(dated: Collection) -> None:
    dated.add(Corpus(()))
    ferry = next(cluster for cluster in dated.clusters() if cluster.title == "ferry")
    assert [document.id for document in dated.cluster(ferry.id).documents] == ["ferry0", "ferry2"]
