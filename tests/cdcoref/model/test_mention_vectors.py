"""Heads on what the encoder's layers say of words: projections, the scorer's two networks."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from cdcoref.corpus import Document, Mention
from cdcoref.linking import EncodedPart, SpanScores, vectors_of
from cdcoref.model import ALL, UNSEEN, KindScorer, VectorScorer
from cdcoref.reading import Reading

WIDTH, DIMENSION = 6, 4
EVIDENCE = (False, True, True)


@pytest.mark.parametrize("shares", [{}, {ALL: 0.5}, {ALL: 0.3, UNSEEN: 0.3}, {UNSEEN: 1.0}])
def test_a_scorer_is_symmetric_and_the_same_in_parts(shares: dict[str, float]) -> None:
    """There are too many pairs for all their hidden layers to be in memory at once."""
    torch.manual_seed(0)
    scorer = VectorScorer(EVIDENCE, 8, WIDTH, DIMENSION, {"entity": shares}).eval()
    assert (scorer.columns, scorer.learning) == (len(shares) * DIMENSION, ("entity",) if shares else ())
    pairs = torch.combinations(torch.arange(100))
    vectors, known = torch.randn(100, scorer.columns), torch.randn(len(pairs), 3)
    for kind in ("event", "entity"):
        with torch.no_grad():
            once = scorer(known, vectors, pairs, kind)
            assert torch.allclose(scorer(known, vectors, pairs.flip(1), kind), once, atol=1e-6)
            in_parts = [
                scorer(part, vectors, own, kind) for part, own in zip(known.split(900), pairs.split(900), strict=True)
            ]
            assert torch.allclose(torch.cat(in_parts), once, atol=1e-6)
            if kind == "event":  # which learns no vectors
                assert torch.equal(scorer(known, vectors + 1, pairs, kind), scorer(known, vectors, pairs, kind))
    assert len(scorer(known[:0], vectors, pairs[:0], "event")) == 0


def test_what_hardly_differs_in_training_does_not_count() -> None:
    torch.manual_seed(0)
    scorer = KindScorer(EVIDENCE, 8, WIDTH, 0).eval()
    seen = torch.randn(100_000, 3)
    seen[:, 1] = 0.0
    seen[:, 2] = 0.0
    seen[0, 2] = 1.0  # of one pair in 100,000
    scorer.standardise(seen)
    none = torch.zeros(1, 0)
    with torch.no_grad():
        usual, other, first = (
            scorer(torch.tensor([row]), none, none) for row in ([0.5, 0, 0], [0.5, 1, 1], [0.6, 0, 0])
        )
    assert torch.equal(usual, other)
    assert not torch.equal(usual, first)


def test_a_feature_that_few_pairs_show_has_the_weight_of_its_table() -> None:
    torch.manual_seed(0)
    scorer = KindScorer(EVIDENCE, 8, WIDTH, 0).eval()
    scorer.standardise(torch.randn(50, 3), torch.tensor([False, False, True]), torch.tensor([2.0, 2.0, 0.7]))
    none = torch.zeros(3, 0)
    known = torch.tensor([[0.5, 0.1, value] for value in (-1.0, 0.0, 1.0)])
    with torch.no_grad():
        assert scorer(known, none, none).diff().tolist() == pytest.approx([0.7, 0.7], abs=1e-5)


@given(st.integers(0, 2**31), st.sampled_from([{}, {ALL: 0.6, UNSEEN: 0.3}]))
def test_more_evidence_never_lowers_the_logit(seed: int, shares: dict[str, float]) -> None:
    """Whatever the weights, and whatever else is known of the pair."""
    torch.manual_seed(seed)
    columns = {ALL: slice(0, DIMENSION), UNSEEN: slice(DIMENSION, 2 * DIMENSION)}
    evidence = (False, True, True, False, True)
    scorer = KindScorer(evidence, 8, WIDTH, DIMENSION, shares, columns).eval()
    scorer.standardise(torch.randn(99, 5), torch.tensor([False] * 4 + [True]), torch.tensor([0.0, 0.0, 0.0, 0.0, 1.0]))
    with torch.no_grad():
        for parameter in scorer.parameters():
            parameter.normal_(std=2.0)
        known, vectors = torch.randn(40, 5), torch.randn(2, 40, 2 * DIMENSION)
        more = known + torch.rand(40, 5) * torch.tensor(evidence)
        before, after = (scorer(features, *vectors) for features in (known, more))
    assert (after >= before - 1e-4).all()


@pytest.mark.parametrize("shares", [{ALL: 0.5}, {UNSEEN: 0.2}, {ALL: 0.3, UNSEEN: 0.4}])
def test_the_logit_is_the_weighted_mean_of_all_networks(shares: dict[str, float]) -> None:
    """Each is told its own vectors of the mentions, wherever they stand."""
    torch.manual_seed(0)
    columns = {UNSEEN: slice(0, DIMENSION), ALL: slice(DIMENSION, 2 * DIMENSION)}
    scorer = KindScorer(EVIDENCE, 8, WIDTH, DIMENSION, shares, columns).eval()
    known = torch.randn(6, 3)
    scorer.standardise(known)
    one, other = torch.randn(2, 6, 2 * DIMENSION)
    standard = scorer.standardised(known)
    expected = (1 - sum(shares.values())) * scorer.layers(standard)
    for name, share in shares.items():
        own = columns[name]
        said = scorer.by_vectors(name, standard, one[:, own], other[:, own])
        assert torch.allclose(scorer.by_vectors(name, standard, other[:, own], one[:, own]), said, atol=1e-6)
        expected = expected + share * said
    assert torch.allclose(scorer(known, one, other), expected, atol=1e-6)


def test_each_kind_has_the_vectors_of_its_own_networks() -> None:
    """Events have those of one network, entities of two; the others are zeros."""
    torch.manual_seed(0)
    shares = {"event": {UNSEEN: 0.4}, "entity": {ALL: 0.3, UNSEEN: 0.3}}
    scorer = VectorScorer(EVIDENCE, 8, WIDTH, DIMENSION, shares).eval()
    words = torch.randn(5, WIDTH)
    document = Document.from_sentences("d", [["a", "b", "c", "d", "e"]])
    mentions = [Mention("d", (0, 1), kind) for kind in ("event", "entity")]
    with torch.no_grad():
        kept = scorer.project(words).numpy()
        expected = {
            (kind, name): scorer.of_kind(kind).projection_of(name)(words[:2].mean(dim=0), words[1]).numpy()
            for kind, own in shares.items()
            for name in own
        }
    tables = dict(zip(scorer.learning, np.split(kept, 2, axis=1), strict=True))
    no_spans = SpanScores(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros((0, 2), np.float32))
    reading = EncodedPart(
        Reading(document), no_spans, np.ones((5, 2), np.float32), tables, np.zeros((5, 0), np.float32)
    )
    event, entity = vectors_of(reading, mentions).own["learnt"]
    np.testing.assert_array_equal(event[:DIMENSION], np.zeros(DIMENSION))
    np.testing.assert_allclose(event[DIMENSION:], expected["event", UNSEEN], atol=2e-3)
    np.testing.assert_allclose(entity[:DIMENSION], expected["entity", ALL], atol=2e-3)
    np.testing.assert_allclose(entity[DIMENSION:], expected["entity", UNSEEN], atol=2e-3)
