"""Without cannot-links clusters are those of the linkage alone, held against scikit-learn's, whatever mentions say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import AgglomerativeClustering

from cdcoref.corpus import KINDS, Corpus, Document, Mention
from cdcoref.linking import PairLogits, cluster_mentions
from cdcoref.reading import Readings
from cdcoref.scoring import score
from cdcoref.training import PRESETS

PAPER = PRESETS["paper"].model
PHRASES = [
    *("1998", "2001", "12 people", "20 people", "Monday", "Tuesday", "Anna Berg", "Clara Berg", "she", "it"),
    *("fire in Spain", "fire in Norway", "Monday's fire killed 3", "fire of May 1998"),
]


def corpus(chosen: list[str], kind: str, clusters: list[int] | None = None) -> Corpus:
    """One document and one mention of each phrase."""
    documents = tuple(Document.from_sentences(f"d{n:02}", [phrase.split()]) for n, phrase in enumerate(chosen))
    mentions = tuple(
        Mention(d.id, tuple(range(len(d.tokens))), kind, None if clusters is None else str(clusters[n]))
        for n, d in enumerate(documents)
    )
    return Corpus(documents, mentions)


def logits_of(matrix: np.ndarray, kind: str) -> PairLogits:
    """Every pair of mentions, with the logits of a symmetric matrix."""
    size = len(matrix)
    first, second = np.triu_indices(size, 1)
    kinds = np.full(len(first), KINDS.index(kind), dtype=np.int8)
    return PairLogits(size, first, second, kinds, matrix[first, second].astype(np.float32))


def partition(labels: list[object]) -> set[frozenset[int]]:
    return {frozenset(n for n, own in enumerate(labels) if own == label) for label in labels}


def clustered(documents: Corpus, logits: PairLogits, config=PAPER) -> set[frozenset[int]]:
    return partition([m.cluster for m in cluster_mentions(Readings(documents), logits, config).mentions])


@pytest.mark.parametrize("kind", KINDS)
@given(
    chosen=st.lists(st.sampled_from(PHRASES), min_size=2, max_size=25),
    threshold=st.floats(0.05, 0.95),
    seed=st.integers(0, 2**32 - 1),
)
def test_the_papers_clusters_are_scikit_learns(kind: str, chosen: list[str], threshold: float, seed: int) -> None:
    """Average linkage of 1 - probability, over mentions whose years, amounts, days, names and genders conflict."""
    matrix = np.random.default_rng(seed).normal(0, 3, (len(chosen), len(chosen)))
    matrix = np.triu(matrix, 1) + np.triu(matrix, 1).T
    config = replace(PAPER, distance_threshold=dict.fromkeys(KINDS, threshold))
    distance = 1 - 1 / (1 + np.exp(-matrix.astype(np.float32).astype(np.float64)))
    np.fill_diagonal(distance, 0.0)
    expected = AgglomerativeClustering(
        n_clusters=None, metric="precomputed", linkage="average", distance_threshold=threshold
    ).fit(distance)
    assert clustered(corpus(chosen, kind), logits_of(matrix, kind), config) == partition(expected.labels_.tolist())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(5))
def test_a_perfect_scorer_reaches_100_without_cannot_links_alone(seed: int, kind: str) -> None:
    random = np.random.default_rng(seed)
    names = random.integers(0, 5, 30).tolist()
    gold = corpus(random.choice(PHRASES, 30).tolist(), kind, names)
    same = np.array(names)[:, None] == np.array(names)
    logits = logits_of(np.where(same, 8.0, -8.0), kind)
    found = cluster_mentions(Readings(gold), logits, PAPER)
    assert score(gold, found).conll_f1 == 1.0
    divided = cluster_mentions(Readings(gold), logits, replace(PAPER, cannot_links=True))
    assert score(gold, divided).conll_f1 < 1.0  # type: ignore[operator]
