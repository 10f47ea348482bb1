"""The order of clusters: groups, kinds in turns, bare dates and numbers last."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.formats import tokenise_text
from cdcoref.reports import is_date_or_number, mean_confidence, ranked_clusters
from tests.tables import cases


@pytest.mark.parametrize(
    "words",
    [
        "1998", "on Tuesday", "last Friday night", "May 18 , 2006", "the 1990s", "Sept. 3", "3rd", "7.30 p.m.",
        "19", "nineteen", "about 40 million", "$ 2.5 million", "12 %", "twenty-one", "yesterday", "this week", "ago",
    ],
)  # fmt: skip
def test_bare_dates_and_numbers(words: str) -> None:
    assert is_date_or_number(words.split())


@pytest.mark.parametrize(
    "words",
    [
        "19 people", "the march", "may", "sat", "Tresk", "the 1998 election", "seven passengers", "Tuesday 's meeting",
        "the", "", "second", "sun", "weekly", "tens",
    ],
)  # fmt: skip
def test_other_words(words: str) -> None:
    assert not is_date_or_number(words.split())


@pytest.mark.parametrize(("text", "words", "little"), cases(__file__, "datelines.tsv", "text", "little"))
def test_datelines(text: str, words: str, little: bool) -> None:
    """A mention in a dateline ranks below the last word of the text, whose confidence is lower."""
    document = tokenise_text(text, "d")
    start = text.index(words)
    tokens = tuple(n for n, (a, b) in enumerate(document.offsets) if start <= a and b <= start + len(words))
    last = (len(document.tokens) - 2,)
    mentions = (Mention("d", tokens, "entity", "1", confidence=0.9), Mention("d", last, "entity", "2", confidence=0.1))
    ranked = [cluster[0].tokens for cluster in ranked_clusters(Corpus((document,), mentions))]
    assert ranked == ([last, tokens] if little else [tokens, last])


def test_kinds_take_turns_and_dates_come_last() -> None:
    words = ["1998", "ferry", "captain", "Tresk", "sank", "fled", "Tuesday", "later", "its"]
    documents = tuple(Document.from_sentences(name, [words]) for name in "abc")

    def across(token: int, kind: str | None, documents: str, confidence: float) -> list[Mention]:
        return [Mention(name, (token,), kind, words[token], confidence=confidence) for name in documents]

    mentions = [
        *across(0, "entity", "abc", 1.0),
        *across(1, "entity", "abc", 0.9),
        *across(2, "entity", "ab", 0.9),
        *across(3, "entity", "ab", 0.8),
        *across(4, "event", "ab", 0.7),
        *across(5, "event", "ab", 0.6),
        Mention("a", (6,), "entity", "within", confidence=0.9),
        Mention("b", (8,), None, "unknown"),
    ]
    corpus = Corpus(documents, tuple(mentions))
    names = [cluster[0].cluster for cluster in ranked_clusters(corpus)]
    assert names == ["sank", "ferry", "fled", "captain", "Tresk", "1998", "unknown", "within"]
    assert [cluster[0].cluster for cluster in ranked_clusters(corpus, singletons=False)] == names[:6]
    assert [mention.document for mention in next(ranked_clusters(corpus))] == ["a", "b"]


KIND = st.sampled_from(["event", "entity", None])


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 5), KIND, st.integers(0, 9)), unique=True, max_size=25))
def test_every_kind_is_ranked_and_nothing_is_lost(places: list[tuple[int, int, str | None, int]]) -> None:
    documents = tuple(Document.from_sentences(str(n), [["1998", "a", "b", "c", "d", "e"]]) for n in range(3))
    mentions = {(d, t, k): Mention(str(d), (t,), k, str(c), confidence=c / 10) for d, t, k, c in places}
    corpus = Corpus(documents, tuple(mentions.values()))
    ranked = list(ranked_clusters(corpus))
    assert sorted(map(id, (m for cluster in ranked for m in cluster))) == sorted(map(id, corpus.mentions))
    groups = [(len({m.document for m in c}) < 2, len(c) < 2, all(m.tokens == (0,) for m in c)) for c in ranked]
    assert groups == sorted(groups)
    for kind in ("event", "entity", None):
        own = [(g, len({m.document for m in c}) * (mean_confidence(c) or 0))
               for g, c in zip(groups, ranked, strict=True) if c[0].kind == kind]  # fmt: skip
        assert all(one[1] >= other[1] for one, other in pairwise(own) if one[0] == other[0])
