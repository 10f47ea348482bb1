"""The models that ship: what agrees never lowers the logit of a pair of dev, and what conflicts never raises it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from cdcoref.corpora import CorpusFolder
from cdcoref.corpus import EVENT, KINDS
from cdcoref.language import FEATURES, pair_features
from cdcoref.model import CorefModel
from cdcoref.reading import Readings

INVENTED = Path(__file__).resolve().parents[2] / "data" / "invented"
PAIRS = 3000
VALUES = (-1.0, 0.0, 0.3, 1.0)
STRICT = ("numbers", "years", "dates")
"""What events rarely state, and always counts."""


@pytest.mark.parametrize("name", ["small", "base"])
def test_agreement_never_counts_against(name: str) -> None:
    model = CorefModel.from_pretrained(name)
    options, scorer = model.settings.vectors, model.vector_scorer
    assert scorer is not None
    corpus = CorpusFolder("invented", INVENTED).read("dev").corpus
    rng = np.random.default_rng(0)
    for kind in KINDS:
        facts = Readings(corpus.of_kind(kind)).facts
        pairs = rng.integers(len(facts), size=(PAIRS, 2))
        features = torch.from_numpy(pair_features(options.pair_features, facts, pairs))
        cosines = torch.from_numpy(rng.uniform(-0.2, 1, (PAIRS, options.pair_width - features.shape[1])))
        known = torch.cat([features, cosines.float()], dim=1)
        vectors = torch.from_numpy(rng.normal(size=(len(facts), scorer.columns))).float()
        with torch.inference_mode():
            usual = scorer(known, vectors, torch.from_numpy(pairs), kind)
            for column, feature in enumerate(options.pair_features):
                for value in VALUES if FEATURES[feature].evidence else ():
                    changed = known.clone()
                    changed[:, column] = value
                    rise = scorer(changed, vectors, torch.from_numpy(pairs), kind) - usual
                    assert (rise * (value - known[:, column]).sign()).min() >= -1e-4, (kind, feature, value)
            for feature in STRICT if kind == EVENT else ():
                logits = []
                for value in (-1.0, 0.0, 1.0):
                    known[:, options.pair_features.index(feature)] = value
                    logits.append(scorer(known, vectors, torch.from_numpy(pairs), kind))
                assert (logits[0] < logits[1]).all(), feature
                assert (logits[1] < logits[2]).all(), feature
