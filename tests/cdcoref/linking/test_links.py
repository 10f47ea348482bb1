"""Confidences: known answers without corrections, after clusters were joined or divided, and with confirmed pairs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cdcoref.clustering import PairScores
from cdcoref.corpus import Document, Mention
from cdcoref.linking import MentionLinks, document_hash

PAIRS = {(0, 1): 0.9, (0, 2): 0.7, (1, 2): 0.8, (3, 4): 0.6, (0, 3): 0.1}
PRONOUNS = {5: (0, 0.95), 6: (3, 0.75), 7: (4, 0.4)}
FOUND = np.array([0, 0, 0, 1, 1, 0, 1, 2])


@pytest.fixture
def links() -> MentionLinks:
    """Mentions 0 to 2, and 3 and 4, were found to be the same; 5 and 6 refer to 0 and 3, and 7 to none."""
    first, second = (np.array([pair[side] for pair in PAIRS]) for side in (0, 1))
    pairs = PairScores(8, first, second, np.array([*PAIRS.values()]))
    pronouns = [np.array([entry[side] for entry in PRONOUNS.values()]) for side in (0, 1)]
    return MentionLinks(pairs, np.array([*PRONOUNS]), pronouns[0].astype(int), pronouns[1])


def test_as_found(links: MentionLinks) -> None:
    expected = [0.8, 0.85, 0.75, 0.6, 0.6, 0.95, 0.75, np.nan]
    assert links.confidences(FOUND) == pytest.approx(expected, nan_ok=True)
    nobody = np.arange(8)
    assert links.confidences(FOUND, FOUND, nobody) == pytest.approx(expected, nan_ok=True)


def test_what_is_divided_keeps_the_pairs_that_are_left(links: MentionLinks) -> None:
    """People said that 1 is not 2: the pronoun has the confidence of its link, the others of the pairs left."""
    labels = np.array([0, 0, 4, 1, 1, 0, 1, 2])
    expected = [0.9, 0.9, np.nan, 0.6, 0.6, 0.95, 0.75, np.nan]
    assert links.confidences(labels, FOUND, np.arange(8)) == pytest.approx(expected, nan_ok=True)


def test_what_is_joined_keeps_its_confidences(links: MentionLinks) -> None:
    """People said that 2 is 3: a pair that counts as 1; that 0 and 3 are improbable no longer matters."""
    labels = np.array([0, 0, 0, 0, 0, 0, 0, 2])
    said = np.array([0, 1, 2, 2, 4, 5, 6, 7])
    expected = [0.8, 0.85, (0.7 + 0.8 + 1) / 3, (0.6 + 1) / 2, 0.6, 0.95, 0.75, np.nan]
    assert links.confidences(labels, FOUND, said) == pytest.approx(expected, nan_ok=True)


def test_a_confirmed_pair_counts_as_one(links: MentionLinks) -> None:
    said = np.array([0, 0, 2, 3, 4, 5, 6, 7])
    found = links.confidences(FOUND, FOUND, said)
    assert found[:3] == pytest.approx([(1 + 0.7) / 2, (1 + 0.8) / 2, 0.75])


def test_pronouns_that_people_put_elsewhere(links: MentionLinks) -> None:
    """The pronoun 5 was moved to 3: that is certain. 6 stays with 4, but what it refers to has gone."""
    labels = np.array([0, 0, 0, 3, 1, 3, 1, 2])
    said = np.array([0, 1, 2, 3, 4, 3, 6, 7])
    found = links.confidences(labels, FOUND, said)
    assert found[[5, 3, 6]] == pytest.approx([1.0, 1.0, 0.0])


def test_only_pronouns_refer_to_it(links: MentionLinks) -> None:
    labels = np.array([0, 1, 2, 3, 4, 0, 3, 7])
    expected = [0.95, np.nan, np.nan, 0.75, np.nan, 0.95, 0.75, np.nan]
    assert links.confidences(labels) == pytest.approx(expected, nan_ok=True)


def test_joined(links: MentionLinks) -> None:
    both = MentionLinks.joined([links, links], [0, 8], 16)
    once = links.confidences(FOUND)
    assert both.confidences(np.concatenate([FOUND, FOUND + 8])) == pytest.approx([*once, *once], nan_ok=True)
    nothing = MentionLinks.joined([], [], 3)
    assert np.isnan(nothing.confidences(np.arange(3))).all()


def test_the_hash_of_a_document_is_that_of_what_a_model_sees() -> None:
    document = Document.from_sentences("d", [["a", "b"], ["c"]])
    mention = Mention("d", (0,), "event", cluster="1")
    base = document_hash(document, [mention])
    same = replace(document, id="e", path="x", topic="t", subtopic="s", annotated=frozenset([0]))
    assert document_hash(same, (replace(mention, document="e", cluster="2", id="7", tag="X", confidence=0.5),)) == base
    others = [
        (Document.from_sentences("d", [["a", "b", "c"]]), [mention]),
        (Document.from_sentences("d", [["a", "b"], ["d"]]), [mention]),
        (replace(document, hidden=frozenset([1])), [mention]),
        (replace(document, parse=b"of another pipeline"), [mention]),
        (document, []),
        (document, [mention, mention]),
        (document, [replace(mention, kind="entity")]),
        (document, [replace(mention, tokens=(0, 1))]),
    ]
    assert len({base, *(document_hash(d, m) for d, m in others)}) == len(others) + 1
