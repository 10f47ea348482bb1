"""The pairs that were compared: what confidences and clusters were made of, in Python and as a table."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from cdcoref.clustering import PairScores
from cdcoref.errors import InputError
from cdcoref.linking import MentionLinks, compared_pairs
from cdcoref.predict import Predictor, load
from cdcoref.views import write_pairs

TEXTS = ["A ferry sank off Tresk on Friday. Police held the captain.", "The ferry sank near Tresk. It was towed."]


@pytest.fixture(scope="module")
def predictor() -> Predictor:
    """The default model, which finds antecedents."""
    return load()


def test_pairs_and_antecedents_are_in_the_order_of_their_first_mention() -> None:
    compared = PairScores(4, np.array([2, 0]), np.array([3, 2]), np.array([0.5, 0.25]))
    links = MentionLinks(compared, np.array([1]), np.array([0]), np.array([0.75]))
    nobody = np.zeros(0, dtype=np.int64)
    nothing = MentionLinks(PairScores(4, nobody, nobody, np.zeros(0)), nobody, nobody, np.zeros(0))
    assert compared_pairs([links, nothing]) == [(0, 2, 0.25, False), (1, 0, 0.75, True), (2, 3, 0.5, False)]
    assert compared_pairs([]) == []


def test_a_prediction_keeps_its_pairs_if_asked(predictor: Predictor, tmp_path: Path) -> None:
    without = predictor.predict(TEXTS)
    assert without.pairs is None
    with pytest.raises(InputError, match="has no pairs"):
        write_pairs(without, tmp_path / "x.csv")
    prediction = predictor.predict(TEXTS, pairs=True)
    assert prediction.corpus == without.corpus
    assert any(pair.antecedent for pair in prediction.pairs or ())
    pairs = prediction.pairs or ()
    assert pairs
    known = set(prediction.corpus.mentions)
    assert all({pair.first, pair.second} <= known and pair.first != pair.second for pair in pairs)
    assert all(pair.first.kind == pair.second.kind and 0 <= pair.probability <= 1 for pair in pairs)
    # The confidence of a mention is the mean probability of its pairs with the others of its cluster.
    for mention in prediction.corpus.mentions:
        own = [p for p in pairs if mention in (p.first, p.second) and p.first.cluster == p.second.cluster]
        others = sum(one.cluster == mention.cluster for one in known) - 1
        if others and len(own) == others and not any(pair.antecedent for pair in own):
            assert mention.confidence == pytest.approx(sum(pair.probability for pair in own) / others)
    part = prediction.subset(["1"])
    assert {p.first.document for p in part.pairs or ()} <= {"1"}
    write_pairs(prediction, tmp_path / "x.csv")
    with (tmp_path / "x.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(pairs)
    for row, pair in zip(rows, pairs, strict=True):
        assert (row["first_document"], row["kind"]) == (pair.first.document, pair.first.kind)
        assert float(row["probability"]) == pytest.approx(pair.probability, abs=1e-4)
        assert row["one_cluster"] == str(int(pair.first.cluster == pair.second.cluster))
        text = TEXTS[int(row["second_document"]) - 1]
        assert text[int(row["second_start"]) : int(row["second_end"])] == row["second_text"]
