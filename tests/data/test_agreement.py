"""The models that ship: what agrees never lowers the logit of a pair of dev, and what conflicts never raises it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from cdcoref.corpora import CorpusFolder
from cdcoref.corpus import EVENT, KINDS
from cdcoref.facts import with_parses
from cdcoref.language import FEATURES, FactTables, pair_features
from cdcoref.model import CorefModel
from cdcoref.reading import Readings

INVENTED = Path(__file__).resolve().parents[2] / "data" / "invented"
TEXTS, PAIRS = 60, 400
VALUES = (-1.0, 0.0, 0.3, 1.0)
STRICT = ("numbers", "years", "dates")
"""What events rarely state, and always counts."""


@pytest.fixture(scope="module")
def facts() -> dict[str, FactTables]:
    """The facts of the mentions of some texts, by kind; their parses are computed once."""
    corpus = CorpusFolder("invented", INVENTED).read("dev").corpus
    some = corpus.subset(document.id for document in corpus.documents[:TEXTS])
    some = replace(some, documents=tuple(with_parses(some.documents)))
    return {kind: Readings(some.of_kind(kind)).facts for kind in KINDS}


@pytest.mark.parametrize("name", ["small", "base"])
def test_agreement_never_counts_against(name: str, facts: dict[str, FactTables]) -> None:
    model = CorefModel.from_pretrained(name)
    options, scorer = model.settings.vectors, model.vector_scorer
    assert scorer is not None
    rng = np.random.default_rng(0)
    for kind in KINDS:
        pairs = rng.integers(len(facts[kind]), size=(PAIRS, 2))
        features = torch.from_numpy(pair_features(options.pair_features, facts[kind], pairs))
        cosines = torch.from_numpy(rng.uniform(-0.2, 1, (PAIRS, options.pair_width - features.shape[1])))
        known = torch.cat([features, cosines.float()], dim=1)
        vectors = torch.from_numpy(rng.normal(size=(len(facts[kind]), scorer.columns))).float()
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
