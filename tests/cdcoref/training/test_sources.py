"""Which documents are paired, against listing all pairs of documents; and groups for scoring."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from cdcoref.corpora import CORPORA, AnnotatedCorpus
from cdcoref.corpus import Corpus, Document
from cdcoref.training.sources import document_pairs, linkable_groups

places = st.tuples(st.sampled_from(["1", "2", None]), st.sampled_from(["a", "b", "c", None]))


def documents(groups: list[tuple[str | None, str | None]]) -> list[Document]:
    return [
        Document.from_sentences(f"d{n % 7}_{n}", [["ferry", f"w{n % 3}"]], topic=topic, subtopic=subtopic)
        for n, (topic, subtopic) in enumerate(groups)
    ]


@given(st.lists(places, max_size=12))
def test_pairs_are_those_of_all_pairs(groups: list[tuple[str | None, str | None]]) -> None:
    found = documents(groups)
    same, other = document_pairs(found)
    topic = {d.id: d.topic for d in found}
    if all(d.subtopic is not None for d in found):
        group = {d.id: d.subtopic for d in found}
    elif all(d.topic is not None for d in found):
        group = topic
    else:
        return  # documents are grouped by their words
    pairs = list(combinations(sorted(topic), 2))
    assert same == [(a, b) for a, b in pairs if group[a] == group[b]]
    assert other == [(a, b) for a, b in pairs if group[a] != group[b] and topic[a] is not None and topic[a] == topic[b]]


def test_groups_are_single_documents_where_links_stay_within_them() -> None:
    corpus = Corpus(tuple(documents([("1", "a"), ("1", "a"), ("1", "b")])))
    ids = [d.id for d in corpus.documents]
    ecb, gum = (AnnotatedCorpus(corpus, CORPORA[name].info) for name in ("ecb", "gum"))
    for setting in ("predicted", "gold_subtopic", "gold_topic", "none"):
        assert linkable_groups(gum, setting) == [[id] for id in ids]
    assert linkable_groups(ecb, "gold_topic") == [ids]
    assert linkable_groups(ecb, "gold_subtopic") == [ids[:2], ids[2:]]
