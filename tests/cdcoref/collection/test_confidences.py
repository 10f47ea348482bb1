"""Confidences after corrections: a pronoun keeps its antecedent's, what people confirmed is certain and marked."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cdcoref.collection import Collection
from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError

Find = Callable[[str, str], str]

TEXTS = {
    "a": ("Karl Roth called . He spoke to his brother .", [(0, 1), (4,), (7,), (7, 8)]),
    "b": ("Karl Roth left . The brother stayed . Karl laughed .", [(0, 1), (4, 5), (8,)]),
}
LOGITS = {
    ("a", "a"): {(0, 3): -1.0, (0, 1): 6.0, (0, 2): 4.0},
    ("b", "b"): {(0, 1): 0.4, (0, 2): 2.0, (1, 2): 0.3},
    ("a", "b"): {(0, 0): 3.0, (0, 1): 0.2, (0, 2): 2.5, (3, 0): -2.0, (3, 1): -6.0, (3, 2): -2.0},
}
"""By the places of mentions; the brother in b is mistaken for Karl Roth."""


def sigmoid(*logits: float) -> list[float]:
    return [float(1 / (1 + np.exp(-logit))) for logit in logits]


@pytest.fixture
def brothers(written: Any, path: Path) -> Iterator[Collection]:
    """A collection of two documents of one story, with known scores and two pronouns."""
    documents = [Document.from_sentences(id, [text.split()]) for id, (text, _) in TEXTS.items()]
    mentions = [Mention(id, tokens, "entity", confidence=0.9) for id, (_, own) in TEXTS.items() for tokens in own]
    written.with_logits(path, Corpus(tuple(documents), tuple(mentions)), LOGITS)
    with Collection.open(path) as collection:
        yield collection


def test_what_is_said_not_to_be_the_same_leaves_the_rest_as_sure_as_it_is(
    brothers: Collection, mention_id: Find
) -> None:
    karl, brother = mention_id("a", "Karl Roth"), mention_id("b", "The brother")
    he, his = mention_id("a", "He"), mention_id("a", "his")
    first = brothers.mention(karl).cluster or ""
    assert brothers.mention(he).cluster == brothers.mention(brother).cluster == first
    assert [brothers.mention(id).confidence for id in (he, his)] == pytest.approx(sigmoid(6.0, 4.0))
    said = brothers.correct("not-same", [karl, brother])
    assert [(m.change, m.other, m.words) for m in said.moves] == [("split", first, ("The brother",))]
    assert [brothers.mention(id).confidence for id in (he, his)] == pytest.approx(sigmoid(6.0, 4.0))
    assert brothers.mention(karl).confidence == pytest.approx(np.mean(sigmoid(3.0, 2.5)))
    assert brothers.mention(brother).confidence == 0.9
    assert brothers.cluster(first).summary.confidence == pytest.approx(
        np.mean(
            [*sigmoid(6.0, 4.0), np.mean(sigmoid(3.0, 2.5)), np.mean(sigmoid(3.0, 2.0)), np.mean(sigmoid(2.5, 2.0))]
        )
    )
    assert brothers.cluster(first).summary.checked == 0


def test_what_is_said_to_be_the_same_is_marked_and_as_sure_as_before(brothers: Collection, mention_id: Find) -> None:
    karl, his_brother = mention_id("a", "Karl Roth"), mention_id("a", "his brother")
    before = {m.id: m.confidence or 0 for m in brothers.document("a").mentions}
    brothers.correct("same", [karl, his_brother])
    after = {m.id: m for m in brothers.document("a").mentions}
    assert all((mention.confidence or 0) >= before[id] for id, mention in after.items())
    assert {id for id, mention in after.items() if mention.checked} == {karl, his_brother}
    assert after[his_brother].confidence == 1.0
    assert brothers.cluster(after[karl].cluster or "").summary.checked == 2
    brothers.undo()
    assert {m.id: m.confidence for m in brothers.document("a").mentions} == pytest.approx(before)
    assert not any(m.checked for m in brothers.document("a").mentions)


def test_a_pronoun_that_is_moved(brothers: Collection, mention_id: Find) -> None:
    his, brother = mention_id("a", "his"), mention_id("a", "his brother")
    target = brothers.mention(brother).cluster or ""
    brothers.correct("move", [his, target])
    assert (brothers.mention(his).cluster, brothers.mention(his).confidence) == (target, 1.0)
    assert brothers.mention(mention_id("a", "He")).confidence == pytest.approx(sigmoid(6.0)[0])


def test_a_pronoun_is_asked_about_by_its_antecedent(brothers: Collection, mention_id: Find) -> None:
    asked = {q.first.id: q for q in brothers.least_sure()}
    assert mention_id("a", "He") not in asked
    brother = asked[mention_id("b", "The brother")]
    assert brother.probability == pytest.approx(np.mean(sigmoid(0.4, 0.3, 0.2)))


@pytest.mark.parametrize("damage", ["bomb", "cut", "not packed"])
def test_scores_that_unpack_to_more_than_the_limit_are_damage(
    written: Any, brothers: Collection, mention_id: Find, monkeypatch: pytest.MonkeyPatch, damage: str
) -> None:
    monkeypatch.setenv("CDCOREF_MAX_UNPACKED_MB", "1")
    whole = written.packed(LOGITS["a", "b"])
    stored = {"bomb": zlib.compress(bytes(12 << 20)), "cut": whole[:-1], "not packed": b"not packed"}[damage]
    before = brothers.corpus()
    pair = [mention_id("a", "Karl Roth"), mention_id("b", "The brother")]
    with closing(sqlite3.connect(brothers.path)) as connection, connection:
        connection.execute("UPDATE scores SET logits = ? WHERE first != second", (stored,))
    with pytest.raises(InputError, match="stored scores are damaged"):
        brothers.correct("not-same", pair)
    assert brothers.corpus() == before
