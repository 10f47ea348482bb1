"""Corpora with their information: a user's own, one kind of several, and several joined into one."""

from __future__ import annotations

import pytest

from cdcoref.corpora import CORPORA, AnnotatedCorpus, annotated_corpora, corpus_statistics, joined, licences
from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError


def corpus(id: str, *mentions: tuple[str | None, str | None]) -> Corpus:
    """One document of a word a mention, each with its kind and its cluster."""
    document = Document.from_sentences(id, [["w"] * len(mentions)])
    return Corpus((document,), tuple(Mention(id, (n,), kind, name) for n, (kind, name) in enumerate(mentions)))


def test_an_own_corpus_annotates_the_kinds_that_occur() -> None:
    (own,) = annotated_corpora(corpus("a", ("event", "1"), (None, "2")))
    assert (own.info.kinds, own.info.exhaustive, own.info.cross_document) == (("event",), ("event",), True)
    assert annotated_corpora(own) == (own,)
    assert annotated_corpora([own, corpus("b", ("entity", "1"))])[1].info.kinds == ("entity",)


def test_one_kind_is_as_if_no_other_were_annotated() -> None:
    gum = AnnotatedCorpus(corpus("a", ("event", "1"), ("entity", "1")), CORPORA["gum"].info)
    events, entities = gum.of_kind("event"), gum.of_kind("entity")
    assert (events.info.kinds, events.info.exhaustive) == (("event",), ())
    assert (entities.info.kinds, entities.info.exhaustive) == (("entity",), ("entity",))
    assert [len(part.corpus.mentions) for part in (events, entities)] == [1, 1]
    assert gum.of_kind("both") is gum


def test_clusters_of_joined_corpora_stay_apart() -> None:
    parts = annotated_corpora([corpus("a", ("event", "1"), ("event", None)), corpus("b", ("event", "1"))])
    assert len(joined(parts).clusters()) == 3
    assert joined(parts[:1]) is parts[0].corpus
    with pytest.raises(InputError, match="two documents have the id 'a'"):
        joined([parts[0], parts[0]])


def test_licences_of_known_corpora_are_named() -> None:
    parts = [
        AnnotatedCorpus(corpus("a", ("entity", "1")), CORPORA[name].info) for name in ("litbank", "litbank", "ecb")
    ]
    assert licences(parts) == (
        "Trained and tuned on: LitBank (Bamman et al. 2020), CC BY 4.0; "
        "ECB+ (Cybulska and Vossen 2014), CC BY 3.0 (annotation).\n"
    )
    assert licences(annotated_corpora(corpus("a", ("entity", "1")))) == ""


def test_statistics() -> None:
    first = corpus("a", ("event", "1"), ("event", "1"), ("entity", "1"), (None, "1"))
    second = corpus("b", ("entity", "1"), ("entity", "1"))
    counts = corpus_statistics(Corpus(first.documents + second.documents, first.mentions + second.mentions))
    assert (counts.topics, counts.documents, counts.sentences, counts.annotated_sentences) == (0, 2, 2, 2)
    assert counts.mentions == {"event": 2, "entity": 3, "unknown": 1}
    assert counts.clusters == {"event": 1, "entity": 1}
    assert counts.cross_document_clusters == {"event": 0, "entity": 1}
    assert counts.singletons == {"unknown": 1}
