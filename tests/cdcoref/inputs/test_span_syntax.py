"""What a parse says of spans: known values of a known parse, and properties of any."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdcoref.corpus import Document
from cdcoref.facts import Parse
from cdcoref.inputs import SYNTAX_FEATURES, SYNTAX_VALUES, SpanSyntax

WORDS = ["The", "old", "ferry", "of", "Harlow", "sank"]
PARSE = Parse(
    heads=(2, 2, 5, 2, 3, 5),
    relations=("det", "amod", "nsubj", "prep", "pobj", "ROOT"),
    parts=("DET", "ADJ", "NOUN", "ADP", "PROPN", "VERB"),
    tags=("DT", "JJ", "NN", "IN", "NNP", "VBD"),
    lemmas=("the", "old", "ferry", "of", "Harlow", "sink"),
    entities=((4, 5, "GPE"),),
)
DOCUMENT = replace(Document.from_sentences("d", [WORDS]), parse=PARSE.packed())


def features(start: int, end: int) -> list[int]:
    return SpanSyntax(DOCUMENT)(np.array([start]), np.array([end]))[0].tolist()


@pytest.mark.parametrize(
    ("one", "other", "differ"),
    [
        # "The old ferry" and "old ferry": one head; only the first begins where its phrase does.
        ((0, 3), (1, 3), {3, 5, 7, 8}),
        # With what depends on it after it, "ferry" is not the last word, and the phrase is whole.
        ((0, 3), (0, 5), {0, 3, 4, 6, 9, 10}),
        # A name against the words around it.
        ((4, 5), (3, 5), {0, 1, 2, 4, 7, 8}),
    ],
)
def test_spans_differ_in_what_the_parse_says(one: tuple[int, int], other: tuple[int, int], differ: set[int]) -> None:
    pairs = enumerate(zip(features(*one), features(*other), strict=True))
    assert {number for number, (a, b) in pairs if a != b} == differ


@given(st.lists(st.tuples(st.integers(0, 7), st.sampled_from(["nsubj", "dobj", "other"])), min_size=1, max_size=8))
def test_every_span_has_values_of_its_own_features(words: list[tuple[int, str]]) -> None:
    count = len(words)
    heads = tuple(min(head, number) for number, (head, _) in enumerate(words))
    relations = tuple(relation for _, relation in words)
    of_words = ("NOUN",) * count, ("NN",) * count, ("x",) * count
    known = Parse(heads, relations, *of_words, entities=((0, 1, "OTHER"),))
    document = replace(Document.from_sentences("d", [["x"] * count]), parse=known.packed())
    starts, ends = np.array([(a, b) for a in range(count) for b in range(a + 1, count + 1)]).T
    found = SpanSyntax(document)(starts, ends)
    assert found.shape == (len(starts), SYNTAX_FEATURES)
    assert (np.diff(found, axis=1) > 0).all()  # each feature has rows of its own, in their order
    assert found.min() >= 0
    assert found.max() < SYNTAX_VALUES
    single = [SpanSyntax(document)(starts[n : n + 1], ends[n : n + 1])[0] for n in range(len(starts))]
    assert (found == np.array(single)).all()
