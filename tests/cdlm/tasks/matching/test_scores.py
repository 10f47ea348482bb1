"""Precision, recall, F1 and accuracy, against scikit-learn and by hand."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, precision_recall_fscore_support

from cdlm.tasks import MatchScores, match_scores

Labels = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1)


def test_by_hand() -> None:
    assert match_scores([1, 1, 1, 1, 0], [1, 1, 1, 0, 1]) == MatchScores(0.75, 0.75, 0.75, 0.6)
    assert match_scores([0, 0], [0, 0]) == MatchScores(0.0, 0.0, 0.0, 1.0)


@given(Labels)
def test_they_are_scikit_learns(pairs: list[tuple[int, int]]) -> None:
    labels, predicted = zip(*pairs, strict=True)
    found = match_scores(labels, predicted)
    precision, recall, f1, _ = precision_recall_fscore_support(labels, predicted, average="binary", zero_division=0.0)
    expected = (precision, recall, f1, accuracy_score(labels, predicted))
    for one, other in zip((found.precision, found.recall, found.f1, found.accuracy), expected, strict=True):
        assert abs(one - other) < 1e-12
