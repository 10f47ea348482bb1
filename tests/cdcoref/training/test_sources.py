"""Which documents are paired, against listing all pairs of documents; groups for scoring; and shares of corpora."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdcoref.corpora import CORPORA, AnnotatedCorpus
from cdcoref.corpus import Corpus, Document
from cdcoref.errors import InputError
from cdcoref.training import linkable_groups
from cdcoref.training.sources import document_pairs, drawn_by_share

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


@given(st.integers(0, 7), st.integers(0, 7), st.floats(0, 4), st.integers(1, 3), st.integers(0, 99))
def test_a_pass_sees_of_a_corpus_its_share_and_all_of_it_equally_often(
    first: int, second: int, share: float, passes: int, seed: int
) -> None:
    """The second corpus is not named, so that all of it is seen once."""
    parts = [AnnotatedCorpus(Corpus(()), CORPORA[name].info) for name in ("gum", "litbank")]
    items = [[("gum", n) for n in range(first)], [("litbank", n) for n in range(second)]]

    def draw() -> list[list[tuple[str, int]]]:
        return drawn_by_share(items, parts, {"gum": share}, passes, np.random.default_rng(seed), "shares")

    count = round(share * first)
    if (first or second) and not (count or second):
        with pytest.raises(InputError, match=r"^shares leaves nothing to learn from; raise the shares$"):
            draw()
        return
    seen = draw()
    assert len(seen) == passes
    for one in seen:
        times = Counter(one)
        assert [times[item] for item in items[1]] == [1] * second
        assert sum(times[item] for item in items[0]) == count
        assert all(times[item] in (count // first, -(-count // first)) for item in items[0])
    assert draw() == seen
