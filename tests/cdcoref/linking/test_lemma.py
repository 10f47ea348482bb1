"""The lemma baseline: clusters within groups only, and its scores on ECB+ dev."""

from __future__ import annotations

import pytest

from cdcoref.corpus import KINDS, Corpus, Document, Mention
from cdcoref.linking import lemma_clusters
from cdcoref.scoring import score
from cdcoref.stories import group_documents


def test_clusters_are_of_one_lemma_one_kind_one_group() -> None:
    documents = [Document.from_sentences(id, [["Police", "arrested", "thieves"]]) for id in "abcd"]
    mentions = [Mention(id, (token,), kind) for id in "abcd" for token, kind in ((0, "entity"), (1, "event"))]
    mentions.append(Mention("a", (1,), "entity"))
    clustered = lemma_clusters(Corpus(tuple(documents), tuple(mentions)), [["a", "c"], ["b"]])
    assert [(m.document, m.tokens, m.kind) for m in clustered.mentions] == [
        (m.document, m.tokens, m.kind) for m in mentions
    ]
    places = {frozenset((m.document, m.tokens[0], m.kind) for m in cluster) for cluster in clustered.clusters()}
    assert places == {
        frozenset({("a", 0, "entity"), ("c", 0, "entity")}),
        frozenset({("a", 1, "event"), ("c", 1, "event")}),
        frozenset({("a", 1, "entity")}),
        *(frozenset({(id, token, kind)}) for id in "bd" for token, kind in ((0, "entity"), (1, "event"))),
    }


def test_a_document_in_no_group_is_one_of_its_own_whatever_its_id() -> None:
    documents = tuple(Document.from_sentences(id, [["Police", "came"]]) for id in ("a", "0", "1", "2"))
    mentions = tuple(Mention(document.id, (0,), "entity") for document in documents)
    clustered = lemma_clusters(Corpus(documents, mentions), [["a"]])
    assert len(clustered.clusters()) == len(documents)


def test_the_head_of_a_mention_with_gaps_is_that_of_its_phrase() -> None:
    """Of "Emperor of the United States" a mention may be Emperor, United and States."""
    document = Document.from_sentences(
        "d", [["The", "Emperor", "of", "the", "United", "States", "met", "the", "emperor"]]
    )
    mentions = tuple(Mention("d", tokens, "entity") for tokens in ((1, 4, 5), (8,), (4, 5)))
    clustered = lemma_clusters(Corpus((document,), mentions), [["d"]])
    assert [m.cluster for m in clustered.mentions] == ["0:emperor", "0:emperor", "0:state"]


def test_scores_on_ecb_dev_are_those_that_are_reported(ecb_dev: Corpus) -> None:
    clustered = lemma_clusters(ecb_dev, group_documents(ecb_dev.documents, "gold_subtopic"))
    scores = {
        (kind, singletons): 100 * score(ecb_dev.of_kind(kind), clustered.of_kind(kind), singletons=singletons).conll_f1
        for kind in KINDS
        for singletons in ("keep", "remove")
    }
    assert scores == pytest.approx(
        {("event", "keep"): 76.7, ("event", "remove"): 69.9, ("entity", "keep"): 72.4, ("entity", "remove"): 65.1},
        abs=0.1,
    )
